"""What the subcommands of the command line share: the model they ask for, and how they print."""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import textwrap
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from symdemo.errors import InputError
from symdemo.files.paths import PACKAGE

if TYPE_CHECKING:
    from symdemo.classifier import SymmetryClassifier


def default_model() -> str:
    """The name of the model that answers where none is named."""
    from symdemo.classifier.checkpoints import SHIPPED, list_models

    return next((card.name for card in list_models()), SHIPPED[0])


def add_model(parser: argparse.ArgumentParser) -> None:
    """The options of a subcommand that asks a model."""
    parser.add_argument("--model", help="name in models/, folder, or hub id (default: the best)")
    parser.add_argument("--device", help="cpu, cuda or mps (default: the best there is)")
    parser.add_argument("--json", action="store_true", help="print JSON")


def explain_labels(parser: argparse.ArgumentParser) -> None:
    """Say below the options of a subcommand that takes labels what they mean."""
    from symdemo.data.convention import paragraphs

    width = shutil.get_terminal_size().columns - 2
    text = ["What the labels mean", *paragraphs()]
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = "\n\n".join(textwrap.fill(paragraph, width) for paragraph in text)


def add_address(parser: argparse.ArgumentParser) -> None:
    """Where an app listens; without these options Gradio's environment variables say it."""
    parser.add_argument("--host", help="address to listen at (GRADIO_SERVER_NAME, 127.0.0.1)")
    parser.add_argument(
        "--port", type=_port, help="port to listen at (GRADIO_SERVER_PORT, 7860)", metavar="PORT"
    )


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) <= 65_535):
        raise argparse.ArgumentTypeError(
            f"The port is {text}; a number from 0 to 65535 is expected"
        )
    return int(text)


def load_model(arguments: argparse.Namespace) -> SymmetryClassifier:
    """The model that the options of `add_model` name, to be asked and not to be retrained."""
    from symdemo.classifier import SymmetryClassifier

    name = arguments.model or default_model()
    return SymmetryClassifier.from_pretrained(name, arguments.device, inference_only=True)


def print_json(value: Any) -> None:
    """Print JSON for people and programs alike."""
    print(json.dumps(value, indent=2, ensure_ascii=False))


def show_progress(verb: str) -> Callable[[int, int], None] | None:
    """Say on a terminal's stderr how many of how many are done; nothing anywhere else."""
    if not sys.stderr.isatty():
        return None

    def show(done: int, total: int) -> None:
        end = "\n" if done == total else ""
        print(f"\r{verb} {done:,} of {total:,}", end=end, file=sys.stderr, flush=True)

    return show


def show_share() -> Callable[[str, float], None] | None:
    """Say on a terminal's stderr which share of a file is done; nothing anywhere else."""
    if not sys.stderr.isatty():
        return None

    def show(what: str, share: float) -> None:
        end = "\n" if share == 1 else ""
        print(f"\r{what} {share:4.0%}", end=end, file=sys.stderr, flush=True)

    return show


def show_step(step) -> None:
    """Say on stderr how training goes."""
    end = "\n" if step.step == step.total else ""
    text = f"\rstep {step.step} of {step.total}, loss {step.loss:.4f}, {step.eta:.0f} s left  "
    print(text, end=end, file=sys.stderr, flush=True)


def study(name: str) -> Any:
    """Import a module of `experiments/`, which a checkout has and an installed package lacks.

    Raises:
        InputError: there is no checkout around this package.
    """
    root = PACKAGE.parent
    if not (root / "experiments").is_dir():
        raise InputError(
            "This command runs a study that only a checkout of symdemo holds; "
            "clone the repository and run `python -m symdemo` there."
        )
    if str(root) not in sys.path:
        sys.path.append(str(root))
    return import_module(f"experiments.{name}")
