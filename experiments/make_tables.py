"""All tables of docs/results.md and of README.md, from the results files and nothing else.

    python -m experiments.make_tables [--check]

A figure belongs to a release: each table names version, commit, date and machine of its figures.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from experiments.runner import Ledger
from symdemo.data.bank_phrasings import KINDS_OF_PHRASING
from symdemo.errors import InputError
from symdemo.evaluation import papers
from symdemo.evaluation.results import VERSIONS, Spread, origins_in_words
from symdemo.evaluation.sentences.sts import TASKS
from symdemo.evaluation.sentences.transfer import TRANSFER_TASKS
from symdemo.files.paths import DOCS, README, RESULTS
from symdemo.files.storage import write_text
from symdemo.pairs import LABELS
from symdemo.training.methods import METHODS, find_method

Row = Sequence[str]
Values = Mapping[str, Any]


# Cells of a table


def table(header: Row, rows: Iterable[Row]) -> str:
    """Return a Markdown table."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def number(value: float | None, digits: int = 2, sign: str = "") -> str:
    """Return a number with a proper minus and no negative zero; a dash for None."""
    if value is None:
        return "–"
    return f"{round(value, digits) + 0.0:{sign}.{digits}f}".replace("-", "−")


def spread(values: Spread, digits: int = 1, times: float = 100, unit: str = "%") -> str:
    """Return the median, with least and most in brackets if they differ."""
    if not values:
        return "–"
    least, median, most = (
        number(times * values[name], digits) for name in ("least", "median", "most")
    )
    return f"{median}{unit}" if least == most else f"{median}{unit} [{least}–{most}]"


def interval(found: Values | None, times: float = 100, unit: str = "%", digits: int = 1) -> str:
    """Return a mean with its interval in brackets, if it has one."""
    if not found or found["mean"] is None:
        return "–"
    mean = f"{number(times * found['mean'], digits)}{unit}"
    if found["low"] is None:
        return mean
    low, high = (number(times * found[end], digits) for end in ("low", "high"))
    return f"{mean} [{low}–{high}]"


def made(made_by: Values) -> str:
    """Return where figures were measured, in short."""
    machine = made_by["machine"]
    threads = f"{machine['threads']} thread{'s' * (machine['threads'] != 1)}"
    return (
        f"Measured at {made_by['symdemo']}, commit {made_by['commit']}, {made_by['date']}, "
        f"{threads} of {machine['accelerator'] or machine['processor']}"
    )


def read(name: str) -> dict[str, Any]:
    """Read a JSON file of results."""
    return json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))


def ledger(name: str) -> Ledger:
    """Read a ledger of results."""
    return Ledger(RESULTS / f"{name}.jsonl")


# Relations never taught

ROWS = {
    "general": "**general**",
    "first-stage": "**general**, first stage alone",
    "fine-tuning": "classification head, no retention",
    "fine-tuning-retention": "classification head, our retention",
    "fine-tuning-scaled": "scaled classification head, our retention",
    "scaled-votes": "the same encoder, neighbours vote",
    "setfit": "SetFit, its authors' settings",
    "setfit-short": "SetFit, same number of sentences read",
    "words": "word 1-to-3-grams",
    "skeleton": "function words only",
    "majority": "commonest label",
    "untouched": "untouched encoder, neighbours vote",
    "wikidata14": "`wikidata14` (14 relations, two answers)",
    "phrasings": "**general**, first stage, known relation in a new phrasing",
}
"""Methods in the order of the tables."""

HEADLINES = {
    "three": "Three answers",
    "unjoined": "Without “[X] and [Y] …”",
    "matched": "Matched constructions",
    "two": "Holds or contradicts",
}
DIFFERENCES = {
    "more": "word 1-to-3-grams",
    "more_than_head": "scaled classification head, our retention",
    "more_than_stage": "**general**, first stage alone",
}


def unseen_tables(report: Values) -> str:
    """Accuracy on relations never taught, with baselines, differences, constructions and errors."""
    rows = {name: report["rows"][name] for name in ROWS if name in report["rows"]}
    data = report["data"]
    changed = f" {data['labels_changed']} relations have another label by now." * bool(
        data["labels_changed"]
    )
    parts = [
        f"{data['pairs']:,} sentences of {data['relations']:,} relations in {data['groups']:,} "
        "groups, dealt into five folds by group; each fold is tested with a model taught the other "
        "four. *Without “[X] and [Y] …”* leaves out the construction that gives its label away. "
        "*Matched* compares sentences with the same function words in the same order, each label "
        f"weighing the same, so that construction alone scores a third "
        f"({data['matched']['share']:.0%} of the sentences count). *Holds or contradicts*: an "
        "oracle sets neutral aside. Brackets: "
        f"95% bootstrap intervals over groups of relations.{changed} {made(report['made_by'])}.",
        table(
            ["Model", *HEADLINES.values(), "Folds", "Seeds"],
            [
                [ROWS[name], *(interval(row[h]) for h in HEADLINES)]
                + [str(row["folds"]), str(row["seeds"])]
                for name, row in rows.items()
            ],
        ),
        "Paired differences in percentage points, on the same draws of groups:",
    ]
    for key, baseline in DIFFERENCES.items():
        lines = [
            [ROWS[name], *(_difference(row[h].get(key)) for h in HEADLINES)]
            for name, row in rows.items()
            if row["three"].get(key)
        ]
        parts.append(table([f"Difference to {baseline}", *HEADLINES.values()], lines))
    kinds = [kind for kind in KINDS_OF_PHRASING if kind in rows["general"]["by_kind"]]
    by_kind = [
        [
            ROWS[name],
            *(f"{row['by_kind'][k][0]:.1%}" if k in row["by_kind"] else "–" for k in kinds),
        ]
        for name, row in rows.items()
    ]
    by_label = [
        [ROWS[name], *(f"{row['by_label'][label]:.1%}" for label in LABELS)]
        for name, row in rows.items()
    ]
    parts += ["By construction:", table(["Model", *kinds], by_kind)]
    parts += ["By label:", table(["Model", *LABELS], by_label)]
    parts += [_CALIBRATION, _calibration(rows, data["sentences"])]
    for name, found in report["errors"].items():
        for which, wrong in found.items():
            lines = [[e["phrasing"], e["label"], e["answer"], f"{e['sure']:.1%}"] for e in wrong]
            parts.append(f"The {which} errors of {ROWS[name].replace('*', '')}:")
            parts.append(table(["Phrasing", "Label", "Answer", "Share"], lines))
    parts += ["Where each row was measured:", _origins(rows)]
    return "\n\n".join(parts)


def _difference(found: Values | None) -> str:
    if not found:
        return "–"
    mean, low, high = (number(100 * found[k], 1, "+") for k in ("mean", "low", "high"))
    return f"{mean} [{low}, {high}]"


_CALIBRATION = (
    "Calibration, consistency, hand-written sentences, forgetting. The temperature of each fold is "
    "chosen by log loss on the other folds. The free sentences were looked at while the model was "
    "chosen, the blind ones were not; both have relations of the bank in other words. Seconds "
    "are of training one fold."
)


def _calibration(rows: Values, sentences: Values) -> str:
    sets = sorted(sentences)[::-1]
    header = ["Model", "Calibration error", "Log loss", "Same answer in reverse"]
    header += [f"{name.capitalize()} sentences ({sentences[name]})" for name in sets]
    lines = []
    for name, row in rows.items():
        lost = row["sts_loss"]["mean"] if row.get("sts_loss") else None
        lines.append(
            [ROWS[name], *(f"{row[k]['mean']:.3f}" for k in ("calibration_error", "log_loss"))]
            + [f"{row['swap_consistency']['mean']:.1%}"]
            + [f"{row[one]['mean']:.1%}" if row.get(one) else "–" for one in sets]
            + [number(lost), f"{row['seconds']:.0f}"]
        )
    return table([*header, "STS-B lost", "Seconds"], lines)


def _origins(rows: Values) -> str:
    lines = [
        [ROWS[name], ", ".join(row["commits"]), ", ".join(row["machines"])]
        + [", ".join(row.get("precision", [])) or "–"]
        for name, row in rows.items()
    ]
    return table(["Model", "Commits", "Machines", "Precision"], lines)


def readme_table() -> str:
    """The one table of README.md: accuracy on relations never taught."""
    report = read("general")
    names = ("general", "fine-tuning-scaled", "setfit-short", "words")
    rows = [[ROWS[name], interval(report["rows"][name]["three"])] for name in names]
    lines = table(["Model", "Accuracy on relations never taught (three answers)"], rows)
    where = f"{made(report['made_by'])}; 95% intervals over groups of relations."
    return f"{lines}\n\n{where}\n"


# The paper's task

NO_NAMES: dict[str, Any] = {**dict.fromkeys(VERSIONS), "smallest_perfect": None}
ANSWERS = {
    "constant": "Always the commonest label",
    "look-up": "The label of the same relation, else the commonest",
}


def paper_tables(report: Values) -> str:
    """The tables of `symdemo reproduce`."""
    summary = report["summary"]
    plan = summary["plan"]
    sizes = sorted({row["samples"] for row in summary["reading_nothing"]})
    parts = [
        f"`{report['command']}`. {made(report['made_by'])}. "
        f"{origins_in_words(report['rows_made_by'])}".rstrip(),
        _settings(plan),
        f"Medians over up to {_seeds(plan['seeds'])}, least to most in brackets; accuracy on "
        "entities never taught, with names (lex) and with ids (delex). *Smallest without error*: "
        "the smallest number of pairs from which no larger one tried has an error "
        f"({_seeds(plan['search_seeds'])}). *No other names*: recombination with the taught "
        "entities only.",
        _accuracy_table(summary),
        "The same test without reading a sentence, by number of taught pairs: a look-up of the "
        "relation is always right once each relation was taught, so 100% is not understanding.",
        table(
            ["Answer", *map(str, sizes)],
            [
                [title, *(spread(r["accuracy"]) for r in _rows(summary["reading_nothing"], name))]
                for name, title in ANSWERS.items()
            ],
        ),
    ]
    if summary["beyond"]:
        lines = [[*_who(row), str(row["samples"]), *_both(row)] for row in summary["beyond"]]
        header = ["Encoder", "Method", "Pairs", "lex", "delex"]
        parts += ["With more pairs, one seed:", table(header, lines)]
    if summary["methods"]:
        parts += [
            "Cost: points of STS-B lost (Spearman × 100) and how far generic sentences moved "
            "(cosine distance), with and without the retention term.",
            _forgetting_table(summary),
        ]
    parts += _nli_tables(summary["nli"])
    parts += [
        f"Table 2 of the paper ({papers.TABLE_2_ENCODER}, other facts, forgetting after all of "
        "MultiNLI), not comparable row by row:",
        table(
            ["Method", "lex", "delex", "Pairs needed", "Points lost on MultiNLI"],
            [
                [find_method(name).title if name in METHODS else name]
                + [f"{row.lexicalized}%", f"{row.delexicalized}%"]
                + [str(row.samples or "–"), str(row.forgetting or "–")]
                for name, row in papers.TABLE_2.items()
            ],
        ),
    ]
    absent = list(summary["missing_encoders"])
    if (cross := summary["cross_encoder"]) and not cross["lexicalized"]:
        absent.append(cross["model"])
    if absent:
        parts.append(f"Not measured, because not at hand: {', '.join(absent)}.")
    if not report["finished"]:
        parts.append("The study is not finished: a dash marks what was not measured yet.")
    if summary["new_label"]:
        lines = [
            [str(row["examples"]), spread(row["neutral"]), spread(row["others"])]
            for row in summary["new_label"]
        ]
        parts += [
            "A third label, *neutral*, taught to the k-NN model by examples only:",
            table(["Examples", "neutral, held out", "the 14 relations afterwards"], lines),
        ]
    if summary["ablations"]:
        lines = [
            [", ".join(f"{name} = {value}" for name, value in row["changes"].items()), *_both(row)]
            + [spread(row["sts_loss"], 2, 1, ""), spread(row["drift"], 3, 1, "")]
            for row in summary["ablations"]
        ]
        parts += [
            "One hyperparameter changed at a time (k-NN, shared settings, no other names, "
            f"{_seeds(plan['ablation_seeds'])}); the rows of k are of k-NN as above:",
            table(["Changed", "lex", "delex", "STS-B lost", "Sentences moved"], lines),
        ]
    return "\n\n".join(parts) + "\n"


def _seeds(seeds: Sequence[int]) -> str:
    return f"{len(seeds)} seed{'s' * (len(seeds) != 1)}"


def _rows(rows: Iterable[Values], answer: str) -> list[Values]:
    return [row for row in rows if row["answer"] == answer]


def _who(row: Values) -> list[str]:
    return [row["encoder"], find_method(row["method"]).title]


def _both(row: Values) -> list[str]:
    return [spread(row[version]) for version in VERSIONS]


def _settings(plan: Values) -> str:
    if not plan["settings"]:
        return "Hyperparameters were not chosen; those of `symdemo/training` apply."
    chosen = ". ".join(
        f"{encoder}: "
        + "; ".join(
            f"{find_method(method).title}: " + ", ".join(f"{k} {v}" for k, v in own.items())
            for method, own in winners.items()
        )
        for encoder, winners in plan["settings"].items()
    )
    return (
        f"Hyperparameters were chosen by `symdemo reproduce --select` (commit {plan['chosen_at']}) "
        f"on facts that are not tested here. {chosen}."
    )


def _smallest(found: Values | None) -> str:
    if not found:
        return "–"
    n, seeds = found["reached"], len(found["by_seed"])
    text = spread(found["spread"], 0, 1, "") if found["spread"] else "none"
    return text if n == seeds else f"{text} ({n} of {seeds} seeds)"


def _told(paper: Sequence[float] | None) -> str:
    return f"{paper[0]}%, {paper[1]}%" if paper else "–"


def _accuracy_table(summary: Values) -> str:
    header = ["Encoder", "Method", "Paper: lex, delex", "Ours: lex", "Ours: delex", "Pairs"]
    header += ["Smallest without error", "No other names: lex", "delex", "Smallest without error"]
    blank, rows = ["–"] * 4, []
    if row := summary["cross_encoder"]:
        name = "NLI cross-encoder, its own labels"
        rows.append([row["model"], name, _told(row["paper"]), *_both(row), "–", *blank, "0", "0"])
    for row in summary["probes"]:
        rows.append(
            [row["encoder"], "untouched, 1-NN", _told(row["paper"]), *_both(row), "48", *blank]
            + ["0", "0"]
        )
    for row in summary["methods"]:
        unnamed = row["without_names"] or NO_NAMES
        rows.append(
            [*_who(row), _told(row["paper"]), *_both(row), str(row["samples"])]
            + [_smallest(row["smallest_perfect"]), *_both(unnamed)]
            + [_smallest(unnamed["smallest_perfect"])]
            + [spread(row[name], 0, 1, "") for name in ("steps", "seconds")]
        )
    return table([*header, "Steps", "Seconds"], rows)


def _forgetting_table(summary: Values) -> str:
    lines = []
    for row in summary["methods"]:
        both = [row["forgetting"][name] for name in ("with retention", "without")]
        lines.append(
            [*_who(row), *(spread(own["sts_loss"], 2, 1, "") for own in both)]
            + [spread(own["drift"], 3, 1, "") for own in both]
        )
    header = ["Encoder", "Method", "STS-B lost", "without retention"]
    return table([*header, "Sentences moved", "without retention"], lines)


RECIPES = {"own": "its own", "one": "one for all", "without": "its own, no retention"}


def _nli_tables(found: Values | None) -> list[str]:
    if found is None:
        return []
    if "missing" in found:
        return [f"Forgetting on NLI was not measured: {found['missing']}"]
    asked = ", ".join(f"{name} {n:,}" for name, n in found["asked"].items())
    baselines = ""
    if found["majority"] and found["hypothesis"]:
        baselines = (
            f" The commonest label scores {found['majority']['all']:.1%}, logistic regression over "
            f"the words of the hypothesis {found['hypothesis']['all']:.1%}."
        )
    lines = []
    for row in found["rows"]:
        mean, low, high = (number(value, 1) for value in row["lost"])
        lines.append(
            [find_method(row["method"]).title, RECIPES[row["recipe"]], str(row["start"])]
            + [f"{row['before']['all']:.1%}", f"{mean} [{low} to {high}]"]
            + [f"{row[k]:.1%}" for k in (*VERSIONS, "always_contradiction")]
        )
    header = ["Method", "Recipe", "Start", "NLI before", "Points lost", "Relations: lex", "delex"]
    return [
        f"Forgetting on NLI: {found['encoder']} first learns NLI from {found['learnt']:,} pairs "
        f"({found['source']}) with a method's own objective, then the relations from "
        f"{found['samples']} pairs; tested before and after on {asked}.{baselines} Brackets: 95% "
        "intervals, pairs of one premise drawn together. *One for all*: the same hyperparameters "
        "for every method. Last column: always answering “contradiction” on the relations.",
        table([*header, "always “contradiction”"], lines),
    ]


# Sentence encoders (BeLLM)


def sentence_tables(report: Values) -> str:
    """The tables of `symdemo sts` and `symdemo bellm compare`; in points."""
    summary = report["summary"]
    parts = [
        f"`{report['command']}`. {made(report['made_by'])}. In points with 95% intervals; rows in "
        "italics are from papers (LLaMA2-7B is fifty times the size of SmolLM2-135M; SGPT-125M was "
        "trained on some 550,000 NLI pairs). " + origins_in_words(report.get("rows_made_by") or ())
    ]
    for title, make in SENTENCE_PARTS.items():
        if text := make(summary):
            parts += [f"{title}:", text]
    if summary["missing"]:
        parts.append(f"Not measured, because not at hand: {', '.join(summary['missing'])}.")
    if not report["finished"]:
        parts.append("The study is not finished.")
    return "\n\n".join(part.rstrip() for part in parts) + "\n"


def _scored(found: Values | None, digits: int = 2) -> str:
    if not found:
        return "–"
    low, high = (number(found[end], 1) for end in ("low", "high"))
    return f"{number(found['value'], digits)} [{low}–{high}]"


def _task_table(
    rows: Sequence[Values], tasks: Sequence[str], told: Mapping[str, Mapping[str, float]]
) -> str:
    """Tasks as columns; the papers' rows first."""
    here = [task for task in tasks if any(task in row["tasks"] for row in rows)]
    lines = []
    for name, figures in told.items():
        mean = papers.average_over(dict(figures), here)
        lines.append([f"*{name}*", *(number(figures.get(t)) for t in here), number(mean)])
    for row in rows:
        scores = [_scored(row["tasks"].get(task)) for task in here]
        lines.append([row["label"], *scores, number(row["average"])])
    return table(["Encoder", *here, f"Average of {len(here)}"], lines) if rows else ""


def _sts(summary: Values) -> str:
    return _task_table(summary["sts"], TASKS, papers.BELLM_TABLE_1 | papers.OF_THIS_SIZE)


def _transfer(summary: Values) -> str:
    rows = summary["transfer"]
    text = _task_table(rows, TRANSFER_TASKS, papers.BELLM_TABLE_3)
    notes = {
        f"{task}: {score['note']}."
        for row in rows
        for task, score in row["tasks"].items()
        if score["note"]
    }
    f1 = [
        f"{row['label']} {score['f1']:.1f}"
        for row in rows
        if (score := row["tasks"].get("MRPC")) and score["f1"] is not None
    ]
    return "\n\n".join([text, *sorted(notes), *([f"F1 on MRPC: {', '.join(f1)}."] if f1 else [])])


def _conditional(summary: Values) -> str:
    lines = [[f"*{name}*", number(value)] for name, value in papers.BELLM_TABLE_2.items()]
    lines += [[row["label"], _scored(row["spearman"])] for row in summary["conditional"]]
    return table(["Encoder", "Spearman"], lines) if summary["conditional"] else ""


def _layers(summary: Values) -> str:
    lines = [
        [row["label"], row["data"], str(row["layers"][-1])]
        + [f"{max(row['spearman']):.2f} at {row['turning_point']}", number(row["spearman"][-1])]
        for row in summary["degradation"]
    ]
    header = ["Encoder", "Data", "Layers", "Best score, at layer", "All layers"]
    return table(header, lines) if lines else ""


def _tokens(summary: Values) -> str:
    lines = [[f"*{name}*", "–", number(v), "–"] for name, v in papers.BELLM_SECTION_2.items()]
    lines += [
        [row["label"], row["pivot"], f"{row['mean']:.3f}"]
        + ["{:.3f}, {:.3f}, {:.3f}".format(*row["quartiles"])]
        for row in summary["dependencies"]
    ]
    header = ["Encoder", "Pivot", "Mean correlation", "Quartiles"]
    return table(header, lines) if summary["dependencies"] else ""


def _retrieval(summary: Values) -> str:
    lines = [[f"*{name}*", number(v, 1), "–"] for name, v in papers.BELLM_SECTION_5_4.items()]
    lines += [
        [row["label"], _scored(row["strict"], 1), number(row["recall"], 1)]
        for row in summary["retrieval"]
    ]
    header = ["Encoder", "All four right", "Share of the four found"]
    return table(header, lines) if summary["retrieval"] else ""


def _compared(summary: Values) -> str:
    lines = []
    for row in summary["ablation"]:
        deviation = f" ± {row['deviation']:.2f}" if row["deviation"] else ""
        gain = row["gain"]
        ends = [number(gain[k], 2, "+") for k in ("value", "low", "high")] if gain else []
        lines.append(
            [row["encoder"], str(row["looking_back"]), row["strategy"], row["pooling"]]
            + [row["prompt"] or "none", number(row["mean"]) + deviation]
            + ["{} [{} to {}]".format(*ends) if ends else "–", str(len(row["runs"]))]
            + [", ".join(f"{n:,}" for n in sorted({r["train_pairs"] for r in row["runs"]}))]
            + [_config(row["config"])]
        )
    header = ["Encoder", "Layers that look back", "Strategy", "Pooling", "Prompt", "STS-B test"]
    header += ["Over none that looks back", "Seeds", "Training triplets", "Settings"]
    told = "; ".join(f"{name} {value:.2f}" for name, value in papers.BELLM_TABLE_4.items())
    said = (
        "Mean and standard deviation over seeds; the gain is the mean difference by seed, with its "
        f"interval by Student's t. In the paper, over seven STS tasks: {told}."
    )
    return f"{table(header, lines)}\n\n{said}" if lines else ""


def _chosen(summary: Values) -> str:
    lines = [
        [row["encoder"], _config(row["config"]), f"{row['train_pairs']:,}", str(row["seed"])]
        + [number(row["spearman"]), f"{row['seconds']:.0f}"]
        for row in summary["selection"]
    ]
    header = ["Encoder", "Settings", "Training triplets", "Seed", "STS-B dev", "Seconds"]
    return table(header, lines) if lines else ""


def _curves(summary: Values) -> str:
    lines = [
        [row["label"], str(row["seed"])]
        + [", ".join(f"{p['pairs']:,}: {p['spearman']:.1f}" for p in row["curve"])]
        for row in summary["training"]
    ]
    return table(["Encoder", "Seed", "Triplets seen: STS-B dev"], lines) if lines else ""


def _config(config: Values) -> str:
    shown = (f"{k.replace('_', ' ')} {v}" for k, v in config.items() if k != "triplets")
    return ", ".join(shown) or "–"


SENTENCE_PARTS: Mapping[str, Callable[[Values], str]] = {
    "Similarity (Table 1)": _sts,
    "Similarity under a condition (Table 2)": _conditional,
    "Transfer tasks (Table 3)": _transfer,
    "Accuracy by layer (Figure 4)": _layers,
    "Correlation of tokens with the pivot (Figures 2 and 5)": _tokens,
    "Caption retrieval (section 5.4)": _retrieval,
    "What makes BeLLM work (Table 4)": _compared,
    "Choice of hyperparameters": _chosen,
    "Training curve": _curves,
}


# Teaching, swaps, questions, counterfactuals


def teaching_table() -> str:
    """What teaching five relations gives and costs."""
    from experiments.teach import TITLES, WAYS, summarise

    found = ledger("teach")
    summary = summarise(found)

    def cell(name: str, times: float = 100, unit: str = "%") -> str:
        values = summary.get(name)
        if not values:
            return "–"
        digits = 2 if not unit and abs(times * values["median"]) < 1 else 1
        least, median, most = (
            number(times * values[k], digits) for k in ("least", "median", "most")
        )
        return f"{median}{unit} [{least}–{most}]"

    columns = ("before", "looked_up", *WAYS)
    titles = {"accuracy": "New entity pairs", "reworded": "The same in other words"}
    rows = [[title, *(cell(f"{c} {key}") for c in columns)] for key, title in titles.items()]
    for key, title in {
        "seconds": "Seconds",
        "sts_lost": "STS-B lost, points",
        "benchmark_lost": "The 14 relations lost, points",
    }.items():
        rows.append([title, "–", "–", *(cell(f"{way} {key}", 1, "") for way in WAYS)])
    for name, title in TITLES.items():
        costs = [summary[f"{way} cost"][name] for way in WAYS]
        lost = [
            f"{number(c['lost'])} [{number(c['interval'][0])} to {number(c['interval'][1])}], "
            f"{number(c['least'], 1)} to {number(c['most'], 1)}"
            for c in costs
        ]
        before = f"{title} ({100 * costs[0]['before']:.1f}% right before)"
        rows.append([f"{before}: points lost", "–", "–", *lost])
        changed = [f"{100 * cost['changed']:.2f}%" for cost in costs]
        rows.append([f"{title}: verdicts changed", "–", "–", *changed])
    seeds = len({cell["seed"] for cell in found})
    return (
        f"{summary['sets']} sets of five relations, four entity pairs taught and six tested for "
        f"each, {seeds} seeds. *Looked up*: the label of the most similar taught sentence (shared "
        "strings of letters). Brackets: least and most of a set and seed; for points lost the 95% "
        f"interval of the mean, then least and most. {made(_first_made(found))}.\n\n"
        + table(["", "Not taught", "Looked up", "Teach now", "Train deeper"], rows)
    )


def _first_made(found: Ledger) -> dict[str, Any]:
    return found.made_by(next(iter(found)))


def _share(found: Values) -> str:
    """A share in [0, 1] with its interval."""
    low, high = found["interval"] if "interval" in found else (found["low"], found["high"])
    return f"{found['share']:.1%} [{100 * max(low, 0):.1f}–{100 * high:.1f}]"


def visitor_table() -> str:
    """Natural sentences, visitors' questions and edits that are not swaps."""
    swaps, asked = ledger("swaps"), ledger("questions")
    rows = []
    for split, title in (("test", "not looked at"), ("dev", "looked at during development")):
        own = swaps.get({"file": "natural_sentences", "split": split}) or {}
        baseline = f"{own['baseline']['share']:.1%}: first and last noun phrase exchanged"
        rows.append(
            [f"Natural sentences, {title}: exactly the expected swap"]
            + [str(own["all"]["sentences"])]
            + [_share(own["all"][k]) for k in ("exact", "wrong and sure")]
            + [baseline]
        )
    for split, title in (("test", "not looked at"), ("dev", "looked at during development")):
        by_model = {
            cell["model"]: asked.get(cell) or {} for cell in asked if cell["split"] == split
        }
        guess = by_model["commonest label"]
        ours, words = by_model["general"], by_model["word 1-to-3-grams"]
        rows.append(
            [f"Visitors' questions, {title}: swap and verdict", str(ours["n"])]
            + [_percent(ours["right"]), _percent(ours["wrong_and_sure"])]
            + [
                f"verdicts only: {words['verdict_right']['share']}% word 1-to-3-grams, "
                f"{guess['verdict_right']['share']}% always {guess['label']}"
            ]
        )
    for split, title in (("test", "not looked at"), ("dev", "looked at during development")):
        own = swaps.get({"file": "edited_pairs", "split": split}) or {}
        edits, swapped = own["edits"], own["swaps"]
        rows.append(
            [f"Edits that are not swaps, {title}: recognised", str(edits["n"])]
            + [_share(edits["recognised"]), f"{_share(swapped['refused'])} of true swaps refused"]
            + [
                f"{edits['same_words']:.1%}, {swapped['same_words']:.1%} of true swaps refused: "
                "same words in another order"
            ]
        )
    header = ["Tested", "Sentences", "Right", "Wrong and shown as sure", "Simplest baseline"]
    return (
        "Sentences, swaps and verdicts were written without looking at code or model. Brackets: "
        f"95% Wilson intervals. {made(_first_made(swaps))} (swaps); {_first_made(asked)['commit']} "
        f"(questions).\n\n{table(header, rows)}"
    )


def _percent(found: Values) -> str:
    low, high = found["interval"]
    return f"{found['share']}% [{low}–{high}]"


def counterfactual_table() -> str:
    """How many counterfactuals come out as written down before."""
    found = ledger("counterfactuals")
    rows = []
    for kind in dict.fromkeys(cell["kind"] for cell in found if "kind" in cell):
        seen, first, fresh = (
            found.get({"kind": kind, "part": part}) or {}
            for part in ("seen", "first asked", "fresh")
        )
        low, high = first["interval"]
        rows.append(
            [kind, f"{seen['right']} of {seen['of']}"]
            + [f"{first['right']} of {first['of']} [{low:.0%}–{high:.0%}]"]
            + [f"{fresh['right']} of {fresh['of']}"]
        )
    return (
        "Expected results were written before the code; one half was looked at during development, "
        "the other measured once and then used to fix errors. "
        f"{made(_first_made(found))}.\n\n"
        + table(["Kind", "Looked at", "Not looked at, first time", "The same, now"], rows)
    )


# Load and speed

LOADS = {
    "freeze": "{tried} tables of 1,000 long sentences",
    "bodies": "{tried} bodies of up to 150 MB",
    "archives": "{tried} archives that would fill the memory",
    "burst": "{tried} requests at once, {refused} refused",
    "load": "{people} visitors without a pause and {trainings[begun]} trainings",
}


def trust_table() -> str:
    """What one visitor at their worst does to the others."""
    found = ledger("trust")
    parts = {cell["part"]: found.get(cell) or {} for cell in found}
    rows = [
        [f"95th percentile of others' answers under {text.format(**parts[name])}"]
        + [f"{parts[name]['others']['p95_seconds']:.1f} s"]
        for name, text in LOADS.items()
    ]
    kept = {"sessions": "{tried:,} requests without a session", "trainings": "{tried} trainings"}
    for name, text in kept.items():
        memory = parts[name]["mebibytes"]
        growth = number(100 * (memory["after"] / memory["before"] - 1), 1, "+")
        rows.append([f"Memory after {text.format(**parts[name])}", f"{growth}%"])
    most = max(part["others"]["peak_mebibytes"] for part in parts.values() if "others" in part)
    rows.append(["Most memory of all trials", f"{most / 1024:.1f} GiB"])
    kills, locks, disk = parts["kills"], parts["locks"], parts["disk"]
    rows += [
        [
            f"Lost in {kills['tried']} kills while it teaches, trains, packs and opens",
            f"{kills['failed']} of {kills['rows']:,} rows, of {kills['versions']} versions",
        ],
        [
            f"Without a place beside {sum(locks['begun_by_the_flood'].values())} projects of one "
            "visitor",
            f"{locks['failed']} of {locks['tried']}",
        ],
        [
            "Wrong on a disk that is nearly full, full or read-only",
            f"{disk['failed']} of {disk['tried']}",
        ],
    ]
    where = "; ".join(dict.fromkeys(made(found.made_by(cell)) for cell in found))
    return f"{where}.\n\n{table(['Trial', 'Result'], rows)}"


def speed_table() -> str:
    """Start, and the tab Analyse on many pairs."""
    found = ledger("speed")
    cold = found.get({"part": "cold start"}) or {}
    analyse = next(own for cell in found if (own := found.get(cell) or {}) and "load" in own)
    rows = [
        [f"`symdemo predict` from start to answer, median of {cold['runs']}"]
        + [f"{cold['seconds']['median']:.1f} s"],
        ["Its most memory", f"{cold['peak_memory_mib']['median']:.0f} MiB"],
        [f"Load {analyse['pairs']:,} pairs", f"{analyse['load']['seconds']:,.0f} s"],
        ["`general` judges them", f"{analyse['run']['seconds'] / 60:,.0f} min"],
        ["Open the run again", f"{analyse['open_seconds']:,.1f} s"],
    ]
    rows += [
        [f"{kind.capitalize()}, median and p95", f"{own['p50']:,.0f} and {own['p95']:,.0f} ms"]
        for kind, own in analyse["browse_ms"].items()
    ]
    names = {
        "overview": "Overview",
        "map": "Map",
        "hints": "Suggestions",
        "suggestions": "Suggestions",
        "slices": "Slices",
    }
    rows += [
        [f"{names.get(part, part.capitalize())}, first time", f"{seconds:,.1f} s"]
        for part, seconds in analyse["first_seconds"].items()
    ]
    rows.append(["Most memory", f"{max(analyse['peak_mib'].values()) / 1024:,.1f} GiB"])
    where = "; ".join(dict.fromkeys(made(found.made_by(cell)) for cell in found))
    return f"{where}.\n\n{table(['What', 'Result'], rows)}"


def finished_studies() -> str:
    """One sentence for each study that left main."""
    report = read("finished")
    return f"Code and results of these are kept under the tag `{report['tag']}`.\n\n" + "\n".join(
        f"- **{one['name']}**: {one['says']}" for one in report["studies"]
    )


# The page

PAPER = """\
The 14 relations are known by their templates and the entities are held out: that is template
memory, and it is what the paper measures. Facts are dealt once, by a hash of their entities, into
a part to choose hyperparameters on and a part to measure on; within a part a seed decides which
facts are taught and which are tested, without a common entity.

Forgetting on NLI can only be seen in an encoder that knew some, so each method first learns NLI
with its own objective. Methods start from different accuracies, and one that knows little has
little to lose. Random labels and k-NN, which read sentences one by one as retention does, keep
nearly all; the learnt metric loses some; fine-tuning, from about the same accuracy, loses most.

"""
SENTENCES = """\
- An hour of one core on a hundredth of SGPT's pairs makes an untouched decoder an encoder, some
  points below SGPT-125M and ten below MiniLM. Counting words (TF-IDF) comes within a few points.
- What is read matters more than what looks back: the last token of the paper's prompt is far ahead
  of the mean of all tokens, and with it looking back makes no difference over three seeds.
- Under mean pooling the last layer's looking back helps, the last four layers' helps more, and all
  layers' ruins the decoder, as in the paper. *Addition* gains nothing.

"""

SECTIONS: Mapping[str, Callable[[], str]] = {
    "Relations never taught": lambda: unseen_tables(read("general")),
    "The paper's task": lambda: PAPER + paper_tables(read("reproduce")),
    "Sentence encoders (BeLLM)": lambda: SENTENCES + sentence_tables(read("bellm")),
    "Teaching": teaching_table,
    "What visitors type": visitor_table,
    "Counterfactuals": counterfactual_table,
    "Trust": trust_table,
    "Speed": speed_table,
    "Finished studies": finished_studies,
}

INTRODUCTION = """\
# Results

Made by `python -m experiments.make_tables` from the files in `experiments/results`; do not edit.
A figure belongs to a release: it is measured once and kept with version, commit, date, machine and
command. Baselines and intervals stand beside it.
"""


def results_page() -> str:
    """Return docs/results.md."""
    parts = [f"## {title}\n\n{make().strip()}\n" for title, make in SECTIONS.items()]
    return "\n".join([INTRODUCTION, *parts])


def write_between(page: Path, name: str, text: str) -> bool:
    """Write text between the markers of a name, if the page has them."""
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    old = page.read_text(encoding="utf-8")
    if begin not in old or end not in old:
        return False
    before, after = old.split(begin)[0], old.split(end)[1]
    write_text(page, f"{before}{begin}\n{text}{end}{after}")
    return True


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the tables; with --check only say if the page is up to date."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="exit code 1 if the page is outdated")
    options = parser.parse_args(arguments)
    if not DOCS.is_dir():
        raise InputError(f"There is no folder {DOCS}; run this in a checkout.")
    page, text = DOCS / "results.md", results_page()
    if options.check:
        return int(not page.is_file() or page.read_text(encoding="utf-8") != text)
    write_text(page, text)
    sys.stdout.write(readme_table())
    write_between(README, "results", readme_table())
    return 0


if __name__ == "__main__":
    sys.exit(main())
