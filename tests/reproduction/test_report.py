"""The report as everyone reads it: typed rows, and one sentence where a file is none."""

import copy
import json

import pytest
from bench_fakes import FIRST, PLAN, SECOND, make_report

from symdemo.errors import InputError
from symdemo.reproduction.report import REPORT, Report


@pytest.fixture(scope="module")
def values():
    return make_report()


def test_what_the_study_writes_is_a_report(values):
    report = Report.from_json(values, "stamp")
    assert (report.stamp, report.values) == ("stamp", values)
    assert report.encoders == [FIRST, SECOND]
    assert [report.encoder(name) for name in (SECOND, "other", None)] == [SECOND, FIRST, FIRST]
    assert report.seeds(SECOND) == list(PLAN.seeds)
    assert [row["method"] for row in report.rows("methods", FIRST)] == list(PLAN.methods)
    samples = [row["samples"] for row in report.curve(FIRST, "knn")]
    assert samples == sorted(samples) != []


@pytest.mark.parametrize(
    ("place", "value", "says"),
    [
        ((), None, "it is NoneType"),
        ((), [], "it is list"),
        (("summary",), 3, "“summary” is int"),
        (("made_by",), {"commit": "x"}, "“made_by” has no “machine”"),
        (("summary", "probes"), {}, "“probes” is dict"),
        (("summary", "methods", 0), {"encoder": "x"}, "a row of “methods” has no “delexicalized”"),
        (("summary", "methods", 0, "samples"), "28", "“samples” is str"),
        (("summary", "methods", 0, "paper"), {"samples": 48}, "“paper” is dict"),
        (("summary", "reading_nothing", 0, "accuracy"), 1.0, "“accuracy” is float"),
        (("summary", "methods", 0, "nli", "loss", "with"), 1.5, "“with” is float"),
        (("summary", "probes", 0, "lexicalized", "median"), None, "“median” is NoneType"),
    ],
)
def test_what_is_no_report_is_refused_in_one_sentence(values, place, value, says):
    changed = {"whole": copy.deepcopy(values)}
    *path, last = ("whole", *place)
    inner = changed
    for step in path:
        inner = inner[step]
    inner[last] = value
    with pytest.raises(InputError) as caught:
        Report.from_json(changed["whole"])
    sentence = f"{REPORT} is not a report of “symdemo reproduce” ({says}); run it again."
    assert str(caught.value) == sentence


def test_a_file_is_read_again_only_when_it_changed(values, tmp_path):
    path = tmp_path / REPORT
    assert Report.find(tmp_path) is None
    path.write_text(json.dumps(values), encoding="utf-8")
    first = Report.find(tmp_path)
    assert Report.find(tmp_path) is first
    path.write_text(json.dumps(values | {"command": "symdemo reproduce --quick"}), encoding="utf-8")
    assert Report.find(tmp_path).stamp != first.stamp
    path.write_text("{", encoding="utf-8")
    with pytest.raises(InputError, match="is not a report"):
        Report.find(tmp_path)
