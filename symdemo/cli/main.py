"""The command line: `symdemo` and `python -m symdemo`.

Answers go to stdout, everything else to stderr; bad input ends in one sentence and exit code 2.
Each subcommand is one function, and imports what it needs when it runs; those that read or make
labelled pairs are in `cli_data`, those that ask and teach a model in `cli_predict` and `cli_teach`.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import NoReturn

from symdemo import __version__
from symdemo.cli import bellm as cli_bellm
from symdemo.cli import data as cli_data
from symdemo.cli import predict as cli_predict
from symdemo.cli import sts as cli_sts
from symdemo.cli import teach as cli_teach
from symdemo.cli.shared import add_address, print_json, study
from symdemo.errors import InputError, SymdemoError


class _Parser(argparse.ArgumentParser):
    """A parser whose complaints are one sentence, like all others."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"symdemo: {message}; `{self.prog} --help` says what is expected.\n")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    parser = _parser()
    arguments = parser.parse_args(argv)
    try:
        code = arguments.run(arguments) or 0
        sys.stdout.flush()  # what a closed pipe refuses is told here, and not as Python ends
        return code
    except SymdemoError as error:
        print(f"symdemo: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("symdemo: stopped.", file=sys.stderr)
        return 130
    except BrokenPipeError:
        _forget_stdout()
        return 0
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        print(f"symdemo: {where}{error.strerror or error}.", file=sys.stderr)
        return 2


def _forget_stdout() -> None:
    """Send what is still to be written nowhere, so that Python does not complain as it ends."""
    with suppress(OSError, ValueError):  # standard output need not be a file
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="symdemo",
        description="When subject and object change places, does the sentence still hold?",
    )
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, run, add_arguments, text in _COMMANDS:
        command = commands.add_parser(name, help=text, description=text)
        add_arguments(command)
        command.set_defaults(run=run)
    return parser


def _models_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON")


def _models(arguments: argparse.Namespace) -> None:
    from symdemo.classifier.checkpoints import list_models

    cards = list_models()
    if arguments.json:
        print_json([card.to_json() for card in cards])
        return
    for card in cards:
        print(f"{card.name:<14} {card.summary}")
        for name, value in card.scores.items():
            print(f"{'':<14} {name}: {value}")
    if not cards:
        print("none; `symdemo train` makes one")


def _serve(arguments: argparse.Namespace) -> None:
    try:
        from symdemo.ui.app import serve
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("symdemo"):
            raise
        raise InputError(
            f"The app needs {error.name}, which is not installed: pip install 'symdemo[app]'."
        ) from None
    serve(arguments.host, arguments.port)


def _reproduce_arguments(parser: argparse.ArgumentParser) -> None:
    add_arguments = study("reproduction.options").add_arguments

    add_arguments(parser)


def _reproduce(arguments: argparse.Namespace) -> int:
    return study("reproduction.command").run(arguments)


_COMMANDS = (
    ("predict", cli_predict.predict, cli_predict.predict_arguments, cli_predict.HELP),
    (
        "evaluate", cli_data.evaluate, cli_data.evaluate_arguments,
        "how often is a model right on labelled pairs?",
    ),
    (
        "train", cli_data.train, cli_data.train_arguments,
        "retrain an encoder on a few labelled pairs",
    ),
    ("teach", cli_teach.teach, cli_teach.teach_arguments, cli_teach.HELP),
    (
        "dataset", cli_data.dataset, cli_data.dataset_arguments,
        "make labelled pairs from Wikidata5m's triples and labels",
    ),
    ("models", _models, _models_arguments, "which models are here, and how good they are"),
    (
        "reproduce", _reproduce, _reproduce_arguments,
        "measure the paper's tables; run again to continue",
    ),
    ("bellm", cli_bellm.bellm, cli_bellm.bellm_arguments, cli_bellm.HELP),
    ("sts", cli_sts.sts, cli_sts.sts_arguments, cli_sts.HELP),
    ("serve", _serve, add_address, "start the app"),
)  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
