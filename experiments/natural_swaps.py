"""Natural sentences swapped: how many rightly, how many wrongly, and whether the swap says so.

    python experiments/natural_swaps.py [--split dev|test] [--file FILE] [--out FOLDER]

Reads sentence, swapped, also, kind, domain and split from experiments/natural_sentences.csv; `also`
holds further right swaps, parted by " | ", and an empty `swapped` means that refusing is right.
A swap is right where it equals one of them but for white space and the shape of apostrophes. Beside
it stands the simplest thing that could work: the first and the last noun phrase exchanged.
"""

from __future__ import annotations

import argparse
import csv
import json
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from symdemo.errors import InputError
from symdemo.evaluation.intervals import wilson
from symdemo.files.provenance import provenance
from symdemo.swapping import Swap, swap
from symdemo.swapping.exchange import capitalise, lower_first
from symdemo.swapping.parsing import parse

SENTENCES = Path(__file__).with_name("natural_sentences.csv")
_FOLDER = Path(__file__).with_name("results")
RESULTS = {"test": _FOLDER / "natural_swaps.json", "dev": _FOLDER / "natural_swaps_dev.json"}

OUTCOMES = {
    "right and sure": "swapped rightly, and no doubt is shown",
    "right and doubted": "swapped rightly, with a doubt that was not needed",
    "second is right": "swapped wrongly, with a doubt, and the second candidate is right",
    "wrong and doubted": "swapped wrongly, with a doubt",
    "wrong and sure": "swapped wrongly, or swapped where nothing can be, without any doubt",
    "refused": "refused, though it can be swapped",
    "rightly refused": "refused, and nothing can be swapped",
}


class Sentence(NamedTuple):
    """A sentence with all its right swaps (none: refusing is right) and its kind."""

    text: str
    right: tuple[str, ...]
    kind: str
    split: str


def main() -> None:
    """Measure each split that is asked for, print its table, write its JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--split", choices=RESULTS, nargs="+", default=list(RESULTS))
    parser.add_argument("--file", type=Path, default=SENTENCES)
    parser.add_argument("--out", type=Path, help="another folder for the JSON")
    parser.add_argument("--show", action="store_true", help="print each sentence that goes wrong")
    arguments = parser.parse_args()
    for split in arguments.split:
        rows = load(arguments.file, split)
        report = {"file": arguments.file.name, "split": split} | measure(rows, arguments.show)
        print(table(report))
        path = RESULTS[split]
        path = arguments.out / path.name if arguments.out else path
        path.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


def measure(rows: Sequence[Sentence], show: bool = False) -> dict[str, Any]:
    """What becomes of sentences, all and by kind, beside the simplest thing that could work."""
    made_by = provenance()
    swap(rows[0].text) if rows else None  # the parsers are loaded once, and not timed
    told, milliseconds = [], []
    for row in rows:
        start = time.process_time()
        got = attempt(row.text)
        milliseconds.append(1000 * (time.process_time() - start))
        told.append(outcome(row, got))
        if show and told[-1] not in {"right and sure", "rightly refused"}:
            print(f"{told[-1]}: {row.text}\n  got  {got and got.hypothesis}\n  want {row.right}")
    return {
        "made_by": made_by,
        "seed": None,  # nothing is drawn at random
        "milliseconds": {
            "median": round(median(milliseconds), 1),
            "95 of 100 under": round(sorted(milliseconds)[int(0.95 * len(rows))], 1),
        },
        "all": tally(rows, told),
        "kinds": {
            kind: tally([rows[i] for i in at], [told[i] for i in at])
            for kind, at in sorted(by_kind(rows).items())
        },
        "baseline": share(
            sum(bool(row.right) and is_right(row, ends_exchanged(row.text)) for row in rows),
            sum(bool(row.right) for row in rows),
        ),
    }


def load(file: Path, split: str) -> list[Sentence]:
    """The sentences of a split; a file without the column counts as one split."""
    with file.open(encoding="utf-8", newline="") as lines:
        found = [
            Sentence(
                row["sentence"],
                tuple(t.strip() for t in [row["swapped"], *row["also"].split(" | ")] if t.strip()),
                row["kind"],
                row.get("split") or "",
            )
            for row in csv.DictReader(lines)
        ]
    return [row for row in found if row.split in ("", split)]


def attempt(sentence: str) -> Swap | None:
    """The swap, or None where it is refused."""
    try:
        return swap(sentence)
    except InputError:
        return None


def outcome(row: Sentence, got: Swap | None) -> str:
    """Which of `OUTCOMES` a swap is."""
    if got is None:
        return "refused" if row.right else "rightly refused"
    if is_right(row, got.hypothesis):
        return "right and sure" if got.sure else "right and doubted"
    if got.sure:
        return "wrong and sure"
    second = got.others[:1]
    found = any(is_right(row, other.hypothesis) for other in second)
    return "second is right" if found else "wrong and doubted"


def is_right(row: Sentence, hypothesis: str) -> bool:
    """Whether a swapped sentence is one of the right ones."""
    return _plain(hypothesis) in map(_plain, row.right)


def _plain(text: str) -> str:
    return " ".join(text.replace("’", "'").split())


def ends_exchanged(sentence: str) -> str:
    """The baseline: the first and the last noun phrase exchanged, capitals mended."""
    chunks = list(parse(sentence).noun_chunks)
    if len(chunks) < 2:
        return sentence
    first, last = chunks[0], chunks[-1]
    back = first.text if first[0].tag_.startswith("NNP") else lower_first(first.text)
    start, stop = sentence[: first.start_char], sentence[last.end_char :]
    return capitalise(start + last.text + sentence[first.end_char : last.start_char] + back + stop)


def by_kind(rows: Sequence[Sentence]) -> dict[str, list[int]]:
    """The places of the sentences of each kind."""
    out = defaultdict(list)
    for i, row in enumerate(rows):
        out[row.kind].append(i)
    return out


def tally(rows: Sequence[Sentence], told: Iterable[str]) -> dict[str, Any]:
    """Counts of all outcomes, and the two shares that matter, each with its 95% interval."""
    counts = Counter(told)
    right = counts["right and sure"] + counts["right and doubted"]
    swappable = sum(bool(row.right) for row in rows)
    return {
        "sentences": len(rows),
        "outcomes": {name: counts[name] for name in OUTCOMES},
        "exact": share(right, swappable),
        "exact or second": share(right + counts["second is right"], swappable),
        "wrong and sure": share(counts["wrong and sure"], len(rows)),
        "doubted of the right": share(counts["right and doubted"], right),
    }


def share(count: int, total: int) -> dict[str, Any]:
    """A share with its 95% Wilson interval."""
    if not total:
        return {"count": 0, "of": 0, "share": None, "interval": None}
    interval = [round(end, 4) for end in wilson(count, total)]
    return {"count": count, "of": total, "share": round(count / total, 4), "interval": interval}


def table(report: Mapping[str, Any]) -> str:
    """What is printed: all sentences, then each kind, then the baseline."""
    lines = [f"{'kind':<24}{'n':>5}{'exact':>8}{'wrong and sure':>16}{'right, doubted':>16}"]
    for name, own in [("all", report["all"]), *report["kinds"].items()]:
        shares = (own["exact"], own["wrong and sure"], own["doubted of the right"])
        cells = ["–" if s["share"] is None else f"{s['share']:.1%}" for s in shares]
        lines.append(f"{name:<24}{own['sentences']:>5}{cells[0]:>8}{cells[1]:>16}{cells[2]:>16}")
    whole = report["all"]
    for name in ("exact", "exact or second", "wrong and sure", "doubted of the right"):
        low, high = whole[name]["interval"]
        lines.append(
            f"{name}: {whole[name]['count']} of {whole[name]['of']} [{low:.1%}, {high:.1%}]"
        )
    base = report["baseline"]
    lines.append(f"first and last noun phrase exchanged: {base['count']} of {base['of']} right")
    lines.append(f"milliseconds of processor time a sentence: {report['milliseconds']}")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
