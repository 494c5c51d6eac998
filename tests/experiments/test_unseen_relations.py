"""The study of relations never taught: a leak is refused, and the figures are those published."""

import json

import pytest

from experiments.general import Bench, cells, measure
from experiments.general_report import make_report
from symdemo.data.bank import RelationBank, shipped_bank
from symdemo.errors import InputError
from symdemo.files.paths import RESULTS
from symdemo.pairs import Pair


@pytest.fixture
def bench(tiny_encoder, tmp_path):
    whole = shipped_bank()
    bank = RelationBank(whole.relations[::90], whole.entities, whole.modifiers)
    asked = [Pair("Ann is part of Ben.", "Ben is part of Ann.", "contradiction")]
    sentences = {"free": (asked, ["[X] is part of [Y]."])}
    return Bench(tmp_path, bank, tiny_encoder, sentences)


def test_a_leaking_fold_is_not_measured(bench, monkeypatch):
    monkeypatch.setattr(Bench, "relations", lambda *_: bench.bank.relations)
    with pytest.raises(InputError, match="occur in training too"):
        measure(bench, cells(bench.data_hash, ["words"])[0])


@pytest.mark.slow
def test_the_published_figures_are_those_of_the_kept_answers():
    def read(text):
        return json.loads(text, parse_float=lambda digits: round(float(digits), 9))

    published = read((RESULTS / "general.json").read_text(encoding="utf-8"))
    report = read(json.dumps(make_report(), ensure_ascii=False))
    for name, row in report["rows"].items():
        assert {figure: published["rows"][name][figure] for figure in row} == row
    assert (report["errors"], report["data"]) == (published["errors"], published["data"])
