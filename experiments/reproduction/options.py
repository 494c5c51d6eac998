"""The options of `symdemo reproduce`, apart from what they need, so that `--help` is quick."""

from __future__ import annotations

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the subcommand."""
    parser.add_argument("--quick", action="store_true", help="a first table in a few minutes")
    parser.add_argument("--encoders", nargs="+", metavar="NAME", help="names or local folders")
    parser.add_argument(
        "--methods", nargs="+", metavar="METHOD", help="the paper's names (default: all four)"
    )
    parser.add_argument("--seeds", type=int, help="how many (default: 5)")
    parser.add_argument(
        "--other-seeds",
        type=int,
        help="only so many for the encoders after the first, at one sample size",
    )
    parser.add_argument("--no-search", action="store_true", help="no smallest sample sizes")
    parser.add_argument("--no-ablations", action="store_true")
    parser.add_argument("--no-nli", action="store_true", help="no forgetting on NLI")
    parser.add_argument("--out", default="runs/reproduce", help="folder; run again to continue")
    parser.add_argument(
        "--from-published",
        action="store_true",
        help="continue from the measurements in experiments/results instead of from nothing",
    )
    parser.add_argument(
        "--report-only",
        action="store_true",
        help="measure nothing more: write the tables from what was measured so far",
    )
    parser.add_argument(
        "--publish",
        action="store_true",
        help="also write experiments/results and docs/paper.md of this checkout",
    )
    parser.add_argument(
        "--select",
        action="store_true",
        help="choose the hyperparameters of the first encoder, on facts that are never measured on",
    )
    parser.add_argument(
        "--share",
        metavar="I/N",
        help="make only the I-th of N shares of the measurements; each with an --out of its own",
    )
    parser.add_argument(
        "--merge",
        nargs="+",
        metavar="FOLDER",
        help="take over the measurements of other --out folders first",
    )
    parser.add_argument("--json", action="store_true", help="print the report instead of tables")
