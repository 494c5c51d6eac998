"""The paper's own data: 48 pairs of them taught, and the shipped models, taught none of them.

    python benchmarks/real_sample.py [--data FILE] [--samples 48] [--seeds 5] [--only PART]

`few` teaches k-NN some pairs and tests it on the other half; both directions of an unordered entity
pair are on one side. `shipped` asks the models in models/ about all pairs. The relation look-up
stands beside the accuracy: on these data it scores 100%. A part that is not measured anew keeps its
figures in benchmarks/results/real_sample.json; the table of docs/paper.md is made from that file.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

import checkout  # noqa: F401

from symdemo.classifier import SymmetryClassifier
from symdemo.data.pair_files import load_pairs
from symdemo.data.relations import sample_balanced
from symdemo.encoders import DEFAULT_ENCODER, load_encoder
from symdemo.errors import InputError
from symdemo.evaluation.scores import evaluate
from symdemo.files.paths import DOCS, measuring_data
from symdemo.files.provenance import ANSWERS, provenance
from symdemo.pairs import Pair, check_pair
from symdemo.reproduction.markdown import table
from symdemo.reproduction.tables import write_into
from symdemo.training.hyperparameters import defaults

RESULTS = Path(__file__).parent / "results" / "real_sample.json"
SHIPPED = ("general", "wikidata14")
BEGIN, END = "<!-- real: begin -->", "<!-- real: end -->"


def main() -> None:
    """Measure the parts asked for, print each row, write the JSON and its table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=measuring_data("asymmetricity_sample.jsonl"))
    parser.add_argument("--samples", type=int, default=48)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--only", choices=("few", "shipped"))
    arguments = parser.parse_args()

    if arguments.data is None:
        parser.error("there is no asymmetricity_sample.jsonl in SYMDEMO_DATA; see --data")
    pairs = load_pairs(arguments.data)
    report = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.is_file() else {}
    if arguments.only != "shipped":
        rows = [few(pairs, arguments.samples, seed) for seed in range(arguments.seeds)]
        made_by = provenance("classifier", "encoders", "training")
        report["few"] = {"made_by": made_by, "samples": arguments.samples, "rows": rows}
    if arguments.only != "few":
        rows = [shipped(pairs, name) for name in SHIPPED]
        report["shipped"] = {"made_by": provenance(*ANSWERS), "rows": rows}
    RESULTS.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    write_into(DOCS / "paper.md", markdown(report), BEGIN, END)


def few(pairs: Sequence[Pair], samples: int, seed: int) -> dict:
    """k-NN taught some pairs of one half, asked about the other half."""
    encoder = load_encoder(DEFAULT_ENCODER)
    train, test = split(pairs, seed)
    # namesakes make a sentence its own swap; nothing can be learnt from those
    taught = sample_balanced([p for p in train if differs(p)], samples, seed)
    config = replace(defaults("knn", encoder), seed=seed)
    model = SymmetryClassifier.from_encoder(encoder, "knn").fit(taught, config=config)
    return {"seed": seed, **judge(model, test), "seconds": model.card.training["seconds"]}


def shipped(pairs: Sequence[Pair], name: str) -> dict:
    """A model that comes with the project, asked about all pairs."""
    return {"model": name, **judge(SymmetryClassifier.from_pretrained(name), pairs)}


def judge(model: SymmetryClassifier, test: Sequence[Pair]) -> dict:
    """Accuracy, the relations with errors, and the look-up baseline."""
    result = evaluate(model, test)
    wrong = {r: [share, n] for r, (share, n) in result.by_relation.items() if share < 1}
    print(f"{result.accuracy:.3%} of {result.n:,}  {wrong or ''}", flush=True)
    return {
        "accuracy": result.accuracy,
        "pairs": result.n,
        "wrong": wrong,
        "lookup_baseline": result.lookup_baseline,
    }


def markdown(report: Mapping[str, Any]) -> str:
    """The table of what has been measured."""
    rows = []
    if "few" in report:
        own, samples = report["few"]["rows"], report["few"]["samples"]
        shares, sizes = [row["accuracy"] for row in own], [row["pairs"] for row in own]
        spread = f"{median(shares):.2%} [{min(shares):.2%}–{max(shares):.2%}], {len(own)} seeds"
        rows.append(["k-NN", f"{samples}", spread, f"{median(sizes):,.0f}, other entity pairs"])
    for row in report.get("shipped", {}).get("rows", ()):
        rows.append([f"`{row['model']}`", "none", f"{row['accuracy']:.2%}", f"{row['pairs']:,}"])
    commits = ", ".join(
        f"{part} at commit {own['made_by']['commit']}" for part, own in sorted(report.items())
    )
    head = f"Made by `python benchmarks/real_sample.py` ({commits})."
    return f"{head}\n\n{table(['Model', 'Pairs of these data taught', 'Right', 'Asked'], rows)}\n"


def split(pairs: Sequence[Pair], seed: int) -> tuple[list[Pair], list[Pair]]:
    """Half of the unordered entity pairs to each side."""
    groups = sorted({pair.entity_pair for pair in pairs})
    random.Random(seed).shuffle(groups)
    taught = set(groups[: len(groups) // 2])
    train = [pair for pair in pairs if pair.entity_pair in taught]
    return train, [pair for pair in pairs if pair.entity_pair not in taught]


def differs(pair: Pair) -> bool:
    """Whether premise and hypothesis are two sentences."""
    try:
        check_pair(pair)
    except InputError:
        return False
    return True


if __name__ == "__main__":
    main()
