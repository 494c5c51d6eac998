"""Options and output that commands share."""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import textwrap
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from itertools import islice
from pathlib import Path
from threading import Timer
from typing import TYPE_CHECKING, Any, NoReturn

from symdemo.data.columns import label_names
from symdemo.data.convention import paragraphs
from symdemo.errors import InputError
from symdemo.jobs.reporting import Reporter, progress_bar

if TYPE_CHECKING:
    from symdemo.analysis.parts import Tally
    from symdemo.classifier import SymmetryClassifier


PATIENCE = 2.0  # seconds without a word before a command says what takes so long
SHOWN = 5  # set-aside rows that are listed
BETWEEN_LINES = 10.0  # seconds between two lines of progress where there is no terminal for a bar


def default_model() -> str:
    """Return the name of the best model that is here."""
    from symdemo.classifier.checkpoints import SHIPPED, list_models

    return next((card.name for card in list_models()), SHIPPED[0])


def add_model(parser: argparse.ArgumentParser, backend: bool = True) -> None:
    """Add the options of a command that uses a model; `backend` if it only predicts."""
    add = parser.add_argument
    add("--model", help="name in models/, folder, or hub id (default: the best)")
    add("--device", help="cpu, cuda or mps (default: the best there is)")
    add("--json", action="store_true", help="print JSON")
    add_quiet(parser)
    if backend:
        text = "torch, onnx (several times as fast on a CPU) or auto (default: torch)"
        add("--backend", default="torch", help=text)


def add_quiet(parser: argparse.ArgumentParser) -> None:
    """Add the option that hides progress."""
    parser.add_argument("--quiet", action="store_true", help="no progress on stderr")


def add_examples(parser: argparse.ArgumentParser, *commands: str) -> None:
    """Show examples below the options of a command."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = "\n".join(["examples:", *(f"  {command}" for command in commands)])


def add_labels(parser: argparse.ArgumentParser) -> None:
    """Add the options of a command that reads labelled rows."""
    add = parser.add_argument
    add(
        "--labels",
        metavar="LABEL,... or WORD=LABEL,...",
        help="what 0, 1 and 2 mean in the file: entailment,neutral,contradiction; or what words "
        "do, there and as classes of a model to compare with: ja=entailment,LABEL_0=contradiction",
    )
    add("--what-labels-mean", action=_Convention, nargs=0, help="print the convention, and exit")
    add("--strict", action="store_true", help="stop at a row that cannot be used")


class _Convention(argparse.Action):
    """Print what the three labels mean, and exit."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        width = shutil.get_terminal_size().columns - 2
        print("\n\n".join(textwrap.fill(paragraph, width) for paragraph in paragraphs()))
        parser.exit()


def named_labels(arguments: argparse.Namespace) -> dict[str, str]:
    """Return the meanings of labels that --labels names."""
    return label_names(arguments.labels or "")


def add_address(parser: argparse.ArgumentParser) -> None:
    """Add host and port of the app; without them Gradio's environment variables decide."""

    def port(text: str) -> int:
        if not (text.isascii() and text.isdigit() and int(text) <= 65_535):
            raise argparse.ArgumentTypeError(
                f"The port is {text}; a number from 0 to 65535 is expected"
            )
        return int(text)

    add = parser.add_argument
    add("--host", help="address to listen at (GRADIO_SERVER_NAME, 127.0.0.1)")
    add("--port", type=port, help="port to listen at (GRADIO_SERVER_PORT, 7860)", metavar="PORT")


def load_model(arguments: argparse.Namespace) -> SymmetryClassifier:
    """Load the model of the options of `add_model`, for predictions only."""
    with waiting("loading the model", arguments.quiet):
        from symdemo.classifier import SymmetryClassifier

        name = arguments.model or default_model()
        return SymmetryClassifier.from_pretrained(name, arguments.device, True, arguments.backend)


def add_parts(parser: argparse.ArgumentParser) -> None:
    """Add the options of a command that answers Parquet files part by part."""
    text = "of the answers to many rows, in Parquet parts; run again to continue"
    parser.add_argument("--out", type=Path, metavar="FOLDER", help=text)
    text = "what answers the parts: this process, or a Ray cluster (default: %(default)s)"
    parser.add_argument("--engine", choices=("local", "ray"), default="local", help=text)


def answer_parts(arguments: argparse.Namespace, labelled: bool) -> Tally:
    """Answer the rows of the files in --data part by part, and return the counts over all parts."""
    with waiting("loading the libraries", arguments.quiet):
        from symdemo.analysis.parts import Tally, predict_parts

    names = named_labels(arguments) if labelled else {}
    show = show_progress("answered parts", arguments.quiet)
    paths = predict_parts(
        arguments.data, arguments.out, arguments.model or default_model(), labelled=labelled,
        label_names=names, device=arguments.device, backend=arguments.backend,
        engine=arguments.engine, progress=show,
    )  # fmt: skip
    tally = Tally.of(paths)
    reasons = (f"{place} was set aside: {why}" for place, why in tally.reasons.items())
    if arguments.strict and tally.errors:
        raise InputError(next(reasons))
    print_set_aside(reasons)
    return tally


def check_out(out: Path | None) -> None:
    """Raise `InputError` if a folder to write exists and is not empty."""
    if out and out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise InputError(f"The folder {out} exists and is not empty; choose another --out.")


def print_set_aside(reasons: Iterable[str]) -> None:
    """Print to stderr the first reasons why rows were set aside."""
    for reason in islice(reasons, SHOWN):
        print(f"symdemo: {reason}", file=sys.stderr)


def print_json(value: Any) -> None:
    """Print indented JSON."""
    print(json.dumps(value, indent=2, ensure_ascii=False))


def show_progress(verb: str, quiet: bool) -> Callable[..., None]:
    """Return a function of (done, total, note="") that shows a bar or, off a terminal, lines."""
    if quiet:
        return lambda *_: None
    if sys.stderr.isatty():
        return progress_bar(verb)
    began = time.monotonic()
    due = began + PATIENCE

    def print_line(done: int, total: int, note: str = "") -> None:
        nonlocal due
        now = time.monotonic()
        if now < due or not done:
            return
        due = now + BETWEEN_LINES
        left = f"about {(now - began) / done * (total - done):.0f} s left"
        words = ", ".join(filter(None, (f"{verb} {done:,} of {total:,}", left, note)))
        print(f"symdemo: {words}", file=sys.stderr, flush=True)

    return print_line


MANY_PAIRS = 10_000  # number of pairs from which comparing them with taught ones takes seconds


def show_asking(verb: str, quiet: bool) -> Callable[[int, int], None]:
    """Return `show_progress` for encoding; after many pairs it announces their comparison."""
    show = show_progress(verb, quiet)

    def shown(done: int, total: int) -> None:
        show(done, total)
        if done == total >= MANY_PAIRS and not quiet:
            print("symdemo: comparing with what was taught …", file=sys.stderr, flush=True)

    return shown


class ProgressShown(Reporter):
    """Progress of some work on stderr, counted in `verb` such as “trained”, unless `quiet`."""

    def __init__(self, verb: str, quiet: bool):
        self.verb, self.quiet, self.note = verb, quiet, ""
        self._shown = cache(lambda verb: show_progress(verb, quiet))

    def progress(self, done: int, total: int, eta: float | None = None) -> None:
        """Show what was done of the work, and the note."""
        self._shown(self.verb)(done, total, self.note)

    def measuring(self, done: int, total: int, eta: float | None = None) -> None:
        """Show what was measured of the result."""
        self._shown("measured")(done, total)


@contextmanager
def waiting(what: str, quiet: bool) -> Iterator[None]:
    """Say on stderr what is going on if a `with` block takes long, unless `quiet`."""
    timer = Timer(PATIENCE, lambda: print(f"symdemo: {what} …", file=sys.stderr, flush=True))
    timer.daemon = True
    if not quiet:
        timer.start()
    try:
        yield
    finally:
        timer.cancel()
