"""The made-up report, a new copy for every test."""

import copy

import pytest
from bench_fakes import make_report

from symdemo.reproduction.report import Report


@pytest.fixture(scope="module")
def values():
    return make_report()


@pytest.fixture
def report(values):
    return Report("stamp", copy.deepcopy(values))
