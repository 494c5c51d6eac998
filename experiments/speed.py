"""Speed: start to answer, backends, and the tab Analyse.

The pairs are of the relation bank with random entities, so their accuracy means nothing here. The
looks at the rows call the same function as the page, one after the other, each one different.
"""

from __future__ import annotations

import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import asdict
from itertools import chain, count, islice
from pathlib import Path
from typing import Any

import pandas as pd
import torch
from threadpoolctl import threadpool_limits

from experiments.runner import main
from symdemo import Pair, SymmetryClassifier
from symdemo.analysis.loading import load_table
from symdemo.data.bank import shipped_bank
from symdemo.encoders import SentenceEncoder, load_encoder
from symdemo.encoders.backends import ONNX, TORCH
from symdemo.encoders.registry import DEFAULT_ENCODER
from symdemo.ui.analyse.explorer import Explorer
from symdemo.ui.analyse.service import AnalyseService
from symdemo.ui.shared.sessions import Sessions
from symdemo.ui.shared.store import ModelStore

REPOSITORY = Path(__file__).resolve().parents[1]
SENTENCE = "My neighbour's dog chased a cat."
COLUMNS = ("premise", "hypothesis", "label", "relation", "head", "tail")
SEED, RUNS, LOOKS = 20_260, 9, 400
BLOCK = 1_024
"""Pairs that each backend gets in turn, so that whatever else runs here slows all of them."""


def cells() -> list[dict[str, Any]]:
    """Return the measurements."""
    return [
        {"part": "cold start"},
        {"part": "analyse", "pairs": 100_000, "model": "general"},
        {"part": "backends", "pairs": 10_000, "model": "general"},
    ]


def measure(cell: Mapping[str, Any]) -> dict[str, Any]:
    """Return seconds, milliseconds and memory."""
    if cell["part"] == "cold start":
        return cold_start()
    if cell["part"] == "backends":
        return backends(cell["pairs"], cell["model"])
    with tempfile.TemporaryDirectory() as folder:
        return analyse(Path(folder), cell["pairs"], cell["model"])


def cold_start() -> dict[str, Any]:
    """Return median seconds and peak memory of one answer from nothing."""
    _answer_once()  # fills the file cache
    runs = pd.DataFrame([_answer_once() for _ in range(RUNS)])
    return {"runs": RUNS, **{str(name): {"median": own.median()} for name, own in runs.items()}}


def _answer_once() -> dict[str, float]:
    """Run `symdemo predict`, and return its seconds and its most memory."""
    began = time.perf_counter()
    process = subprocess.Popen(
        (sys.executable, "-m", "symdemo", "predict", SENTENCE, "--json", "--quiet"),
        cwd=REPOSITORY, stdout=subprocess.PIPE, env=os.environ | {"HF_HUB_OFFLINE": "1"},
    )  # fmt: skip
    assert process.stdout  # it is piped
    answer = process.stdout.read()
    answered = time.perf_counter() - began
    _, status, used = os.wait4(process.pid, 0)
    if status or not json.loads(answer):
        raise RuntimeError("symdemo predict failed")
    return {
        "seconds": answered,
        "cpu_seconds": used.ru_utime + used.ru_stime,
        "peak_memory_mib": used.ru_maxrss / (1024**2 if sys.platform == "darwin" else 1024),
    }


def backends(n: int, name: str) -> dict[str, Any]:
    """Return milliseconds of one core for a pair, and how many verdicts differ from torch's."""
    torch_model, quick = (
        SymmetryClassifier.from_pretrained(name, "cpu", True, backend) for backend in (TORCH, ONNX)
    )
    plain = load_encoder(DEFAULT_ENCODER, "cpu")
    assert isinstance(plain, SentenceEncoder)
    taught = {pair.premise for pair in torch_model.index.pairs}
    pairs = [pair for pair in islice(fresh_pairs(), 2 * n) if pair.premise not in taught][:n]
    random.Random(SEED).shuffle(pairs)
    ways: dict[str, Callable[[Any], Any]] = {
        "sentence-transformers, encoding": plain.model.encode,
        "torch, encoding": torch_model.encoder.encode,
        "onnx, encoding": quick.encoder.encode,
        "torch": torch_model.predict,
        "onnx": quick.predict,
    }
    seconds: dict[str, float] = dict.fromkeys(ways, 0.0)
    differ = 0
    torch.set_num_threads(1)
    quick.predict(pairs[:BLOCK])  # loads the sessions
    with threadpool_limits(1):
        for start in range(0, n, BLOCK):
            block = [(pair.premise, pair.hypothesis) for pair in pairs[start : start + BLOCK]]
            said = {}
            for way, call in ways.items():
                if "encoding" not in way or start < n // 5:
                    began = time.process_time()
                    said[way] = call(block)
                    seconds[way] += time.process_time() - began
            verdicts = zip(said["torch"].verdict_labels, said["onnx"].verdict_labels, strict=True)
            differ += sum(one != two for one, two in verdicts)
    encoded = -(-n // 5 // BLOCK) * BLOCK
    ms = {w: 1_000 * own / (encoded if "encoding" in w else n) for w, own in seconds.items()}
    return {"pairs": n, "ms": ms, "verdicts_differ": differ}


def analyse(folder: Path, n: int, model: str) -> dict[str, Any]:
    """Load pairs, let a model judge them, and browse the rows."""
    path = folder / "pairs.csv"
    pair_frame(n).to_csv(path, index=False)
    service = AnalyseService(Sessions(ModelStore.of_folder(), folder / "projects"))
    explorer = Explorer(service)
    mapping = {name: name for name in COLUMNS[:4]} | {"subject": "head", "object": "tail"}

    def load(_: object = None) -> Any:
        return load_table(path, mapping)

    def judge() -> str:
        run = service.start(load, [model], exchanged=False, rows=n)
        while (job := service.job(run)) and not job.finished:
            time.sleep(1)
        if job and job.state != "done":
            raise RuntimeError(f"The run ended as {job.state}: {job.error}")
        return run.id

    def look(part: str) -> None:
        while explorer.analyse_look(json.dumps({"view": {**view, "part": part}})).get("again"):
            time.sleep(0.2)

    _, loading = _timed(load)
    took: dict[str, Any] = {"pairs": n, "load": {"seconds": loading}}
    id, seconds = _timed(judge)
    took["run"] = {"seconds": seconds - loading}
    view = {"analysis": id, "model": model}
    took["open_seconds"] = _timed(look, "rows")[1]
    took["browse_ms"] = browse(explorer, view, model)
    parts = ("overview", "map", "suggestions", "slices")
    took["first_seconds"] = {part: _timed(look, part)[1] for part in parts}
    mib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return took | {"peak_mib": {"at the end": mib}}


def _timed(call: Callable[..., Any], *arguments: Any) -> tuple[Any, float]:
    """Return what a call returns, and its seconds."""
    began = time.perf_counter()
    result = call(*arguments)
    return result, time.perf_counter() - began


def fresh_pairs() -> Iterator[Pair]:
    """Yield pairs of the bank without end, every phrasing as often as any other."""
    bank = shipped_bank()
    return chain.from_iterable(bank.pairs(seed=seed) for seed in count(SEED))


def pair_frame(n: int) -> pd.DataFrame:
    """Return n of them as a table."""
    return pd.DataFrame(map(asdict, islice(fresh_pairs(), n)))[[*COLUMNS]]


def looks(model: str, relations: list[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield kinds of looks with the changes of the view; no two are the same."""
    rng = random.Random(SEED)
    names = {name: f"{model}: {name}" for name in ("right", "probability", "distance")}
    while True:
        low = round(rng.random() * 0.6, 4)
        between = {"kind": "between", "column": names["probability"], "low": low, "high": low + 0.3}
        wrong = {"kind": "one_of", "column": names["right"], "values": [False]}
        label = rng.choice(["entailment", "contradiction", "neutral"])
        labelled = {"kind": "one_of", "column": "label", "values": [label]}
        some = {"kind": "one_of", "column": "relation", "values": rng.sample(relations, 3)}
        word = rng.choice(["mother", "border", "nea", "after", "sold", "the ", "in ", "works"])
        sort = rng.choice(["premise", "relation", names["probability"], names["distance"]])
        both = {"conditions": [wrong, between], "sort": names["distance"]}
        yield "filter", {"query": {"conditions": [between]}}
        yield "filters, sorted", {"query": both}
        descending = {"sort": sort, "descending": low > 0.3}
        yield "sort", {"query": {"conditions": [labelled], **descending}}
        yield "relation", {"query": {"conditions": [some]}}
        yield "search", {"text": word + rng.choice("abcdefghij")}
        yield "expression", {"text": rf"\b{word[:3]}\w+ .*{rng.choice('abcdefgh')}$", "regex": True}
        yield "page", {"page": rng.randrange(500)}


def browse(explorer: Explorer, view: dict[str, Any], model: str) -> dict[Hashable, Any]:
    """Return milliseconds of looks at the rows, by kind and of all."""
    opened = explorer.service.opened(explorer.service.store.open(view["analysis"]))
    assert opened  # it has just been made
    relations = [str(name) for name, _ in opened.table.values("relation")]
    taken = []
    for (kind, change), _ in zip(looks(model, relations), range(LOOKS), strict=False):
        body = json.dumps({"view": {**view, "part": "rows", **change}})
        answer, seconds = _timed(lambda body: json.dumps(explorer.analyse_look(body)), body)
        if "problem" in json.loads(answer):
            raise RuntimeError(f"{kind}: {answer}")
        taken += [(name, 1_000 * seconds) for name in (kind, "all")]
    frame = pd.DataFrame(taken, columns=["kind", "ms"]).groupby("kind", sort=False).ms
    found = pd.DataFrame({"p50": frame.median(), "p95": frame.quantile(0.95)})
    kinds = [kind for kind in found.index if kind != "all"]
    return found.reindex([*kinds, "all"]).to_dict("index")


if __name__ == "__main__":
    sys.exit(main(__doc__, "speed", cells, measure))
