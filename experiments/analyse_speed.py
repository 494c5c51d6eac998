"""The tab “Analyse” on many pairs: to load them, to let a model judge them, and to browse them.

    python experiments/analyse_speed.py [--pairs 100000] [--model general] [--work FOLDER]

The pairs are of the relation bank, with entities that chance drew, so that the figures of right and
wrong mean nothing here. Browsing is asked of the same functions that the page calls, one after the
other: filters, sorts, searches and pages in an order that chance drew, each asked once. With a
folder for the work, a run that is kept there is not asked anew, and its seconds are those of then.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import random
import resource
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from symdemo.analysis.loading import load_table
from symdemo.analysis.running import RunReports
from symdemo.data.bank import load_bank
from symdemo.files.json_files import write_json
from symdemo.files.provenance import provenance
from symdemo.pairs import Pair
from symdemo.ui.analyse.explorer import Explorer
from symdemo.ui.analyse.service import AnalyseService
from symdemo.ui.shared.sessions import Sessions
from symdemo.ui.shared.store import ModelStore

RESULTS = Path(__file__).parent / "results" / "analyse_speed.json"
SEED = 20_260
"""Of entities; no model is trained with it."""
LOOKS = 400


def peak_mib() -> float:
    """The most memory that this process has had so far, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def write_pairs(path: Path, n: int) -> None:
    """Write n pairs of the bank as CSV, every phrasing as often as any other."""
    bank, round_ = load_bank(), 0
    found: list[Pair] = []
    while len(found) < n:
        found += bank.pairs(seed=SEED + round_)
        round_ += 1
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["premise", "hypothesis", "label", "relation", "head", "tail"])
        for pair in found[:n]:
            rows.writerow(
                [pair.premise, pair.hypothesis, pair.label, pair.relation, pair.head, pair.tail]
            )


def queries(model: str, relations: list[str], seed: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Kinds of looks, and what each changes of the view: drawn by chance, none like another."""
    rng = random.Random(seed)
    names = {name: f"{model}: {name}" for name in ("right", "probability", "distance", "verdict")}
    labels = ["entailment", "contradiction", "neutral"]
    while True:
        low = round(rng.random() * 0.6, 4)
        between = {"kind": "between", "column": names["probability"], "low": low, "high": low + 0.3}
        wrong = {"kind": "one_of", "column": names["right"], "values": [False]}
        label = {"kind": "one_of", "column": "label", "values": [rng.choice(labels)]}
        relation = {"kind": "one_of", "column": "relation", "values": rng.sample(relations, 3)}
        word = rng.choice(["mother", "border", "nea", "after", "sold", "the ", "in ", "works"])
        sort = rng.choice(["premise", "relation", names["probability"], names["distance"]])
        yield "filter", {"query": {"conditions": [between]}}
        yield (
            "filters, sorted",
            {"query": {"conditions": [wrong, between], "sort": names["distance"]}},
        )
        yield "sort", {"query": {"conditions": [label], "sort": sort, "descending": low > 0.3}}
        yield "relation", {"query": {"conditions": [relation]}}
        yield "search", {"text": word + rng.choice("abcdefghij")}
        yield "expression", {"text": rf"\b{word[:3]}\w+ .*{rng.choice('abcdefgh')}$", "regex": True}
        yield "page", {"page": rng.randrange(500)}


def browse(explorer: Explorer, view: dict[str, Any], model: str) -> dict[str, dict[str, float]]:
    """Milliseconds of looks at the rows, by kind and of all."""
    opened = explorer.service.opened(explorer.service.store.open(view["analysis"]))
    assert opened  # since it has just been made
    relations = [str(name) for name, _ in opened.table.values("relation")]
    taken: dict[str, list[float]] = defaultdict(list)
    for (kind, change), _ in zip(queries(model, relations, SEED), range(LOOKS), strict=False):
        body = json.dumps({"view": {**view, "part": "rows", **change}})
        began = time.perf_counter()
        answer = explorer.analyse_look(body)
        json.dumps(answer)
        taken[kind].append(1_000 * (time.perf_counter() - began))
        if "problem" in answer:
            raise SystemExit(f"{kind}: {answer['problem']}")
    taken["all"] = [one for own in taken.values() for one in own]
    return {kind: _spread(own) for kind, own in taken.items()}


def _spread(values: list[float]) -> dict[str, float]:
    p50, p95 = np.percentile(values, [50, 95])
    return {"n": len(values), "p50": float(p50), "p95": float(p95), "max": max(values)}


def parts(explorer: Explorer, view: dict[str, Any]) -> dict[str, float]:
    """Seconds until each other part is there for the first time, the background's work included."""
    taken = {}
    for part in ("overview", "map", "suggestions", "slices"):
        began = time.perf_counter()
        while explorer.analyse_look(json.dumps({"view": {**view, "part": part}})).get("again"):
            time.sleep(0.2)
        taken[part] = time.perf_counter() - began
    return taken


def run(service: AnalyseService, path: Path, model: str, kept: Path) -> tuple[str, dict[str, Any]]:
    """Load the file, and let the model judge; the workspace, and what that took."""
    mapping = {name: name for name in ("premise", "hypothesis", "label", "relation")}
    mapping |= {"subject": "head", "object": "tail"}
    took: dict[str, Any] = {}

    def load(reports: RunReports) -> Any:
        began = time.perf_counter()
        data = load_table(path, mapping)
        took["load"] = {"seconds": time.perf_counter() - began, "pairs": len(data.pairs)}
        return data

    began = time.perf_counter()
    workspace = service.start(load, [model], exchanged=False, background=True)
    while (job := service.job(workspace)) and not job.finished:
        time.sleep(1)
    if job and job.state != "done":
        raise SystemExit(f"The run ended as {job.state}: {job.error}")
    seconds = time.perf_counter() - began - took["load"]["seconds"]
    note = kept / "run_seconds.json"
    if not note.is_file():
        write_json(note, {"seconds": seconds, "load_average": os.getloadavg()[0]})
    took["run"] = json.loads(note.read_text(encoding="utf-8"))
    return workspace.id, took


def main() -> None:
    """Measure all of it, and write what it took."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", default="general")
    parser.add_argument("--pairs", type=int, default=100_000)
    parser.add_argument("--work", type=Path)
    arguments = parser.parse_args()
    work = arguments.work or Path(tempfile.mkdtemp())
    work.mkdir(parents=True, exist_ok=True)
    path = work / f"pairs-{arguments.pairs}.csv"
    if not path.is_file():
        write_pairs(path, arguments.pairs)
    service = AnalyseService(Sessions(ModelStore.of_folder(), work / "projects"))
    explorer, memory = Explorer(service), {"start": peak_mib()}
    id, took = run(service, path, arguments.model, work)
    memory["after the run"] = peak_mib()
    view = {"analysis": id, "model": arguments.model}
    began = time.perf_counter()
    explorer.analyse_look(json.dumps({"view": {**view, "part": "rows"}}))
    took["open_seconds"] = time.perf_counter() - began
    browsing = browse(explorer, view, arguments.model)
    memory["after browsing"] = peak_mib()
    first = parts(explorer, view)
    memory["after map and suggestions"] = peak_mib()
    report = {
        "command": f"python experiments/analyse_speed.py --pairs {arguments.pairs}",
        "made_by": provenance(),
        "model": arguments.model,
        "pairs": arguments.pairs,
        "load_average": os.getloadavg()[0],
        **took,
        "browse_ms": browsing,
        "first_seconds": first,
        "peak_mib": memory,
    }
    write_json(RESULTS, report)
    print(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
