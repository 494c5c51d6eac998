"""What the measurements of a study share and load once."""

from __future__ import annotations

from functools import cache, cached_property, lru_cache
from typing import TYPE_CHECKING

from experiments.reproduction.nli.data import NliRows, all_nli
from experiments.reproduction.nli.measuring import NliStart, learn
from symdemo.data.relations import facts_hash
from symdemo.encoders import Encoder, load_encoder
from symdemo.errors import ModelError
from symdemo.evaluation.nli import load_cross_encoder
from symdemo.evaluation.sentences.sts import SimilarityData, sts_at_hand, sts_spearman

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
        """Of all facts and how they are dealt: part of every key."""
        return facts_hash()

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

    @cached_property
    def nli(self) -> NliRows:
        """All NLI rows at hand; raises InputError where there are none."""
        return all_nli()

    @lru_cache(maxsize=1)  # noqa: B019  (a start is large, and its jobs come one after another)
    def nli_start(self, name: str, method: str, seed: int) -> NliStart:
        """The encoder after it has learnt NLI with a method's own objective."""
        return learn(self.loaded(name), self.nli, method, seed)
