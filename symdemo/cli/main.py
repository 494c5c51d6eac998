"""The command line: `symdemo` and `python -m symdemo`.

Answers go to stdout, everything else to stderr; bad input ends in one sentence and exit code 2.
A command's module is imported only when the command is named, so that `symdemo --help` is quick.

argparse rather than typer: typer's options take no lists such as `--encoder A B`.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from typing import NoReturn

from symdemo import __version__
from symdemo.cli.shared import add_address, add_examples, print_json, waiting
from symdemo.errors import InputError, SymdemoError

COMMANDS = {
    "predict": ("predict", "does the swapped sentence still hold?"),
    "evaluate": ("data", "how often is a model right on labelled pairs?"),
    "train": ("data", "retrain an encoder on a few labelled pairs"),
    "teach": ("teach", "teach a model relations of your own, and see what that changes"),
    "dataset": ("data", "make labelled pairs from Wikidata5m's triples and labels"),
    "models": ("main", "which models are here, and how good they are"),
    "reproduce": ("studies", "measure the paper's tables; run again to continue"),
    "bellm": (
        "studies", "train a decoder that looks back as a sentence encoder (BeLLM), and compare ways"
    ),
    "sts": ("studies", "measure sentence encoders as BeLLM does; run again to continue"),
    "serve": ("main", "start the app"),
}  # fmt: skip
"""Command → its module, with functions `NAME` and `NAME_arguments`, and its help."""


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are one sentence."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"symdemo: {message}; `{self.prog} --help` says what is expected.\n")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    argv = sys.argv[1:] if argv is None else argv
    wanted = next((word for word in argv if not word.startswith("-")), "")
    arguments = _parser(wanted, "--quiet" in argv).parse_args(argv)
    try:
        code = arguments.run(arguments) or 0
        sys.stdout.flush()  # a closed pipe raises here, and not as Python ends
        return code
    except SymdemoError as error:
        print(f"symdemo: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("symdemo: stopped; nothing is half done, so run it again.", file=sys.stderr)
        return 130
    except BrokenPipeError:
        with suppress(OSError, ValueError):  # so that Python does not complain as it ends
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        print(f"symdemo: {where}{error.strerror or error}.", file=sys.stderr)
        return 2


def _parser(wanted: str, quiet: bool) -> argparse.ArgumentParser:
    """Return the parser, with the options of the wanted command only."""
    parser = _Parser(
        prog="symdemo",
        description="When subject and object change places, does the sentence still hold?",
    )
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, (module, text) in COMMANDS.items():
        command = commands.add_parser(name, help=text, description=text)
        if name == wanted:
            with waiting("loading the command", quiet):
                found = import_module(f"symdemo.cli.{module}")
            getattr(found, f"{name}_arguments")(command)
            command.set_defaults(run=getattr(found, name))
    return parser


def models_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `symdemo models`."""
    parser.add_argument("--json", action="store_true", help="print JSON")
    add_examples(parser, "symdemo models", "symdemo models --json")


def models(arguments: argparse.Namespace) -> None:
    """Print the models that are here."""
    with waiting("reading the models", quiet=False):
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


def serve_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `symdemo serve`."""
    add_address(parser)
    add_examples(parser, "symdemo serve", "symdemo serve --host 0.0.0.0 --port 7860")


def serve(arguments: argparse.Namespace) -> None:
    """Start the app."""
    try:
        with waiting("loading the app", quiet=False):
            from symdemo.ui.app import serve as start
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("symdemo"):
            raise
        raise InputError(
            f"The app needs {error.name}, which is not installed: pip install 'symdemo[app]'."
        ) from None
    start(arguments.host, arguments.port)


if __name__ == "__main__":
    sys.exit(main())
