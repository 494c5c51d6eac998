"""The paper's four methods (Table 1) and ours: how each reads a pair, what it minimises, and how it
answers.

| name                      | reads    | trains           | objective     | answers by         |
|---------------------------|----------|------------------|---------------|--------------------|
| `random-label-embeddings` | apart    | encoder          | Eq. 3         | nearest rotation   |
| `knn`                     | apart    | encoder          | Eq. 5         | vote of neighbours |
| `knn-learnt-metric`       | together | encoder          | Eq. 5         | vote of neighbours |
| `fine-tuning`             | together | encoder and head | cross entropy | largest logit      |
| `conjugate`               | in roles | encoder and head | cross entropy | largest logit      |

*In roles* means that each sentence is encoded twice, with placeholders for its two arguments in
both orders, and becomes one complex embedding whose conjugate is the embedding of its swap
(`geometry.role_embedding`). Its label embedding is Eq. 6's h ∘ p̄ and, beside it, h − p
(`geometry.ordered_label_embedding`).

An *objective* is a loss of `symdemo.losses` with what is drawn or trained for it. A *readout* turns
label embeddings into probabilities if neighbours do not answer. Another method is another `Method`
in `_ALL`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import ClassVar, Literal, Self

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from symdemo import geometry, losses
from symdemo.data.bank_phrasings import fill
from symdemo.encoders.encoder import Encoder, TextInput
from symdemo.errors import InputError, ModelError
from symdemo.geometry import Quotient
from symdemo.pairs import CONTRADICTION, ENTAILMENT, Pair
from symdemo.swapping.frames import Frames, find_many


@dataclass(frozen=True)
class Readout:
    """Turns label embeddings into probabilities; its tensors are stored in the model folder.

    Attributes:
        labels: the L labels it answers with, in the order of its rows.
        shapes: tensor → its shape, in letters: L labels, d of label embeddings, H hidden units.
    """

    labels: tuple[str, ...]
    shapes: ClassVar[Mapping[str, str]] = {}

    @classmethod
    def of(cls, objective: Objective) -> Self:
        """Copy an objective's tensors to the CPU."""
        learnt = objective._answer()
        return cls(objective.labels, **{k: v.detach().cpu().clone() for k, v in learnt.items()})

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
    shapes: ClassVar[Mapping[str, str]] = {"rotations": "Ld"}

    def _logits(self, label_embeddings: Tensor) -> Tensor:
        return -losses.rotation_distances(label_embeddings, self.rotations) / losses.MARGIN


@dataclass(frozen=True)
class HeadReadout(Readout):
    """A linear classification head on label embeddings: weight (L, d), bias (L,)."""

    weight: Tensor
    bias: Tensor
    shapes: ClassVar[Mapping[str, str]] = {"weight": "Ld", "bias": "L"}

    def _logits(self, label_embeddings: Tensor) -> Tensor:
        return label_embeddings @ self.weight.T + self.bias


@dataclass(frozen=True)
class RolesReadout(HeadReadout):
    """A linear head and a hidden layer of H units on the label embeddings of sentences in roles.

    Attributes:
        inner, inner_bias, outer: the hidden layer, (H, d), (H,) and (L, H).
    """

    inner: Tensor
    inner_bias: Tensor
    outer: Tensor
    shapes: ClassVar[Mapping[str, str]] = {
        **HeadReadout.shapes,
        "inner": "Hd", "inner_bias": "H", "outer": "LH",
    }  # fmt: skip

    def _logits(self, label_embeddings: Tensor) -> Tensor:
        hidden = functional.gelu(label_embeddings @ self.inner.T + self.inner_bias)
        return super()._logits(label_embeddings) + hidden @ self.outer.T


@dataclass(frozen=True)
class Task:
    """The task that an objective is made for."""

    labels: tuple[str, ...]  # to tell apart
    dimension: int  # d of label embeddings
    margin: float = losses.MARGIN  # of Eq. 3 and Eq. 5
    seed: int = 0  # of random rotations
    before: Readout | None = None  # answered so far; labels keep what they had there


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

    def _answer(self) -> dict[str, Tensor]:
        """Return the tensors of the readout by name."""
        raise NotImplementedError


class SameLabels(Objective):
    """Eq. 5: attract samples of one label, keep others a margin apart."""

    def _loss(self, label_embeddings: Tensor, targets: Tensor) -> Tensor:
        return losses.pairwise_label_loss(label_embeddings, targets, self.margin)


class BalancedLabels(Objective):
    """Eq. 5 with equal weight for every label."""

    def _loss(self, label_embeddings: Tensor, targets: Tensor) -> Tensor:
        return losses.balanced_label_loss(label_embeddings, targets, self.margin)


class RandomLabels(Objective):
    """Eq. 3: attract samples to their label's fixed random rotation, repel from the others."""

    rotations: Tensor

    def __init__(self, task: Task):
        super().__init__(task)
        self.register_buffer("rotations", label_rotations(task))

    def _loss(self, label_embeddings: Tensor, targets: Tensor) -> Tensor:
        return losses.random_label_loss(label_embeddings, targets, self.rotations, self.margin)

    def _answer(self) -> dict[str, Tensor]:
        return {"rotations": self.rotations}


class MixedLabels(RandomLabels):
    """Eq. 5 plus Eq. 3."""

    def _loss(self, label_embeddings: Tensor, targets: Tensor) -> Tensor:
        pairwise = losses.pairwise_label_loss(label_embeddings, targets, self.margin)
        return pairwise + super()._loss(label_embeddings, targets)


class Head(Objective):
    """Cross entropy of a linear classification head."""

    scale = 1.0

    def __init__(self, task: Task):
        super().__init__(task)
        self.head = torch.nn.Linear(task.dimension, len(task.labels))

    def _loss(self, label_embeddings: Tensor, targets: Tensor) -> Tensor:
        return functional.cross_entropy(self.scale * self.head(label_embeddings), targets)

    def _answer(self) -> dict[str, Tensor]:
        return {"weight": self.scale * self.head.weight, "bias": self.scale * self.head.bias}


class ScaledHead(Head):
    """`Head` with steeper logits: unit embeddings give small ones."""

    scale = 1 / 0.07  # a usual temperature of contrastive learning on cosines


SCALE = 14.0
"""Factor of `RolesHead`'s logits: label embeddings of unit embeddings have small coordinates."""
HIDDEN = 512
"""Hidden units of `RolesHead`."""


class RolesHead(Objective):
    """Cross entropy of a linear head and a hidden layer.

    The linear part starts with what the geometry says: h ∘ p̄, the first half of the complex
    coordinates, is real and positive where the hypothesis says the same as the premise. Labels
    that were answered before keep their weights.
    """

    def __init__(self, task: Task):
        super().__init__(task)
        labels, dimension = len(task.labels), task.dimension
        self.spread = (dimension / 4) ** 0.5
        self.direct = torch.nn.Linear(dimension, labels)
        self.inner = torch.nn.Linear(dimension, HIDDEN)
        self.outer = torch.nn.Linear(HIDDEN, labels, bias=False)
        with torch.no_grad():
            for weights in (self.direct.weight, self.direct.bias, self.outer.weight):
                weights.zero_()
            for row, label in enumerate(task.labels):
                sign = {ENTAILMENT: 1.0, CONTRADICTION: -1.0}.get(label, 0.0)
                self.direct.weight[row, : dimension // 4] = sign
            if isinstance(task.before, RolesReadout):
                self._continue(task.before)

    def _continue(self, before: RolesReadout) -> None:
        self.inner.weight.copy_(before.inner)
        self.inner.bias.copy_(before.inner_bias)
        for row, label in enumerate(self.labels):
            if label in before.labels:
                old = before.labels.index(label)
                self.direct.weight[row] = before.weight[old] * self.spread / SCALE
                self.direct.bias[row] = before.bias[old] / SCALE
                self.outer.weight[row] = before.outer[old]

    def logits(self, label_embeddings: Tensor) -> Tensor:
        """Return logits (n, L) of label embeddings (n, d)."""
        hidden = functional.gelu(self.inner(label_embeddings))
        direct = functional.linear(label_embeddings / self.spread, self.direct.weight)
        return SCALE * (direct + self.direct.bias) + self.outer(hidden)

    def _loss(self, label_embeddings: Tensor, targets: Tensor) -> Tensor:
        return functional.cross_entropy(self.logits(label_embeddings), targets)

    def _answer(self) -> dict[str, Tensor]:
        return {
            "weight": SCALE / self.spread * self.direct.weight,
            "bias": SCALE * self.direct.bias,
            "inner": self.inner.weight,
            "inner_bias": self.inner.bias,
            "outer": self.outer.weight,
        }


def label_rotations(task: Task) -> Tensor:
    """Return one fixed rotation per label (L, d): the label's earlier one, else a random one.

    A rotation defines what a label means to an encoder. With another rotation, an encoder that
    continues training would have to unlearn that.
    """
    had: dict[str, Tensor] = {}
    if isinstance(task.before, RotationReadout):
        had = dict(zip(task.before.labels, task.before.rotations, strict=True))
    drawn = geometry.random_rotations(len(task.labels) + len(had), task.dimension, task.seed)
    taken = [rotation.to(drawn) for rotation in had.values()]
    free = (row for row in drawn if not any(torch.equal(row, own) for own in taken))
    return torch.stack(
        [had[label].to(drawn) if label in had else next(free) for label in task.labels]
    )


Reading = Literal["apart", "together", "in roles"]

PLACEHOLDERS = ("x", "z")
"""Single letters, each one token; sentences hardly ever contain them."""


def role_inputs(pair: Pair, frames: Frames | None) -> tuple[TextInput, ...]:
    """Return premise and hypothesis, each with placeholders for its arguments in both roles.

    Each comes with what the placeholders stand for, in one order, so that exchanging the roles of
    a sentence changes only its frame. Without `frames` the sentences stay as they are.
    """
    if frames is None:
        return pair.premise, pair.premise, pair.hypothesis, pair.hypothesis
    x, z = PLACEHOLDERS
    named = f"{x}: {frames.x}, {z}: {frames.y}"
    return tuple(
        (f"{fill(frame, *roles).rstrip('.')}.", named)
        for frame in (frames.premise, frames.hypothesis)
        for roles in ((x, z), (z, x))
    )


MOST_WORDS = 16
"""Words of a frame beyond which a pair is taken for another kind, such as a caption and a guess
about it. Chosen on `assets/other_pairs.csv`.
"""


def is_judged(frames: Frames | None) -> bool:
    """True if a pair is of the kind that is read in roles; a pair without frames is not.

    Both sentences name the same two things or differ in one of them only, and neither frame has
    more than `MOST_WORDS` words.
    """
    if frames is None or not (frames.has_both or frames.replaces_one):
        return False
    return max(len(frame.split()) for frame in (frames.premise, frames.hypothesis)) <= MOST_WORDS


@dataclass(frozen=True, eq=False)
class Method:
    """One way to train an encoder and to answer."""

    name: str  # it is stored under
    title: str  # to display
    # "together": premise and hypothesis are one input, whose embedding is the label embedding;
    # "apart": each is read on its own, and l = h ⊘ p (Eq. 6); "in roles": the same with h − p
    # beside it, of embeddings of each sentence with its arguments in both roles.
    reads: Reading
    minimises: type[Objective]
    answers_with: type[Readout] | None = None  # None if neighbours answer

    def inputs(self, pairs: Sequence[Pair]) -> list[TextInput]:
        """Return what the encoder reads: 1, 2 or 4 inputs per pair, ordered by input, then pair."""
        if self.reads == "together":
            return [(pair.premise, pair.hypothesis) for pair in pairs]
        if self.reads == "apart":
            return [*(pair.premise for pair in pairs), *(pair.hypothesis for pair in pairs)]
        rows = map(role_inputs, pairs, find_many(pairs))
        return [text for part in zip(*rows, strict=True) for text in part]

    def label_embeddings(self, embeddings: Tensor, quotient: Quotient = "conjugate") -> Tensor:
        """Return label embeddings (n, d) from the encoder's embeddings of `inputs`."""
        if self.reads == "together":
            return embeddings
        if self.reads == "apart":
            premises, hypotheses = embeddings.chunk(2)
            return geometry.label_embedding(premises, hypotheses, quotient)
        one, two, three, four = embeddings.chunk(4)
        return geometry.ordered_label_embedding(
            geometry.role_embedding(one, two), geometry.role_embedding(three, four)
        )

    def dimension(self, encoder: int) -> int:
        """Return the dimension of label embeddings by an encoder of dimension `encoder`."""
        return 4 * encoder if self.reads == "in roles" else encoder

    def has_rotation(self, quotient: Quotient) -> bool:
        """True if a label embedding is a rotation between two sentences (Eq. 6)."""
        return self.reads != "together" and quotient != "real"

    def objective(self, task: Task, loss: str = "contrast") -> Objective:
        """Make the objective; methods without alternatives ignore `loss`."""
        return _OTHER_LOSSES.get((self.minimises, loss), self.minimises)(task)

    def readout(self, objective: Objective) -> Readout | None:
        """Return the readout of a trained objective; None if neighbours answer."""
        return self.answers_with.of(objective) if self.answers_with else None


_OTHER_LOSSES: Mapping[tuple[type[Objective], str], type[Objective]] = {
    (SameLabels, "balanced"): BalancedLabels,
    (SameLabels, "mixed"): MixedLabels,
    (SameLabels, "scaled"): ScaledHead,
    (Head, "scaled"): ScaledHead,
}
"""Instead of an objective, by `TrainingConfig.loss`."""

RANDOM_LABEL_EMBEDDINGS = Method(
    "random-label-embeddings", "Random label embeddings", "apart", RandomLabels, RotationReadout
)
KNN = Method("knn", "k-NN", "apart", SameLabels)
KNN_LEARNT_METRIC = Method("knn-learnt-metric", "k-NN, learnt metric", "together", SameLabels)
FINE_TUNING = Method("fine-tuning", "Fine-tuning", "together", Head, HeadReadout)
CONJUGATE = Method("conjugate", "Conjugate roles", "in roles", RolesHead, RolesReadout)

_PAPER = (RANDOM_LABEL_EMBEDDINGS, KNN, KNN_LEARNT_METRIC, FINE_TUNING)
_ALL = {m.name: m for m in (*_PAPER, CONJUGATE)}
METHODS: tuple[str, ...] = tuple(_ALL)
"""The names of all methods."""
PAPER_METHODS: tuple[str, ...] = tuple(method.name for method in _PAPER)
"""The names of the paper's methods."""


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
    batch_size: int = 64,
) -> np.ndarray:
    """Return label embeddings (n, d), float32, of any number of pairs, without gradients.

    In roles, a pair that is not judged (`is_judged`) has the label embedding 0.
    """
    own = find_method(method)
    if own.reads != "in roles":
        rows = torch.from_numpy(encoder.encode(own.inputs(pairs), batch_size, progress))
        return own.label_embeddings(rows, quotient).numpy()
    found = find_many(pairs)
    known = [row for row, frames in enumerate(found) if is_judged(frames)]
    embeddings = np.zeros((len(pairs), own.dimension(encoder.dimension)), np.float32)
    if known:
        parts = zip(*(role_inputs(pairs[row], found[row]) for row in known), strict=True)
        inputs = [text for part in parts for text in part]
        rows = torch.from_numpy(encoder.encode(inputs, batch_size, progress))
        embeddings[known] = own.label_embeddings(rows, quotient).numpy()
    return embeddings


def load_readout(
    method: str, labels: Sequence[str], dimension: int, tensors: Mapping[str, Tensor]
) -> Readout | None:
    """Rebuild the readout of a stored model; None if neighbours answer.

    Raises:
        ModelError: a tensor is missing, foreign, or of another shape.
    """
    kind = find_method(method).answers_with
    size = {"L": len(labels), "d": dimension, "H": HIDDEN}
    expected = {
        name: tuple(size[n] for n in shape) for name, shape in (kind.shapes if kind else {}).items()
    }
    if (seen := {name: tuple(tensor.shape) for name, tensor in tensors.items()}) != expected:
        raise ModelError(f"The head has the tensors {seen}; {method} expects {expected}.")
    return kind(labels=tuple(labels), **tensors) if kind else None
