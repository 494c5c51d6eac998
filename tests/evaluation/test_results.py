"""Results files: the published ones are valid, and another form is refused in one sentence."""

import copy
import json

import pytest
from lab_fakes import make_lab_values

from symdemo.errors import InputError
from symdemo.evaluation.results import PaperReport, SentenceReport, UnseenReport, origins_in_words
from symdemo.files.paths import RESULTS


@pytest.mark.parametrize("kind", [PaperReport, SentenceReport, UnseenReport])
def test_the_published_report_is_valid_and_read_once(kind):
    found = kind.find()
    assert found.values == json.loads((RESULTS / kind.NAME).read_text(encoding="utf-8"))
    assert kind.find() is found


@pytest.mark.parametrize(
    ("place", "value", "says"),
    [
        ((), None, "the file: "),
        ((), [], "the file: "),
        (("summary",), {}, "summary.sts: Field required"),
        (("summary", "sts", 0, "average"), "high", "summary.sts.0.average: "),
        (("summary", "degradation", 0, "layers"), 3, "summary.degradation.0.layers: "),
        (("summary", "sts", 0, "tasks", "STS12"), {"value": 1}, "summary.sts.0.tasks.STS12.low: "),
    ],
)
def test_another_form_is_refused_in_one_sentence(place, value, says):
    changed = {"whole": copy.deepcopy(make_lab_values())}
    *path, last = ("whole", *place)
    inner = changed
    for step in path:
        inner = inner[step]
    inner[last] = value
    with pytest.raises(InputError) as caught:
        SentenceReport.from_json(changed["whole"])
    assert str(caught.value).startswith(f"bellm.json is not a report of “symdemo sts” ({says}")
    assert str(caught.value).endswith("; run it again.")


@pytest.mark.parametrize("text", ["", "{", "[1]", "\x00"])
def test_a_broken_file_is_refused(tmp_path, text):
    (tmp_path / PaperReport.NAME).write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match="not a report of “symdemo reproduce”"):
        PaperReport.find(tmp_path)
    assert SentenceReport.find(tmp_path) is None


def test_origins_in_words():
    rows = [
        {"commit": "d" * 12, "processor": "Newer", "rows": 1_200},
        {"commit": None, "processor": None, "rows": 7},
    ]
    assert origins_in_words(rows) == (
        "Measurements: 1,200 at commit dddddddddddd (Newer); 7 before commits were recorded."
    )
    assert origins_in_words(rows[1:]) == ""
