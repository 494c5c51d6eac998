"""Markdown from a summary: the tables of docs/paper.md, and nothing else writes them."""

from __future__ import annotations

from pathlib import Path

from experiments.reproduction.forgetting_tables import forgetting_part
from experiments.reproduction.markdown import (
    number,
    paper_accuracy,
    percent,
    seeds_in_words,
    smallest,
    table,
)
from experiments.reproduction.nli.tables import nli_part
from experiments.reproduction.plan import SIZES
from symdemo.errors import InputError
from symdemo.evaluation.papers import TABLE_2, TABLE_2_ENCODER
from symdemo.evaluation.results import VERSIONS, PaperReport, PaperSummary, origins_in_words
from symdemo.files.atomic import write_text
from symdemo.training.methods import METHODS, find_method

NOT_MEASURED: dict = {"lexicalized": None, "delexicalized": None, "smallest_perfect": None}

BEGIN, END = "<!-- results: begin -->", "<!-- results: end -->"


def markdown(report: PaperReport) -> str:
    """The report of `symdemo reproduce` as Markdown tables."""
    values, summary, made_by = report.values, report.summary, report.values["made_by"]
    parts = [
        f"Made by `{values['command']}`, put together at commit {made_by['commit']}, "
        f"{made_by['machine']['processor']}, {made_by['machine']['threads']} threads, torch "
        f"{made_by['versions']['torch']}. {origins_in_words(values['rows_made_by'])}".rstrip(),
        _settings(summary),
        *_accuracy_part(summary),
        *_nothing_part(summary),
        *_beyond_part(summary),
        *forgetting_part(summary),
        *nli_part(summary["nli"]),
        *_paper_part(),
    ]
    if not values["finished"]:
        parts.append("The study is not finished: a dash stands where nothing was measured yet.")
    nli_row = summary["cross_encoder"]
    if nli_row and not nli_row["lexicalized"]:
        parts.append(f"{nli_row['model']} was not measured; it has to be at hand.")
    if summary["missing_encoders"]:
        missing = ", ".join(summary["missing_encoders"])
        why = ", for want of a network or a cached copy" if values["finished"] else " yet"
        parts.append(f"Not measured{why}: {missing}.")
    if summary["new_label"]:
        parts += [
            "A third label, *neutral*, taught to the k-NN model by neighbours alone:",
            _new_label_table(summary),
        ]
    if summary["ablations"]:
        parts += [_ablations_told(summary), _ablation_table(summary)]
    return "\n\n".join(part.strip() for part in parts) + "\n"


def _settings(summary: PaperSummary) -> str:
    """Where the hyperparameters are from."""
    plan = summary["plan"]
    if not plan["settings"]:
        return (
            "Hyperparameters: not chosen yet: the settings of `symdemo/training/config.py`"
            ", which were found while all facts were looked at."
        )
    told = ". ".join(
        f"{encoder}: "
        + "; ".join(
            f"{find_method(method).title}: "
            + ", ".join(f"{name} {value}" for name, value in changes.items())
            for method, changes in winners.items()
        )
        for encoder, winners in plan["settings"].items()
    )
    return (
        "Hyperparameters were chosen by `symdemo reproduce --select` at commit "
        f"{plan['chosen_at']} on facts that are not asked here. {told}. Where none were chosen, "
        f"those of {next(iter(plan['settings']))} go, at the rate that an encoder's size decides; "
        "all else is as `symdemo/training/config.py` has it."
    )


def write_into(page: Path, text: str, begin: str = BEGIN, end: str = END) -> None:
    """Put tables between two markers of a page, atomically.

    Raises:
        InputError: a marker is missing.
    """
    old = page.read_text(encoding="utf-8")
    if begin not in old or end not in old:
        raise InputError(f"{page.name} lacks the markers {begin} and {end}.")
    before, after = old.split(begin)[0], old.split(end)[1]
    write_text(page, f"{before}{begin}\n{text}{end}{after}")


def _accuracy_part(summary: PaperSummary) -> list[str]:
    plan = summary["plan"]
    seeds, searched = (seeds_in_words(plan[name]) for name in ("seeds", "search_seeds"))
    counts = {row["lexicalized"]["n"] for row in summary["methods"] if row["lexicalized"]}
    partly = bool(counts) and min(counts) < len(plan["seeds"])
    measured = f"; a row has {min(counts)} to {max(counts)} of them" if partly else ""
    return [
        f"Medians over {seeds}{measured}, least to most in brackets; accuracy on entities that "
        "were not taught, with names and with ids in their place. Which facts are taught and which "
        "are asked differs by seed. *Smallest without error*: the smallest of "
        f"{', '.join(map(str, SIZES))} pairs from which on no size tried has an error, for "
        f"{searched}. Recombination shows taught sentences with the taught entities and with other "
        "names that no fact has; *no other names*: with the taught entities alone.",
        _accuracy_table(summary),
    ]


def _accuracy_table(summary: PaperSummary) -> str:
    header = [
        "Encoder",
        "Method",
        "Paper, same encoder: lex, delex",
        "Ours: lex",
        "Ours: delex",
        "at samples",
        "Smallest without error",
        "No other names: lex",
        "delex",
        "Smallest without error",
        "Steps",
        "Seconds",
    ]
    rows = _unlearnt_rows(summary)
    for row in summary["methods"]:
        unnamed = row["without_names"] or NOT_MEASURED
        rows.append(
            [
                row["encoder"],
                find_method(row["method"]).title,
                paper_accuracy(row["paper"]),
                percent(row["lexicalized"]),
                percent(row["delexicalized"]),
                str(row["samples"]),
                smallest(row["smallest_perfect"]),
                percent(unnamed["lexicalized"]),
                percent(unnamed["delexicalized"]),
                smallest(unnamed["smallest_perfect"]),
                number(row["steps"], 0),
                number(row["seconds"], 0),
            ]
        )
    return table(header, rows)


def _unlearnt_rows(summary: PaperSummary) -> list[list[str]]:
    """The probes of encoders that nothing was taught."""
    rows, blank = [], ["–"] * 4
    if row := summary["cross_encoder"]:
        figures = [percent(row[version]) for version in VERSIONS]
        told = paper_accuracy(row["paper"])
        name = "NLI cross-encoder, own labels"
        rows.append([row["model"], name, told, *figures, "–", *blank, "0", "0"])
    for probe in summary["probes"]:
        figures = [percent(probe[version]) for version in VERSIONS]
        told = paper_accuracy(probe["paper"])
        rows.append([probe["encoder"], "untouched, 1-NN", told, *figures, "48", *blank, "0", "0"])
    return rows


def _nothing_part(summary: PaperSummary) -> list[str]:
    """What 100% is worth: answers that read nothing."""
    found = summary["reading_nothing"]
    sizes = sorted({row["samples"] for row in found})
    titles = {
        "constant": "Always the commonest label",
        "look-up": "The label of the same relation, else the commonest",
    }
    rows = [
        [titles[answer], *(percent(r["accuracy"]) for r in found if r["answer"] == answer)]
        for answer in dict.fromkeys(row["answer"] for row in found)
    ]
    return [
        "The same questions answered without reading a sentence, by the number of taught pairs: "
        "whoever looks the relation up is never wrong once each was taught.",
        table(["Answer", *map(str, sizes)], rows),
    ]


def _beyond_part(summary: PaperSummary) -> list[str]:
    if not summary["beyond"]:
        return []
    rows = [
        [
            row["encoder"],
            find_method(row["method"]).title,
            str(row["samples"]),
            *(percent(row[version]) for version in VERSIONS),
        ]
        for row in summary["beyond"]
    ]
    return [
        "With more pairs, one seed:",
        table(["Encoder", "Method", "at samples", "lex", "delex"], rows),
    ]


def _paper_part() -> list[str]:
    """The paper's own figures, which are of another encoder than any of ours."""
    rows = [
        [
            find_method(name).title if name in METHODS else name,
            f"{row.lexicalized}%",
            f"{row.delexicalized}%",
            str(row.samples or "–"),
            str(row.forgetting or "–"),
        ]
        for name, row in TABLE_2.items()
    ]
    return [
        f"### What the paper reports ({TABLE_2_ENCODER})",
        "Table 2 of Yuan and Vlachos (2025), of another encoder on other facts, its forgetting "
        "after all of MultiNLI: nothing above compares to it row by row.",
        table(["Method", "lex", "delex", "Pairs needed", "Points lost on MultiNLI"], rows),
    ]


def _ablations_told(summary: PaperSummary) -> str:
    seeds = seeds_in_words(summary["plan"]["ablation_seeds"])
    return (
        "One hyperparameter changed at a time, k-NN at the same samples, with the settings that "
        f"most methods share and no other names, {seeds}; the rows of k are of k-NN as it is above:"
    )


def _new_label_table(summary: PaperSummary) -> str:
    header = ["Examples", "neutral, held-out", "the 14 relations afterwards"]
    rows = [
        [str(row["examples"]), percent(row["neutral"]), percent(row["others"])]
        for row in summary["new_label"]
    ]
    return table(header, rows)


def _ablation_table(summary: PaperSummary) -> str:
    header = ["Changed", "lex", "delex", "STS-B lost", "Sentences moved"]
    rows = [
        [
            ", ".join(f"{name} = {value}" for name, value in row["changes"].items()),
            percent(row["lexicalized"]),
            percent(row["delexicalized"]),
            number(row["sts_loss"], 2),
            number(row["drift"], 3),
        ]
        for row in summary["ablations"]
    ]
    return table(header, rows)
