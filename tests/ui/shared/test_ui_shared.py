"""What all tabs share: the models that can be asked, their map, the examples, the templates."""

import re
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

pytest.importorskip("gradio")

import gradio as gr
from jinja2 import UndefinedError
from ui_fakes import NASTY, FakeClassifier, make_store

from symdemo.classifier.asking import read
from symdemo.data.relations import RELATIONS
from symdemo.encoders.registry import DEFAULT_ENCODER
from symdemo.errors import InputError, ModelError
from symdemo.jobs.deadline import check_time, within
from symdemo.ui.shared import events
from symdemo.ui.shared import store as store_module
from symdemo.ui.shared.about import OTHER, example_buttons, load_examples
from symdemo.ui.shared.events import UNEXPECTED, guarded
from symdemo.ui.shared.figures import plotly_text
from symdemo.ui.shared.html import TEMPLATES, draw
from symdemo.ui.shared.sessions import allowed_encoders
from symdemo.ui.shared.store import ModelStore

# The store


def test_store_prefers_general_and_loads_once():
    store = make_store("abc", "wikidata14", "general")
    assert list(store.cards()) == ["general", "wikidata14", "abc"]
    assert store.get() == store.get("general")
    assert store.get().classifier is store.get("general").classifier
    assert store.loads == ["general"]


def test_store_drops_the_least_recently_used():
    store = make_store("a", "b", "c", capacity=2)
    for name in ("a", "b", "a", "c", "a", "b"):
        store.get(name)
    assert store.loads == ["a", "b", "c", "b"]


def test_store_loads_once_for_many_threads():
    store = make_store("a")
    with ThreadPoolExecutor(8) as pool:
        models = list(pool.map(lambda _: store.get("a"), range(32)))
    assert store.loads == ["a"]
    assert len({id(model.classifier) for model in models}) == 1


def test_loading_is_nobodys_time_whoever_loads(monkeypatch):
    store = make_store("slow")
    load = store._load
    store._load = lambda name: time.sleep(0.5) or load(name)
    monkeypatch.setattr(store_module, "pipeline", lambda: time.sleep(0.5))

    def ask(_):
        with within(0.4):
            store.get()
            check_time()
        return True

    with ThreadPoolExecutor(2) as pool:  # one of them waits while the other loads
        assert list(pool.map(ask, range(2))) == [True, True]


def test_a_model_is_had_without_the_parser(monkeypatch):
    def missing():
        raise ModelError("The English parser is not installed.")

    monkeypatch.setattr(store_module, "pipeline", missing)
    assert make_store("a").get().name == "a"


@pytest.mark.parametrize("name", ["../wikidata14", "owner/name", "/etc", "nothing"])
def test_store_loads_nothing_that_is_not_listed(name):
    store = make_store()
    with pytest.raises(ModelError, match="here are: general, wikidata14"):
        store.get(name)
    assert store.loads == []


def test_store_without_models_says_so():
    with pytest.raises(ModelError, match="There is no model yet"):
        ModelStore(list, FakeClassifier).get()


# Events


@pytest.mark.parametrize("long", [False, True])
def test_an_event_has_an_end(monkeypatch, long):
    monkeypatch.setattr(events, "SECONDS", 0.05)
    monkeypatch.setattr(events, "LONG_SECONDS", 0.05)

    def work_row_by_row(_visit):
        for _ in range(100):
            time.sleep(0.01)
            check_time()
        return {}

    place = gr.HTML()
    panel = guarded(place, work_row_by_row, long=long)(None)[place]
    assert "takes longer than one request may" in panel


@pytest.mark.parametrize(
    ("error", "words"),
    [(InputError("Write a row first."), "Write a row"), (KeyError(), UNEXPECTED)],
)
def test_an_error_is_told_in_its_place_and_nothing_else_changes(error, words):
    def fail(_visit):
        raise error

    place = gr.HTML()
    ((told, panel),) = guarded(place, fail)(None).items()
    assert told is place
    assert words in panel
    assert guarded(None, fail)(None) == gr.skip()


def test_what_goes_well_clears_the_message_unless_it_happens_by_itself():
    place, box = gr.HTML(), gr.HTML()
    assert guarded(place, lambda _visit, value: {box: value})(None, "x") == {place: "", box: "x"}
    assert guarded(place, lambda _visit: {box: "x"}, quiet=True)(None) == {box: "x"}
    assert guarded(place, lambda _visit: {}, quiet=True)(None) == gr.skip()


# Examples


def test_examples_cover_the_14_relations_and_as_many_others():
    kinds = [example.kind for example in load_examples()]
    assert sorted(set(kinds) - {OTHER}) == sorted(relation.id for relation in RELATIONS)
    assert kinds.count(OTHER) == 14


@pytest.mark.parametrize("example", load_examples(), ids=lambda example: example.sentence)
def test_every_example_can_be_swapped(example):
    question = read(example.sentence, example.hypothesis)
    assert question.is_swap
    assert question.pair.hypothesis != example.sentence


def test_every_example_is_a_button_that_asks_it():
    html = example_buttons()
    assert html.count("data-ask=") == len(load_examples())
    assert "Kenya borders Uganda." in html


# Templates


def test_what_is_put_into_a_template_is_escaped_and_nothing_may_lack():
    html = draw("teach/grid.html", label=f'"{NASTY}', labels={NASTY: NASTY})
    assert html.count("&lt;img") == 3
    assert "<img" not in html
    assert 'label=""' not in html
    with pytest.raises(UndefinedError, match="label"):
        draw("teach/grid.html", labels={})


@pytest.mark.parametrize("path", sorted(TEMPLATES.rglob("*.html")), ids=lambda path: path.name)
def test_only_tags_that_a_template_writes_itself_are_left_unescaped(path):
    text = path.read_text(encoding="utf-8")
    assert len(re.findall(r"\|\s*safe", text)) == len(re.findall(r'"</?[a-z]+>"\|safe', text))
    assert "autoescape" not in text


def test_archives_of_strangers_fetch_no_encoder_unless_the_owner_opens_that(monkeypatch):
    for space in ("", "me/app"):
        monkeypatch.setenv("SPACE_ID", space)
        monkeypatch.delenv("SYMDEMO_OPEN_ENCODERS", raising=False)
        assert allowed_encoders() == [DEFAULT_ENCODER]
        monkeypatch.setenv("SYMDEMO_OPEN_ENCODERS", "1")
        assert allowed_encoders() is None


def test_quotation_marks_in_pictures_are_shown_as_they_are_and_tags_are_none():
    assert plotly_text("""<b>"all" of Ann's</b> & so""") == (
        """&lt;b&gt;"all" of Ann's&lt;/b&gt; &amp; so"""
    )
