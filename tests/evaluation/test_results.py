"""Results files: the published ones are found, and a broken one is refused in one sentence."""

import json

import pytest

from symdemo.errors import InputError
from symdemo.evaluation.results import PaperReport, SentenceReport, UnseenReport
from symdemo.files.paths import RESULTS


@pytest.mark.parametrize("kind", [PaperReport, SentenceReport, UnseenReport])
def test_the_published_report_is_found(kind):
    found = kind.find()
    assert found.values == json.loads((RESULTS / kind.NAME).read_text(encoding="utf-8"))


@pytest.mark.parametrize("text", ["", "{", "[]", '{"command": 3}'])
def test_a_broken_file_is_refused_in_one_sentence_and_a_missing_one_is_none(tmp_path, text):
    assert SentenceReport.find(tmp_path) is None
    (tmp_path / SentenceReport.NAME).write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=r"^bellm.json is not a report of “symdemo sts”.*again\.$"):
        SentenceReport.find(tmp_path)
