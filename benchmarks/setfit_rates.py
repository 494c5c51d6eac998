"""Which learning rate suits SetFit on this encoder, so that it is measured at its best.

    python benchmarks/setfit_rates.py [--rates 2e-5 1e-4 3e-4]

Its authors' 2e-5 is for other encoders. One fold of another split than the one that is reported is
asked, of SetFit taught a quarter of the other relations, with a quarter of the steps; the best by
log loss belongs into `general_bench.SHORT`, with which `benchmarks/general.py` trains.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import checkout  # noqa: F401
from general_bench import SHORT
from general_variants import FOLD, FOLDS, SPLIT_SEED, TEST_SEED

from symdemo.classifier.calibration import FLATTENINGS, log_loss, tempered
from symdemo.data.bank import load_bank, split_relations
from symdemo.encoders import DEFAULT_ENCODER, load_encoder
from symdemo.evaluation.baselines.setfit import setfit_shares
from symdemo.files.atomic import write_text
from symdemo.files.paths import RESULTS
from symdemo.files.provenance import provenance
from symdemo.pairs import LABELS, labels_of
from symdemo.recipes.general import training_pairs

RATES = (2e-5, 1e-4, 3e-4)
RESULT = RESULTS / "setfit_rates.json"
PARTS = 4
"""Of relations and of steps, one of so many."""


def tried(rates: Sequence[float]) -> list[dict[str, Any]]:
    """Each rate's accuracy, and its log loss at the best of the usual temperatures."""
    bank, encoder = load_bank(), load_encoder(DEFAULT_ENCODER)
    folds = split_relations(bank, FOLDS, SPLIT_SEED)
    others = [r for n, fold in enumerate(folds) if n != FOLD for r in fold][::PARTS]
    taught = training_pairs(bank, others, seed=0, rounds=1)
    asked = bank.pairs(folds[FOLD], seed=TEST_SEED)
    labels = [LABELS.index(label) for label in labels_of(asked)]
    rows = []
    for rate in rates:
        changes = {"body_learning_rate": rate, "max_steps": SHORT["max_steps"] // PARTS}
        (shares,), seconds = setfit_shares(encoder, taught, asked, settings={**SHORT, **changes})
        losses = [log_loss(tempered(shares, t), labels) for t in FLATTENINGS]
        right = float((shares.argmax(-1) == labels).mean())
        rows.append({"rate": rate, "three": right, "log_loss": min(losses), "seconds": seconds})
        print(rows[-1], flush=True)
    return rows


def main() -> None:
    """Try the rates and write what came out."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rates", type=float, nargs="+", default=RATES)
    parser.add_argument("--out", type=Path, default=RESULT)
    arguments = parser.parse_args()
    rows = tried(arguments.rates)
    report = {
        "command": "python benchmarks/setfit_rates.py",
        "made_by": provenance("data.bank", "encoders", "evaluation.baselines", "recipes.general"),
        "best": min(rows, key=lambda row: row["log_loss"])["rate"],
        "rows": rows,
    }
    write_text(arguments.out, json.dumps(report, indent=1) + "\n")


if __name__ == "__main__":
    main()
