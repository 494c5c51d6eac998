"""How long one visitor of “Analyse” waits while others bring bad files and hostile expressions.

    python benchmarks/analyse_neighbours.py [--seconds 8]

In one process, as the app answers from its threads: an innocent visitor looks at rows of the worked
example under ever another filter, alone, and then beside each kind of bad neighbour, of whom two
are at work all the time. The model is not asked: its answers are kept.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import statistics
import tempfile
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import checkout  # noqa: F401

from symdemo.analysis.example import example_data
from symdemo.analysis.loading import LoadedPairs, load_table
from symdemo.errors import InputError
from symdemo.files.provenance import ANSWERS, provenance
from symdemo.pairs import Pair
from symdemo.ui.analyse.desk import Desk
from symdemo.ui.analyse.explorer import Explorer
from symdemo.ui.shared.sessions import Sessions
from symdemo.ui.shared.store import ModelStore

RESULTS = Path(__file__).parent / "results" / "analyse_neighbours.json"
HOSTILE = ("(?:a.{100}|b.{101}|c.{99}){3}q", r"(\pL{0,20}\s?){20}q", "(a+)+$", "((a{1,30}){30})$")
ROWS = 50_000
ROW = "Ann met Ben in the old town by the river,Ben met Ann in the old town by the river,yes\n"
NEIGHBOURS = 2


def bad_files(folder: Path) -> dict[str, Path]:
    """Files that nobody wrote to be read: what each is, and where it lies."""
    whole = "premise,hypothesis,label\n"
    contents = {
        "200 MB": whole + ROW * (200_000_000 // len(ROW)),
        "60 MB": whole + ROW * (60_000_000 // len(ROW)),
        "never-closing quotes": whole + ('"' + ROW) * 200_000,
        "1,000 columns": ",".join(f"c{n}" for n in range(1_000)) + ("\n" + "x," * 1_000) * 5_000,
        "a spreadsheet renamed": "PK\x03\x04\x14\0\6\0" + "\0" * 5_000_000,
    }  # fmt: skip
    found = {}
    for number, (name, text) in enumerate(contents.items()):
        found[name] = folder / f"{number}.csv"
        found[name].write_text(text, encoding="utf-8")
    return found


def looks(explorer: Explorer, id: str, seconds: float) -> list[float]:
    """How long each look took, in seconds; a pause lies between two, as a person makes it."""
    found, until, number = [], time.perf_counter() + seconds, 0
    while time.perf_counter() < until:
        number += 1
        body = json.dumps({"view": {"analysis": id, "part": "rows", "text": f"a{number % 7}e"}})
        began = time.perf_counter()
        answer = explorer.analyse_look(body)
        found.append(time.perf_counter() - began)
        if "problem" in answer:
            raise RuntimeError(answer["problem"])
        time.sleep(0.05)
    return found


def beside(work: Callable[[], None], measured: Callable[[], list[float]]) -> list[float]:
    """What `measured` gives while neighbours do their work again and again."""
    over = threading.Event()

    def again() -> None:
        while not over.is_set():
            work()

    threads = [threading.Thread(target=again, daemon=True) for _ in range(NEIGHBOURS)]
    for thread in threads:
        thread.start()
    time.sleep(0.5)
    try:
        return measured()
    finally:
        over.set()
        for thread in threads:
            thread.join(120)


def read(path: Path) -> None:
    """Bring a file, and be refused."""
    with contextlib.suppress(InputError):
        load_table(path, {"premise": "premise", "hypothesis": "hypothesis"})


def figures(seconds: list[float]) -> dict[str, float | int]:
    """n, and milliseconds at the median, at 95% and at worst."""
    cuts = statistics.quantiles(seconds, n=20, method="inclusive")
    ms = [round(1_000 * value, 1) for value in (statistics.median(seconds), cuts[18], max(seconds))]
    return dict(zip(("n", "p50_ms", "p95_ms", "max_ms"), (len(seconds), *ms), strict=True))


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=8.0)
    seconds = parser.parse_args().seconds
    with tempfile.TemporaryDirectory() as place:
        desk = Desk(Sessions(ModelStore.of_folder(), Path(place) / "projects"))
        explorer, data = Explorer(desk), example_data()
        innocent = desk.start(lambda reports: data, ["wikidata14"]).id
        pairs = tuple(
            Pair(f"Aaaa aaa{n} met Ben.", f"Ben met aaa{n}.", "neutral") for n in range(ROWS)
        )
        verdicts = {"x": ("neutral",) * ROWS}
        large = LoadedPairs("large", "made up", pairs, (None,) * ROWS, verdicts)
        hostile = desk.start(lambda reports: large, []).id

        def ask_hostile() -> None:
            for text in HOSTILE:
                view = {"analysis": hostile, "part": "rows", "text": text, "regex": True}
                explorer.analyse_look(json.dumps({"view": view}))

        def measured() -> list[float]:
            return looks(explorer, innocent, seconds)

        explorer.analyse_look(json.dumps({"view": {"analysis": hostile}}))  # so that it is open
        measured()
        found = {"alone": figures(measured())}
        found["hostile expressions"] = figures(beside(ask_hostile, measured))
        print(found, flush=True)
        for name, path in bad_files(Path(place)).items():
            found[f"a file: {name}"] = figures(beside(partial(read, path), measured))
            print(name, found[f"a file: {name}"], flush=True)
        report = {"neighbours": NEIGHBOURS, "seconds": seconds, "latency": found}
        RESULTS.write_text(
            json.dumps(report | {"made_by": provenance(*ANSWERS, "analysis")}, indent=1) + "\n"
        )
        desk.sessions.queue.close(1)


if __name__ == "__main__":
    main()
