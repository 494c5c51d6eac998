"""Encoders that embed words, in place of those that are loaded."""

import pytest
from lab_fakes import FakeLoader, fake_tokens

from symdemo.ui.sentences import words
from symdemo.ui.shared.store import SharedEncoders


@pytest.fixture(autouse=True)
def tokens(monkeypatch):
    monkeypatch.setattr(words, "token_similarities", fake_tokens)


@pytest.fixture
def loader():
    return FakeLoader()


@pytest.fixture
def encoders(loader):
    return SharedEncoders(loader)
