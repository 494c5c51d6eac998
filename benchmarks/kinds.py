"""Kinds of sentence that the bank is short of: how often, and how surely, a model is wrong.

    python benchmarks/kinds.py [--models general NAME=FOLDER ...] [--no-rivals]

Judged are phrasings of relations that are held out of each kind (`symdemo.data.bank_kinds`) and
stand nowhere else in what is taught, each about three pairs of entities. Beside the models stand
what always answers the label that is taught most often, and logistic regression over word
1-to-3-grams that was taught the same pairs as `general`. Rows of other models that were measured on
the same pairs are kept.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import checkout  # noqa: F401
import numpy as np
from general_figures import Judged, label_rows

from symdemo.classifier import SymmetryClassifier
from symdemo.classifier.calibration import expected_calibration_error
from symdemo.data.bank import load_bank
from symdemo.data.bank_kinds import REPLACED, load_kinds, never_taught
from symdemo.evaluation.baselines.ngrams import fit_ngrams, majority_shares
from symdemo.files.paths import RESULTS
from symdemo.files.provenance import ANSWERS, provenance
from symdemo.pairs import Pair, hash_pairs
from symdemo.recipes.general import training_pairs
from symdemo.recipes.general_kinds import shown_kinds

TEST_SEED, PER_PHRASING = 77, 3
SURE = 0.8
"""A wrong answer with a larger share than this is a sure one."""


def figures(shares: np.ndarray, pairs: Sequence[Pair]) -> dict:
    """Accuracy, sure and wrong, calibration error, of shares (n, 3) in the order of LABELS."""
    rows = label_rows(pairs)
    right, sure = shares.argmax(1) == rows, shares.max(1) > SURE
    return {
        "pairs": len(pairs),
        "accuracy": float(right.mean()),
        "surely_wrong": float((sure & ~right).mean()),
        "sure": float(sure.mean()),
        "calibration_error": expected_calibration_error(shares, rows.tolist()),
    }


def by_kind(shares: np.ndarray, test: Mapping[str, Sequence[Pair]]) -> dict:
    """`figures` of all pairs and of each kind; shares are in the order of the kinds."""
    ends = np.cumsum([len(pairs) for pairs in test.values()])[:-1]
    everything = [pair for pairs in test.values() for pair in pairs]
    parts = zip(test.items(), np.split(shares, ends), strict=True)
    return {
        "all": figures(shares, everything),
        "kinds": {name: figures(own, pairs) for (name, pairs), own in parts},
    }


def taught_pairs(seed: int = 0) -> list[Pair]:
    """What `general` is shown of the bank and the kinds; the facts of the 14 relations are not."""
    bank = load_bank()
    relations = [relation for relation in bank.relations if relation.id not in REPLACED]
    return [*training_pairs(bank, relations, seed), *shown_kinds(load_kinds(bank=bank), seed)]


def taught_groups() -> dict[str, str]:
    """Relation → group, of the bank and the kinds."""
    bank = load_bank()
    kinds = load_kinds(bank=bank)
    relations = [*bank.relations, *(r for kind in kinds for r in kind.bank.relations)]
    return {relation.id: relation.group or relation.id for relation in relations}


def rival_shares(
    taught: Sequence[Pair], test: Sequence[Pair], group_of: Mapping[str, str]
) -> dict[str, np.ndarray]:
    """Shares (n, 3) of what knows no language, taught the same pairs."""
    words = fit_ngrams(taught, [group_of[str(pair.relation)] for pair in taught])
    return {"words": words.shares(test), "majority": majority_shares(taught, len(test))}


def main() -> None:
    """Measure models and rivals, and write the results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--models", nargs="*", default=["general"], help="NAME or NAME=FOLDER")
    parser.add_argument("--no-rivals", action="store_true")
    parser.add_argument("--out", type=Path, default=RESULTS / "kinds.json")
    arguments = parser.parse_args()
    bank = load_bank()
    kinds = load_kinds(bank=bank)
    test = {
        kind.name: kind.bank.pairs(held, PER_PHRASING, TEST_SEED)
        for kind, held in zip(kinds, never_taught(kinds, bank).values(), strict=True)
    }
    everything = [pair for pairs in test.values() for pair in pairs]
    data = hash_pairs(everything)[:16]
    rows = earlier(arguments.out, data)
    commit = {"commit": provenance()["commit"]}
    for given in arguments.models:
        name, _, folder = given.partition("=")
        model = SymmetryClassifier.from_pretrained(folder or name)
        shares = Judged(model, everything).shares(model.card.temperature)
        rows[name] = by_kind(shares, test) | commit
    if not arguments.no_rivals:
        for name, shares in rival_shares(taught_pairs(), everything, taught_groups()).items():
            rows[name] = by_kind(shares, test) | commit
    report = {
        "command": "python benchmarks/kinds.py",
        "made_by": provenance(*ANSWERS, "data", "evaluation.baselines", "recipes"),
        "data": data,
        "sure": SURE,
        "relations": len({pair.relation for pair in everything}),
        "rows": rows,
    }
    text = json.dumps(report, indent=1, ensure_ascii=False) + "\n"
    arguments.out.write_text(text, encoding="utf-8")
    sys.stdout.write(table(rows))


def earlier(path: Path, data: str) -> dict:
    """The rows that a file holds already, if they are of the same pairs."""
    if not path.is_file():
        return {}
    report = json.loads(path.read_text(encoding="utf-8"))
    return report["rows"] if report.get("data") == data else {}


def table(rows: Mapping[str, dict]) -> str:
    """Accuracy and surely wrong, a line a kind and a column a model."""
    lines = [f"{'':16}" + "".join(f"{name:>20}" for name in rows)]
    kinds = next(iter(rows.values()))["kinds"]
    for kind in ["all", *kinds]:
        cells = (row["all"] if kind == "all" else row["kinds"][kind] for row in rows.values())
        shown = (f"{own['accuracy']:.1%}, {own['surely_wrong']:.1%}" for own in cells)
        lines.append(f"{kind:16}" + "".join(f"{cell:>20}" for cell in shown))
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
