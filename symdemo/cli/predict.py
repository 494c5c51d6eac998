"""`symdemo predict`: verdicts for one sentence, or for those of a file or a stream.

Sentences of a stream are answered as they come, so it need not end. A line that gets no answer is
reported with its number; then reading goes on, or stops if --strict is given.
"""

from __future__ import annotations

import argparse
import io
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

from symdemo.cli import shared
from symdemo.data.columns import SENTENCES
from symdemo.data.tables import TableFile
from symdemo.errors import InputError
from symdemo.pairs import check_sentence
from symdemo.swapping.parsing import pipeline
from symdemo.text import shorten

if TYPE_CHECKING:
    from symdemo.classifier import SymmetryClassifier
    from symdemo.classifier.asking import Answer

CHUNK = 16  # lines of a file that are predicted together; their answers come together too
STDIN = "-"
Result = TypeVar("Result")


SentenceLine = tuple[int, str, str | None, InputError | None]
"""Number of a line, its sentence, its second sentence if given, and the error if it has one."""


def predict_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `symdemo predict`."""
    add = parser.add_argument
    add("premise", metavar="PREMISE", nargs="?")
    add("hypothesis", metavar="HYPOTHESIS", nargs="?", help="by default the premise swapped")
    add(
        "--file",
        help="judge the sentences of a file, or of standard input (-): one a line, or a table with "
        "premise[, hypothesis] (CSV, TSV, Excel, JSON, JSONL, Parquet); an answer a line: label, "
        "share, premise and hypothesis with tabs between, or with --json an object",
    )
    add(
        "--data", metavar="PATTERN",
        help="judge all rows of Parquet files, such as 'folder/*.parquet', into --out, "
        "as the library's `predict` does: by this model alone, without the model pairs, and "
        "without doubts about how a sentence was read",
    )  # fmt: skip
    shared.add_parts(parser)
    add("--strict", action="store_true", help="stop at the first line that gets no answer")
    add("-k", type=int, help="how many neighbours vote (default: the model's)")
    shared.add_model(parser)
    shared.add_examples(
        parser,
        'symdemo predict "Kenya borders Uganda."',
        'symdemo predict "Ann is Bob\'s mother." "Bob is Ann\'s child."',
        "symdemo predict --file pairs.xlsx --json > answers.jsonl",
        "symdemo predict --data 'folder/*.parquet' --out answers --engine ray",
    )


def predict(arguments: argparse.Namespace) -> int:
    """Print verdicts; return 2 if a line of a file has none."""
    if arguments.k is not None and arguments.k < 1:
        raise InputError(f"-k is {arguments.k}; at least 1 is expected.")
    given = (arguments.premise, arguments.file, arguments.data)
    if sum(own is not None for own in given) != 1:
        raise InputError("A PREMISE, --file or --data is expected; `predict --help` says more.")
    if (arguments.data is None) != (arguments.out is None):
        raise InputError("--data needs --out, the folder of the answers, and --out needs --data.")
    if arguments.data is not None:
        return _predict_parts(arguments)
    if arguments.file is not None:
        return _predict_file(arguments)
    with shared.waiting("loading the libraries", arguments.quiet):
        import torch

        from symdemo.classifier.asking import ask, read

    torch.set_num_threads(1)  # threads would only wait: one sentence is too little to share
    if arguments.hypothesis is not None:  # "" is an error, not a wish for a swap
        check_sentence(arguments.hypothesis, "hypothesis")
    model, question = _load_beside(arguments, lambda: read(arguments.premise, arguments.hypothesis))
    (answer,) = ask(model, [question], arguments.k, partial(_model_of_pairs, arguments.backend))
    if arguments.json:
        shared.print_json(answer.to_json())
    else:
        _print(answer)
    return 0


def _predict_parts(arguments: argparse.Namespace) -> int:
    tally = shared.answer_parts(arguments, labelled=False)
    verdicts = Counter(str(verdict) for _, _, verdict in tally.answers.elements())
    if arguments.json:
        rows = tally.answers.total() + tally.errors
        shared.print_json({"rows": rows, "no_answer": tally.errors, "verdicts": verdicts})
    else:
        for verdict, n in verdicts.most_common():
            print(f"{verdict:<14} {n:,}")
        print(f"{'no answer':<14} {tally.errors:,}")
        print(f"written to {arguments.out}")
    return 2 if tally.errors else 0


@cache
def _model_of_pairs(backend: str) -> SymmetryClassifier:
    from symdemo.classifier import SymmetryClassifier
    from symdemo.classifier.checkpoints import PAIRS

    return SymmetryClassifier.from_pretrained(PAIRS, None, True, backend)


def _load_beside(
    arguments: argparse.Namespace, task: Callable[[], Result]
) -> tuple[SymmetryClassifier, Result]:
    with shared.waiting("loading the libraries", arguments.quiet):
        import torch  # noqa: F401  (both threads import it, which may not happen at the same time)

    with ThreadPoolExecutor(max_workers=1) as pool:
        done = pool.submit(task)
        model = shared.load_model(arguments)
        with shared.waiting("loading the parser", arguments.quiet):
            return model, done.result()


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
        second = f" → {near.pair.hypothesis}" if answer.any_pair else ""
        print(f"neighbour   {near.distance:.4f}  {near.label}  {near.pair.premise}{second}")
    _print_doubts(answer)


def _print_doubts(answer: Answer, where: str = "") -> None:
    """Print to stderr how a sentence was read, and why not to rely on the answer."""
    swap = answer.question.swap
    for words in filter(None, (swap.note if swap else "", *answer.doubts)):
        print(f"symdemo: {where}{words}", file=sys.stderr)


def _predict_file(arguments: argparse.Namespace) -> int:
    failed = 0
    lines = read_sentences(arguments.file)
    model, _ = _load_beside(arguments, pipeline)
    # At a terminal the user waits for each answer before the next line.
    size = 1 if arguments.file == STDIN and sys.stdin.isatty() else CHUNK
    while chunk := list(islice(lines, size)):
        for (number, *_), answer in zip(chunk, _answers(model, chunk, arguments), strict=True):
            if isinstance(answer, InputError):
                if arguments.strict:
                    raise InputError(f"line {number}: {answer}")
                failed += 1
                print(f"symdemo: line {number}: {answer}", file=sys.stderr)
            if arguments.json:
                row = {"error": str(answer)} if isinstance(answer, InputError) else answer.to_json()
                print(json.dumps({"line": number} | row, ensure_ascii=False))
            elif not isinstance(answer, InputError):
                pair, label = answer.prediction.pair, answer.prediction.label
                verdict = (label, f"{answer.share:.0%}") if answer.in_scope else ("none", "")
                print(*verdict, pair.premise, pair.hypothesis, sep="\t")
                _print_doubts(answer, f"line {number}: ")
        sys.stdout.flush()
    return 2 if failed else 0


def _answers(
    model: SymmetryClassifier, chunk: Sequence[SentenceLine], arguments: argparse.Namespace
) -> Iterator[Answer | InputError]:
    from symdemo.classifier.asking import ask, read

    others = partial(_model_of_pairs, arguments.backend)
    read_lines: list[Any] = [error or _attempt(read, *texts) for _, *texts, error in chunk]
    questions = [found for found in read_lines if not isinstance(found, InputError)]
    answers: Any = _attempt(ask, model, questions, arguments.k, others) if questions else []
    if isinstance(answers, InputError):  # one of them is refused; single questions show which
        single: Any = (_attempt(ask, model, [one], arguments.k, others) for one in questions)
        answers = [a if isinstance(a, InputError) else a[0] for a in single]
    left = iter(answers)
    return (f if isinstance(f, InputError) else next(left) for f in read_lines)


def _attempt(function: Callable[..., Result], *given: Any) -> Result | InputError:
    try:
        return function(*given)
    except InputError as error:
        return error


def read_sentences(file: str) -> Iterator[SentenceLine]:
    """Yield the sentences of a file or, for “-”, of standard input; `InputError` if it has none."""
    source: str | io.TextIOWrapper = file
    if file == STDIN:  # bytes that are not UTF-8 become lone surrogates, as in a file
        source = io.TextIOWrapper(
            sys.stdin.buffer, encoding="utf-8-sig", errors="surrogateescape", newline=""
        )
    table = TableFile(source, max_bytes=None)
    mapping = table.guess(SENTENCES)
    if "premise" not in mapping:
        seen = shorten(", ".join(table.columns), 120)
        raise InputError(f"{table.name} has no column premise; seen: {seen}.")
    for row in table.rows(mapping.values()):
        cells = {field: row.cells.get(column, "") for field, column in mapping.items()}
        hypothesis = cells.get("hypothesis", "").strip()
        yield row.number, cells.get("premise", ""), hypothesis or None, row.error
