"""The tables of `experiments/general.py`: docs/results.md."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from experiments.general_arms import ARMS
from experiments.general_kept import KEPT
from experiments.general_scores import HEADLINES, RIVALS, Kept, errors, row_of
from experiments.reproduction.markdown import table
from symdemo.data.bank import load_bank
from symdemo.data.bank_phrasings import KINDS_OF_PHRASING
from symdemo.files.atomic import write_text
from symdemo.files.paths import DOCS, PACKAGE, RESULTS
from symdemo.files.provenance import provenance
from symdemo.pairs import LABELS

COMMAND = "python experiments/general.py"
PAGE = DOCS / "results.md"
REPORT = RESULTS / "general.json"

LISTED_ERRORS = ("general", "first-stage", "words")
"""Whose errors are listed, of those whose answers are kept."""


def make_report(folder: Path = KEPT, earlier: Mapping[str, Any] | None = None) -> dict:
    """Every figure, from the answers in `folder`.

    Arms whose answers are of other rows than today's keep what the `earlier` report says of them,
    and are marked as such.
    """
    kept = Kept(folder)
    rivals = {more: (name, arm) for more, name in RIVALS.items() if (arm := kept.arm(name))}
    rows = {
        name: row_of(kept, name, {more: arm for more, (own, arm) in rivals.items() if own != name})
        for name in ARMS
        if kept.arm(name)
    }
    before = earlier["rows"] if earlier else {}
    for name in set(before) - set(rows):
        rows[name] = before[name] | {"kept": False, "note": "of other data than today's"}
    bank = kept.bank
    counts = bank.matched > 0
    return {
        "command": COMMAND,
        "made_by": provenance(),
        "data": {
            "pairs": len(bank),
            "relations": int(bank.relation.nunique()),
            "groups": int(bank.group.nunique()),
            "labels_changed": _labels_changed(bank),
            "matched": {"share": float(counts.mean()), "weight": float(bank.matched.sum())},
            "sentences": kept.rows[kept.rows.set != "bank"].set.value_counts().to_dict(),
        },
        "rows": {name: rows[name] for name in ARMS if name in rows},
        "errors": {name: errors(kept, name) for name in LISTED_ERRORS if kept.arm(name)},
    }


def _made_of(folder: Path) -> list[str]:
    """The answers, as `provenance` names them; nothing of a folder outside the checkout."""
    checkout = PACKAGE.parent
    paths = [path for path in sorted(folder.glob("*.parquet")) if path.is_relative_to(checkout)]
    return [path.relative_to(checkout).as_posix() for path in paths]


def _labels_changed(bank: Any) -> int:
    """How many of the relations that were asked have another label in the bank by now."""
    now = {relation.id: relation.label for relation in load_bank().relations}
    asked = dict(zip(bank.relation, bank.label, strict=True))
    return sum(now.get(relation, label) != label for relation, label in asked.items())


def earlier_report() -> dict | None:
    """What was written last."""
    return json.loads(REPORT.read_text(encoding="utf-8")) if REPORT.is_file() else None


def write_report(report: Mapping[str, Any]) -> None:
    """Put the figures into `general.json`, the tables into docs/results.md."""
    text = json.dumps(report, indent=1, ensure_ascii=False) + "\n"
    write_text(REPORT, text)
    write_text(PAGE, results_page(json.loads(text)))


_WHAT = (
    "Asked of relations that were not taught: {pairs:,} sentences, one for each phrasing of "
    "{relations:,} relations in {groups:,} groups, which are dealt into five folds; each fold is "
    "asked of a model that was taught the other four. *Without “[X] and [Y] …”* leaves out the "
    "construction that gives its label away. *Matched* compares sentences that are built alike "
    "(the same function words in the same order, entities and all other words masked) and have "
    "each label weigh the same there, so that construction alone scores a third; {share:.0%} of "
    "the sentences have counterparts of all labels and count. *Holds or contradicts* is told by an "
    "oracle which sentences are not neutral. In brackets: 95% intervals, by bootstrap over groups "
    "of relations."
)


_HEADERS = ("Three answers", "Without “[X] and [Y] …”", "Matched", "Holds or contradicts")


def _headlines(row: Mapping[str, Any]) -> list[str]:
    return [_interval(row[name]) for name in HEADLINES]


def _title(name: str, row: Mapping[str, Any]) -> str:
    return ARMS[name].title + ("" if row["kept"] else " †")


def _published_lines(rows: Mapping[str, Any]) -> str:
    """A line for each row that was measured by other code, on other machines or fewer folds."""
    lines = []
    for name, row in rows.items():
        if not row["kept"]:
            note = f"; {row['note']}" if row["note"] else ""
            lines.append(
                f"† {ARMS[name].title.replace('*', '')}: as published at commit "
                f"{', '.join(row['commits'])}, measured on {', '.join(row['machines'])} in "
                f"{row['runs']} run{'s' * (row['runs'] > 1)}{note}; its single answers were not "
                "kept.\n"
            )
    return "\n" + "\n".join(lines) if lines else ""


def _interval(figure: Mapping[str, Any], times: int = 100, unit: str = "%") -> str:
    if figure["mean"] is None:
        return "–"
    mean = f"{times * figure['mean']:.1f}{unit}"
    if figure["low"] is None:
        return mean
    text = f"{mean} [{times * figure['low']:.1f}–{times * figure['high']:.1f}]"
    return text.replace("-", "−")


def _difference(figure: Mapping[str, Any] | None) -> str:
    if not figure:
        return "–"
    mean, low, high = (f"{100 * figure[name]:+.1f}" for name in ("mean", "low", "high"))
    return f"{mean} [{low}, {high}]".replace("-", "−")


def _three_digits(figure: Mapping[str, Any]) -> str:
    return f"{figure['mean']:.3f}"


def _lost(row: Mapping[str, Any]) -> str:
    return f"{row['sts_loss']['mean']:.2f}".replace("-", "−") if row.get("sts_loss") else "–"


def _percent(figure: Mapping[str, Any] | None) -> str:
    return f"{figure['mean']:.1%}" if figure else "–"


# The page of all results


_AS_OF = (
    " **As of then:** {} of these relations have been given another label since; the answers are "
    "measured by the labels that they had."
)


def results_page(report: Mapping[str, Any]) -> str:
    """docs/results.md."""
    rows = report["rows"]
    data = report["data"]
    what = _WHAT.format(**data | {"share": data["matched"]["share"]})
    return "\n".join(
        [
            "# Relations that were never taught",
            "",
            f"Made by `{report['command']} --report` out of the answers in "
            "`experiments/results/general`; nothing here is written by hand.",
            "",
            what + _AS_OF.format(data["labels_changed"]) * bool(data["labels_changed"]),
            "",
            _headline_table(rows),
            _published_lines(rows),
            "Paired differences, in percentage points, on the same draws of groups:",
            "",
            *(f"{_difference_table(rows, more)}\n" for more in RIVALS),
            *_sections(report),
            _RECOMPUTE,
        ]
    )


def _headline_table(rows: Mapping[str, Any]) -> str:
    header = ["Model", *_HEADERS, "Folds", "Seeds"]
    return table(
        header,
        [
            [_title(name, row), *_headlines(row), str(row["folds"]), str(row["seeds"])]
            for name, row in rows.items()
        ],
    )


def _difference_table(rows: Mapping[str, Any], more: str) -> str:
    lines = [
        [ARMS[name].title, *(_difference(row[headline].get(more)) for headline in HEADLINES)]
        for name, row in rows.items()
        if row["kept"] and row[HEADLINES[0]].get(more)
    ]
    return table([f"More than {ARMS[RIVALS[more]].title}", *_HEADERS], lines)


def _sections(report: Mapping[str, Any]) -> list[str]:
    rows = report["rows"]
    parts = ["## By construction", "", _kind_table(rows), "", "## By label", "", _label_table(rows)]
    parts += ["", "## Calibration, consistency, other sentences, forgetting", "", _CALIBRATED, ""]
    parts += [_other_table(rows, report["data"]["sentences"]), ""]
    for name, found in report["errors"].items():
        parts += [f"## Errors of {ARMS[name].title.replace('*', '')}", ""]
        for which, wrong in found.items():
            parts += [f"The {which}:", "", _error_table(wrong), ""]
    return [*parts, "## How each row was made", "", _MADE, "", _provenance_table(rows), ""]


_MADE = (
    "The shipped model was trained in bfloat16; a row “trained in fp32” is the same recipe on a "
    "processor that has none. SetFit reads as many sentences as a first stage of ours, all "
    "phrasings, at the best of three rates (`python experiments/setfit_rates.py`, on another "
    "split). With its authors' 20 iterations it would read some 60 times as many: hours on a GPU, "
    "for the arm `setfit`, which was not measured."
)


_CALIBRATED = (
    "The temperature of every row, of its vote or its probabilities, is chosen for each fold by "
    "log loss on the other folds. The free sentences were looked at while the model was chosen; "
    "the blind ones were written without a look at the bank or the model. Both hold relations "
    "that the bank has too, in other words. Seconds are of training one fold, on the machine that "
    "the last table names for the row."
)


def _kind_table(rows: Mapping[str, Any]) -> str:
    kinds = [kind for kind in KINDS_OF_PHRASING if any(kind in r["by_kind"] for r in rows.values())]
    lines = [
        [_title(name, row), *(_share(row["by_kind"].get(kind)) for kind in kinds)]
        for name, row in rows.items()
    ]
    return table(["Model", *kinds], lines)


def _share(share: Sequence[float] | None) -> str:
    return f"{share[0]:.1%}" if share else "–"


def _label_table(rows: Mapping[str, Any]) -> str:
    lines = [
        [_title(name, row), *(f"{row['by_label'][label]:.1%}" for label in LABELS)]
        for name, row in rows.items()
    ]
    return table(["Model", *LABELS], lines)


def _other_table(rows: Mapping[str, Any], sentences: Mapping[str, int]) -> str:
    header = ["Model", "Calibration error", "Log loss", "Same answer the other way"]
    header += [
        f"{name.capitalize()} sentences ({n})" for name, n in sorted(sentences.items())[::-1]
    ]
    header += ["STS-B lost", "Seconds"]
    lines = [
        [
            _title(name, row),
            _three_digits(row["calibration_error"]),
            _three_digits(row["log_loss"]),
            _percent(row["swap_consistency"]),
            *(_percent(row.get(one)) for one in sorted(sentences)[::-1]),
            _lost(row),
            f"{row['seconds']:.0f}",
        ]
        for name, row in rows.items()
    ]
    return table(header, lines)


def _error_table(wrong: Sequence[Mapping[str, Any]]) -> str:
    lines = [[one["phrasing"], one["label"], one["answer"], f"{one['sure']:.1%}"] for one in wrong]
    return table(["Phrasing", "Label", "Answer", "Sure"], lines)


def _provenance_table(rows: Mapping[str, Any]) -> str:
    lines = [
        [
            _title(name, row),
            ", ".join(row["commits"]),
            ", ".join(row["machines"]),
            "; ".join(row.get("versions", [])) or "–",
            ", ".join(row.get("precision", [])) or "–",
            "–" if "C" not in row else ", ".join(f"{c:g}" for c in row["C"]),
            ", ".join(f"{t:g}" for t in sorted({*row["temperature"]} - {None})) or "–",
            row["fingerprints"][0] if "fingerprints" in row else "–",
        ]
        for name, row in rows.items()
    ]
    header = ["Model", "Commit", "Machine", "Versions", "Trained in", "C", "Temperatures"]
    return table([*header, "Data and settings, first run"], lines)


_RECOMPUTE = """## Any figure anew

`rows.parquet` says what was asked; `ARM.parquet` has three shares, the fold and the seed of a
row, and `swapped`, the answer to the same pair read the other way (0, 1, 2 for entailment,
contradiction, neutral); `ARM.json` has commit, machine, versions and a hash of data and settings of
each run. With pandas alone:

```python
import pandas as pd

rows = pd.read_parquet("experiments/results/general/rows.parquet")
asked = pd.read_parquet("experiments/results/general/words.parquet").merge(rows, on="row")
asked = asked[asked.set == "bank"]
answer = asked[["entailment", "contradiction", "neutral"]].astype(float).idxmax(axis=1)
right = answer == asked.label
print(right.mean(), right[asked.kind != "joined"].mean())
```
"""


VARIANTS_BEGIN, VARIANTS_END = "<!-- variants: begin -->", "<!-- variants: end -->"
APART_BEGIN, APART_END = "<!-- apart: begin -->", "<!-- apart: end -->"


def variants_markdown(report: dict, lead: str = "What else was tried, small, by") -> str:
    """The table of what was tried."""
    rows = [
        [
            name,
            f"{row['two']:.1%}",
            f"{row['three']:.1%}",
            f"{row['by_label']['neutral']:.1%}",
            f"{row['sts_loss']:.2f}".replace("-", "−") if "sts_loss" in row else "–",
            f"{row['seconds']:.0f}",
        ]
        for name, row in report["rows"].items()
    ]
    header = ["Variant", "Holds or contradicts", "Three answers", "Of them neutral"]
    header += ["STS-B (dev) lost", "Seconds of training"]
    taught = report["taught"]
    times = "once" if taught["rounds"] == 1 else f"{taught['rounds']} times"
    return (
        f"{lead} `{report['command']}`, put together at commit "
        f"{report['made_by']['commit']} (seconds are of more than one machine): one fold "
        f"({report['relations']} relations) of another split than above; {taught['share']:.0%} of "
        f"the other relations taught, each phrasing shown {times}, one seed.\n\n"
        + table(header, rows)
        + "\n"
    )
