"""The table of what visitors do: natural sentences, questions, edited swaps, the browser.

    python experiments/visitors.py

Measures nothing: it reads the JSON that `natural_swaps.py`, `questions.py`, `no_swaps.py` and
`front_door.py` wrote, and puts one table between the markers of docs/visitors.md.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from experiments.reproduction.markdown import table
from experiments.reproduction.tables import write_into
from symdemo.files.paths import DOCS

RESULTS = Path(__file__).parent / "results"
BEGIN, END = "<!-- visitors: begin -->", "<!-- visitors: end -->"
HEADER = ("What was asked", "Sentences", "Right", "Wrong and shown as sure", "The simplest rival")


def main() -> None:
    """Write the table."""
    write_into(DOCS / "visitors.md", markdown(), BEGIN, END)


def markdown() -> str:
    """The table with a line on where its figures come from."""
    natural, looked_at = read("natural_swaps"), read("natural_swaps_dev")
    questions, edits, browser = read("questions"), read("no_swaps"), read("front_door")
    rows = [
        _natural("Natural sentences, not looked at: exactly the swap written for it", natural),
        _natural("The same, looked at while the swapper was made", looked_at),
        *_questions(questions),
        *_edits(edits),
        _browser(browser),
    ]
    commits = ", ".join(
        f"{name} at commit {report['made_by']['commit']}"
        for name, report in (
            ("natural_swaps", natural),
            ("questions", questions),
            ("no_swaps", edits),
            ("front_door", browser),
        )
    )
    return (
        "Made by the commands of these names in `experiments/`, put together by `visitors.py`: "
        f"{commits}. In brackets: 95% intervals (Wilson). The sentences, their swaps and their "
        "verdicts were written without a look at code or model; one part of each file was looked "
        f"at while both were made, the other was asked once.\n\n{table(HEADER, rows)}\n"
    )


def read(name: str) -> dict[str, Any]:
    """A report by the name of its command."""
    return json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))


def _natural(title: str, report: dict[str, Any]) -> list[str]:
    found = report["all"]
    rival = f"{report['baseline']['share']:.1%}: first and last noun phrase exchanged"
    counted = (found["exact"], found["wrong and sure"])
    return [title, str(found["sentences"]), *map(_counted, counted), rival]


def _counted(figures: dict[str, Any]) -> str:
    low, high = figures["interval"]
    return f"{figures['share']:.1%} [{100 * max(low, 0):.1f}–{100 * high:.1f}]"


def _questions(report: dict[str, Any]) -> Iterator[list[str]]:
    titles = {
        "test": "Visitors’ questions, not looked at: swap and verdict",
        "dev": "The same, looked at while the model was made",
    }
    for split, title in titles.items():
        rows = {row["model"]: row for row in report["rows"] if row["split"] == split}
        guess = next(row for name, row in rows.items() if name.startswith("always"))
        found, words = rows["general"], rows["word 1-to-3-grams"]
        yield [
            title,
            str(found["n"]),
            _in_percent(found["right"]),
            _in_percent(found["wrong_and_sure"]),
            f"{guess['verdict_right']['share']}%: {guess['model']}; "
            f"{words['verdict_right']['share']}%: {words['model']}; verdicts alone",
        ]


def _in_percent(figures: dict[str, Any]) -> str:
    low, high = figures["interval"]
    return f"{figures['share']}% [{low}–{high}]"


def _edits(report: dict[str, Any]) -> Iterator[list[str]]:
    rows = {(row["set"], row["is_swap"]): row for row in report["rows"]}
    for split, title in (("test", "not looked at"), ("dev", "looked at")):
        edits, swaps = (rows[f"written by hand, {split}: in all", is_swap] for is_swap in (0, 1))
        found, alarms = edits["called_no_swap"], swaps["called_no_swap"]
        yield [
            f"Edits that are no swaps, {title}: recognised",
            str(edits["pairs"]),
            _of_pairs(found["exchanged"]),
            f"{_of_pairs(alarms['exchanged'])} of true swaps called none",
            f"{found['same_words']['share']:.1%} at {alarms['same_words']['share']:.1%}: other "
            "words than the first sentence has",
        ]


def _of_pairs(figures: dict[str, Any]) -> str:
    return f"{figures['share']:.1%} [{100 * figures['low']:.1f}–{100 * figures['high']:.1f}]"


def _browser(report: dict[str, Any]) -> list[str]:
    asked = sum(row["asked"] for row in report["rows"])
    right = sum(row["right_pair"] for row in report["rows"])
    latencies = sorted({row["latency_ms"] for row in report["rows"]})
    ways = list(dict.fromkeys(row["way"] for row in report["rows"]))
    return [
        f"The pair judged is the pair asked, in a browser ({', '.join(ways)}; "
        f"{latencies[0]} to {latencies[-1]:,} ms of latency)",
        str(asked),
        f"{right} of {asked}",
        "–",
        "–",
    ]


if __name__ == "__main__":
    main()
