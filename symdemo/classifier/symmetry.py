"""`SymmetryClassifier`: an encoder and what it was taught; and a cache of classifiers."""

from __future__ import annotations

import copy
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from symdemo import __version__
from symdemo.classifier.card import ModelCard
from symdemo.classifier.checkpoints import ModelParts, load_parts, push_parts, save_parts
from symdemo.classifier.index import LabelIndex
from symdemo.classifier.prediction import Predictions, Silent, answer, close_calls
from symdemo.encoders import Encoder, load_encoder, pick_device
from symdemo.encoders.backends import TORCH
from symdemo.errors import InputError
from symdemo.jobs.reporting import progress_bar
from symdemo.pairs import Pair, check_pair, hash_pairs, labels_of, shorten
from symdemo.training import methods

if TYPE_CHECKING:
    from symdemo.training.config import TrainingConfig
    from symdemo.training.loop import TrainingStep


@dataclass(eq=False, repr=False)  # not frozen: Pipeline sets attributes of its own
class SymmetryClassifier:
    """Predicts entailment, contradiction or any other taught label for a premise and a hypothesis.

    Immutable: `teach` and `fit` return new classifiers. Only `fit` with labels, as scikit-learn's
    `Pipeline` and `cross_val_score` call it, changes the classifier itself.

    Attributes:
        encoder: the (retrained) sentence encoder, also for any other use.
        index: the taught pairs and their label embeddings.
        card: the model's description and scores.
        readout: answers instead of neighbours, in methods that have one.
    """

    encoder: Encoder
    index: LabelIndex
    card: ModelCard
    readout: methods.Readout | None = None

    @classmethod
    def from_encoder(
        cls, encoder: Encoder | str | Path, method: str = methods.KNN.name, name: str | None = None
    ) -> SymmetryClassifier:
        """Return an untaught classifier, to start `teach` and `fit` from.

        Args:
            encoder: an encoder, or a name for `load_encoder`.
            method: one of `methods.METHODS`.
            name: the name of the classifier; the encoder's if None.

        Raises:
            InputError: an unknown method.
            ModelError: the encoder cannot be loaded.
        """
        if isinstance(encoder, str | Path):
            encoder = load_encoder(encoder)
        card = ModelCard(
            name or encoder.name, methods.check_method(method), encoder.name, encoder.base_hash, (),
            summary="Taught nothing yet.", made_with=__version__,
        )  # fmt: skip
        dimension = methods.find_method(card.method).dimension(encoder.dimension)
        return cls(encoder, LabelIndex((), np.empty((0, dimension), np.float32)), card)

    @classmethod
    def from_pretrained(
        cls,
        name: str | Path,
        device: str | None = None,
        inference_only: bool = False,
        backend: str = TORCH,
    ) -> SymmetryClassifier:
        """Load a model by its name in `models/`, by folder, or by hub id.

        Args:
            name: the model.
            device: where to put it; the best available one if None.
            inference_only: load faster; the model can predict and `teach`, but not `fit` or be
                saved.
            backend: what runs the encoder: “torch”, “onnx” (several times as fast on a CPU), or
                “auto”, the quickest that is installed. Any but torch means `inference_only`.

        Raises:
            InputError: an unknown or unavailable device or backend.
            ModelError: there is no such model, or it is damaged.
        """
        return cls(*load_parts(name, device, inference_only, backend))

    def save_pretrained(
        self,
        folder: str | Path,
        overwrite: bool = False,
        shared: Path | None = None,
        whole: bool = True,
    ) -> None:
        """Write a model folder (JSON and safetensors only), atomically.

        Args:
            folder: its place.
            overwrite: replace a model that is there.
            shared: a folder that stores equal weights of many models once; None to store them here.
            whole: also store the whole encoder, so that `SentenceTransformer(folder)` loads it.

        Raises:
            InputError: the folder is not empty and `overwrite` is not set, or it holds no model.
        """
        parts = ModelParts(self.encoder, self.index, self.card, self.readout)
        save_parts(parts, folder, overwrite, shared, whole)

    def push_to_hub(self, repo_id: str, token: str | None = None, private: bool = True) -> str:
        """Upload the model folder to the hub and return its URL.

        Raises:
            ModelError: not logged in, or the hub cannot be reached.
        """
        parts = ModelParts(self.encoder, self.index, self.card, self.readout)
        return push_parts(parts, repo_id, token, private)

    def __repr__(self) -> str:
        return (
            f"SymmetryClassifier({self.card.name!r}, method={self.method!r}, "
            f"encoder={self.encoder.name!r}, labels={self.labels}, {len(self.index):,} pairs)"
        )

    def to(self, device: str) -> SymmetryClassifier:
        """Move the encoder to a device, such as cpu, cuda or mps; return this classifier."""
        self.encoder.to(pick_device(str(device)))
        return self

    @property
    def method(self) -> str:
        """One of `methods.METHODS`."""
        return self.card.method

    @property
    def labels(self) -> tuple[str, ...]:
        """All labels it can predict."""
        if self.readout is None:
            return self.index.labels
        return tuple(dict.fromkeys((*self.readout.labels, *self.index.later_labels)))

    @property
    def classes_(self) -> np.ndarray:
        """The labels in the order of `predict_proba`: sorted, as scikit-learn has them."""
        return np.array(sorted(self.labels))

    @property
    def judges_any_pair(self) -> bool:
        """True if it was made for any two sentences about the same two things, not only swaps."""
        return methods.find_method(self.method).reads == "in roles"

    def embed(self, pairs: Sequence[Pair]) -> np.ndarray:
        """Return label embeddings (n, d), float32: those of `predict_checked`."""
        if self.encoder.exact is self.encoder or not len(self.index):
            return self._read_with(self.encoder, pairs)
        return self.predict_checked(pairs, 1).label_embeddings

    def _read_with(
        self,
        encoder: Encoder,
        pairs: Sequence[Pair],
        progress: Callable | None = None,
        batch_size: int = 64,
    ) -> np.ndarray:
        quotient = self.card.quotient
        return methods.encode_pairs(encoder, pairs, self.method, quotient, progress, batch_size)

    def predict(
        self,
        pairs: Sequence[Pair | tuple[str, str] | str],
        k: int | None = None,
        batch_size: int = 64,
        show_progress_bar: bool = False,
    ) -> Predictions:
        """Predict pairs: a sequence of `Prediction`, in order, stored as columns.

        Args:
            pairs: a list of pairs, whose labels are ignored, of (premise, hypothesis) tuples, or of
                sentences, whose hypothesis is made by swapping; also an array or a DataFrame.
            k: number of neighbours; the card's if None. If all taught pairs vote
                (`card.temperature`) or a readout answers, neighbours are only listed.
            batch_size: inputs per forward pass of the encoder.
            show_progress_bar: draw one.

        Raises:
            InputError: another input, or a sentence that cannot be read; the message says which.
            ModelError: nothing was taught yet.
        """
        checked = self._read(pairs)
        progress = progress_bar("Sentences") if show_progress_bar else None
        return self.predict_checked(checked, k, progress, batch_size)

    def predict_proba(self, pairs: Sequence[Pair | tuple[str, str] | str]) -> np.ndarray:
        """Return the probabilities (n, L) of the labels `classes_`; arguments as `predict`."""
        found = self.predict(pairs)
        return found.probabilities[:, [found.labels.index(label) for label in self.classes_]]

    def score(
        self, pairs: Sequence[Pair | tuple[str, str] | str], y: Sequence | None = None
    ) -> float:
        """Return the accuracy on pairs, with the labels `y` or their own.

        Raises:
            InputError: as `predict`, or a pair without a label.
        """
        from sklearn.metrics import accuracy_score

        checked = self._read(pairs)
        labels = labels_of(checked) if y is None else list(map(str, y))
        return float(accuracy_score(labels, self.predict(checked).verdict_labels))

    def with_card(self, **changes) -> SymmetryClassifier:
        """Return a copy with some fields of the card changed."""
        return replace(self, card=self.card.with_(**changes))

    def check(self, pair: Pair) -> Pair:
        """Return the pair tidied, or raise `InputError` if it cannot be predicted."""
        pair = check_pair(pair)
        self.encoder.check(pair.premise, "premise")
        self.encoder.check(pair.hypothesis, "hypothesis")
        if methods.find_method(self.method).reads == "together":
            self.encoder.check_together(pair.premise, pair.hypothesis)
        return pair

    def _read(self, inputs: Any) -> list[Pair]:
        """Return checked pairs of any input of `predict`; an error names its place."""
        items, pairs = _items(inputs), []
        for place, item in enumerate(items):
            try:
                pairs.append(self.check(_as_pair(item)))
            except InputError as error:
                if len(items) == 1:
                    raise
                raise InputError(f"pairs[{place}]: {error}") from error
        return pairs

    def predict_checked(
        self,
        pairs: Sequence[Pair],
        k: int | None = None,
        progress: Callable | None = None,
        batch_size: int = 64,
    ) -> Predictions:
        """Predict pairs without checking them; arguments and errors as `predict`.

        What a backend's rounding could change is encoded again without it: verdicts stay the same.
        """
        vectors = self._read_with(self.encoder, pairs, progress, batch_size)
        found = self.predict_embedded(pairs, vectors, k)
        if self.encoder.exact is not self.encoder:
            rows = close_calls(found, self.card, self.readout)
            again = [pairs[row] for row in rows]
            vectors = self._read_with(self.encoder.unrounded, again, None, batch_size)
            found.replace(rows, self.predict_embedded(again, vectors, k))
        return found

    def predict_embedded(
        self,
        pairs: Sequence[Pair],
        label_embeddings: np.ndarray,
        k: int | None = None,
        silent: Silent | None = None,
    ) -> Predictions:
        """Predict pairs from their label embeddings (n, d), without checking them.

        Args and errors as `prediction.answer`.
        """
        return answer(self.index, self.card, self.readout, pairs, label_embeddings, k, silent)

    def keeping(self, keep: Callable[[Pair], bool]) -> SymmetryClassifier:
        """Return the classifier with only those taught pairs for which `keep` is true."""
        rows = [row for row, pair in enumerate(self.index.pairs) if keep(pair)]
        whole = len(rows) == len(self.index)
        return self if whole else replace(self, index=self.index.select(rows))

    def teach(self, pairs: Sequence[Pair]) -> SymmetryClassifier:
        """Add pairs as neighbours, with new labels if any, without a gradient step (section 2.3).

        Raises:
            InputError: the method does not answer by neighbours, or a pair cannot be read.
        """
        if self.readout and not isinstance(self.readout, methods.RolesReadout):
            raise InputError(
                f"A {self.method} model answers by fixed labels, so it cannot be taught without "
                f"retraining; use fit(), or a {methods.KNN.name} model."
            )
        pairs = self._read(pairs)
        index = self.index.add(pairs, self._read_with(self.encoder.exact, pairs))
        labels = index.labels if self.readout is None else self.card.labels
        card = self.card.with_(labels=labels, data=_describe(index.pairs), scores={})
        return SymmetryClassifier(self.encoder, index, card, self.readout)

    def fit(
        self,
        pairs: Sequence[Pair | tuple[str, str] | str],
        y: Sequence | str | None = None,
        config: TrainingConfig | None = None,
        callback: Callable[[TrainingStep], None] | None = None,
        should_stop: Callable[[], bool] | None = None,
        name: str | None = None,
        remembered: Sequence[Pair] | None = None,
        method: str | None = None,
    ) -> SymmetryClassifier:
        """Retrain a copy of the encoder on few pairs and return the new classifier.

        It is taught `pairs` alone; add `self.index.pairs` to keep the earlier ones. Labels that
        have a random rotation keep it.

        Args:
            pairs: labelled pairs with at least two labels.
            y: labels in place of the pairs' own; this classifier itself becomes the new one. To
                cross-validate, begin with `from_encoder`: a trained encoder keeps what it learnt.
            config: hyperparameters; the measured defaults for method and encoder if None.
            callback: called after every step.
            should_stop: called before every step; True ends training and keeps what is learnt.
            name: the name of the new model.
            remembered: pairs for its index; all of `pairs` if None.
            method: one of `methods.METHODS`; this classifier's if None. May be given as `y`.

        Raises:
            InputError: fewer than two labels, or a pair without one or that cannot be read.
            ModelError: the encoder cannot be trained.
        """
        from symdemo.training.config import defaults
        from symdemo.training.loop import train_encoder

        if isinstance(y, str):  # `fit(pairs, "knn")`
            y, method = None, y
        method = methods.check_method(method or self.method)
        config = config or defaults(method, self.encoder)
        taught = self._read(pairs)
        if y is not None:
            taught = [replace(pair, label=str(own)) for pair, own in zip(taught, y, strict=True)]
        result = train_encoder(
            self.encoder, taught, method, config, callback, should_stop, before=self.readout
        )
        seconds = round(result.seconds, 2)
        made = {"steps": len(result.history), "seconds": seconds, "stopped": result.stopped}
        kept = taught if remembered is None else self._read(remembered)
        embeddings = methods.encode_pairs(result.encoder, kept, method, config.quotient)
        index = LabelIndex(kept, embeddings)
        card = ModelCard(
            name=name or f"{self.encoder.name} {method}",
            method=method,
            encoder=self.card.encoder,
            base_hash=self.card.base_hash,
            labels=result.readout.labels if result.readout else index.labels,
            quotient=config.quotient,
            seed=config.seed,
            training=config.values() | made,
            data=_describe(taught),
            made_with=__version__,
            parent=self.card.name if len(self.index) else None,
        )
        fitted = SymmetryClassifier(result.encoder, index, card, result.readout)
        if y is None:
            return fitted
        vars(self).update(vars(fitted))
        return self

    def __sklearn_clone__(self) -> SymmetryClassifier:
        return copy.copy(self)

    def __sklearn_is_fitted__(self) -> bool:
        return len(self.index) > 0

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import ClassifierTags, InputTags, Tags, TargetTags

        return Tags(
            estimator_type="classifier",
            target_tags=TargetTags(required=True),
            classifier_tags=ClassifierTags(),
            input_tags=InputTags(two_d_array=False, string=True),
        )


def _items(inputs: Any) -> list[Any]:
    """Return the items of a list, array, Series or DataFrame; `InputError` for a bare item."""
    texts = isinstance(inputs, tuple) and len(inputs) == 2
    texts = texts and all(isinstance(text, str) for text in inputs)
    if texts or isinstance(inputs, str | Mapping) or not isinstance(inputs, Iterable):
        kind = "tuple of two sentences" if texts else type(inputs).__name__
        raise InputError(
            f"A single {kind} was given; a list of pairs or sentences is expected, such as "
            '[("Kenya borders Uganda.", "Uganda borders Kenya.")].'
        )
    return list(inputs.to_numpy() if hasattr(inputs, "to_numpy") else inputs)


def _as_pair(item: Any) -> Pair:
    """Return a pair, two sentences or a sentence, which is swapped, as a pair."""
    if isinstance(item, Pair):
        return item
    if isinstance(item, str):
        from symdemo.swapping import swap

        swapped = swap(item)
        return Pair(swapped.premise, swapped.hypothesis)
    if isinstance(item, list | tuple | np.ndarray) and len(item) == 2:
        return Pair(*item)
    raise InputError(
        f"The item is a {type(item).__name__}, {shorten(repr(item))}; a Pair, a tuple of premise "
        "and hypothesis, or a sentence is expected."
    )


def _describe(pairs: Sequence[Pair]) -> dict:
    relations = {pair.relation for pair in pairs if pair.relation}
    return {"hash": hash_pairs(pairs), "pairs": len(pairs), "relations": len(relations)}


class ModelCache:
    """Classifiers in memory, for many threads; the least recently used is dropped first.

    A key is (project, version), or ("", name) for a base model.

    Args:
        capacity: the number of classifiers to keep.
    """

    def __init__(self, capacity: int = 4):
        self._capacity = capacity
        self._models: OrderedDict[tuple[str, str], SymmetryClassifier] = OrderedDict()
        self._guard = threading.Lock()
        self._loading = threading.Lock()

    def get(
        self, key: tuple[str, str], load: Callable[[], SymmetryClassifier]
    ) -> SymmetryClassifier:
        """Return the classifier of `key`, loading it if needed, one at a time."""
        model = self._find(key)
        if model is not None:
            return model
        with self._loading:
            model = self._find(key)
            if model is None:
                model = load()
                with self._guard:
                    self._models[key] = model
                    while len(self._models) > self._capacity:
                        self._models.popitem(last=False)
        return model

    def _find(self, key: tuple[str, str]) -> SymmetryClassifier | None:
        with self._guard:
            if key in self._models:
                self._models.move_to_end(key)
            return self._models.get(key)

    def drop(self, project: str, version: str | None = None) -> None:
        """Drop all versions of a project, or one of them."""
        with self._guard:
            for key in list(self._models):
                if key[0] == project and version in (None, key[1]):
                    del self._models[key]
