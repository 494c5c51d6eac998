"""The study of relations never taught: a leak is refused, and the figures are those published."""

import json

import pytest

from experiments import general
from experiments.general_report import make_report
from symdemo.data.bank import shipped_bank
from symdemo.errors import InputError
from symdemo.files.paths import RESULTS


def test_a_leaking_fold_is_not_measured(monkeypatch):
    monkeypatch.setattr(general, "folds", lambda: [shipped_bank().relations[::90]] * 2)
    with pytest.raises(InputError, match="occur in training too"):
        general.measure(general.cells(["words"])[0])


@pytest.mark.slow
def test_the_published_figures_are_those_of_the_kept_answers():
    def read(text):
        return json.loads(text, parse_float=lambda digits: round(float(digits), 9))

    published = read((RESULTS / "general.json").read_text(encoding="utf-8"))
    report = read(json.dumps(make_report(), ensure_ascii=False))
    for name, row in report["rows"].items():
        assert {figure: published["rows"][name][figure] for figure in row} == row
    assert (report["errors"], report["data"]) == (published["errors"], published["data"])
