"""What all tabs share: models, answers in batches, events, examples and templates."""

import re
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import gradio as gr
import pytest
from jinja2 import UndefinedError
from refusals import refusal
from teach_fakes import until
from ui_fakes import NASTY, FakeClassifier, ask, make_store

from symdemo.classifier import SymmetryClassifier
from symdemo.classifier.asking import read
from symdemo.errors import InputError, ModelError
from symdemo.files.paths import ASSETS
from symdemo.jobs.deadline import check_time, within
from symdemo.ui.shared import events
from symdemo.ui.shared import store as store_module
from symdemo.ui.shared.about import load_examples
from symdemo.ui.shared.answers import BATCH_SIZE, Batches
from symdemo.ui.shared.events import UNEXPECTED, guarded
from symdemo.ui.shared.html import TEMPLATES, draw
from symdemo.ui.shared.store import ModelStore


def test_the_store_prefers_general_and_loads_once():
    store = make_store("abc", "wikidata14", "general")
    assert list(store.cards()) == ["general", "wikidata14", "abc"]
    assert store.get().classifier is store.get("general").classifier
    assert store.loads == ["general"]


def test_loading_does_not_count_against_the_deadline(monkeypatch):
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


def test_models_load_without_the_parser(monkeypatch):
    def missing():
        raise ModelError("The English parser is not installed.")

    monkeypatch.setattr(store_module, "pipeline", missing)
    assert make_store("a").get().name == "a"


@pytest.mark.parametrize("name", ["../wikidata14", "owner/name", "/etc", "nothing"])
def test_only_listed_models_are_loaded(name):
    store = make_store()
    assert "here are: general, wikidata14" in refusal(store.get, name, raising=ModelError)
    assert store.loads == []
    with pytest.raises(ModelError, match="There is no model yet"):
        ModelStore(list, FakeClassifier).get()


@pytest.mark.parametrize(
    ("backend", "loaded"), [("torch", [{}]), ("onnx", [{"backend": "onnx"}, {}])]
)
def test_the_environment_names_the_backend_and_teaching_stays_in_torch(
    monkeypatch, backend, loaded
):
    asked = []
    monkeypatch.setattr(
        SymmetryClassifier, "from_pretrained", lambda name, **options: asked.append(options) or name
    )
    monkeypatch.setattr(store_module, "pick_backend", lambda name, _device: name)
    monkeypatch.setenv("SYMDEMO_BACKEND", backend)
    store = ModelStore.of_folder()
    assert store.get("general").classifier == store.trainable("general") == "general"
    assert asked == loaded


@pytest.mark.parametrize("long", [False, True])
def test_an_event_has_a_deadline(monkeypatch, long):
    monkeypatch.setattr(events, "LONG_SECONDS" if long else "SECONDS", 0.05)

    def work_row_by_row(_visit):
        for _ in range(100):
            time.sleep(0.01)
            check_time()
        return {}

    place = gr.HTML()
    assert "longer than one request may" in guarded(place, work_row_by_row, long=long)(None)[place]


@pytest.mark.parametrize(
    ("error", "words"),
    [(InputError("Write a row first."), "Write a row"), (KeyError(), UNEXPECTED)],
)
def test_an_error_is_shown_in_its_place_and_nothing_else_changes(error, words):
    def fail(_visit):
        raise error

    place = gr.HTML()
    ((shown, panel),) = guarded(place, fail)(None).items()
    assert shown is place
    assert words in panel
    assert guarded(None, fail)(None) == gr.skip()


def test_success_clears_the_message_unless_the_event_is_quiet():
    place, box = gr.HTML(), gr.HTML()
    assert guarded(place, lambda _visit, value: {box: value})(None, "x") == {place: "", box: "x"}
    assert guarded(place, lambda _visit: {box: "x"}, quiet=True)(None) == {box: "x"}
    assert guarded(place, lambda _visit: {}, quiet=True)(None) == gr.skip()


@pytest.mark.parametrize("example", load_examples(), ids=lambda example: example["sentence"])
def test_every_example_can_be_swapped(example):
    question = read(example["sentence"], example["hypothesis"])
    assert question.is_swap
    assert question.pair.hypothesis != example["sentence"]


def test_templates_escape_values_and_need_all_of_them():
    html = draw("shared/in_words.html", plot=f'"{NASTY}', name=NASTY, sentences=[NASTY])
    assert html.count("&lt;img") == 5
    assert "<img" not in html
    assert 'id=""' not in html
    with pytest.raises(UndefinedError, match="name"):
        draw("shared/in_words.html", plot="map", sentences=[])


@pytest.mark.parametrize("path", sorted(TEMPLATES.rglob("*.html")), ids=lambda path: path.name)
def test_templates_leave_only_their_own_tags_unescaped(path):
    text = path.read_text(encoding="utf-8")
    assert len(re.findall(r"\|\s*safe", text)) == len(re.findall(r'"</?[a-z]+>"\|safe', text))
    assert "autoescape" not in text


def test_items_that_arrive_during_a_run_form_batches_and_fail_alone():
    began, gate, sizes = threading.Event(), threading.Event(), []

    def run(items):
        sizes.append(len(items))
        began.set()
        gate.wait(10)
        return [100 // item for item in items]

    batches = Batches(run)
    with ThreadPoolExecutor(30) as pool:
        first = pool.submit(batches.ask, 50)
        began.wait()
        zero, *others = [pool.submit(batches.ask, n) for n in range(2 * BATCH_SIZE)]
        until(lambda: len(batches._waiting) == 2 * BATCH_SIZE)
        gate.set()
        with pytest.raises(ZeroDivisionError):
            zero.result()
        assert [found.result() for found in others] == [100 // n for n in range(1, 2 * BATCH_SIZE)]
        assert first.result() == 2
    # The first, two full batches, and one by one those beside the one that failed.
    assert sorted(sizes) == [1] * (1 + BATCH_SIZE) + [BATCH_SIZE] * 2
    assert not batches._waiting


@pytest.mark.parametrize("k", [2.5, True, "3", 0, 16])
def test_neighbours_are_a_whole_number(k):
    assert "a whole number between 1 and 15" in refusal(ask, k=k)


def test_the_rule_that_resets_space_leaves_that_of_each_class():
    """`.html-container li` sets no space and weighs more than a class alone."""
    style = (ASSETS / "style.css").read_text(encoding="utf-8")
    drawn = "".join(path.read_text(encoding="utf-8") for path in TEMPLATES.rglob("*.html"))
    reset = re.findall(r'<(?:h[123]|p|ul|li|dl|dt|dd)\b[^>]*class="([^"{]*)', drawn)
    rules = re.findall(r"(?m)^\.([\w-]+) \{([^}]*)", style)
    spaced = {name for name, rule in rules if re.search("margin|padding", rule)}
    assert len(spaced) > 10
    assert not spaced & set(" ".join(reset).split())
