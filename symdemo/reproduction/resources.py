"""What the measurements of a study share and load once."""

from __future__ import annotations

from functools import cache, cached_property
from typing import TYPE_CHECKING

from symdemo.classifier import SymmetryClassifier
from symdemo.data.relations import load_facts, pairs_of_facts
from symdemo.encoders import Encoder, load_encoder
from symdemo.errors import ModelError
from symdemo.evaluation.nli import learn_nli, load_nli, nli_accuracy
from symdemo.evaluation.nli_probe import load_cross_encoder
from symdemo.evaluation.sentences.sts import SimilarityData, sts_at_hand, sts_spearman
from symdemo.pairs import hash_pairs

if TYPE_CHECKING:
    from sentence_transformers import CrossEncoder


class Resources:
    """Encoders, facts, STS-B and what has learnt NLI, each loaded when it is first asked for."""

    @cache  # noqa: B019  (one resources per process)
    def encoder(self, name: str) -> Encoder | None:
        """The encoder, or None where it cannot be loaded here."""
        try:
            return load_encoder(name)
        except ModelError:
            return None

    def loaded(self, name: str) -> Encoder:
        """The encoder; `ModelError` where it cannot be loaded here."""
        return self.encoder(name) or load_encoder(name)

    @cached_property
    def facts_hash(self) -> str:
        """Of all facts, both sides of the split: part of every key."""
        return hash_pairs(pairs_of_facts(load_facts()))[:16]

    @cached_property
    def sts(self) -> SimilarityData | None:
        """The STS-B test set, where it is present."""
        return sts_at_hand()

    @cached_property
    def cross_encoder(self) -> CrossEncoder | None:
        """The NLI model of Table 2, or None where it cannot be loaded here."""
        try:
            return load_cross_encoder()
        except ModelError:
            return None

    @cache  # noqa: B019
    def sts_before(self, name: str) -> float | None:
        """Spearman of the untouched encoder."""
        return sts_spearman(self.loaded(name), self.sts) if self.sts else None

    @cache  # noqa: B019
    def nli(self, n_train: int, n_test: int):
        """NLI data; raises InputError where there is none."""
        return load_nli(n_train, n_test)

    @cache  # noqa: B019
    def nli_model(self, name: str, method: str, n_train: int, n_test: int) -> SymmetryClassifier:
        """The encoder after it has learnt NLI with a method's own objective."""
        return learn_nli(self.loaded(name), self.nli(n_train, n_test), method, seed=0)

    @cache  # noqa: B019
    def nli_before(self, name: str, method: str, n_train: int, n_test: int) -> float:
        """NLI accuracy of what has learnt it, before it is retrained on relations."""
        model = self.nli_model(name, method, n_train, n_test)
        return nli_accuracy(model, self.nli(n_train, n_test).test)
