"""Results files: the published ones are valid, and another form is refused in one sentence."""

import copy
import json

import pytest

from symdemo.errors import InputError
from symdemo.evaluation.results import PaperReport, SentenceReport, UnseenReport
from symdemo.files.paths import RESULTS


@pytest.mark.parametrize("kind", [PaperReport, SentenceReport, UnseenReport])
def test_the_published_report_is_valid_and_read_once(kind):
    found = kind.find()
    assert found.values == json.loads((RESULTS / kind.NAME).read_text(encoding="utf-8"))
    assert kind.find() is found


@pytest.mark.parametrize(
    ("place", "value", "says"),
    [
        ((), [], "the file: "),
        (("summary",), {}, "summary.sts: Field required"),
        (("summary", "sts", 0, "tasks", "STS-B"), {"value": 1}, "summary.sts.0.tasks.STS-B.low: "),
    ],
)
def test_another_form_is_refused_in_one_sentence(place, value, says):
    changed = {"whole": copy.deepcopy(SentenceReport.find().values)}
    *path, last = ("whole", *place)
    inner = changed
    for step in path:
        inner = inner[step]
    inner[last] = value
    with pytest.raises(InputError) as caught:
        SentenceReport.from_json(changed["whole"])
    assert str(caught.value).startswith(f"bellm.json is not a report of “symdemo sts” ({says}")
    assert str(caught.value).endswith("; run it again.")
