"""Encoders made of the words, in place of those that are loaded."""

import pytest
from lab_fakes import FakeLoader, fake_tokens

from symdemo.ui.sentences import words
from symdemo.ui.shared.encoders import SharedEncoders


@pytest.fixture
def loader():
    return FakeLoader()


@pytest.fixture
def encoders(loader, monkeypatch):
    monkeypatch.setattr(words, "token_similarities", fake_tokens)
    return SharedEncoders(loader)
