"""What a checkout of symdemo answers, as hashes: what `same_answers.py` compares two of them by.

Every way to an answer is taken: the shipped models, by vote and by majority; each method, trained
for a few steps, by neighbours or by its head; a model that was saved and loaded; and neighbours
left out. Apart from these stands a model that was taught something later.

Imported, not run: which symdemo is asked is for the caller to say.
"""

from __future__ import annotations

import hashlib
import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from symdemo.classifier import SymmetryClassifier
from symdemo.classifier.calibration import TEMPERATURES
from symdemo.classifier.familiarity import nearest_distances
from symdemo.classifier.prediction import Predictions
from symdemo.data.bank import load_bank
from symdemo.encoders import DEFAULT_ENCODER, Encoder, load_encoder
from symdemo.pairs import Pair
from symdemo.training.hyperparameters import defaults
from symdemo.training.methods import METHODS

ASKED, TAUGHT, STEPS = 400, 64, 6
LATER = "taught something later"


def probe() -> dict[str, str]:
    """What was done → the SHA-256 of all that was answered."""
    bank = load_bank()
    pairs = bank.pairs(seed=17)
    asked, taught = pairs[:: len(pairs) // ASKED], pairs[5 :: len(pairs) // TAUGHT]
    encoder = load_encoder(DEFAULT_ENCODER)
    found = dict(_shipped(asked, taught))
    for method in METHODS:
        found |= _fitted(method, encoder, asked, taught)
    return found


def _shipped(asked: Sequence[Pair], taught: Sequence[Pair]) -> Iterator[tuple[str, str]]:
    for name in ("general", "wikidata14"):
        model = SymmetryClassifier.from_pretrained(name)
        vectors = model.embed(asked)
        yield name, _hash(model.predict_embedded(asked, vectors))
        yield f"{name}, by majority", _hash(model.with_card(temperature=None).predict(asked, 5))
        votes = [model.index.kernel_vote(vectors, temperature) for temperature in TEMPERATURES]
        yield f"{name}, at all temperatures", _hash_of(*votes)
        yield f"{name}, how near", _hash_of(nearest_distances(model, asked[::8]))
        silent = np.tile(np.arange(len(model.index)) % 3 == 0, (len(asked), 1))
        found = model.predict_embedded(asked, vectors, silent=silent.__getitem__)
        yield f"{name}, neighbours left out", _hash(found)
        later = model.teach(taught).predict_embedded(asked, vectors)
        yield f"{name}, {LATER}", _hash(later)


def _fitted(
    method: str, encoder: Encoder, asked: Sequence[Pair], taught: Sequence[Pair]
) -> Iterator[tuple[str, str]]:
    config = replace(defaults(method, encoder), epochs=1, min_steps=STEPS)
    start = SymmetryClassifier.from_encoder(encoder, method)
    model = start.fit(taught, config=config)
    yield f"{method}, trained", _hash(model.predict(asked))
    with tempfile.TemporaryDirectory() as folder:
        model.save_pretrained(folder, overwrite=True)
        again = SymmetryClassifier.from_pretrained(folder)
    yield f"{method}, saved and loaded", _hash(again.predict(asked))
    if not model.readout:
        yield f"{method}, untouched and taught", _hash(start.teach(taught).predict(asked))


def _hash(found: Predictions) -> str:
    named = json.dumps([found.labels, list(found.verdict_labels)]).encode()
    return _hash_of(
        np.frombuffer(named, np.uint8),
        found.probabilities,
        found.rows,
        found.distances,
        found.label_embeddings,
    )


def _hash_of(*arrays: np.ndarray) -> str:
    digest = hashlib.sha256()
    for array in arrays:
        digest.update(f"{array.dtype} {array.shape}".encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def tell() -> None:
    """Print the hashes as JSON."""
    sys.stdout.write(json.dumps(probe()))
