"""Stores of projects on one model: what the tests of projects and of archives share."""

from symdemo.teaching.limits import Limits
from symdemo.teaching.store import ProjectStore

BASE = "tiny base"


def make_store(root, model, crowding=lambda id: 1, **limits) -> ProjectStore:
    return ProjectStore(
        root, Limits(**limits), load_base=lambda name: model, bases=[BASE], crowding=crowding
    )
