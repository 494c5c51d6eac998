"""The subcommand that asks a model: one sentence, or as many as a file or a stream holds."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import TYPE_CHECKING, TypeVar

from symdemo.cli.sentences import STDIN, Asked, Line, open_lines, read_sentences
from symdemo.cli.shared import add_model, load_model, print_json
from symdemo.errors import InputError

if TYPE_CHECKING:
    from symdemo.classifier import SymmetryClassifier
    from symdemo.classifier.asking import Answer, Question

HELP = "does the swapped sentence still hold?"
CHUNK = 16
"""Lines of a file that are judged together; their answers come together too."""

NO_SWAP = "this is not a mere swap, and the model was taught no other pairs"

Result = TypeVar("Result")


def predict_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `symdemo predict`."""
    parser.add_argument("premise", metavar="PREMISE", nargs="?")
    parser.add_argument(
        "hypothesis", metavar="HYPOTHESIS", nargs="?", help="made by swapping if left out"
    )
    parser.add_argument(
        "--file",
        help="judge the sentences of a file, or of standard input (-): one a line, or a CSV, TSV "
        "or JSONL with premise[, hypothesis]; an answer a line: label, share, premise and "
        "hypothesis with tabs between, or with --json an object",
    )
    parser.add_argument("-k", type=int, help="how many neighbours vote (default: the model's)")
    add_model(parser)


def predict(arguments: argparse.Namespace) -> int:
    """Print verdicts; the exit code is 2 where a line of a file had none."""
    from symdemo.classifier.asking import ask, read
    from symdemo.pairs import check_sentence

    if arguments.k is not None and arguments.k < 1:
        raise InputError(f"-k is {arguments.k}; at least 1 is expected.")
    if (arguments.premise is None) == (arguments.file is None):
        raise InputError("Either a PREMISE or --file is expected; `predict --help` says more.")
    if arguments.file is not None:
        return _predict_file(arguments)
    import torch

    torch.set_num_threads(1)  # a sentence is too little work to share: threads would only wait
    if arguments.hypothesis is not None:  # one that is empty was meant to be something
        check_sentence(arguments.hypothesis, "hypothesis")
    model, question = _load_beside(arguments, lambda: read(arguments.premise, arguments.hypothesis))
    (answer,) = ask(model, [question], arguments.k)
    _print(answer, arguments.json)
    return 0


def _load_beside(
    arguments: argparse.Namespace, task: Callable[[], Result]
) -> tuple[SymmetryClassifier, Result]:
    """The model, loaded while a task runs that needs the parser: that has to be loaded too."""
    import torch  # noqa: F401  (both sides import it, and two threads at once may not)

    with ThreadPoolExecutor(max_workers=1) as pool:
        done = pool.submit(task)
        model = load_model(arguments)
        return model, done.result()


def _print(answer: Answer, as_json: bool) -> None:
    if as_json:
        print_json(answer.to_json())
        return
    prediction = answer.prediction
    print(f"premise     {prediction.pair.premise}")
    print(f"hypothesis  {prediction.pair.hypothesis}")
    shares = ", ".join(f"{label} {p:.0%}" for label, p in prediction.probabilities.items())
    if answer.in_scope:
        print(f"verdict     {prediction.label}  ({shares})")
    else:
        print(f"verdict     none: {NO_SWAP}")
    for neighbour in prediction.neighbours:
        print(f"neighbour   {neighbour.distance:.4f}  {neighbour.label}  {neighbour.pair.premise}")
    _tell_doubts(answer)


def _tell_doubts(answer: Answer, where: str = "") -> None:
    """Say on stderr what was read in place of what was typed, and why not to rely on the answer."""
    swap = answer.question.swap
    for words in filter(None, (swap.note if swap else "", *answer.doubts)):
        print(f"symdemo: {where}{words}", file=sys.stderr)


def _predict_file(arguments: argparse.Namespace) -> int:
    from symdemo.swapping.parsing import pipeline

    failed = 0
    with open_lines(arguments.file) as text:
        lines = read_sentences(text, arguments.file)
        model, _ = _load_beside(arguments, pipeline)
        # A person at a terminal waits for each answer before the next line.
        size = 1 if arguments.file == STDIN and sys.stdin.isatty() else CHUNK
        while chunk := list(islice(lines, size)):
            for number, found in _answers(model, chunk, arguments.k):
                if isinstance(found, InputError):
                    failed += 1
                    print(f"symdemo: line {number}: {found}", file=sys.stderr)
                else:
                    _print_line(number, found, arguments.json)
            sys.stdout.flush()
    return 2 if failed else 0


def _print_line(number: int, answer: Answer, as_json: bool) -> None:
    if as_json:
        print(json.dumps({"line": number} | answer.to_json(), ensure_ascii=False))
        return
    pair = answer.prediction.pair
    verdict = (answer.prediction.label, f"{answer.share:.0%}") if answer.in_scope else ("none", "")
    print(*verdict, pair.premise, pair.hypothesis, sep="\t")
    _tell_doubts(answer, f"line {number}: ")


def _answers(
    model: SymmetryClassifier, chunk: Sequence[Line], k: int | None
) -> Iterator[tuple[int, Answer | InputError]]:
    """An answer for each line, or why there is none, in order."""
    from symdemo.classifier.asking import ask

    read = [(number, _question(found)) for number, found in chunk]
    questions = [found for _, found in read if not isinstance(found, InputError)]
    try:
        answers: Iterator[Answer | InputError] = iter(ask(model, questions, k) if questions else ())
    except InputError:  # one of them cannot be judged: which, they tell when asked one by one
        answers = iter([_ask_one(model, question, k) for question in questions])
    for number, found in read:
        yield number, found if isinstance(found, InputError) else next(answers)


def _question(found: Asked | InputError) -> Question | InputError:
    from symdemo.classifier.asking import read

    if isinstance(found, InputError):
        return found
    try:
        return read(*found)
    except InputError as error:
        return error


def _ask_one(model: SymmetryClassifier, question: Question, k: int | None) -> Answer | InputError:
    from symdemo.classifier.asking import ask

    try:
        return ask(model, [question], k)[0]
    except InputError as error:
        return error
