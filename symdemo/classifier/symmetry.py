"""`SymmetryClassifier`: an encoder, what it was taught, and the verdicts that follow."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from symdemo import __version__
from symdemo.classifier.answering import Silent, answer
from symdemo.classifier.card import ModelCard
from symdemo.classifier.checkpoints import ModelParts, load_parts, push_parts, save_parts
from symdemo.classifier.index import LabelIndex
from symdemo.classifier.prediction import Predictions
from symdemo.encoders import Encoder, load_encoder
from symdemo.errors import InputError
from symdemo.pairs import Pair, check_pair, hash_pairs
from symdemo.training.config import TrainingConfig, defaults
from symdemo.training.loop import TrainingStep, train_encoder
from symdemo.training.methods import KNN, Readout, check_method, encode_pairs, find_method


@dataclass(frozen=True, eq=False)
class SymmetryClassifier:
    """Says of a premise and its hypothesis: entailment, contradiction, or any label it was taught.

    Immutable: `teach` and `fit` return new classifiers and leave this one as it is.

    Attributes:
        encoder: the (retrained) sentence encoder, for any other use too.
        index: the taught pairs and their label embeddings.
        readout: what answers instead of neighbours, for the methods that have it.
        card: who made it from what, and its scores.
    """

    encoder: Encoder
    index: LabelIndex
    card: ModelCard
    readout: Readout | None = None

    @classmethod
    def from_encoder(
        cls, encoder: Encoder | str | Path, method: str = KNN.name, name: str | None = None
    ) -> SymmetryClassifier:
        """An untaught classifier on an untouched encoder: where `teach` and `fit` start."""
        if isinstance(encoder, str | Path):
            encoder = load_encoder(encoder)
        card = ModelCard(
            name=name or encoder.name,
            summary="Taught nothing yet.",
            method=check_method(method),
            encoder=encoder.name,
            base_hash=encoder.base_hash,
            labels=(),
            made_with=__version__,
        )
        return cls(encoder, LabelIndex((), np.empty((0, encoder.dimension), np.float32)), card)

    @classmethod
    def from_pretrained(
        cls, name: str | Path, device: str | None = None, inference_only: bool = False
    ) -> SymmetryClassifier:
        """Load a model by its name in `models/`, by folder, or by hub id.

        Args:
            name: which model.
            device: where to put it; the best there is if None.
            inference_only: it will be asked, or taught at once, but neither retrained nor saved;
                that loads faster.

        Raises:
            InputError: a device that is unknown, or not here.
            ModelError: there is no such model, or it is damaged.
        """
        return cls(*load_parts(name, device, inference_only))

    def save_pretrained(
        self, folder: str | Path, overwrite: bool = False, shared: Path | None = None
    ) -> None:
        """Write a model folder (JSON and safetensors only), whole or not at all.

        Models that give the same folder for `shared` keep equal weights once, as links.
        """
        save_parts(self._parts(), folder, overwrite, shared)

    def push_to_hub(self, repo_id: str, token: str | None = None, private: bool = True) -> str:
        """Upload the model folder to the hub and return its address."""
        return push_parts(self._parts(), repo_id, token, private)

    def _parts(self) -> ModelParts:
        return ModelParts(self.encoder, self.index, self.card, self.readout)

    @property
    def method(self) -> str:
        """One of `methods.METHODS`."""
        return self.card.method

    @property
    def labels(self) -> tuple[str, ...]:
        """Every label it can answer with."""
        return self.readout.labels if self.readout else self.index.labels

    def embed(self, pairs: Sequence[Pair], progress: Callable | None = None) -> np.ndarray:
        """Label embeddings (n, d), float32, of any number of pairs."""
        return encode_pairs(self.encoder, pairs, self.method, self.card.quotient, progress)

    def predict(self, pairs: Sequence[Pair], k: int | None = None) -> Predictions:
        """Verdicts on pairs, in order: a sequence of `Prediction`, kept as columns.

        Args:
            pairs: premises and hypotheses; labels they may carry are not looked at.
            k: how many neighbours to consult; the card's number if None. Where all taught pairs
                vote (`card.temperature`), or a readout answers, they are only listed.

        Raises:
            InputError: a sentence that cannot be read, or a hypothesis equal to its premise.
            ModelError: nothing was taught yet.
        """
        pairs = [self.check(pair) for pair in pairs]
        return self.predict_embedded(pairs, self.embed(pairs), k)

    def with_card(self, **changes) -> SymmetryClassifier:
        """The same with another card: some of its fields changed."""
        return replace(self, card=self.card.with_(**changes))

    def with_encoder(self, encoder: Encoder) -> SymmetryClassifier:
        """The same on an encoder with other weights: its memory is encoded anew."""
        embeddings = encode_pairs(encoder, self.index.pairs, self.method, self.card.quotient)
        index = LabelIndex(self.index.pairs, embeddings, self.index.later)
        return replace(self, encoder=encoder, index=index)

    def check(self, pair: Pair) -> Pair:
        """The pair tidied, or an `InputError` that says why it cannot be judged."""
        pair = check_pair(pair)
        self.encoder.check(pair.premise, "premise")
        self.encoder.check(pair.hypothesis, "hypothesis")
        if find_method(self.method).reads.together:
            self.encoder.check_together(pair.premise, pair.hypothesis)
        return pair

    def predict_embedded(
        self,
        pairs: Sequence[Pair],
        label_embeddings: np.ndarray,
        k: int | None = None,
        silent: Silent | None = None,
    ) -> Predictions:
        """Verdicts for label embeddings (n, d) that are already there.

        Args:
            pairs: what is asked.
            label_embeddings: of these.
            k: as in `predict`.
            silent: which taught pairs are to have no say; see `answering.answer`.
        """
        return answer(self.index, self.card, self.readout, pairs, label_embeddings, k, silent)

    def teach(self, pairs: Sequence[Pair]) -> SymmetryClassifier:
        """Instant teaching (section 2.3): new neighbours and new labels, no gradient step.

        Raises:
            InputError: a method that does not answer by neighbours, or pairs that cannot be read.
        """
        if self.readout:
            raise InputError(
                f"A {self.method} model answers by fixed labels, so it cannot be taught without "
                f"retraining; use fit(), or a {KNN.name} model."
            )
        pairs = [self.check(pair) for pair in pairs]
        index = self.index.add(pairs, self.embed(pairs))
        card = self.card.with_(labels=index.labels, data=_describe(index.pairs), scores={})
        return SymmetryClassifier(self.encoder, index, card)

    def fit(
        self,
        pairs: Sequence[Pair],
        method: str | None = None,
        config: TrainingConfig | None = None,
        callback: Callable[[TrainingStep], None] | None = None,
        should_stop: Callable[[], bool] | None = None,
        name: str | None = None,
        remembered: Sequence[Pair] | None = None,
    ) -> SymmetryClassifier:
        """Few-shot retraining: a new classifier whose encoder has learnt from `pairs`.

        What the new one knows is `pairs` alone; join `self.index.pairs` to them to keep the rest.
        Labels that had a random rotation keep it.

        Args:
            pairs: labelled pairs, of two labels at least.
            method: one of `methods.METHODS`; this classifier's own if None.
            config: hyperparameters; the method's measured defaults for this encoder if None.
            callback: told of every step.
            should_stop: asked before every step; True keeps what has been learnt so far.
            name: of the new model.
            remembered: what its index holds; all of `pairs` if None.
        """
        method = check_method(method or self.method)
        config = config or defaults(method, self.encoder)
        pairs = [self.check(pair) for pair in pairs]
        result = train_encoder(
            self.encoder, pairs, method, config, callback, should_stop, before=self.readout
        )
        remembered = pairs if remembered is None else [self.check(pair) for pair in remembered]
        embeddings = encode_pairs(result.encoder, remembered, method, config.quotient)
        index = LabelIndex(remembered, embeddings)
        card = ModelCard(
            name=name or f"{self.encoder.name} {method}",
            summary="",
            method=method,
            encoder=self.card.encoder,
            base_hash=self.card.base_hash,
            labels=result.readout.labels if result.readout else index.labels,
            quotient=config.quotient,
            seed=config.seed,
            training=config.values()
            | {
                "steps": len(result.history),
                "seconds": round(result.seconds, 2),
                "stopped": result.stopped,
            },
            data=_describe(pairs),
            made_with=__version__,
            parent=self.card.name if len(self.index) else None,
        )
        return SymmetryClassifier(result.encoder, index, card, result.readout)


def _describe(pairs: Sequence[Pair]) -> dict:
    relations = {pair.relation for pair in pairs if pair.relation}
    return {"hash": hash_pairs(pairs), "pairs": len(pairs), "relations": len(relations)}
