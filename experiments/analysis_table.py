"""How fast an analysis of 100,000 pairs is laid out, filtered, sorted, paged and exported.

    python experiments/analysis_table.py [--rows 100000] [--times 20]

The pairs are made up: 900 relations, sentences of 9 words, three labels, verdicts right 9 times in
ten. Every query is asked of a table that does not remember it; times are of one thread.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from symdemo.analysis import Analysis, analyse_predictions
from symdemo.analysis.exports import export_rows
from symdemo.analysis.pair_table import PairTable
from symdemo.analysis.query import (
    Between,
    Condition,
    Contains,
    Differs,
    Inside,
    OneOf,
    Query,
    RowsOf,
)
from symdemo.classifier.index import LabelIndex
from symdemo.classifier.prediction import Predictions
from symdemo.errors import InputError
from symdemo.files.provenance import provenance
from symdemo.pairs import LABELS, Pair

RESULTS = Path(__file__).parent / "results" / "analysis_table.json"
RELATIONS = 900
TAUGHT = 5_000
WORDS = (
    "the", "old", "river", "town", "north", "of", "its", "lake", "lakes", "borders", "meets",
    "likes", "praises", "hired", "near",
)  # fmt: skip
HOSTILE = {
    "refused: 600 places": "(?:a.{100}|b.{101}|c.{99}){3}q",
    "refused: classes in counts": r"(\pL{0,20}\s?){20}q",
    "refused: too large": r"\pL{1000}$",
    "refused: look-ahead": "(?=a)b",
    "nested plus": "(a+)+$",
    "nested counts": "((a{1,30}){30})$",
}


def made_up(n: int, seed: int) -> tuple[list[Pair], Predictions]:
    """n labelled pairs, and verdicts on them."""
    rng = np.random.default_rng(seed)
    relations = rng.integers(0, RELATIONS, n)
    words, names = rng.choice(WORDS, (n, 6)), rng.permutation(n)
    pairs = []
    for number in range(n):
        middle = " ".join(words[number])
        one, other = f"Ann{names[number]}", f"Ben{number}"
        label, relation = LABELS[relations[number] % 3], f"relation {relations[number]}"
        premise, hypothesis = f"{one} {middle} {other}.", f"{other} {middle} {one}."
        pairs.append(Pair(premise, hypothesis, label, relation, one, other))
    right = rng.random(n) < 0.9
    verdicts = (relations + np.where(right, 0, rng.integers(1, 3, n))) % 3
    top = rng.uniform(0.4, 1, n)
    shares = np.repeat((1 - top)[:, None] / 2, 3, axis=1)
    shares[np.arange(n), verdicts] = top
    taught = LabelIndex(pairs[:TAUGHT], rng.normal(size=(min(n, TAUGHT), 8)).astype(np.float32))
    rows = rng.integers(0, len(taught), (n, 3))
    distances = np.sort(rng.uniform(0, 0.5, (n, 3)), axis=1).astype(np.float32)
    embeddings = np.zeros((n, 2), np.float32)
    return pairs, Predictions(
        pairs, LABELS, shares, verdicts, rows, distances, embeddings, taught, 0.2, True
    )


def queries(n: int, seed: int) -> dict[str, Query]:
    """A query of every kind."""
    rng = np.random.default_rng(seed)
    sentences = ("premise", "hypothesis")
    angles = np.linspace(0, 2 * np.pi, 1_000, endpoint=False)
    lasso = tuple(zip((2 * np.cos(angles)).tolist(), np.sin(angles).tolist(), strict=True))
    comb = tuple((float(k % 7) - 3, 4.0 if k % 2 else -4.0) for k in range(1_000))
    box = ((-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0))
    chosen = tuple(rng.permutation(n)[: n // 2].tolist())
    single: dict[str, Condition] = {
        "one of": OneOf("m: verdict", ("neutral",)),
        "between": Between("m: probability", 0.5, 0.9),
        "contains": Contains("borders", sentences),
        "contains, regular expression": Contains(r"\blakes?\b.*\bmeets\b", sentences, True),
        "differs": Differs("label", "m: verdict"),
        "inside a box": Inside("x", "y", box),
        "inside 1,000 corners": Inside("x", "y", lasso),
        "inside 1,000 long edges": Inside("x", "y", comb),
        "half of all rows": RowsOf(chosen),
    }
    found = {name: Query((condition,)) for name, condition in single.items()}
    for name, expression in HOSTILE.items():
        found[name] = Query((Contains(expression, sentences, True),))
    found["errors, least sure first"] = Query((single["differs"],), sort="m: probability")
    found["all, by a number"] = Query(sort="m: probability", descending=True)
    found["all, by a text"] = Query(sort="premise")
    found["expression, range and sort"] = Query(
        (single["contains, regular expression"], single["between"]), sort="m: distance"
    )
    return found


def timed(work: Callable[[], object], times: int) -> dict[str, float]:
    """Median and maximum, in milliseconds."""
    took = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        took.append(1_000 * (time.perf_counter() - start))
    return {"median": round(statistics.median(took), 1), "max": round(max(took), 1)}


def asked(table: PairTable, query: Query) -> int | str:
    """How many rows a table that remembers nothing finds, or why it refuses to look."""
    try:
        return len(table.with_columns().select(query))
    except InputError as error:
        return str(error)


def peak_mib() -> float:
    """The most memory that the process has held so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def lay_out(n: int, seed: int) -> tuple[Analysis, dict[str, float]]:
    """An analysis, and what making it and its overview took, in seconds and MiB."""
    pairs, predictions = made_up(n, seed)
    before, start = peak_mib(), time.perf_counter()
    analysis = analyse_predictions(pairs, {"m": predictions}, {"m": predictions})
    rows = time.perf_counter() - start
    analysis.overview("m")
    both = time.perf_counter() - start
    figures = {"analyse_predictions_s": rows, "overview_s": both - rows}
    return analysis, {
        **{name: round(value, 2) for name, value in figures.items()},
        "memory_mib": round(peak_mib() - before),
    }


def measure(n: int, times: int, seed: int) -> dict:
    """All figures, by name."""
    analysis, laid_out = lay_out(n, seed)
    rng = np.random.default_rng(seed)
    start = time.perf_counter()
    table = PairTable(analysis.rows).with_columns(x=rng.normal(size=n), y=rng.normal(size=n))
    laid_out["table_s"] = round(time.perf_counter() - start, 2)
    select = {
        name: {"found": asked(table, query), **timed(lambda q=query: asked(table, q), times)}  # type: ignore[misc]
        for name, query in queries(n, seed).items()
    }
    rows = table.select(Query(sort="premise"))
    give = {
        "first page of 100": timed(lambda: table.page(rows, 0), times),
        "last page of 100": timed(lambda: table.page(rows, n - 100), times),
        "page again, by the query": timed(
            lambda: table.page(table.select(Query(sort="premise")), n - 100), times
        ),
        "values of a relation": timed(lambda: table.values("relation"), times),
        "values of a sentence": timed(lambda: table.values("premise"), times),
        "values of half the rows": timed(lambda: table.values("relation", rows[::2]), times),
        "span": timed(lambda: table.span("m: probability"), times),
    }
    exports = {}
    with tempfile.TemporaryDirectory() as folder:
        for kind in ("csv", "jsonl", "parquet"):
            path, before = Path(folder) / kind, peak_mib()
            took = timed(lambda p=path, k=kind: export_rows(analysis.rows, p, k), 3)  # type: ignore[misc]
            exports[kind] = {
                "seconds": round(took["median"] / 1_000, 2),
                "mib": round(path.stat().st_size / 2**20, 1),
                "memory_mib": round(peak_mib() - before),
            }
    return {"laid_out": laid_out, "select_ms": select, "give_ms": give, "exports": exports}


def main() -> None:
    """Measure, and write the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    report = {
        "command": f"python experiments/analysis_table.py --rows {options.rows} "
        f"--times {options.times}",
        "made_by": provenance(),
        "seed": options.seed,
        "relations": RELATIONS,
        **measure(options.rows, options.times, options.seed),
    }
    text = json.dumps(report, indent=1, ensure_ascii=False) + "\n"
    RESULTS.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
