"""Markdown from a report of `symdemo sts`: the paper's numbers beside ours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from experiments.reproduction.tables import table
from symdemo.evaluation import papers as paper
from symdemo.evaluation.results import SentenceReport, SentenceSummary, origins_in_words
from symdemo.evaluation.sentences.sts import TASKS
from symdemo.evaluation.sentences.transfer import TRANSFER_TASKS

PaperRow = dict[str, float]


def markdown(report: SentenceReport) -> str:
    """The report as Markdown tables; what was not measured has none."""
    values, summary = report.values, report.summary
    made_by = values["made_by"]
    parts = [
        f"Made by `{values['command']}`, put together at commit {made_by['commit']}, "
        f"{made_by['machine']['processor']}, {made_by['machine']['threads']} threads, torch "
        f"{made_by['versions']['torch']}. All figures in points with their 95% interval in "
        "brackets; rows in italics are not ours: the paper's (LLaMA2-7B is fifty times the size of "
        "SmolLM2-135M) and, of SmolLM2's size, SGPT's, from some 550,000 NLI pairs."
    ]
    for title, make in _PARTS:
        if text := make(summary):
            parts += [f"**{title}**", text]
    if summary["missing"]:
        tasks = ", ".join(summary["missing"])
        parts.append(f"Not measured, as the data are not here: {tasks}.")
    if not values["finished"]:
        parts.append("The study is not finished: a dash stands where nothing was measured yet.")
    if origins := origins_in_words(values.get("rows_made_by") or ()):
        parts.append(origins)
    return "\n\n".join(parts) + "\n"


def _task_table(
    rows: Sequence[Any],
    tasks: Sequence[str],
    told: Mapping[str, PaperRow],
    printed: Mapping[str, float],
) -> str:
    """Tasks as columns; the paper's rows first, with its average over the tasks measured here."""
    if not rows:
        return ""
    here = [task for task in tasks if any(task in row["tasks"] for row in rows)]
    partial = len(here) < len(tasks)
    lines = []
    for name, figures in told.items():
        own = paper.average_over(figures, here)
        whole = printed.get(name)
        all_of_it = f" ({whole:.2f} over all {len(tasks)})" if partial and whole else ""
        cells = [_number(figures.get(task)) for task in here]
        lines.append([f"*{name}*", *cells, f"{own:.2f}{all_of_it}" if own is not None else "–"])
    for row in rows:
        cells = [_scored(row["tasks"].get(task)) for task in here]
        lines.append([row["label"], *cells, _number(row["average"])])
    return table(["Encoder", *here, f"Average of {len(here)}"], lines)


def _sts(summary: SentenceSummary) -> str:
    of_this_size = paper.OF_THIS_SIZE if any("STS-B" in r["tasks"] for r in summary["sts"]) else {}
    told = paper.BELLM_TABLE_1 | of_this_size
    return _task_table(summary["sts"], TASKS, told, paper.BELLM_TABLE_1_AVERAGE)


def _transfer(summary: SentenceSummary) -> str:
    rows = summary["transfer"]
    average = {name: sum(row.values()) / len(row) for name, row in paper.BELLM_TABLE_3.items()}
    text = _task_table(rows, TRANSFER_TASKS, paper.BELLM_TABLE_3, average)
    notes = {
        f"{task}: {score['note']}."
        for row in rows
        for task, score in row["tasks"].items()
        if score["note"]
    }
    f1 = ", ".join(
        f"{row['label']} {score['f1']:.1f}"
        for row in rows
        if (score := row["tasks"].get("MRPC")) and score["f1"] is not None
    )
    return "\n\n".join(filter(None, [text, *sorted(notes), f1 and f"F1 on MRPC: {f1}."]))


def _conditional(summary: SentenceSummary) -> str:
    lines = [[f"*{name}*", f"{value:.2f}"] for name, value in paper.BELLM_TABLE_2.items()]
    lines += [[row["label"], _scored(row["spearman"])] for row in summary["conditional"]]
    return table(["Encoder", "Spearman"], lines) if summary["conditional"] else ""


def _degradation(summary: SentenceSummary) -> str:
    lines = [
        [
            row["label"],
            row["data"],
            str(row["layers"][-1]),
            f"{max(row['spearman']):.2f} at {row['turning_point']}",
            _number(row["spearman"][-1]),
        ]
        for row in summary["degradation"]
    ]
    header = ["Encoder", "Data", "Layers", "Turning point: the best score, at layer", "All layers"]
    said = "In the paper the turning point of all three decoders is the last layer but one."
    return f"{table(header, lines)}\n\n{said}" if lines else ""


def _dependencies(summary: SentenceSummary) -> str:
    lines = [
        [f"*{name}*", "–", f"{value:.2f}", "–"] for name, value in paper.BELLM_SECTION_2.items()
    ]
    lines += [
        [
            row["label"],
            row["pivot"],
            f"{row['mean']:.3f}",
            "{:.3f}, {:.3f}, {:.3f}".format(*row["quartiles"]),
        ]
        for row in summary["dependencies"]
    ]
    header = ["Encoder", "Pivot", "Mean correlation", "Quartiles"]
    return table(header, lines) if summary["dependencies"] else ""


def _retrieval(summary: SentenceSummary) -> str:
    lines = [[f"*{name}*", f"{value:.1f}", "–"] for name, value in paper.BELLM_SECTION_5_4.items()]
    lines += [
        [row["label"], _scored(row["strict"], 1), _number(row["recall"], 1)]
        for row in summary["retrieval"]
    ]
    header = ["Encoder", "All four right", "Share of the four found"]
    return table(header, lines) if summary["retrieval"] else ""


def _ablation(summary: SentenceSummary) -> str:
    lines = [
        [
            row["encoder"],
            str(row["looking_back"]),
            row["strategy"],
            row["pooling"],
            row["prompt"] or "none",
            _number(row["mean"]) + (f" ± {row['deviation']:.2f}" if row["deviation"] else ""),
            _signed(row["gain"]),
            str(len(row["runs"])),
            ", ".join(f"{n:,}" for n in sorted({run["train_pairs"] for run in row["runs"]})),
            _told(row["config"]),
        ]
        for row in summary["ablation"]
    ]
    header = [
        "Encoder", "Layers that look back", "Strategy", "Pooling", "Prompt", "STS-B test",
        "Over none that looks back", "Seeds", "Training triplets", "Settings",
    ]  # fmt: skip
    told = "; ".join(f"{name} {value:.2f}" for name, value in paper.BELLM_TABLE_4.items())
    said = (
        "Mean and standard deviation over seeds; the gain is the mean of the differences seed by "
        "seed, with its interval by Student’s t, which few seeds make wide. In the paper (average "
        f"over seven STS tasks): {told}."
    )
    return f"{table(header, lines)}\n\n{said}" if lines else ""


def _selection(summary: SentenceSummary) -> str:
    lines = [
        [
            row["encoder"], _told(row["config"]), f"{row['train_pairs']:,}", str(row["seed"]),
            _number(row["spearman"]), f"{row['seconds']:.0f}",
        ]
        for row in summary["selection"]
    ]  # fmt: skip
    header = ["Encoder", "Settings", "Training triplets", "Seed", "Pairs of STS-B dev", "Seconds"]
    return table(header, lines) if lines else ""


def _training(summary: SentenceSummary) -> str:
    lines = [
        [
            row["label"],
            str(row["seed"]),
            ", ".join(f"{p['pairs']:,}: {p['spearman']:.1f}" for p in row["curve"]),
        ]
        for row in summary["training"]
    ]
    header = ["Encoder", "Seed", "Triplets seen: pairs of STS-B dev"]
    return table(header, lines) if lines else ""


def _told(config: Mapping[str, Any]) -> str:
    shown = {name: value for name, value in config.items() if name != "triplets"}
    return ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in shown.items()) or "–"


def _signed(values: Any) -> str:
    if not values:
        return "–"
    value, low, high = (f"{values[k]:+.2f}".replace("-", "−") for k in ("value", "low", "high"))
    return f"{value} [{low} to {high}]"


_PARTS = (
    ("Similarity: Spearman’s correlation (Table 1)", _sts),
    ("Similarity under a condition (Table 2)", _conditional),
    ("Transfer tasks: accuracy (Table 3)", _transfer),
    ("Layers taken away (Figure 4)", _degradation),
    ("How close tokens are to the pivot (Figures 2 and 5)", _dependencies),
    ("Captions found (section 5.4)", _retrieval),
    ("Settings compared (Table 4)", _ablation),
    ("How the settings of training were chosen", _selection),
    ("While training", _training),
)


def _scored(values: Any, digits: int = 2) -> str:
    if not values:
        return "–"
    low, high = (_number(values[end], 1) for end in ("low", "high"))
    return f"{_number(values['value'], digits)} [{low}–{high}]"


def _number(value: float | None, digits: int = 2) -> str:
    return "–" if value is None else f"{value:.{digits}f}".replace("-", "−")
