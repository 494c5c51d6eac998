"""Markdown from a summary: the tables of docs/paper.md, and nothing else writes them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from symdemo.errors import InputError
from symdemo.files.atomic import write_text
from symdemo.reproduction.paper import TABLE_2
from symdemo.reproduction.report import Report, Smallest, Spread, Summary
from symdemo.training.methods import find_method

BEGIN, END = "<!-- results: begin -->", "<!-- results: end -->"


def markdown(report: Report) -> str:
    """The report of `symdemo reproduce` as Markdown tables."""
    values, summary, made_by = report.values, report.summary, report.values["made_by"]
    parts = [
        f"Made by `{values['command']}`, put together at commit {made_by['commit']} (what was "
        "measured before, on whatever machine, is not measured again), "
        f"{made_by['machine']['processor']}, {made_by['machine']['threads']} threads, torch "
        f"{made_by['versions']['torch']}. Medians over {_seeds(summary)}, "
        "least to most in brackets; accuracy on held-out entity pairs, with names and with ids in "
        "their place. A look-up of the relation alone would score 100% here.",
        _accuracy_table(summary),
        _forgetting_table(summary),
        *_forgetting_notes(summary),
    ]
    nli = [row["nli"] or {} for row in summary["methods"]]
    reasons = [row["missing"] for row in nli if "missing" in row]
    parts += [f"NLI was not measured: {reason}." for reason in dict.fromkeys(reasons)]
    if not values["finished"]:
        parts.append("The study is not finished: a dash stands where nothing was measured yet.")
    nli_row = summary["cross_encoder"]
    if nli_row and not nli_row["lexicalized"]:
        parts.append(f"{nli_row['model']} could not be loaded where this was measured.")
    if summary["missing_encoders"]:
        missing = ", ".join(summary["missing_encoders"])
        why = ", for want of a network or a cached copy" if values["finished"] else ""
        parts.append(f"Not measured{why}: {missing}.")
    if summary["new_label"]:
        parts += [
            "A third label, *neutral*, taught to the k-NN model by neighbours alone:",
            _new_label_table(summary),
        ]
    if summary["ablations"]:
        parts += [
            "One hyperparameter changed at a time (k-NN at the same samples, but with the settings "
            "that most methods share; the rows of k are of k-NN as it is above):",
            _ablation_table(summary),
        ]
    return "\n\n".join(parts) + "\n"


def _seeds(summary: Summary) -> str:
    number = len(summary["plan"]["seeds"])
    return f"{number} seed{'s' * (number > 1)}"


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


def _accuracy_table(summary: Summary) -> str:
    header = [
        "Encoder",
        "Method",
        "Paper: lex, delex",
        "Ours: lex",
        "Ours: delex",
        "at samples",
        "Smallest without error",
        "Paper’s samples",
        "Steps",
        "Seconds",
    ]
    rows = (
        _unlearnt_rows(summary)
        + [
            [
                row["encoder"],
                "untouched, 1-NN",
                _paper_accuracy(row["paper"]),
                _percent(row["lexicalized"]),
                _percent(row["delexicalized"]),
                "48",
                "–",
                "–",
                "0",
                "0",
            ]
            for row in summary["probes"]
        ]
        + [
            [
                row["encoder"],
                find_method(row["method"]).title,
                _paper_accuracy(row["paper"]["accuracy"]),
                _percent(row["lexicalized"]),
                _percent(row["delexicalized"]),
                str(row["samples"]),
                _smallest(row["smallest_perfect"]),
                str(row["paper"]["samples"]),
                _number(row["steps"], 0),
                _number(row["seconds"], 0),
            ]
            for row in summary["methods"]
        ]
    )
    return table(header, rows)


def _unlearnt_rows(summary: Summary) -> list[list[str]]:
    """The probes of the paper's Table 2 that no encoder of ours has a part in."""
    random = TABLE_2["random"]
    blank = ["–", "–", "–", "0", "0"]
    paper = [random.lexicalized, random.delexicalized]
    rows = [["none", "guessing", _paper_accuracy(paper), "50.0%", "50.0%", *blank]]
    if row := summary["cross_encoder"]:
        figures = [_percent(row[version]) for version in ("lexicalized", "delexicalized")]
        told = _paper_accuracy(row["paper"])
        rows.append([row["model"], "NLI cross-encoder, own labels", told, *figures, *blank])
    return rows


def _forgetting_table(summary: Summary) -> str:
    header = [
        "Encoder",
        "Method",
        "Paper: NLI lost",
        "NLI lost",
        "with fewer sentences",
        "without retention",
        "Right then: lex, delex",
        "STS-B lost",
        "without retention",
        "Sentences moved",
        "without retention",
    ]
    rows = []
    for row in summary["methods"]:
        kept, lost = row["forgetting"]["with retention"], row["forgetting"]["without"]
        nli = row["nli"] or {}
        nli_loss = nli.get("loss", {})
        missing = "not learnt" if "before" in nli else "no NLI data" if "missing" in nli else "–"
        before = nli.get("before")
        of = f" of {before['median']:.1f}" if nli_loss and before else ""
        rows.append(
            [
                row["encoder"],
                find_method(row["method"]).title,
                f"{row['paper']['forgetting']}",
                _number(nli_loss.get("with"), 1, missing) + of,
                _number(nli_loss.get("few"), 1),
                _number(nli_loss.get("without"), 1, missing),
                f"{_percent(nli.get('lexicalized'))}, {_percent(nli.get('delexicalized'))}"
                if nli_loss
                else "–",
                _number(kept["sts_loss"], 2),
                _number(lost["sts_loss"], 2),
                _number(kept["drift"], 3),
                _number(lost["drift"], 3),
            ]
        )
    return table(header, rows)


def _forgetting_notes(summary: Summary) -> list[str]:
    """What the columns about NLI say, where it was measured."""
    nli = (row["nli"] or {} for row in summary["methods"])
    pairs = next((row["pairs"] for row in nli if "loss" in row), None)
    if not pairs:
        return []
    return [
        f"NLI is learnt from {pairs[0]:,} pairs with a method's own objective, then the relations "
        f"are taught, and {pairs[1]:,} other NLI pairs show what was lost; *right then* is the "
        "accuracy on the relations. *With fewer sentences*: 16 of 400 generic ones a step, where "
        "the method has 48 of 1,856; like *without retention* for the first seed."
    ]


def _new_label_table(summary: Summary) -> str:
    header = ["Examples", "neutral, held-out", "the 14 relations afterwards"]
    rows = [
        [str(row["examples"]), _percent(row["neutral"]), _percent(row["others"])]
        for row in summary["new_label"]
    ]
    return table(header, rows)


def _ablation_table(summary: Summary) -> str:
    header = ["Changed", "lex", "delex", "STS-B lost", "Sentences moved"]
    rows = [
        [
            ", ".join(f"{name} = {value}" for name, value in row["changes"].items()),
            _percent(row["lexicalized"]),
            _percent(row["delexicalized"]),
            _number(row["sts_loss"], 2),
            _number(row["drift"], 3),
        ]
        for row in summary["ablations"]
    ]
    return table(header, rows)


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _percent(values: Spread) -> str:
    return _number(values, 1, unit="%", times=100)


def _number(values: Spread, digits: int, missing: str = "–", unit: str = "", times: int = 1) -> str:
    if not values:
        return missing
    least, median, most = (
        f"{times * values[name] + 0.0:.{digits}f}".replace("-", "−")
        for name in ("least", "median", "most")
    )
    return f"{median}{unit}" if least == most else f"{median}{unit} [{least}–{most}]"


def _smallest(values: Smallest | None) -> str:
    if not values:
        return "–"
    reached = f" ({values['reached']} of {len(values['by_seed'])} seeds)"
    complete = values["reached"] == len(values["by_seed"])
    return _number(values["spread"], 0, "none") + ("" if complete else reached)


def _paper_accuracy(values: Sequence[float] | None) -> str:
    return f"{values[0]}%, {values[1]}%" if values else "–"
