"""`symdemo sts`: measure sentence encoders as such."""

from __future__ import annotations

import argparse
from pathlib import Path

from symdemo.cli.shared import study

HELP = "measure sentence encoders as BeLLM does; run again to continue"


def sts_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `symdemo sts`."""
    parser.add_argument(
        "--encoder", nargs="+", metavar="NAME", default=["all-MiniLM-L6-v2"],
        help='names or folders, such as "smollm2-135m?looking_back=1" (default: all-MiniLM-L6-v2)',
    )  # fmt: skip
    parser.add_argument(
        "--label", nargs="+", metavar="TEXT", help="what each encoder is called in the tables"
    )
    parser.add_argument(
        "--parts", metavar="LIST",
        help="of: sts,conditional,transfer,degradation,dependencies,retrieval (default: all)",
    )  # fmt: skip
    parser.add_argument(
        "--tasks", metavar="LIST", help="such as STS-B,MR (default: all of each part)"
    )
    parser.add_argument("--data", metavar="FOLDER", help="with the data (default: SYMDEMO_DATA)")
    parser.add_argument("--out", default="runs/bellm", help="folder; run again to continue")
    parser.add_argument(
        "--report-only",
        action="store_true",
        help="measure nothing more: write the tables from what was measured so far",
    )
    parser.add_argument(
        "--publish",
        action="store_true",
        help="also add the measurements to experiments/results of this checkout",
    )
    parser.add_argument(
        "--pictures", type=Path, metavar="FILE", help="also draw what was measured, as an HTML page"
    )
    parser.add_argument("--json", action="store_true", help="print the report instead of tables")


def sts(arguments: argparse.Namespace) -> int:
    """`symdemo sts`."""
    status = study("reproduction.bellm.command").run(arguments)
    if arguments.pictures is not None:
        from symdemo.evaluation.results import SentenceReport
        from symdemo.files.atomic import write_text
        from symdemo.ui.sentences.results import pictures_page

        report = SentenceReport.find(Path(arguments.out))
        assert report is not None  # it was written just now
        write_text(arguments.pictures, pictures_page(report))
    return status
