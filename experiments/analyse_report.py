"""The tables of docs/analysing.md, out of what the benchmarks of the tab “Analyse” wrote.

python experiments/analyse_report.py
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from experiments.reproduction.markdown import table
from experiments.reproduction.tables import write_into

FOLDER = Path(__file__).parent / "results"
PAGE = Path(__file__).parents[1] / "docs" / "analysing.md"
BEGIN, END = "<!-- analyse: begin -->", "<!-- analyse: end -->"
OURS = "suggestions"
RIVALS = {
    OURS: "the suggestions",
    "cleanlab, confident_learning, the model's probabilities": "cleanlab",
    "the model is wrong": "all that the model gets wrong",
    "random, as many": "as many, by chance",
}


def read(name: str) -> dict[str, Any]:
    """The results of a benchmark."""
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))


def markdown() -> str:
    """All tables, each with the command that made its figures."""
    parts = [
        speed(read("analyse_speed")),
        counterfactual_table(read("counterfactuals")),
        planted_table(read("planted_errors")),
    ]
    return "\n\n".join(parts) + "\n"


def _made_by(report: Mapping[str, Any], command: str) -> str:
    made = report["made_by"]
    return f"`{command}`, commit {made['commit']}, {made['machine']['threads']} threads of an " + (
        f"{made['machine']['processor']}"
    )


def speed(report: Mapping[str, Any]) -> str:
    """How long many pairs take, and how much memory."""
    rows = [
        ["Load the file", f"{report['load']['seconds']:,.0f} s"],
        [f"`{report['model']}` judges all", f"{report['run']['seconds'] / 60:,.0f} min"],
        ["Open it again", f"{report['open_seconds']:,.1f} s"],
    ]
    rows += [
        [f"{kind.capitalize()}, median and p95", f"{own['p50']:,.0f} and {own['p95']:,.0f} ms"]
        for kind, own in report["browse_ms"].items()
    ]
    names = {"overview": "Overview", "map": "Map (PCA)", "hints": "Suggestions", "slices": "Slices"}
    rows += [
        [f"{names[part]}, the first time", f"{seconds:,.1f} s"]
        for part, seconds in report["first_seconds"].items()
    ]
    rows.append(["Most memory", f"{max(report['peak_mib'].values()) / 1024:,.1f} GiB"])
    head = f"**{report['pairs']:,} pairs** ("
    head += _made_by(report, "python experiments/analyse_speed.py")
    head += (
        f"; load {report['load_average']:.1f}, and {report['run']['load_average']:.1f} while the "
    )
    head += "model judged):"
    return f"{head}\n\n{table(['What', 'Took'], rows)}"


def counterfactual_table(report: Mapping[str, Any]) -> str:
    """How many counterfactuals came out as they were written down."""
    rows = []
    for kind, own in report["kinds"].items():
        first = report["first_asked"]["kinds"][kind]
        low, high = first["interval"]
        seen = own["seen"]
        rows.append(
            [
                kind,
                f"{seen['right']} of {seen['of']}",
                f"{first['right']} of {first['of']} [{low:.0%}–{high:.0%}]",
                f"{own['fresh']['right']} of {own['fresh']['of']}",
            ]
        )
    head = f"**Counterfactuals** ({_made_by(report, 'python experiments/counterfactuals.py')}). "
    head += "What should come out was written first; one half was looked at while the code was "
    head += "written, the other asked once, then mended:"
    return f"{head}\n\n{table(['Kind', 'Seen', 'Fresh, first asked', 'Fresh, now'], rows)}"


def planted_table(report: Mapping[str, Any]) -> str:
    """How many wrong labels are found, beside what could find as many."""
    rows = []
    for data, own in report["summary"].items():
        for name, words in RIVALS.items():
            found = own["label_errors"].get(name)
            if found:
                rows.append([data, words, _spread(found["recall"]), _spread(found["precision"])])
    share = report["labels_changed"]
    head = f"**Wrong labels found** where {share:.0%} were changed ("
    head += f"{_made_by(report, report['command'])}; mean [least–most] over seeds):"
    return f"{head}\n\n{table(['Data', 'Who looks', 'Found', 'Of these wrong'], rows)}"


def _spread(one: Mapping[str, float]) -> str:
    return f"{one['mean']:.0%} [{one['least']:.0%}–{one['most']:.0%}]"


if __name__ == "__main__":
    write_into(PAGE, markdown(), BEGIN, END)
