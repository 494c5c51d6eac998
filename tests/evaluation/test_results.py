"""Results files: the published ones are found, and a broken one is refused in one sentence."""

import json

import pytest

from symdemo.errors import InputError
from symdemo.evaluation.results import PaperReport, SentenceReport, UnseenReport
from symdemo.files.paths import RESULTS


@pytest.mark.parametrize("kind", [PaperReport, SentenceReport, UnseenReport])
def test_the_published_report_is_found_and_read_once(kind):
    found = kind.find()
    assert found.values == json.loads((RESULTS / kind.NAME).read_text(encoding="utf-8"))
    assert kind.find().values is found.values


@pytest.mark.parametrize("text", ["", "{", "[]", '{"command": 3}'])
def test_a_broken_file_is_refused_in_one_sentence_and_a_missing_one_is_none(tmp_path, text):
    assert SentenceReport.find(tmp_path) is None
    (tmp_path / SentenceReport.NAME).write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=r"^bellm.json is not a report of “symdemo sts”.*again\.$"):
        SentenceReport.find(tmp_path)


@pytest.mark.parametrize(
    ("place", "value", "says"),
    [
        (("summary",), {}, "summary.sts: Field required"),
        (("summary", "sts", 0, "tasks", "STS-B"), {"value": 1}, "summary.sts.0.tasks.STS-B.low: "),
    ],
)
def test_the_first_difference_of_another_form_is_named(tmp_path, place, value, says):
    values = inner = json.loads((RESULTS / SentenceReport.NAME).read_text(encoding="utf-8"))
    for step in place[:-1]:
        inner = inner[step]
    inner[place[-1]] = value
    (tmp_path / SentenceReport.NAME).write_text(json.dumps(values), encoding="utf-8")
    with pytest.raises(InputError) as caught:
        SentenceReport.find(tmp_path)
    assert f"“symdemo sts” ({says}" in str(caught.value)
