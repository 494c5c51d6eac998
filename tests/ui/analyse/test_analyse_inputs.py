"""Inputs: columns, words for labels and systems; files only from the upload folder."""

import pytest

from symdemo.analysis.running import RunReports
from symdemo.errors import InputError
from symdemo.ui.analyse import inputs
from symdemo.ui.analyse.inputs import (
    FILE,
    PASTED,
    chosen_data,
    column_updates,
    label_names,
    label_updates,
    look_at,
)

TABLE = (
    "sentence,second,gold,gpt\nAnn met Ben.,Ben met Ann.,yes,no\nAnn saw Ben.,Ben saw Ann.,ja,yes\n"
)


@pytest.fixture
def path(write):
    return str(write("t.csv", TABLE))


def chosen(path, **values):
    fields = {"field_premise": "sentence", "field_hypothesis": "second", "field_label": "gold"}
    return {"kind": FILE, "file": path, "headed": True, **fields, **values}


def test_columns_words_and_systems_are_read_as_chosen(path):
    means = {"means_contradiction": ["ja"], "means_entailment": ["yes"]}
    load, background = chosen_data(chosen(path, systems=["gpt"], **means))
    assert not background
    data = load(RunReports())
    assert [pair.label for pair in data.pairs] == ["entailment", "contradiction"]
    assert data.systems == {"gpt": ("contradiction", "entailment")}


def test_a_word_for_two_labels_is_refused():
    with pytest.raises(InputError, match="“ja” was chosen for both entailment and neutral"):
        label_names({"means_entailment": ["ja"], "means_neutral": ["ja"]})


def test_likely_columns_and_words_are_preselected(path):
    look = look_at(path)
    found = column_updates(look)
    assert {name: found[f"field_{name}"].value for name in look.guess} == dict(look.guess)
    words = label_updates(path, "gold", headed=True)
    assert words["means_entailment"].value == ["yes"]
    assert words["means_neutral"].value == []


@pytest.mark.parametrize("path", [None, 3, {"path": "/etc/passwd"}, b"/etc/passwd"])
def test_what_is_no_path_is_refused(path):
    for read in (look_at, lambda path: label_updates(path, "gold", headed=True),
                 lambda path: chosen_data(chosen(path))):  # fmt: skip
        with pytest.raises(InputError, match="Choose a CSV"):
            read(path)


def test_long_data_is_read_in_the_background(path, monkeypatch):
    monkeypatch.setattr(inputs, "MOST_WAITED_FOR", 1)
    assert chosen_data({"kind": PASTED, "pasted": "Ann met Ben.\nAnn saw Ben."})[1]
    assert chosen_data(chosen(path))[1]
    assert not chosen_data({"kind": PASTED, "pasted": "Ann met Ben."})[1]
    with pytest.raises(InputError, match="There is no set"):
        chosen_data({"kind": "built-in", "built_in": "../x"})[0](RunReports())


@pytest.mark.slow
@pytest.mark.parametrize("meta", [{"meta": {"_type": "gradio.FileData"}}, {}])
def test_only_uploaded_files_are_read(tmp_path, meta):
    import gradio as gr
    import httpx

    secret = tmp_path / "secret.csv"
    secret.write_text("premise\nA secret that lies beside the uploads.\n")
    with gr.Blocks() as demo:
        box, out = gr.File(file_types=[".csv"]), gr.Textbox()
        box.change(lambda path: str(look_at(path)), box, out, api_name="look")
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
