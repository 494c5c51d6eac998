"""Inputs: columns, words for labels and systems; files only from the upload folder."""

import pytest

from symdemo.analysis.loading import look_at_table
from symdemo.errors import InputError
from symdemo.jobs.reporting import SILENT
from symdemo.pairs import LABELS
from symdemo.ui.analyse.inputs import (
    BUILT_IN,
    FIELDS,
    FILE,
    PASTED,
    chosen_data,
    column_updates,
    label_updates,
)

TABLE = (
    "sentence,second,gold,gpt\nAnn met Ben.,Ben met Ann.,yes,no\nAnn saw Ben.,Ben saw Ann.,ja,yes\n"
)


@pytest.fixture
def path(write):
    return str(write("t.csv", TABLE))


def chosen(path, **values):
    empty = dict.fromkeys([f"field_{name}" for name in FIELDS], "")
    empty |= {f"means_{label}": [] for label in LABELS}
    fields = {"field_premise": "sentence", "field_hypothesis": "second", "field_label": "gold"}
    return {"kind": FILE, "file": path, "headed": True, "systems": [], **empty, **fields, **values}


def test_columns_words_and_systems_are_read_as_chosen(path):
    means = {"means_contradiction": ["ja"], "means_entailment": ["yes"]}
    load, rows = chosen_data(chosen(path, systems=["gpt"], **means))
    assert rows == 2
    data = load(SILENT)
    assert [pair.label for pair in data.pairs] == ["entailment", "contradiction"]
    assert data.systems == {"gpt": ("contradiction", "entailment")}


def test_unusable_choices_are_refused(path):
    with pytest.raises(InputError, match="Choose a file first"):
        chosen_data(chosen(None))
    with pytest.raises(InputError, match="“ja” was chosen for both entailment and neutral"):
        chosen_data(chosen(path, means_entailment=["ja"], means_neutral=["ja"]))
    with pytest.raises(InputError, match="There is no set"):
        chosen_data({"kind": "built-in", "built_in": "../x"})[0](SILENT)


def test_likely_columns_and_words_are_preselected(path):
    look = look_at_table(path)
    found = column_updates(look)
    assert {name: found[f"field_{name}"].value for name in look.guess} == dict(look.guess)
    words = label_updates(path, "gold", headed=True)
    assert words["means_entailment"].value == ["yes"]
    assert words["means_neutral"].value == []


def test_rows_are_counted_before_they_are_read(path):
    assert chosen_data({"kind": PASTED, "pasted": "Ann met Ben.\nAnn saw Ben."})[1] == 2
    assert chosen_data(chosen(path))[1] == 2
    assert chosen_data({"kind": BUILT_IN, "built_in": "unread"})[1] == 0


@pytest.mark.slow
@pytest.mark.parametrize("meta", [{"meta": {"_type": "gradio.FileData"}}, {}])
def test_only_uploaded_files_are_read(tmp_path, meta):
    import gradio as gr
    import httpx

    secret = tmp_path / "secret.csv"
    secret.write_text("premise\nA secret that lies beside the uploads.\n")
    with gr.Blocks() as demo:
        box, out = gr.File(file_types=[".csv"]), gr.Textbox()
        box.change(lambda path: str(look_at_table(path)), box, out, api_name="look")
    _, url, _ = demo.launch(prevent_thread_lock=True, quiet=True, server_name="127.0.0.1")
    try:
        sent = {"files": ("t.csv", TABLE)}
        (uploaded,) = httpx.post(f"{url}gradio_api/upload", files=sent, timeout=20).json()
        for given, works in ((uploaded, bool(meta)), (str(secret), False)):
            place = f"{url}gradio_api/call/look"
            body = {"data": [{"path": given, **meta}]}
            event = httpx.post(place, json=body, timeout=20).json()["event_id"]
            told = httpx.get(f"{place}/{event}", timeout=20).text
            assert ("TableLook" in told) is works
            assert ("event: error" in told) is not works
    finally:
        demo.close()
