"""`symdemo sts`: measures of sentence encoders, in points."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from experiments import make_tables, retrieval, transfer
from experiments.runner import Ledger, command_line, exit_status, report_text, shown_name
from experiments.runner import run as run_cells
from experiments.sentence_report import LEDGER, label_cell, summarise
from symdemo.encoders import Encoder, load_encoder
from symdemo.errors import InputError
from symdemo.evaluation.results import SentenceReport
from symdemo.evaluation.sentences import layers, sts
from symdemo.files.paths import RESULTS
from symdemo.files.provenance import provenance
from symdemo.files.storage import write_text
from symdemo.jobs.reporting import StopAsked
from symdemo.training.triplets import plain

Names = Sequence[str]


class Part(NamedTuple):
    """A part of the study.

    Attributes:
        tasks: those measured if no others are named.
        measure: returns the figures of an encoder.
        baselines: by name, what returns the figures of answers without an encoder.
        find: returns the data of a task, or None; if not given, `find_sts` does.
    """

    tasks: Names
    measure: Callable[[Encoder, Any], Any]
    baselines: Mapping[str, Callable[[Any], Any]] = {}
    find: Callable[[str], Any] | None = None


def _similarity(encoder: Encoder, data: sts.SimilarityData) -> Any:
    return sts.score_sts(sts.cosines(encoder, data), data)


_SCORED = {
    name: lambda data, answer=answer: sts.score_sts(answer(data), data)
    for name, answer in sts.STS_BASELINES.items()
}
_BY_WORDS = {sts.MAJORITY: transfer.majority, sts.BAG_OF_WORDS: transfer.bag_of_words}
_STS_B, _CAPTIONS = (sts.STS_B,), (retrieval.FLICKR,)
PARTS = {
    "sts": Part(sts.TASKS, _similarity, _SCORED),
    "conditional": Part((sts.CONDITIONAL,), _similarity, _SCORED, lambda _: sts.find_conditional()),
    "transfer": Part(
        transfer.TRANSFER_TASKS, transfer.transfer, _BY_WORDS, transfer.find_transfer
    ),
    "degradation": Part(_STS_B, layers.degradation),
    "dependencies": Part(_STS_B, lambda encoder, own: layers.dependencies(encoder, own.sentences)),
    "retrieval": Part(
        _CAPTIONS, retrieval.retrieve, {sts.TF_IDF: retrieval.retrieve_by_words},
        lambda _: retrieval.find_captions(),
    ),
}  # fmt: skip


@cache
def _learnt() -> frozenset[str]:
    """Return the sentences that adapters are trained on, to be compared; none without the data."""
    try:
        found = sts.triplets_unseen("local").triplets
    except InputError:
        return frozenset()
    return frozenset(plain(text) for triplet in found for text in triplet.texts)


def unlearnt(data: Any) -> Any:
    """Return similarity data, or captions by the picture, without a sentence of the training."""
    if isinstance(data, list):
        starts = range(0, len(data), retrieval.PER_IMAGE)
        groups = [data[start : start + retrieval.PER_IMAGE] for start in starts]
        return [text for own in groups if _learnt().isdisjoint(map(plain, own)) for text in own]
    pairs = enumerate(zip(data.first, data.second, strict=True))
    return sts.take(data, [row for row, own in pairs if _learnt().isdisjoint(map(plain, own))])


def tasks_of(part: str, wanted: Names) -> Names:
    """Return the tasks to measure of a part, in the order of the paper."""
    every = sts.TASKS if part in ("degradation", "dependencies") else PARTS[part].tasks
    return [task for task in every if task in wanted] if wanted else PARTS[part].tasks


class Study:
    """Encoders, data and cells of `symdemo sts`; the last encoder used stays loaded.

    Raises:
        InputError: an unknown part or task.
    """

    def __init__(self, encoders: Names, parts: Names, tasks: Names, at_most: int | None):
        every = dict.fromkeys(task for own in PARTS.values() for task in own.tasks)
        for noun, names, known in (("part", parts, PARTS), ("task", tasks, every)):
            if unknown := [name for name in names if name not in known]:
                expected = ", ".join(known)
                raise InputError(f"There is no {noun} “{unknown[0]}”; expected: {expected}.")
        self.encoders, self.download, self.at_most = encoders, bool(tasks), at_most
        wanted = [(p, task) for p in parts or PARTS for task in tasks_of(p, tasks)]
        self.here = [one for one in wanted if self.data(*one) is not None]
        self.missing = {
            task: "the data are not here" for p, task in wanted if (p, task) not in self.here
        }
        self.encoder = lru_cache(maxsize=1)(load_encoder)

    @cache  # noqa: B019  (one study per process)
    def data(self, part: str, task: str) -> Any:
        """Return the data of a task without what was learnt; None if they are not here."""
        find = PARTS[part].find
        found = find(task) if find else sts.find_sts(task, self.download)
        if found is not None and part != "transfer":  # there the labels are others
            found = unlearnt(found)
        if found is None or self.at_most is None or part == "retrieval":
            return found
        return sts.some_of(found, self.at_most)

    def cells(self) -> list[dict[str, Any]]:
        """Return the cells: the baselines, then each encoder."""
        found = [(*one, name, "") for one in self.here for name in PARTS[one[0]].baselines]
        for name in self.encoders:
            base = self.encoder(name).base_hash[:16]
            found += [(*one, shown_name(name), base) for one in self.here]
        return [
            {"part": part, "task": task, "encoder": name, "base": base}
            | {"data": sts.hash_rows(own) if part == "retrieval" else own.hash}
            for part, task, name, base in found
            if (own := self.data(part, task)) is not None
        ]

    def measure(self, cell: Mapping[str, Any]) -> dict[str, Any]:
        """Return the figures of a cell, and the seconds they took."""
        began, part, name = time.perf_counter(), PARTS[cell["part"]], cell["encoder"]
        data = self.data(cell["part"], cell["task"])
        given = next((own for own in self.encoders if shown_name(own) == name), None)
        found = part.measure(self.encoder(given), data) if given else part.baselines[name](data)
        figures = found if isinstance(found, dict) else asdict(found)
        if cell["part"] == "degradation":
            figures["pairs"] = len(data.first)
        return figures | {"seconds": round(time.perf_counter() - began, 2)}


def run(arguments: argparse.Namespace) -> int:
    """Measure what is missing, then write report and tables; 130 if stopped.

    Raises:
        InputError: an option is wrong, or no data are here.
    """
    if arguments.data:
        if not Path(arguments.data).is_dir():
            raise InputError(f"There is no folder {arguments.data}; --data names one with data.")
        os.environ["SYMDEMO_DATA"] = str(Path(arguments.data).resolve())
    labels = arguments.label or ()
    if labels and len(labels) != len(arguments.encoder):
        raise InputError(f"{len(arguments.encoder)} encoders have {len(labels)} labels.")
    parts, tasks = _split(arguments.parts), _split(arguments.tasks)
    study = Study(arguments.encoder, parts, tasks, arguments.at_most)
    command = command_line("symdemo sts", arguments, ("encoder", "parts", "tasks", "at_most"))
    made_by, out = provenance(command), Path(arguments.out)
    ledger = Ledger(out / LEDGER, made_by)
    if arguments.report_only:
        made = {(cell["part"], cell["encoder"], cell["task"]) for cell in ledger if "task" in cell}
        wanted = ((p, shown_name(n), t) for n in arguments.encoder for p, t in study.here)
        finished = all(one in made for one in wanted)
    else:
        if not study.here:
            raise InputError(
                f"The data of {', '.join(study.missing)} are not here: put them into a folder and "
                "name it with --data or the environment variable SYMDEMO_DATA."
            )
        for place, name in enumerate(arguments.encoder):
            label = labels[place] if labels else shown_name(name)
            if labels or label_cell(name) not in ledger:
                ledger.add(label_cell(name), {"label": label})
        finished = run_cells(study.cells(), study.measure, ledger, StopAsked("measurement"))
    text, tables = _report(ledger, made_by, finished, study.missing)
    write_text(out / SentenceReport.NAME, text)
    write_text(out / "bellm.md", tables)
    if arguments.publish:
        published = Ledger(RESULTS / LEDGER, made_by)
        for cell in ledger:  # trainings are in there as well: nothing is removed
            if published.get(cell) != (result := ledger.get(cell)):
                published.add(cell, result or {}, ledger.made_by(cell))
        write_text(
            RESULTS / SentenceReport.NAME, _report(published, made_by, finished, study.missing)[0]
        )
        make_tables.write_tables()
    sys.stdout.write(text if arguments.json else tables)
    return exit_status(finished or arguments.report_only, ledger)


def _split(text: str | None) -> tuple[str, ...]:
    return tuple(word.strip() for word in (text or "").split(",") if word.strip())


def _report(
    ledger: Ledger, made_by: Mapping[str, Any], finished: bool, missing: Mapping[str, str]
) -> tuple[str, str]:
    data = {cell["task"]: cell["data"] for cell in ledger if "task" in cell}
    summary = summarise(ledger, missing)
    text = report_text(ledger, made_by, finished=finished, data=data, summary=summary)
    return text, make_tables.sentence_tables(json.loads(text))
