"""Triplets from NLI: a sentence, one that it entails, and one that it contradicts.

As in SimCSE (arXiv 2104.08821, section 4) and BeLLM, the premise is the anchor, an entailed
hypothesis the positive, and a contradicting one the hard negative.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from symdemo.data.hub import read_hub_pairs
from symdemo.data.tables import TableFile
from symdemo.errors import InputError
from symdemo.files.paths import measuring_data
from symdemo.pairs import CONTRADICTION, ENTAILMENT, Pair
from symdemo.training.retention import retention_sentences

LOCAL = ("snli_dev", "snli_test", "xnli_dev_en", "mnli_matched_1k", "mnli_mismatched_1k")
"""In the folder SYMDEMO_DATA: about 24,000 pairs."""
HUB = ("stanfordnlp/snli", "nyu-mll/multi_nli")
OWN_SENTENCES = "own-sentences"
"""No labels: each of the project's sentences is its own positive (unsupervised SimCSE)."""
SOURCES = ("local", "hub", OWN_SENTENCES)


@dataclass(frozen=True, slots=True)
class Triplet:
    """An anchor, its positive, and its hard negative, if any."""

    anchor: str
    positive: str
    negative: str | None = None

    @property
    def texts(self) -> tuple[str, ...]:
        """Its two or three sentences."""
        both = (self.anchor, self.positive)
        return both if self.negative is None else (*both, self.negative)


@dataclass(frozen=True, slots=True)
class TripletData:
    """Triplets, their source, and the number left out because they hold test sentences."""

    triplets: tuple[Triplet, ...]
    source: str
    left_out: int = 0

    def sample(self, n: int | None, seed: int) -> tuple[Triplet, ...]:
        """Return `n` of them at random, or all in random order if None.

        Raises:
            InputError: n is below 1 or above their number.
        """
        if n is not None and not 1 <= n <= len(self.triplets):
            raise InputError(f"{n} triplets are asked for; 1 to {len(self.triplets)} are here.")
        return tuple(random.Random(seed).sample(self.triplets, n or len(self.triplets)))


def triplets_of(pairs: Iterable[Pair]) -> list[Triplet]:
    """Make one triplet of each entailment whose premise has a contradiction too.

    A premise's contradictions take turns.
    """
    found: dict[str, dict[str, dict[str, None]]] = {ENTAILMENT: {}, CONTRADICTION: {}}
    for pair in pairs:
        if pair.label in found:  # each hypothesis once, in their order
            found[pair.label].setdefault(pair.premise, {})[pair.hypothesis] = None
    return [
        Triplet(premise, positive, negatives[i % len(negatives)])
        for premise, positives in found[ENTAILMENT].items()
        if (negatives := list(found[CONTRADICTION].get(premise, ())))
        for i, positive in enumerate(positives)
    ]


def load_triplets(source: str = "local", unseen: Collection[str] = ()) -> TripletData:
    """Load triplets to train on.

    Args:
        source: `local` (the NLI files in the folder SYMDEMO_DATA), `hub` (SNLI and MultiNLI, about
            280,000 triplets), `own-sentences` (no labels), or a JSON-lines file with premise,
            hypothesis and label.
        unseen: test sentences; triplets with one of them (ignoring case and full stop) are left
            out.

    Raises:
        InputError: no such source, or no triplets in it.
    """
    if source == OWN_SENTENCES:
        found = [Triplet(text, text) for text in retention_sentences("many")]
        name = "the project's own sentences, each with itself"
    else:
        pairs, name = _read(source)
        found = triplets_of(pairs)
    hidden = {plain(text) for text in unseen}
    kept = tuple(t for t in found if not any(plain(text) in hidden for text in t.texts))
    if not kept:
        raise InputError(f"{name}: no premise has both an entailment and a contradiction.")
    return TripletData(kept, name, len(found) - len(kept))


def plain(text: str) -> str:
    """Return a text without case and full stop, to compare it."""
    return text.casefold().strip().rstrip(".").rstrip()


def _read(source: str) -> tuple[Sequence[Pair], str]:
    if source == "hub":
        pairs = [pair for name in HUB for pair in read_hub_pairs(name, "train").pairs]
        return pairs, " and ".join(HUB)
    if source == "local":
        paths = [measuring_data(f"nli/{name}.jsonl") for name in LOCAL]
        here = [path for path in paths if path is not None]
        if not here:
            raise InputError(
                "There is no NLI data in the folder SYMDEMO_DATA; set it, or train on one of: "
                f"{', '.join(SOURCES[1:])}, or a JSON-lines file."
            )
        return [p for path in here for p in read_nli(path)], ", ".join(path.stem for path in here)
    path = Path(source)
    if not path.is_file():
        raise InputError(
            f"There is no file {source}; a JSON-lines file or one of {', '.join(SOURCES)} is "
            "expected."
        )
    return read_nli(path), path.name


def read_nli(path: Path) -> list[Pair]:
    """Read pairs of any label and any length from a file with premise, hypothesis and label.

    Raises:
        InputError: a row without one of them.
    """
    pairs, names = [], ("premise", "hypothesis", "label")
    for row in TableFile(path, headed=True, max_bytes=None).rows(names):
        if row.error or not all(row.cells.values()):
            raise InputError(
                f"{path.name}, line {row.number}: an object with premise, hypothesis and label is "
                "expected."
            )
        pairs.append(Pair(*(row.cells[name] for name in names)))
    return pairs
