"""Options and output that commands share."""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from symdemo.errors import InputError

if TYPE_CHECKING:
    from symdemo.classifier import SymmetryClassifier


def default_model() -> str:
    """Return the name of the best model that is here."""
    from symdemo.classifier.checkpoints import SHIPPED, list_models

    return next((card.name for card in list_models()), SHIPPED[0])


def add_model(parser: argparse.ArgumentParser) -> None:
    """Add the options of a command that uses a model."""
    parser.add_argument("--model", help="name in models/, folder, or hub id (default: the best)")
    parser.add_argument("--device", help="cpu, cuda or mps (default: the best there is)")
    parser.add_argument("--json", action="store_true", help="print JSON")


def add_examples(parser: argparse.ArgumentParser, *commands: str) -> None:
    """Show examples below the options of a command."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = "\n".join(["examples:", *(f"  {command}" for command in commands)])


def add_labels(parser: argparse.ArgumentParser) -> None:
    """Add the options that say what labels mean."""
    parser.add_argument(
        "--labels",
        metavar="LABEL,... or WORD=LABEL,...",
        help="what 0, 1 and 2 mean in the file: entailment,neutral,contradiction; or what words "
        "do: ja=entailment,nein=contradiction",
    )
    parser.add_argument(
        "--what-labels-mean", action=_Convention, nargs=0, help="print the convention, and exit"
    )


class _Convention(argparse.Action):
    """Print what the three labels mean, and exit."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        from symdemo.data.convention import paragraphs

        width = shutil.get_terminal_size().columns - 2
        print("\n\n".join(textwrap.fill(paragraph, width) for paragraph in paragraphs()))
        parser.exit()


def named_labels(arguments: argparse.Namespace) -> dict[str, str]:
    """Return the meanings of labels that --labels names."""
    from symdemo.data.columns import label_names

    return label_names(arguments.labels) if arguments.labels else {}


def add_address(parser: argparse.ArgumentParser) -> None:
    """Add host and port of the app; without them Gradio's environment variables decide."""
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
    """Load the model of the options of `add_model`, for predictions only."""
    from symdemo.classifier import SymmetryClassifier

    name = arguments.model or default_model()
    return SymmetryClassifier.from_pretrained(name, arguments.device, inference_only=True)


def check_out(out: Path | None) -> None:
    """Raise `InputError` if a folder to write exists and is not empty."""
    if out and out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise InputError(f"The folder {out} exists and is not empty; choose another --out.")


def print_json(value: Any) -> None:
    """Print indented JSON."""
    print(json.dumps(value, indent=2, ensure_ascii=False))


def print_progress(text: str, is_last: bool) -> None:
    """Replace the last line of stderr."""
    print(f"\r{text}", end="\n" if is_last else "", file=sys.stderr, flush=True)


def show_progress(verb: str) -> Callable[[int, int], None] | None:
    """Return a function that prints done and total to a terminal's stderr; None without one."""
    if not sys.stderr.isatty():
        return None
    return lambda done, total: print_progress(f"{verb} {done:,} of {total:,}", done == total)
