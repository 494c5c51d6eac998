"""What is measured: which encoders, which parts, which tasks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import get_args

from experiments.reproduction.bellm.keys import Part
from symdemo.encoders import DEFAULT_ENCODER
from symdemo.errors import InputError
from symdemo.evaluation.sentences.retrieval import FLICKR
from symdemo.evaluation.sentences.sts import CONDITIONAL, STS_B, TASKS
from symdemo.evaluation.sentences.transfer import TRANSFER_TASKS

PARTS: tuple[Part, ...] = get_args(Part)
TASKS_OF: Mapping[Part, tuple[str, ...]] = {
    "sts": TASKS,
    "conditional": (CONDITIONAL,),
    "transfer": TRANSFER_TASKS,
    "degradation": (STS_B,),
    "dependencies": (STS_B,),
    "retrieval": (FLICKR,),
}
"""What a part is measured on where nothing else is asked for."""


@dataclass(frozen=True)
class Plan:
    """What to measure.

    Attributes:
        encoders: as `load_encoder` takes them.
        parts: of `PARTS`.
        tasks: only these of the parts' tasks; all of `TASKS_OF` if empty. `degradation` and
            `dependencies` take any task of STS.
        labels: what an encoder is called in tables; its name where none is given.
        download: get from the hub what is neither here nor in its cache.

    Raises:
        InputError: a part or a task that there is not, or no encoder.
    """

    encoders: tuple[str, ...] = (DEFAULT_ENCODER,)
    parts: tuple[Part, ...] = PARTS
    tasks: tuple[str, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict)
    download: bool = False

    def __post_init__(self) -> None:
        if unknown := [part for part in self.parts if part not in PARTS]:
            raise InputError(f"There is no part “{unknown[0]}”; expected: {', '.join(PARTS)}.")
        known = dict.fromkeys(task for tasks in TASKS_OF.values() for task in tasks)
        if lost := [task for task in self.tasks if task not in known]:
            raise InputError(f"There is no task “{lost[0]}”; expected: {', '.join(known)}.")
        if not (self.encoders and self.parts):
            raise InputError("An encoder and a part to measure are expected; one of them is empty.")

    def tasks_of(self, part: Part) -> tuple[str, ...]:
        """The tasks of a part, in the order of the paper."""
        all_of_it = TASKS if part in ("degradation", "dependencies") else TASKS_OF[part]
        return (
            tuple(task for task in all_of_it if task in self.tasks)
            if self.tasks
            else (TASKS_OF[part])
        )
