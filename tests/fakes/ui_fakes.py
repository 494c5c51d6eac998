"""A classifier without weights, stores of models, and a served app."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise

import numpy as np

from symdemo.classifier import Prediction
from symdemo.classifier.asking import Question, find_swap
from symdemo.classifier.card import ModelCard
from symdemo.classifier.index import LabelIndex, majority
from symdemo.classifier.prediction import NOT_JUDGED
from symdemo.pairs import Pair, check_pair
from symdemo.swapping.frames import find_frames
from symdemo.ui.shared.answers import LoadedAnswer, answer
from symdemo.ui.shared.events import Problem, attempt
from symdemo.ui.shared.store import ModelStore

DIMENSION = 16
NASTY = "<img src=x onerror=alert(1)>"
SENTENCE = "Kenya is different from Uganda."
SWAPPED = "Uganda is different from Kenya."


def embed(pair: Pair) -> np.ndarray:
    """Return a label embedding that depends on the two sentences only."""
    seed = hashlib.sha256(f"{pair.premise}\t{pair.hypothesis}".encode()).digest()[:4]
    return np.random.default_rng(int.from_bytes(seed)).normal(size=DIMENSION).astype(np.float32)


def taught_pairs() -> list[Pair]:
    """Return eight pairs of three labels, some with markup in sentence, label and relation."""
    names = ["Ann", "Bob", "Cora", "Dan", "Eve", "Finn", "Gus", "Hal", f"{NASTY} Ida"]
    labels = ["entailment", "contradiction", f"{NASTY} own"]
    relations = ["P3373", "P25", NASTY]
    return [
        Pair(f"{a} knows {b}.", f"{b} knows {a}.", labels[i % 3], relations[i % 3], a, b)
        for i, (a, b) in enumerate(pairwise(names))
    ]


class FakeClassifier:
    """A `SymmetryClassifier` as far as the app uses one."""

    readout = None

    def __init__(self, card: ModelCard, familiar: bool | None = None, any_pair: bool = False):
        self.card = card
        self.judges_any_pair = any_pair
        self.familiar = familiar
        self.pairs_seen: list[Pair] = []
        pairs = taught_pairs()
        self.index = LabelIndex(pairs, np.stack([embed(pair) for pair in pairs]))
        self.labels = self.index.labels

    def check(self, pair):
        return check_pair(pair)

    def predict(self, pairs, k=None):
        return [self._predict(check_pair(pair), k) for pair in pairs]

    def _predict(self, pair, k):
        if "crash" in pair.premise:
            raise RuntimeError("secret inner detail")
        self.pairs_seen.append(pair)
        embedding = embed(pair)
        near = tuple(self.index.search(embedding[None], k or self.card.k)[0])
        label, shares = majority(near)
        shares = {name: shares.get(name, 0.0) for name in self.index.labels}
        judged = not self.judges_any_pair or find_frames(pair) is not None
        if not judged:
            label, embedding = NOT_JUDGED, np.zeros_like(embedding)
        return Prediction(pair, label, shares, near, embedding, self.familiar, judged=judged)


def make_card(name: str, **values) -> ModelCard:
    values = {"data": {"pairs": 8, "relations": 3}, "summary": "Made up."} | values
    return ModelCard(name, "knn", "fake", "0" * 64, ("entailment", "contradiction"), **values)


def make_store(*names: str, familiar: bool | None = None, any_pair: bool = False) -> ModelStore:
    """Return a store of fake models; `store.loads` lists the loaded ones in order."""
    names = names or ("general", "wikidata14")
    cards = {name: make_card(name, summary=f"Made up as {name}.") for name in names}
    loads: list[str] = []

    def load(name: str):
        loads.append(name)
        return FakeClassifier(cards[name], familiar, any_pair or name == "pairs")

    store = ModelStore(lambda: list(cards.values()), load)
    store.loads = loads
    return store


TINY = "tiny"


def make_tiny_store(model, **others) -> ModelStore:
    """Return a store of real classifiers on the tiny encoder, which are taught in seconds."""
    models = {TINY: model, **others}
    cards = [made.card.with_(name=name, summary="A toy.") for name, made in models.items()]
    return ModelStore(lambda: cards, models.__getitem__)


def ask(sentence=SENTENCE, hypothesis=SWAPPED, store=None, k=None) -> LoadedAnswer:
    """Return the answer of the tab “Try it”."""
    store = store or make_store()
    return answer(
        store, Question(sentence, Pair(sentence, hypothesis), _swap_of(sentence)), None, k
    )


def _swap_of(sentence: str):
    found = attempt(find_swap, sentence)
    return None if isinstance(found, Problem) else found


def parts_of(demo) -> dict:
    """Return the components of an app by the ids of their elements."""
    return {getattr(block, "elem_id", None): block for block in demo.blocks.values()}


def event_of(demo, id: str, name: str):
    """Return the event of a component, such as the click of a button."""
    target = (parts_of(demo)[id]._id, name)
    return next(event for event in demo.fns.values() if event.fn and target in event.targets)


@contextmanager
def launched(demo) -> Iterator[str]:
    from symdemo.ui.app import launch_options

    options = launch_options() | {"prevent_thread_lock": True, "quiet": True}
    yield demo.launch(server_name="127.0.0.1", server_port=None, **options)[1]
    demo.close()


@contextmanager
def served(sessions) -> Iterator[tuple]:
    """Serve the app on some sessions; give its blocks and its address."""
    from symdemo.ui.app import build_app

    demo = build_app(sessions.store, sessions=sessions)
    with launched(demo) as url:
        yield demo, url
    sessions.queue.close(2)


def project_ids(sessions) -> list[str]:
    return sorted(path.parent.name for path in sessions.root.glob("[!.]*/project.json"))
