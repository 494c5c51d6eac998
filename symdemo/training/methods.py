"""The paper's four methods (Table 1): how each embeds a pair, what it minimises, how it answers.

| name                      | encodes  | trains           | objective     | answers by         |
|---------------------------|----------|------------------|---------------|--------------------|
| `random-label-embeddings` | apart    | encoder          | Eq. 3         | nearest rotation   |
| `knn`                     | apart    | encoder          | Eq. 5         | vote of neighbours |
| `knn-learnt-metric`       | together | encoder          | Eq. 5         | vote of neighbours |
| `fine-tuning`             | together | encoder and head | cross entropy | largest logit      |

An *objective* is a loss of `symdemo.losses` with what is drawn or trained for it. A *readout* turns
label embeddings into probabilities if neighbours do not answer. Another method is another `Method`
in `_ALL`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Self

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from symdemo.encoders.encoder import Embedder, Encoder, TextInput
from symdemo.errors import InputError, ModelError
from symdemo.geometry import Quotient, label_embedding, random_rotations
from symdemo.losses import (
    MARGIN,
    TEMPERATURE,
    balanced_label_loss,
    pairwise_label_loss,
    prototype_loss,
    random_label_loss,
    rotation_distances,
)
from symdemo.pairs import Pair


@dataclass(frozen=True)
class Readout:
    """Turns label embeddings into probabilities; its tensors are stored in the model folder.

    Attributes:
        labels: the L labels it answers with, in the order of its rows.
    """

    labels: tuple[str, ...]

    @classmethod
    def of(cls, objective: Objective) -> Self:
        """Copy an objective's tensors to the CPU."""
        copied = {k: v.detach().cpu().clone() for k, v in cls._tensors_of(objective).items()}
        return cls(objective.labels, **copied)

    @classmethod
    def _tensors_of(cls, objective: Objective) -> dict[str, Tensor]:
        raise NotImplementedError

    def probabilities(self, label_embeddings: np.ndarray) -> np.ndarray:
        """Return probabilities (n, L) for label embeddings (n, d): the softmax of the logits."""
        return torch.softmax(self._logits(torch.from_numpy(label_embeddings)), dim=-1).numpy()

    def _logits(self, label_embeddings: Tensor) -> Tensor:
        raise NotImplementedError

    def tensors(self) -> dict[str, Tensor]:
        """Return its tensors by name."""
        return {f.name: getattr(self, f.name) for f in fields(self) if f.name != "labels"}


@dataclass(frozen=True)
class RotationReadout(Readout):
    """The nearest of the fixed label rotations (L, d), by Eq. 4.

    The paper only takes the nearest. Our logits are −d / margin, whose maximum is the nearest.
    """

    rotations: Tensor

    @classmethod
    def _tensors_of(cls, objective: Objective) -> dict[str, Tensor]:
        return {"rotations": objective.get_buffer("rotations")}

    def _logits(self, label_embeddings: Tensor) -> Tensor:
        return -rotation_distances(label_embeddings, self.rotations) / MARGIN


@dataclass(frozen=True)
class HeadReadout(Readout):
    """A linear classification head on label embeddings: weight (L, d), bias (L,)."""

    weight: Tensor
    bias: Tensor

    @classmethod
    def _tensors_of(cls, objective: Objective) -> dict[str, Tensor]:
        scale = getattr(objective, "scale", 1.0)
        return {n: scale * objective.get_parameter(f"head.{n}") for n in ("weight", "bias")}

    def _logits(self, label_embeddings: Tensor) -> Tensor:
        return label_embeddings @ self.weight.T + self.bias


@dataclass(frozen=True)
class Task:
    """The task that an objective is made for.

    Attributes:
        labels: the labels to tell apart.
        dimension: d of label embeddings.
        margin: the margin of Eq. 3 and Eq. 5.
        seed: the seed of random rotations.
        before: what the encoder answered with so far; labels keep their rotations.
    """

    labels: tuple[str, ...]
    dimension: int
    margin: float = MARGIN
    seed: int = 0
    before: Readout | None = None


class Objective(torch.nn.Module):
    """The loss of a batch. Its parameters, if any, are trained with the encoder."""

    def __init__(self, task: Task):
        super().__init__()
        self.labels = task.labels
        self.margin = task.margin

    def forward(self, label_embeddings: Tensor, targets: Tensor) -> Tensor:
        """Return the loss of label embeddings (n, d) with label numbers (n,)."""
        return self._loss(label_embeddings, targets)

    def _loss(self, label_embeddings: Tensor, targets: Tensor) -> Tensor:
        raise NotImplementedError


class SameLabels(Objective):
    """Eq. 5: attract samples of one label, keep others a margin apart."""

    def _loss(self, label_embeddings: Tensor, targets: Tensor) -> Tensor:
        return pairwise_label_loss(label_embeddings, targets, self.margin)


class BalancedLabels(Objective):
    """Eq. 5 with equal weight for every label."""

    def _loss(self, label_embeddings: Tensor, targets: Tensor) -> Tensor:
        return balanced_label_loss(label_embeddings, targets, self.margin)


class RandomLabels(Objective):
    """Eq. 3: attract samples to their label's fixed random rotation, repel from the others."""

    rotations: Tensor

    def __init__(self, task: Task):
        super().__init__(task)
        self.register_buffer(
            "rotations", label_rotations(task.labels, task.dimension, task.seed, task.before)
        )

    def _loss(self, label_embeddings: Tensor, targets: Tensor) -> Tensor:
        return random_label_loss(label_embeddings, targets, self.rotations, self.margin)


class MixedLabels(RandomLabels):
    """Eq. 5 plus Eq. 3."""

    def _loss(self, label_embeddings: Tensor, targets: Tensor) -> Tensor:
        pairwise = pairwise_label_loss(label_embeddings, targets, self.margin)
        return pairwise + super()._loss(label_embeddings, targets)


class Prototypes(Objective):
    """A softmax over one learnt prototype per label."""

    def __init__(self, task: Task):
        super().__init__(task)
        start = torch.randn(len(task.labels), task.dimension) / task.dimension**0.5
        self.prototypes = torch.nn.Parameter(start)

    def _loss(self, label_embeddings: Tensor, targets: Tensor) -> Tensor:
        return prototype_loss(label_embeddings, targets, self.prototypes)


class Head(Objective):
    """Cross entropy of a linear classification head."""

    scale = 1.0

    def __init__(self, task: Task):
        super().__init__(task)
        self.head = torch.nn.Linear(task.dimension, len(task.labels))

    def _loss(self, label_embeddings: Tensor, targets: Tensor) -> Tensor:
        return functional.cross_entropy(self.scale * self.head(label_embeddings), targets)


class ScaledHead(Head):
    """`Head` with logits as steep as those of `Prototypes`: unit embeddings give small ones."""

    scale = 1 / TEMPERATURE


def label_rotations(
    labels: Sequence[str], dimension: int, seed: int, before: Readout | None = None
) -> Tensor:
    """Return one fixed rotation per label (L, d): the label's earlier one, else a random one.

    A rotation defines what a label means to an encoder. With another rotation, an encoder that
    continues training would have to unlearn that.
    """
    had: dict[str, Tensor] = {}
    if isinstance(before, RotationReadout):
        had = dict(zip(before.labels, before.rotations, strict=True))
    drawn = random_rotations(len(labels) + len(had), dimension, seed)
    taken = [rotation.to(drawn) for rotation in had.values()]
    free = (row for row in drawn if not any(torch.equal(row, own) for own in taken))
    return torch.stack([had[label].to(drawn) if label in had else next(free) for label in labels])


@dataclass(frozen=True, eq=False)
class Method:
    """One way to train an encoder and to answer.

    Attributes:
        name: the name it is stored under.
        title: the name to display.
        together: True if premise and hypothesis are one input, whose embedding is the label
            embedding; False if each is read on its own, and l = h ⊘ p (Eq. 6).
        minimises: the objective.
        other_losses: alternative objectives, by the name of `TrainingConfig.loss`.
        answers_with: the readout; None if neighbours answer.
    """

    name: str
    title: str
    together: bool
    minimises: type[Objective]
    other_losses: Mapping[str, type[Objective]] = field(default_factory=dict)
    answers_with: type[RotationReadout | HeadReadout] | None = None

    def embed(
        self, encoder: Embedder, pairs: Sequence[Pair], quotient: Quotient = "conjugate"
    ) -> Tensor:
        """Return label embeddings (n, d) of a batch, with gradients where these are enabled."""
        return self._label_embeddings(encoder.forward(self._inputs(pairs)), quotient)

    def _inputs(self, pairs: Sequence[Pair]) -> list[TextInput]:
        if self.together:
            return [(pair.premise, pair.hypothesis) for pair in pairs]
        return [*(pair.premise for pair in pairs), *(pair.hypothesis for pair in pairs)]

    def _label_embeddings(self, embeddings: Tensor, quotient: Quotient) -> Tensor:
        if self.together:
            return embeddings
        premises, hypotheses = embeddings.chunk(2)
        return label_embedding(premises, hypotheses, quotient)

    def has_rotation(self, quotient: Quotient) -> bool:
        """True if a label embedding is a rotation between two sentences (Eq. 6)."""
        return not self.together and quotient != "real"

    def objective(self, task: Task, loss: str = "contrast") -> Objective:
        """Make the objective; methods without alternatives ignore `loss`."""
        return self.other_losses.get(loss, self.minimises)(task)

    def readout(self, objective: Objective) -> Readout | None:
        """Return the readout of a trained objective; None if neighbours answer."""
        return self.answers_with.of(objective) if self.answers_with else None


_OTHER_LOSSES = {"balanced": BalancedLabels, "mixed": MixedLabels, "prototypes": Prototypes}

RANDOM_LABEL_EMBEDDINGS = Method(
    "random-label-embeddings", "Random label embeddings", together=False,
    minimises=RandomLabels, answers_with=RotationReadout,
)  # fmt: skip
KNN = Method("knn", "k-NN", together=False, minimises=SameLabels, other_losses=_OTHER_LOSSES)
KNN_LEARNT_METRIC = Method(
    "knn-learnt-metric", "k-NN, learnt metric", together=True,
    minimises=SameLabels, other_losses=_OTHER_LOSSES,
)  # fmt: skip
FINE_TUNING = Method(
    "fine-tuning", "Fine-tuning", together=True,
    minimises=Head, other_losses={"scaled": ScaledHead}, answers_with=HeadReadout,
)  # fmt: skip

_ALL = {m.name: m for m in (RANDOM_LABEL_EMBEDDINGS, KNN, KNN_LEARNT_METRIC, FINE_TUNING)}
METHODS: tuple[str, ...] = tuple(_ALL)
"""The names of all methods."""


def find_method(name: str) -> Method:
    """Return the method called `name`.

    Raises:
        InputError: an unknown method.
    """
    if name not in _ALL:
        raise InputError(f"The method “{name}” is unknown; expected: {', '.join(_ALL)}.")
    return _ALL[name]


def check_method(name: str) -> str:
    """Return `name` if it names a method, or raise `InputError`."""
    return find_method(name).name


def encode_pairs(
    encoder: Encoder,
    pairs: Sequence[Pair],
    method: str,
    quotient: Quotient = "conjugate",
    progress: Callable[[int, int], None] | None = None,
) -> np.ndarray:
    """Return label embeddings (n, d), float32, of any number of pairs, without gradients."""
    own = find_method(method)
    rows = torch.from_numpy(encoder.encode(own._inputs(pairs), progress=progress))
    return own._label_embeddings(rows, quotient).numpy()


def load_readout(
    method: str, labels: Sequence[str], dimension: int, tensors: Mapping[str, Tensor]
) -> Readout | None:
    """Rebuild the readout of a stored model; None if neighbours answer.

    Raises:
        ModelError: a tensor is missing, foreign, or of another shape.
    """
    kind = find_method(method).answers_with
    names = [name for name in kind.__annotations__ if name != "labels"] if kind else []
    expected = {n: (len(labels),) if n == "bias" else (len(labels), dimension) for n in names}
    if (seen := {name: tuple(tensor.shape) for name, tensor in tensors.items()}) != expected:
        raise ModelError(f"The head has the tensors {seen}; {method} expects {expected}.")
    return kind(labels=tuple(labels), **tensors) if kind else None
