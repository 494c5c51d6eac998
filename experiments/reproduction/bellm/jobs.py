"""The single measurements of a study: a key that names each fully, and a way to compute it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any

from experiments.reproduction.bellm.keys import Part, measurement_key
from experiments.reproduction.bellm.plan import Plan
from experiments.reproduction.ledger import Key
from symdemo.encoders import Encoder, load_encoder
from symdemo.evaluation.sentences.layers import degradation, dependencies
from symdemo.evaluation.sentences.retrieval import (
    Retrieval,
    find_captions,
    retrieve,
    retrieve_by_words,
)
from symdemo.evaluation.sentences.sts import (
    BAG_OF_WORDS,
    MAJORITY,
    STS_BASELINES,
    TF_IDF,
    cosines,
    find_conditional,
    find_sts,
    hash_rows,
    score_sts,
)
from symdemo.evaluation.sentences.transfer import bag_of_words, find_transfer, majority, transfer

Progress = Callable[[int, int], None] | None


class Resources:
    """Encoders and data, each loaded when it is first asked for; the last encoder alone is kept."""

    def __init__(self, download: bool = False):
        self._download = download
        self._encoder: tuple[str, Encoder] | None = None

    def encoder(self, name: str) -> Encoder:
        """The encoder; `SymdemoError` where it cannot be loaded here."""
        if self._encoder is None or self._encoder[0] != name:
            self._encoder = name, load_encoder(name)
        return self._encoder[1]

    @cache  # noqa: B019  (one resources per study)
    def data(self, part: Part, task: str) -> Any:
        """What a task is measured on, or None where it is not here."""
        if part == "conditional":
            return find_conditional()
        if part == "retrieval":
            return find_captions()
        return find_transfer(task) if part == "transfer" else find_sts(task, self._download)

    @cache  # noqa: B019
    def data_hash(self, part: Part, task: str) -> str:
        """The hash of that, for keys."""
        data = self.data(part, task)
        return hash_rows(data) if part == "retrieval" else data.hash


@dataclass(frozen=True)
class Job:
    """A measurement: the key that names it, how it is made, over how many sentences at most."""

    key: Key
    compute: Callable[[Progress], dict]
    title: str
    sentences: int = 0


def missing_data(plan: Plan, resources: Resources) -> dict[str, str]:
    """The tasks of a plan whose data are not here, and why nothing is measured on them."""
    return {
        task: "the data are not here"
        for part in plan.parts
        for task in plan.tasks_of(part)
        if resources.data(part, task) is None
    }


def jobs(plan: Plan, resources: Resources) -> Iterator[Job]:
    """All jobs of a plan: the baselines, then each encoder by itself."""
    here = [
        (part, task)
        for part in plan.parts
        for task in plan.tasks_of(part)
        if resources.data(part, task) is not None
    ]
    for part, task in here:
        for name, compute in _baselines(part, resources.data(part, task)).items():
            key = measurement_key(part, task, name, "", resources.data_hash(part, task))
            yield Job(key, _timed(compute), f"{name}, {task}")
    for name in plan.encoders:
        base = resources.encoder(name).base_hash
        for part, task in here:
            data = resources.data(part, task)
            key = measurement_key(part, task, name, base, resources.data_hash(part, task))
            size = len(data if part == "retrieval" else data.sentences)
            yield Job(key, _timed(_measure(part, name, data, resources)), f"{name}, {task}", size)


def _timed(compute: Callable[[Progress], dict]) -> Callable[[Progress], dict]:
    def timed(progress: Progress) -> dict:
        began = time.perf_counter()
        result = compute(progress)
        return result | {"seconds": round(time.perf_counter() - began, 2)}

    return timed


def _baselines(part: Part, data: Any) -> dict[str, Callable[[Progress], dict]]:
    """The baselines of a part by name."""

    def by_words(name: str) -> Callable[[Progress], dict]:
        return lambda _: asdict(score_sts(STS_BASELINES[name](data), data))

    if part in ("sts", "conditional"):
        return {name: by_words(name) for name in STS_BASELINES}
    if part == "transfer":
        return {
            MAJORITY: lambda _: asdict(majority(data)),
            BAG_OF_WORDS: lambda _: asdict(bag_of_words(data)),
        }
    return {TF_IDF: lambda _: _retrieved(retrieve_by_words(data))} if part == "retrieval" else {}


def _measure(part: Part, name: str, data: Any, resources: Resources) -> Callable[[Progress], dict]:
    """How a part is measured on an encoder."""

    def compute(progress: Progress) -> dict:
        encoder = resources.encoder(name)
        match part:
            case "sts" | "conditional":
                return asdict(score_sts(cosines(encoder, data, progress), data))
            case "transfer":
                return asdict(transfer(encoder, data, progress))
            case "degradation":
                return {"pairs": len(data.first)} | asdict(degradation(encoder, data, progress))
            case "dependencies":
                return asdict(dependencies(encoder, data.sentences, progress))
            case "retrieval":
                return _retrieved(retrieve(encoder, data, progress))

    return compute


def _retrieved(found: Retrieval) -> dict:
    strict = {"value": found.strict, "low": found.low, "high": found.high, "n": found.n}
    return {"strict": strict, "recall": found.recall}
