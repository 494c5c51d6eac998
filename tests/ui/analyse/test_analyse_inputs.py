"""What is analysed: columns and labels of files, pairs that are no swaps, and models of others."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from analyse_tools import Page, finish, start, start_button, text_of
from refusals import refusal
from tiny import write_classifier
from ui_fakes import TINY, make_tiny_store

from symdemo.analysis.loaded import LoadedPairs
from symdemo.analysis.loading import look_at_table
from symdemo.errors import InputError
from symdemo.evaluation.nli import load_cross_encoder, nli_verdicts
from symdemo.jobs.reporting import SILENT
from symdemo.pairs import LABELS, Pair
from symdemo.ui.analyse.explorer import Explorer
from symdemo.ui.analyse.inputs import BUILT_IN, FIELDS, FILE, PASTED, chosen_data, chosen_others
from symdemo.ui.analyse.service import AnalyseService
from symdemo.ui.shared.html import draw

TABLE = (
    "sentence,second,gold,gpt\nAnn met Ben.,Ben met Ann.,yes,no\nAnn saw Ben.,Ben saw Ann.,ja,yes\n"
)


@pytest.fixture
def path(write):
    return str(write("t.csv", TABLE))


def chosen(path, **values):
    empty = dict.fromkeys([*(f"field_{name}" for name in FIELDS), "groups"], "")
    empty |= {f"means_{label}": [] for label in LABELS}
    fields = {"field_premise": "sentence", "field_hypothesis": "second", "field_label": "gold"}
    return {"kind": FILE, "file": path, "headed": True, "systems": [], **empty, **fields, **values}


def test_columns_words_and_systems_are_read_as_chosen(path):
    means = {"means_contradiction": ["ja"], "means_entailment": ["yes"]}
    load, rows = chosen_data(chosen(path, systems=["gpt"], groups=["gold"], **means))
    assert rows == 2
    data = load(SILENT)
    assert [pair.label for pair in data.pairs] == ["entailment", "contradiction"]
    assert data.systems == {"gpt": ("contradiction", "entailment")}
    assert data.groups == {"gold": ("yes", "ja")}


def test_unusable_choices_are_refused(path):
    assert "Choose a file first" in refusal(chosen_data, chosen(None))
    with pytest.raises(InputError, match="“ja” was chosen for both entailment and neutral"):
        chosen_data(chosen(path, means_entailment=["ja"], means_neutral=["ja"]))
    with pytest.raises(InputError, match="There is no set"):
        chosen_data({"kind": "built-in", "built_in": "../x"})[0](SILENT)


def test_rows_are_counted_before_they_are_read(path):
    assert chosen_data({"kind": PASTED, "pasted": "Ann met Ben.\nAnn saw Ben."})[1] == 2
    assert chosen_data(chosen(path))[1] == 2
    assert chosen_data({"kind": BUILT_IN, "built_in": "unread"})[1] == 0


def test_the_first_rows_of_a_file_are_shown_in_one_line_each(write):
    rows = "".join(f'Ann met <b>{n}</b>.,"Ben\u202e met\nAnn."\n' for n in range(7))
    look = look_at_table(write("t.csv", f"sentence,second\n{rows}"))
    shown = draw("analyse/preview.html", look=look)
    assert "The first rows of 7:" in shown
    assert shown.count("<td>") == 10  # five rows of two cells
    assert "Ann met &lt;b&gt;4&lt;/b&gt;." in shown
    assert all(cell.isprintable() for row in look.rows for cell in row)


STRANGE = Pair("It is raining again.", "A dog barked.", "neutral")


@pytest.fixture
def roles(service, fitted, pairs):
    """A page of a model of any pair and one of swaps, on three swaps and two other pairs."""
    sessions = service.sessions
    sessions.store = make_tiny_store(fitted["conjugate"], other=fitted["knn"])
    service = AnalyseService(sessions, Path("none"))
    reworded = replace(pairs[0], hypothesis=f"{pairs[0].premise[:-1]} today.")
    own = (*pairs[:3], STRANGE, reworded)
    data = LoadedPairs("Any", "a test", own, (None,) * len(own))
    return Page(Explorer(service), start(service, data, ["tiny", "other"]))


def test_a_pair_that_is_not_judged_is_plain_everywhere(roles):
    text = text_of(roles.ready(model="tiny", versus="other")["parts"]["main"])
    assert "not judged 20.0%" in text
    assert "Pairs that a model does not judge count as wrong." in text
    query = {"conditions": [
        {"kind": "one_of", "column": "tiny: verdict", "values": ["not judged"]}
    ]}  # fmt: skip
    assert roles.count(query=query) == 1
    assert "not judged" in text_of(roles.ready(part="rows")["parts"]["main"])
    detail = text_of(roles.look(row=3)["parts"]["detail"])
    assert "not judged No verdict: both sentences must be short" in detail
    assert "Nearest examples" in detail  # of the other model
    parts = roles.look(parts=["words", "variants"])["parts"]
    assert "does not judge this pair" in text_of(parts["words"])
    assert "not judged" in text_of(parts["variants"])
    row = json.loads(Path(roles.act("export", kind="jsonl")["download"]["path"]).read_text())
    assert (row["tiny: verdict"], row["tiny: right"]) == ("not judged", False)
    assert row["tiny: share of entailment"] is None
    assert roles.act("export", kind="html")["download"]
    for part in ("map", "suggestions"):
        roles.ready(part=part, query={})


def test_the_overview_of_other_pairs_speaks_of_no_symmetry(roles):
    text = text_of(roles.ready(model="tiny", versus="other")["parts"]["main"])
    assert "symmetric" not in text
    assert "By what the second sentence changes" in text
    assert "Same verdict on the reverse pair of a swap:" in text
    assert "% of 3 pairs" in text
    for change, rows in (("a swap", [0, 1, 2]), ("another thing", [3]), ("other words", [4])):
        query = {"conditions": [{"kind": "one_of", "column": "change", "values": [change]}]}
        assert roles.shown(query=query).rows.tolist() == rows
    one = {"conditions": [{"kind": "rows_of", "rows": [0, 1, 2]}]}
    text = text_of(roles.ready(query=one)["parts"]["main"])
    assert "By true label: the relation is symmetric, antisymmetric, or neither" in text
    assert "By what the second sentence changes" not in text
    assert "⇄" in text_of(roles.look(row=0)["parts"]["detail"])
    assert "→" in text_of(roles.look(row=4)["parts"]["detail"])


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
