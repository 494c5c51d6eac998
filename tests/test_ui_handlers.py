"""The app without a browser: the store, what the handlers answer, and what is drawn from it."""

import json
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

pytest.importorskip("gradio")

from ui_fakes import NASTY, SENTENCE, SWAPPED, FakeClassifier, ask, make_card, make_store

from symdemo.checkpoints import list_models
from symdemo.errors import InputError, ModelError
from symdemo.ui import figures, panels, try_events
from symdemo.ui.about_panel import model_panel
from symdemo.ui.store import ModelStore
from symdemo.ui.try_handlers import (
    UNEXPECTED,
    Answer,
    Problem,
    answer,
    attempt,
    check,
    fill_in,
    find_swap,
    from_parts,
)

# The store


def test_store_prefers_general_and_loads_once():
    store = make_store("abc", "wikidata14", "general")
    assert list(store.cards()) == ["general", "wikidata14", "abc"]
    assert store.get() is store.get("general")
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
    assert len({id(model) for model in models}) == 1


@pytest.mark.parametrize("name", ["../wikidata14", "owner/name", "/etc", "nothing"])
def test_store_loads_nothing_that_is_not_listed(name):
    store = make_store()
    with pytest.raises(ModelError, match="here are: general, wikidata14"):
        store.get(name)
    assert store.loads == []


def test_store_without_models_says_so():
    with pytest.raises(ModelError, match="No model is here yet"):
        ModelStore(list, FakeClassifier).get()


# Filling in


def test_fill_in_swaps_a_new_sentence():
    draft = fill_in(SENTENCE, "", "")
    assert (draft.hypothesis, draft.swapped_from, draft.problem) == (SWAPPED, SENTENCE, None)


def test_fill_in_keeps_what_was_typed_until_the_sentence_changes():
    assert fill_in(SENTENCE, "My own words here.", SENTENCE).hypothesis == "My own words here."
    assert fill_in(f" {SENTENCE} ", "My own words.", SENTENCE).hypothesis == "My own words."
    assert fill_in(SENTENCE, "My own words here.", "Another one.").hypothesis == SWAPPED
    assert fill_in(SENTENCE, " ", SENTENCE).hypothesis == SWAPPED


def test_a_sentence_that_cannot_be_swapped_can_still_be_asked_about():
    sentence = "Slowly and quietly."
    draft = fill_in(sentence, SWAPPED, SENTENCE)
    assert draft.problem
    assert draft.hypothesis == ""
    draft, found = check(make_store(), sentence, "Quietly and slowly.", draft.swapped_from, None)
    assert isinstance(found, Answer)
    assert found.parts is None


def test_three_boxes_make_both_sentences():
    draft = from_parts("Kenya", "is different from", "Uganda")
    assert (draft.sentence, draft.hypothesis) == (SENTENCE, SWAPPED)
    kept = fill_in(draft.sentence, draft.hypothesis, draft.swapped_from)
    assert kept.hypothesis == SWAPPED


def test_an_empty_box_is_named():
    with pytest.raises(InputError, match="relation"):
        from_parts("Kenya", " ", "Uganda")


# Answers


def test_check_fills_in_and_answers():
    draft, found = check(make_store(), SENTENCE, "", "", None)
    assert draft.hypothesis == found.prediction.pair.hypothesis == SWAPPED
    assert found.parts == find_swap(SENTENCE)
    assert len(found.prediction.neighbours) == 3
    distances = [near.distance for near in found.prediction.neighbours]
    assert distances == sorted(distances)


@pytest.mark.parametrize(
    ("sentence", "hypothesis"),
    [("", ""), ("one", ""), (SENTENCE, SENTENCE), (SENTENCE, "\x00 \x01"), ("x" * 3000, "y z"),
     (None, None), (7, ["a"])],
)  # fmt: skip
def test_bad_input_is_one_sentence_and_changes_no_result(sentence, hypothesis):
    _, found = check(make_store(), sentence, hypothesis, sentence or "", None)
    assert isinstance(found, Problem)
    assert found.message != UNEXPECTED
    assert "\n" not in found.message
    assert all(value == try_events.gr.skip() for value in try_events.show_answer(found))


def test_an_unknown_error_is_told_in_general_words(caplog):
    found = attempt(answer, make_store(), "Please crash now.", "Now crash please.", None)
    assert found == Problem(UNEXPECTED)
    assert "secret inner detail" in caplog.text


@pytest.mark.parametrize("k", [0, -1, 16])
def test_k_out_of_range_is_refused(k):
    with pytest.raises(InputError, match="between 1 and 15"):
        ask(k=k)


def test_k_is_how_many_neighbours_are_shown():
    found = ask(k=5)
    assert panels.neighbours_table(found).count("<tr><td") == 5
    assert "Votes of the 5 nearest taught examples" in panels.verdict_panel(found)


# What is drawn


@pytest.mark.parametrize(
    ("label", "words"),
    [
        ("entailment", "Yes, it still holds"),
        ("contradiction", "No, it cannot also hold"),
        ("neutral", "It says nothing about that"),
        ("sometimes", "sometimes"),
    ],
)
def test_verdict_in_words(label, words):
    shown = panels.wording(label)
    assert shown.verdict == words
    assert shown.sign


@pytest.mark.parametrize(
    ("temperature", "share", "familiar", "words"),
    [
        (0.1, 0.61, None, "Not sure: of such verdicts about 6 in 10 are right."),
        (0.1, 0.61, False, panels.UNFAMILIAR),
        (0.1, 0.9, None, ""),
        (None, 0.61, None, ""),  # nobody measured what the share means
    ],
)
def test_what_an_unsure_verdict_says(temperature, share, familiar, words):
    found = ask()
    prediction = replace(
        found.prediction, probabilities={"entailment": share, "x": 1 - share}, familiar=familiar
    )
    classifier = found.model.classifier
    classifier.card = classifier.card.with_(temperature=temperature)
    html = panels.verdict_panel(replace(found, prediction=prediction))
    shown = re.search(r"</span> ([^<]*)</p>", html.split("verdict__warning")[-1])
    assert (shown[1] if "verdict__warning" in html else "") == words
    assert ("How sure the model is" in html) is (temperature is not None)


def test_only_an_unfamiliar_pair_is_warned_about():
    for familiar, warned in ((None, False), (True, False), (False, True)):
        html = panels.verdict_panel(ask(store=make_store(familiar=familiar)))
        assert (panels.UNFAMILIAR in html) is warned


def test_what_changed_places_is_marked_in_both_sentences():
    html = panels.verdict_panel(ask())
    assert html.count("part--subject") == html.count("part--object") == 2
    assert '<span class="part part--subject">Kenya</span>' in html


def test_everything_typed_or_taught_is_escaped():
    found = ask(f"{NASTY} knows Bob.", f"Bob knows {NASTY}.", k=8)
    drawn = [
        panels.verdict_panel(found),
        panels.neighbours_table(found),
        panels.problem_panel(Problem(NASTY)),
        model_panel(make_card(NASTY, summary=NASTY, scores={NASTY: {NASTY: NASTY}})),
        json.dumps(figures.draw_map(found)),
        json.dumps(figures.draw_rotation(found.prediction)),
    ]
    assert "&lt;img" in "".join(drawn)
    assert not [html for html in drawn if "<img" in html]


def test_relations_are_shown_by_name():
    assert panels.relation_name("P25") == "mother"
    assert panels.relation_name("my own") == "my own"
    assert panels.relation_name(None) == "–"


def test_model_panel_with_and_without_scores():
    assert "Not measured yet" in model_panel(make_card("a"))
    html = model_panel(make_card("a", scores={"accuracy": 97.25, "by kind": {"new": 81}}))
    assert "97.2" in html
    assert "<dt>new</dt><dd>81</dd>" in html
    assert "No model is here yet" in model_panel(None)


# Examples


@pytest.mark.skipif(
    "wikidata14" not in {card.name for card in list_models()}, reason="models/wikidata14 is absent"
)
def test_real_model_answers_with_everything_drawn():
    store = ModelStore.of_folder()
    sentence = "Serena Williams is a sibling of Venus Williams."
    _, found = check(store, sentence, "", "", "wikidata14")
    assert isinstance(found, Answer)
    assert found.prediction.label == "entailment"
    assert len(try_events.show_answer(found)) == 8
    assert found.model.projection.points.shape == (len(found.model.classifier.index), 2)
