"""`symdemo predict`: verdicts for one sentence, or for those of a file or a stream.

Sentences of a stream are read as they come, so it need not end. A line that cannot be read is
reported with its number, and reading goes on.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TextIO, TypeVar

from symdemo.cli.shared import add_model, load_model, print_json
from symdemo.data.columns import SENTENCES, guess_mapping
from symdemo.data.tables import csv_rows, find_separator, json_object
from symdemo.errors import InputError
from symdemo.text import shorten

if TYPE_CHECKING:
    from symdemo.classifier import SymmetryClassifier
    from symdemo.classifier.asking import Answer

CHUNK = 16
"""Lines of a file that are predicted together; their answers come together too."""
STDIN = "-"

Result = TypeVar("Result")


class SentenceLine(NamedTuple):
    """A line of a file: a sentence with the second one, if that was given, or an error."""

    number: int
    sentence: str = ""
    hypothesis: str | None = None
    error: InputError | None = None


def predict_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `symdemo predict`."""
    parser.add_argument("premise", metavar="PREMISE", nargs="?")
    parser.add_argument(
        "hypothesis",
        metavar="HYPOTHESIS",
        nargs="?",
        help="the second sentence; made by swapping if left out",
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
    """Print verdicts; return 2 if a line of a file has none."""
    from symdemo.classifier.asking import ask, read
    from symdemo.pairs import check_sentence

    if arguments.k is not None and arguments.k < 1:
        raise InputError(f"-k is {arguments.k}; at least 1 is expected.")
    if (arguments.premise is None) == (arguments.file is None):
        raise InputError("Either a PREMISE or --file is expected; `predict --help` says more.")
    if arguments.file is not None:
        return _predict_file(arguments)
    import torch

    torch.set_num_threads(1)  # threads would only wait: one sentence is too little to share
    if arguments.hypothesis is not None:  # "" is an error, not a wish for a swap
        check_sentence(arguments.hypothesis, "hypothesis")
    model, question = _load_beside(arguments, lambda: read(arguments.premise, arguments.hypothesis))
    (answer,) = ask(model, [question], arguments.k)
    if arguments.json:
        print_json(answer.to_json())
    else:
        _print(answer)
    return 0


def _load_beside(
    arguments: argparse.Namespace, task: Callable[[], Result]
) -> tuple[SymmetryClassifier, Result]:
    """Load the model while a task loads the parser."""
    import torch  # noqa: F401  (both threads import it, which may not happen at the same time)

    with ThreadPoolExecutor(max_workers=1) as pool:
        done = pool.submit(task)
        return load_model(arguments), done.result()


def _print(answer: Answer) -> None:
    prediction = answer.prediction
    print(f"premise     {prediction.pair.premise}")
    print(f"hypothesis  {prediction.pair.hypothesis}")
    if answer.in_scope:
        shares = ", ".join(f"{label} {p:.0%}" for label, p in prediction.probabilities.items())
        print(f"verdict     {prediction.label}  ({shares})")
    else:
        print("verdict     none")
    for near in prediction.neighbours if prediction.judged else ():
        print(f"neighbour   {near.distance:.4f}  {near.label}  {near.pair.premise}")
    _print_doubts(answer)


def _print_doubts(answer: Answer, where: str = "") -> None:
    """Print to stderr how a sentence was read, and why not to rely on the answer."""
    swap = answer.question.swap
    for words in filter(None, (swap.note if swap else "", *answer.doubts)):
        print(f"symdemo: {where}{words}", file=sys.stderr)


def _predict_file(arguments: argparse.Namespace) -> int:
    from symdemo.swapping.parsing import pipeline

    failed = 0
    with _open_lines(arguments.file) as text:
        lines = read_sentences(text, arguments.file)
        model, _ = _load_beside(arguments, pipeline)
        # At a terminal the user waits for each answer before the next line.
        size = 1 if arguments.file == STDIN and sys.stdin.isatty() else CHUNK
        while chunk := list(islice(lines, size)):
            for line, answer in zip(chunk, _answers(model, chunk, arguments.k), strict=True):
                if isinstance(answer, InputError):
                    failed += 1
                    print(f"symdemo: line {line.number}: {answer}", file=sys.stderr)
                elif arguments.json:
                    found = {"line": line.number} | answer.to_json()
                    print(json.dumps(found, ensure_ascii=False))
                else:
                    pair, label = answer.prediction.pair, answer.prediction.label
                    verdict = (label, f"{answer.share:.0%}") if answer.in_scope else ("none", "")
                    print(*verdict, pair.premise, pair.hypothesis, sep="\t")
                    _print_doubts(answer, f"line {line.number}: ")
            sys.stdout.flush()
    return 2 if failed else 0


def _answers(
    model: SymmetryClassifier, chunk: Sequence[SentenceLine], k: int | None
) -> Iterator[Answer | InputError]:
    """Yield an answer or an error for each line."""
    from symdemo.classifier.asking import ask, read

    read_lines: list[Any] = [line.error or _attempt(read, *line[1:3]) for line in chunk]
    questions = [found for found in read_lines if not isinstance(found, InputError)]
    answers: Any = _attempt(ask, model, questions, k) if questions else []
    if isinstance(answers, InputError):  # one of them is refused; single questions show which
        single = [_attempt(ask, model, [question], k) for question in questions]
        answers = [a if isinstance(a, InputError) else a[0] for a in single]
    left = iter(answers)
    return (f if isinstance(f, InputError) else next(left) for f in read_lines)


def _attempt(function: Callable[..., Result], *given: Any) -> Result | InputError:
    try:
        return function(*given)
    except InputError as error:
        return error


@contextmanager
def _open_lines(file: str) -> Iterator[TextIO]:
    """Open a file, or standard input if it is called “-”.

    Bytes that are not UTF-8 become lone surrogates, so that only their line is refused.
    """
    binary = sys.stdin.buffer if file == STDIN else Path(file).open("rb")  # noqa: SIM115
    text = io.TextIOWrapper(binary, encoding="utf-8-sig", errors="surrogateescape", newline="")
    try:
        yield text
    finally:
        if file == STDIN:
            text.detach()
        else:
            text.close()


def read_sentences(text: Iterable[str], name: str) -> Iterator[SentenceLine]:
    """Yield the lines that are not empty.

    JSONL, or a table with a header, holds premise and perhaps hypothesis; any other text is a
    sentence a line. The file's ending tells which, or its first line.

    Args:
        text: lines, with their line ends.
        name: the name of the file, for its ending and for messages.

    Raises:
        InputError: no line, or a table without a column for the premise.
    """
    lines = enumerate(text, start=1)
    above, first = next(((number, line) for number, line in lines if line.strip()), (0, ""))
    if not above:
        where = "on standard input" if name == STDIN else f"in {Path(name).name}"
        raise InputError(f"There is no line {where}; a sentence a line is expected.")
    ending = Path(name).suffix.lower()
    filled = ((n, line) for n, line in chain([(above, first)], lines) if line.strip())
    if ending == ".jsonl" or first.lstrip().startswith("{"):
        return (_from_json(number, line) for number, line in filled)
    separator = find_separator(first, name)
    header = [cell.strip() for cell in next(csv.reader([first], delimiter=separator))]
    mapping = guess_mapping(header, fields=SENTENCES)
    is_table = ending in (".csv", ".tsv")
    if is_table and "premise" not in mapping:
        seen = shorten(", ".join(header), 120)
        raise InputError(f"{Path(name).name} has no column premise; seen: {seen}.")
    # Single words tell a header from a sentence with a comma in it.
    if "premise" in mapping and (is_table or all(len(cell.split()) == 1 for cell in header)):
        rows = csv_rows((line for _, line in lines), separator, name)
        return (_from_cells(above + number, cells, header, mapping) for number, cells in rows)
    return (_checked(number, {"premise": line.strip()}) for number, line in filled)


def _from_json(number: int, line: str) -> SentenceLine:
    try:
        values = json_object(line)
    except InputError as error:
        return SentenceLine(number, error=error)
    mapping = guess_mapping(list(values), fields=SENTENCES)
    if "premise" not in mapping:
        seen = shorten(", ".join(values), 120) or "nothing"
        return SentenceLine(number, error=InputError(f"There is no premise; seen: {seen}."))
    return _checked(number, {field: values[column] for field, column in mapping.items()})


def _from_cells(
    number: int, cells: list[str] | InputError, header: list[str], mapping: Mapping[str, str]
) -> SentenceLine:
    if isinstance(cells, InputError):
        return SentenceLine(number, error=cells)
    given = dict(zip(header, cells, strict=False))
    if mapping["premise"] not in given:
        error = InputError(f"This row has {len(cells)} cells and no premise.")
        return SentenceLine(number, error=error)
    return _checked(number, {field: given.get(column) for field, column in mapping.items()})


def _checked(number: int, values: Mapping[str, object]) -> SentenceLine:
    for field, value in values.items():
        if value is None and field == "hypothesis":
            continue
        if not isinstance(value, str):
            error = f"The {field} is {type(value).__name__}; a sentence is expected."
        elif any("\udc80" <= character <= "\udcff" for character in value):
            error = f"The {field} is not UTF-8 text."
        else:
            continue
        return SentenceLine(number, error=InputError(error))
    hypothesis = str(values.get("hypothesis") or "").strip()
    return SentenceLine(number, str(values["premise"]), hypothesis or None)
