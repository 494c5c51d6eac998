"""NLI models of others in the tab, which only some servers run."""

import json

import pytest
from analyse_tools import Page, finish, start, start_button, text_of
from refusals import refusal
from tiny import write_classifier
from ui_fakes import TINY

from symdemo.errors import InputError
from symdemo.evaluation.nli import load_cross_encoder, nli_verdicts
from symdemo.ui.analyse.explorer import Explorer
from symdemo.ui.analyse.inputs import chosen_others


@pytest.fixture
def nli(tiny_folder, tmp_path):
    return write_classifier(tiny_folder, tmp_path / "nli", ["not_entailment", "entailment"])


@pytest.mark.parametrize("is_open", [True, False])
def test_the_page_asks_models_by_folder_where_that_is_allowed(service, nli, monkeypatch, is_open):
    monkeypatch.setenv("SYMDEMO_OPEN_ENCODERS", "1" if is_open else "0")
    parts, press = start_button(service.sessions)
    assert parts["analyse-others"].visible is is_open
    lines = "Ann met Ben. | Ben met Ann. | yes\nAnn is Ben's mother. | Ben is Ann's mother. | no"
    found = press({
        "analyse-kind": "pasted", "analyse-pasted": lines, "analyse-models": [TINY],
        "analyse-others": f"{nli}\n\n {nli}",
    })  # fmt: skip
    if not is_open:
        assert "runs no models by folder or hub id" in text_of(found[parts["analyse-problem"]])
        return
    workspace = service.open(json.loads(found[parts["analyse-explorer"]])["analysis"])
    assert finish(service, workspace).state == "done"
    analysis = service.opened(workspace).analysis
    assert analysis.models == (TINY, nli)
    assert list(analysis.rows.label) == ["entailment", "not_entailment"]
    verdicts = nli_verdicts(load_cross_encoder(nli), workspace.data.pairs)
    assert list(analysis.of(nli).verdict) == verdicts
    shown = Page(Explorer(service), workspace, model=TINY, versus=nli).ready()["parts"]
    assert f"{TINY} and {nli}" in text_of(shown["main"])
    assert "McNemar" in text_of(shown["main"])
    assert "contradiction and neutral count as not_entailment" in text_of(shown["head"])


def test_others_answer_beside_columns_and_a_refused_one_fails_in_the_panel(service, data, nli):
    workspace = start(service, data, ["tiny"], others=[nli])
    assert service.opened(workspace).analysis.models == ("tiny", "system", nli)
    broken = start(service, data, ["tiny"], others=["no/model"])
    job = text_of(Page(Explorer(service), broken).look()["parts"]["job"])
    assert "Failed. The NLI model no/model is neither cached nor available" in job
    with pytest.raises(InputError, match="Two models are called “tiny”"):
        service.start(lambda reports: data, ["tiny"], others=["tiny"])


def test_other_models_are_counted(monkeypatch):
    monkeypatch.setenv("SYMDEMO_OPEN_ENCODERS", "1")
    assert chosen_others(" a/b \n\nc/d\na/b\n") == ["a/b", "c/d"]
    assert chosen_others(None) == []
    assert "There are 7 other models; at most 6" in refusal(chosen_others, "\n".join("abcdefg"))
