"""The made-up report, a new copy for every test."""

import copy

import pytest
from bench_fakes import make_report

from symdemo.evaluation.results import PaperReport


@pytest.fixture(scope="module")
def values():
    return make_report()


@pytest.fixture
def report(values):
    return PaperReport("stamp", copy.deepcopy(values))
