"""How good the general model is on relations it was never taught, beside what it has to beat.

    python experiments/general.py [ARM ...] [--seeds 3] [--share I/N]   measure what is missing
    python experiments/general.py general --precision fp32              without bfloat16
    python experiments/general.py --report                              make the tables anew

The relations of the bank are dealt into five folds by group; each fold is asked of what was taught
the other four. Every finished run is kept in `--runs`, under a name that says on which data and
settings it depends, so that the command can be stopped and continued, and several can share the
work. The answers of arms whose runs are all there are kept in `experiments/results/general`; the
tables of docs/results.md are made from these alone, in seconds.

The shipped model was trained in bfloat16. A processor that has none takes twenty times as long to
imitate it; in single precision it trains the same recipe, and the tables say so.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from importlib.metadata import distributions, version
from pathlib import Path
from typing import Any, get_args

from experiments.general_arms import ARMS, fingerprint, measure, runs
from experiments.general_bench import SENTENCES, Bench, phrasings_of
from experiments.general_kept import KEPT, finished, keep, path_of, write_run
from experiments.general_report import earlier_report, make_report, write_report
from experiments.recipes.general import CONFIG
from symdemo.data.bank import load_bank, load_kinds
from symdemo.data.pair_files import load_pairs
from symdemo.encoders import DEFAULT_ENCODER, load_encoder
from symdemo.errors import SymdemoError
from symdemo.evaluation.sentences.sts import sts_at_hand
from symdemo.files.provenance import provenance
from symdemo.training.config import Precision

LIBRARIES = ("scikit-learn", "sentence-transformers", "setfit")
"""Those that answers depend on, beside what every results file names."""


def installed(name: str) -> bool:
    """Whether a library is here."""
    return any(True for _ in distributions(name=name))


def made_here(arm: str) -> dict[str, Any]:
    """Where an arm's runs are made, and what of the code they depend on."""
    here = provenance()
    libraries = {name: version(name) for name in LIBRARIES if installed(name)}
    return here | {"versions": here["versions"] | libraries}


def measure_missing(bench: Bench, arms: Sequence[str], share: str = "0/1") -> None:
    """Make the runs that are not there, of them every Nth from the Ith, where `share` is I/N."""
    place, of = map(int, share.split("/"))
    bench.folder.mkdir(parents=True, exist_ok=True)
    # Asked now: another commit may be checked out before the last run ends.
    made_by = {arm: made_here(arm) for arm in arms}
    for run in list(runs(arms, bench.seeds))[place::of]:
        path = path_of(bench, run)
        if not path.exists():
            sys.stderr.write(f"{run.name}\n")
            about = {"fingerprint": fingerprint(bench, run), "made_by": made_by[run.arm]}
            write_run(path, measure(bench, run), about)


def keep_finished(bench: Bench, arms: Sequence[str], folder: Path = KEPT) -> None:
    """Keep the answers of the arms whose runs are all there."""
    for arm in arms:
        wanted = list(runs([arm], bench.seeds))
        found = finished(bench, wanted)
        sys.stderr.write(f"{arm}: {len(found)} of {len(wanted)} runs\n")
        if len(found) == len(wanted):
            keep(bench, arm, found, folder)


def shipped_bench(folder: Path, seeds: int, precision: Precision = CONFIG.precision) -> Bench:
    """The bank, the encoder, the recipe and the sentences that the tables are of."""
    bank = load_bank()
    sentences = {name: (load_pairs(path), phrasings_of(path)) for name, path in SENTENCES.items()}
    return Bench(
        folder,
        bank,
        load_encoder(DEFAULT_ENCODER),
        sentences,
        load_kinds(bank=bank),
        replace(CONFIG, precision=precision),
        seeds=seeds,
        sts=sts_at_hand(),
    )


def main() -> int:
    """Measure what is missing, then write the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("arms", nargs="*", metavar="ARM", help=f"of: {', '.join(ARMS)}")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--share", default="0/1", help="I/N: every Nth run, from the Ith")
    parser.add_argument("--precision", choices=get_args(Precision), default=CONFIG.precision)
    parser.add_argument("--runs", type=Path, default=Path("runs/general"))
    parser.add_argument("--report", action="store_true", help="only make the tables")
    arguments = parser.parse_args()
    if unknown := set(arguments.arms) - set(ARMS):
        parser.error(f"unknown: {', '.join(sorted(unknown))}; expected: {', '.join(ARMS)}")
    try:
        if not arguments.report:
            bench = shipped_bench(arguments.runs, arguments.seeds, arguments.precision)
            measure_missing(bench, arguments.arms or list(ARMS), arguments.share)
            keep_finished(bench, arguments.arms or list(ARMS))
        report = make_report(KEPT, earlier_report())
        write_report(report)
    except SymdemoError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    for name, row in report["rows"].items():
        sys.stdout.write(f"{name:22} {row['three']['mean']:.1%}, {row['runs']} runs\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
