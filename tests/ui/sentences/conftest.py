"""Encoders that embed words, in place of those that are loaded."""

import pytest
from lab_fakes import FakeLoader, fake_tokens


@pytest.fixture(autouse=True)
def tokens(monkeypatch):
    from symdemo.ui.sentences import words

    monkeypatch.setattr(words, "token_similarities", fake_tokens)


@pytest.fixture
def loader():
    return FakeLoader()


@pytest.fixture
def encoders(loader):
    from symdemo.ui.shared.store import SharedEncoders

    return SharedEncoders(loader)
