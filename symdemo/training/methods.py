"""The paper's four methods (Table 1): how each embeds a pair, what it minimises, how it answers.

| name                      | encodes  | trains           | objective     | answers by         |
|---------------------------|----------|------------------|---------------|--------------------|
| `random-label-embeddings` | apart    | encoder          | Eq. 3         | nearest rotation   |
| `knn`                     | apart    | encoder          | Eq. 5         | vote of neighbours |
| `knn-learnt-metric`       | together | encoder          | Eq. 5         | vote of neighbours |
| `fine-tuning`             | together | encoder and head | cross entropy | largest logit      |

Each is one object, which says all of that; another method is another object in `_ALL`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import torch
from torch import Tensor

from symdemo.encoders import Encoder, TextInput
from symdemo.encoders.encoder import Embedder
from symdemo.errors import InputError, ModelError
from symdemo.geometry import Quotient, label_embedding
from symdemo.pairs import Pair
from symdemo.training.objectives import (
    BalancedLabels,
    Head,
    MixedLabels,
    Objective,
    Prototypes,
    RandomLabels,
    SameLabels,
    ScaledHead,
    Task,
)
from symdemo.training.readouts import HeadReadout, Readout, RotationReadout


class Reading(Protocol):
    """How an encoder is shown pairs, and the label embeddings that follow."""

    together: bool

    def inputs(self, pairs: Sequence[Pair]) -> list[TextInput]:
        """What to encode of n pairs."""

    def label_embeddings(self, embeddings: Tensor, quotient: Quotient) -> Tensor:
        """Label embeddings (n, d), from the embeddings (m, d) of the m `inputs` of n pairs."""


class Together:
    """Premise and hypothesis as one input: a label embedding is what the encoder makes of it."""

    together = True

    def inputs(self, pairs: Sequence[Pair]) -> list[TextInput]:
        """n pairs of sentences."""
        return [(pair.premise, pair.hypothesis) for pair in pairs]

    def label_embeddings(self, embeddings: Tensor, quotient: Quotient) -> Tensor:
        """The embeddings (n, d) themselves."""
        return embeddings


class Apart:
    """Each sentence by itself: a label embedding is l = h ⊘ p of the two (Eq. 6)."""

    together = False

    def inputs(self, pairs: Sequence[Pair]) -> list[TextInput]:
        """n premises, then n hypotheses."""
        return [*(pair.premise for pair in pairs), *(pair.hypothesis for pair in pairs)]

    def label_embeddings(self, embeddings: Tensor, quotient: Quotient) -> Tensor:
        """h ⊘ p (n, d), of premises and hypotheses (2n, d)."""
        premises, hypotheses = embeddings.chunk(2)
        return label_embedding(premises, hypotheses, quotient)


@dataclass(frozen=True, eq=False)
class Method:
    """One way to teach an encoder and to answer.

    Attributes:
        name: by which it is asked for and stored.
        title: the same, to be read.
        reads: how the encoder is shown pairs.
        minimises: the objective.
        other_losses: objectives that take its place, by the name of `TrainingConfig.loss`.
        answers_with: the readout; None where neighbours answer.
    """

    name: str
    title: str
    reads: Reading
    minimises: type[Objective]
    other_losses: Mapping[str, type[Objective]] = field(default_factory=dict)
    answers_with: type[RotationReadout | HeadReadout] | None = None

    def embed(
        self, encoder: Embedder, pairs: Sequence[Pair], quotient: Quotient = "conjugate"
    ) -> Tensor:
        """Label embeddings (n, d) of a batch of pairs, with gradients where they are enabled."""
        return self.reads.label_embeddings(encoder.forward(self.reads.inputs(pairs)), quotient)

    def encode(
        self,
        encoder: Encoder,
        pairs: Sequence[Pair],
        quotient: Quotient = "conjugate",
        progress: Callable[[int, int], None] | None = None,
    ) -> np.ndarray:
        """Label embeddings (n, d), float32, of any number of pairs, without gradients.

        The same vectors as `embed`, but in batches of like length and each input once.
        """
        rows = torch.from_numpy(encoder.encode(self.reads.inputs(pairs), progress=progress))
        return self.reads.label_embeddings(rows, quotient).numpy()

    def has_rotation(self, quotient: Quotient) -> bool:
        """Whether a label embedding is a rotation between two sentences (Eq. 6)."""
        return not self.reads.together and quotient != "real"

    def objective(self, task: Task, loss: str = "contrast") -> Objective:
        """What to minimise; `loss`, as in `TrainingConfig`, is for methods with other losses."""
        return self.other_losses.get(loss, self.minimises)(task)

    def readout(self, objective: Objective) -> Readout | None:
        """What a model trained with `objective` answers with; None where its neighbours answer."""
        return self.answers_with.of(objective.labels, objective) if self.answers_with else None


_OTHER_LOSSES = {"balanced": BalancedLabels, "mixed": MixedLabels, "prototypes": Prototypes}

RANDOM_LABEL_EMBEDDINGS = Method(
    name="random-label-embeddings",
    title="Random label embeddings",
    reads=Apart(),
    minimises=RandomLabels,
    answers_with=RotationReadout,
)
KNN = Method(
    name="knn",
    title="k-NN",
    reads=Apart(),
    minimises=SameLabels,
    other_losses=_OTHER_LOSSES,
)
KNN_LEARNT_METRIC = Method(
    name="knn-learnt-metric",
    title="k-NN, learnt metric",
    reads=Together(),
    minimises=SameLabels,
    other_losses=_OTHER_LOSSES,
)
FINE_TUNING = Method(
    name="fine-tuning",
    title="Fine-tuning",
    reads=Together(),
    minimises=Head,
    other_losses={"scaled": ScaledHead},
    answers_with=HeadReadout,
)

_ALL = {
    method.name: method for method in (RANDOM_LABEL_EMBEDDINGS, KNN, KNN_LEARNT_METRIC, FINE_TUNING)
}
METHODS: tuple[str, ...] = tuple(_ALL)
"""The names of all methods."""


def find_method(name: str) -> Method:
    """The method called `name`, or an `InputError` that says which there are."""
    if name not in _ALL:
        raise InputError(f"The method “{name}” is unknown; expected: {', '.join(_ALL)}.")
    return _ALL[name]


def check_method(name: str) -> str:
    """Return `name` if it is that of a method, or raise `InputError`."""
    return find_method(name).name


def encode_pairs(
    encoder: Encoder,
    pairs: Sequence[Pair],
    method: str,
    quotient: Quotient = "conjugate",
    progress: Callable[[int, int], None] | None = None,
) -> np.ndarray:
    """`Method.encode` by the method's name."""
    return find_method(method).encode(encoder, pairs, quotient, progress)


def load_readout(
    method: str, labels: Sequence[str], tensors: Mapping[str, Tensor]
) -> Readout | None:
    """The readout of a stored model; None for the methods that answer by neighbours.

    Raises:
        ModelError: tensors missing, foreign, or not a row for each label.
    """
    kind = find_method(method).answers_with
    expected = set(kind.__annotations__) - {"labels"} if kind else set()
    if set(tensors) != expected:
        raise ModelError(
            f"The head has the tensors {sorted(tensors)}; {method} expects {sorted(expected)}."
        )
    for name, tensor in tensors.items():
        if tensor.dim() != (1 if name == "bias" else 2):
            raise ModelError(f"The head's {name} has the shape {tuple(tensor.shape)}.")
        if len(tensor) != len(labels):
            raise ModelError(f"The head's {name} has {len(tensor)} rows for {len(labels)} labels.")
    return kind(labels=tuple(labels), **tensors) if kind else None
