"""The hyperparameters of one training run."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, get_args

from symdemo.errors import InputError
from symdemo.geometry import Quotient
from symdemo.losses import MARGIN

Precision = Literal["fp32", "bf16"]
Loss = Literal["contrast", "balanced", "mixed", "prototypes", "scaled"]
Schedule = Literal["constant", "linear"]
Retained = Literal["few", "many"]
Batching = Literal["random", "length"]
Entities = Literal["own", "bank"]

DEFAULT_SEED = 0


@dataclass(frozen=True, slots=True)
class TrainingConfig:
    """Hyperparameters of one training run; each default is the measured choice for a MiniLM.

    Attributes:
        learning_rate: of Adam, with its default moments.
        batch_size: pairs per step.
        epochs: passes over the pairs; at least `min_steps` steps are made all the same.
        min_steps: the fewest steps, so that very few samples are still seen often enough.
        margin: of Eq. 3 and Eq. 5.
        quotient: of Eq. 6; unused where pairs are read together.
        retention: weight of the retention term; 0 leaves it out.
        retention_batch: generic sentences per step.
        stay_near_start: weight of the distance to the starting weights; 0 leaves it out.
        average_with_start: share of the starting weights in the average taken after training.
        freeze_embeddings: leave token and position embeddings as they are.
        freeze_layers: leave so many of the lowest transformer layers as they are.
        dropout: keep the encoder's dropout while training.
        balanced: spread each relation's pairs evenly over the steps.
        recombine: share of pairs whose entities are replaced, at each step anew, by entities of
            other training pairs: what a pattern says of a relation holds for any entities.
        seed: of the order, the dropout, the head and the random rotations.
        precision: "bf16" runs the forward passes in bfloat16, with weights and losses in float32:
            faster on processors with a unit for it, slower on those without.
        loss: of the two k-NN methods: Eq. 5; the same with all labels weighing alike; Eq. 5 and the
            random labels of Eq. 3 together; or a softmax over learnt label prototypes. Of
            fine-tuning: “scaled” has the head's logits as steep as those of the prototypes.
        schedule: of the rate: constant, or rising over the first steps and then falling to zero.
        retained: which generic sentences the retention term draws from; few steps need few.
        batching: which pairs share a step: any, or such as are about as long, which need less
            padding and so less time where pairs differ much in length.
        recombine_with: whose entities are drawn: those of the training pairs, or beside them the
            names of the relation bank, which are many where pairs are few.
    """

    learning_rate: float = 3e-4
    batch_size: int = 16
    epochs: int = 8
    min_steps: int = 42
    margin: float = MARGIN
    quotient: Quotient = "conjugate"
    retention: float = 1.0
    retention_batch: int = 16
    stay_near_start: float = 0.0
    average_with_start: float = 0.0
    freeze_embeddings: bool = True
    freeze_layers: int = 0
    dropout: bool = False
    balanced: bool = True
    recombine: float = 0.75
    seed: int = DEFAULT_SEED
    precision: Precision = "fp32"
    loss: Loss = "contrast"
    schedule: Schedule = "constant"
    retained: Retained = "few"
    batching: Batching = "random"
    recombine_with: Entities = "own"

    def __post_init__(self):
        for name, least in (
            ("learning_rate", 0),
            ("batch_size", 1),
            ("retention_batch", 1),
            ("epochs", 0),
            ("retention", 0),
        ):
            if not getattr(self, name) >= least:  # not a number is refused too
                raise InputError(f"{name} is {getattr(self, name)}; at least {least} is expected.")
        for name, kind in _CHOICES.items():
            if (seen := getattr(self, name)) not in get_args(kind):
                raise InputError(f"{name} is “{seen}”; expected: {', '.join(get_args(kind))}.")

    def values(self) -> dict[str, Any]:
        """The hyperparameters by name; those of `_CHOICES` only where they are not the usual ones.

        So the name of a measurement stays what it was before there was a choice.
        """
        usual = {field.name: field.default for field in fields(self)}
        return {
            name: value
            for name, value in asdict(self).items()
            if name not in _CHOICES or value != usual[name]
        }


_CHOICES = {
    "precision": Precision,
    "loss": Loss,
    "schedule": Schedule,
    "retained": Retained,
    "batching": Batching,
    "recombine_with": Entities,
}
DEFAULT_CONFIG = TrainingConfig()
