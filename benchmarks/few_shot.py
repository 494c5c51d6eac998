"""The few-shot table: 48 relation-balanced pairs, tested on held-out entity pairs.

    python benchmarks/few_shot.py [--samples 48] [--seeds 5] [--sts FILE]

Prints accuracy (lexicalized, delexicalized) for each seed, the untouched encoder by 1-NN beside it,
and what STS-B loses; writes benchmarks/results/few_shot.json. The hyperparameters are the named
defaults, which were chosen inside the training side only.
"""

from __future__ import annotations

import argparse
import json
import statistics
from pathlib import Path

from symdemo.encoders import DEFAULT_ENCODER, load_encoder
from symdemo.evaluation.forgetting import drift
from symdemo.evaluation.sentences.sts import sts_at_hand, sts_spearman
from symdemo.files.provenance import provenance
from symdemo.reproduction.experiments import Cell, probe_untouched, run_cell

RESULTS = Path(__file__).parent / "results" / "few_shot.json"


def main() -> None:
    """Run all seeds, print the table, write the JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--encoder", default=DEFAULT_ENCODER)
    parser.add_argument("--method", default="knn")
    parser.add_argument("--samples", type=int, default=48)
    parser.add_argument("--seeds", type=int, default=5)
    arguments = parser.parse_args()

    encoder = load_encoder(arguments.encoder)
    sts = sts_at_hand()
    before = sts_spearman(encoder, sts) if sts else None
    print(f"untouched encoder: STS-B {before:.2f}" if sts else "no STS-B in SYMDEMO_DATA")
    print(f"{'seed':>4} {'1-NN before':>15} {'lex':>8} {'delex':>8} {'STS-B':>7} {'s':>6}")
    rows = []
    for seed in range(arguments.seeds):
        cell = Cell(arguments.encoder, arguments.method, arguments.samples, seed)
        result, model = run_cell(cell, encoder)
        row = {
            "cell": cell.to_json(),
            "outcome": result.to_json(),
            "untouched": probe_untouched(cell, encoder).to_json(),
            "sts": sts_spearman(model.encoder, sts) if sts else None,
            "drift": drift(model.encoder, encoder).distance,
        }
        rows.append(row)
        old = row["untouched"]
        print(
            f"{seed:>4} {old['lexicalized']:>7.1%} {old['delexicalized']:>7.1%} "
            f"{result.lexicalized:>8.2%} {result.delexicalized:>8.2%} "
            f"{row['sts'] or float('nan'):>7.2f} {result.seconds:>6.1f}  {result.wrong or ''}",
            flush=True,
        )
    perfect = sum(
        row["outcome"]["lexicalized"] == row["outcome"]["delexicalized"] == 1 for row in rows
    )
    summary = {
        "seeds": len(rows),
        "perfect_seeds": perfect,
        "lexicalized": _spread([row["outcome"]["lexicalized"] for row in rows]),
        "delexicalized": _spread([row["outcome"]["delexicalized"] for row in rows]),
        "seconds": _spread([row["outcome"]["seconds"] for row in rows]),
        "sts_before": before,
        "sts_loss": _spread([before - row["sts"] for row in rows]) if sts else None,
    }
    print(f"perfect in {perfect} of {len(rows)} seeds; STS-B lost {summary['sts_loss']}")
    RESULTS.parent.mkdir(exist_ok=True)
    report = {"made_by": provenance(), "summary": summary, "rows": rows}
    RESULTS.write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _spread(values: list[float]) -> dict[str, float]:
    return {
        "median": statistics.median(values),
        "mean": statistics.fmean(values),
        "least": min(values),
        "most": max(values),
    }


if __name__ == "__main__":
    main()
