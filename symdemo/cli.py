"""The command line: `symdemo` and `python -m symdemo`.

Answers go to stdout, everything else to stderr; bad input ends in one sentence and exit code 2.
Each subcommand is one function, and imports what it needs when it runs; those that read or make
labelled pairs are in `cli_data`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import NoReturn

from symdemo import __version__, cli_data, cli_teach
from symdemo.cli_shared import add_model, load_model, print_json
from symdemo.errors import InputError, SymdemoError
from symdemo.pairs import Pair


class _Parser(argparse.ArgumentParser):
    """A parser whose complaints are one sentence, like all others."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"symdemo: {message}; `{self.prog} --help` says what is expected.\n")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    parser = _parser()
    arguments = parser.parse_args(argv)
    try:
        return arguments.run(arguments) or 0
    except SymdemoError as error:
        print(f"symdemo: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("symdemo: stopped.", file=sys.stderr)
        return 130
    except BrokenPipeError:
        return 0
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        print(f"symdemo: {where}{error.strerror or error}.", file=sys.stderr)
        return 2


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


def _predict_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("premise", metavar="PREMISE")
    parser.add_argument(
        "hypothesis", metavar="HYPOTHESIS", nargs="?", help="made by swapping if left out"
    )
    parser.add_argument("-k", type=int, help="how many neighbours vote (default: the model's)")
    add_model(parser)


def _predict(arguments: argparse.Namespace) -> None:
    from symdemo import swap

    if arguments.k is not None and arguments.k < 1:
        raise InputError(f"-k is {arguments.k}; at least 1 is expected.")
    hypothesis = arguments.hypothesis
    if hypothesis is None:
        hypothesis = swap(arguments.premise).hypothesis
    pair = Pair(arguments.premise, hypothesis)
    prediction = load_model(arguments).predict([pair], arguments.k)[0]
    if arguments.json:
        print_json(prediction.to_json())
        return
    print(f"premise     {prediction.pair.premise}")
    print(f"hypothesis  {prediction.pair.hypothesis}")
    shares = ", ".join(f"{label} {p:.0%}" for label, p in prediction.probabilities.items())
    print(f"verdict     {prediction.label}  ({shares})")
    if prediction.familiar is False:
        print("            unlike anything this model was taught: do not rely on it")
    for neighbour in prediction.neighbours:
        print(f"neighbour   {neighbour.distance:.4f}  {neighbour.label}  {neighbour.pair.premise}")


def _models_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON")


def _models(arguments: argparse.Namespace) -> None:
    from symdemo.checkpoints import list_models

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


def _serve_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=7860)


def _serve(arguments: argparse.Namespace) -> None:
    if not 0 <= arguments.port <= 65_535:
        raise InputError(f"The port is {arguments.port}; a number from 0 to 65535 is expected.")
    from symdemo.ui.app import serve

    serve(arguments.host, arguments.port)


def _reproduce_arguments(parser: argparse.ArgumentParser) -> None:
    from symdemo.reproduction.options import add_arguments

    add_arguments(parser)


def _reproduce(arguments: argparse.Namespace) -> int:
    from symdemo.reproduction.command import run

    return run(arguments)


_COMMANDS = (
    ("predict", _predict, _predict_arguments, "does the swapped sentence still hold?"),
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
    ("serve", _serve, _serve_arguments, "start the app"),
)  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
