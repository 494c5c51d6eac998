"""The tab “Try it” without a browser: what its handlers answer, and what is drawn of it."""

import csv
import json
import re
from dataclasses import replace
from html import unescape
from types import SimpleNamespace

import numpy as np
import pytest
from refusals import refusal
from ui_fakes import DIMENSION, NASTY, SENTENCE, SWAPPED, ask, make_card, make_store

from symdemo.classifier.asking import NOT_OUR_KIND
from symdemo.classifier.card import UNSEEN
from symdemo.classifier.index import LabelIndex
from symdemo.errors import InputError
from symdemo.ui.shared.about import model_panel
from symdemo.ui.shared.events import UNEXPECTED, Problem, problem_panel
from symdemo.ui.try_it import events, figures, many, verdict
from symdemo.ui.try_it.events import NONE
from symdemo.ui.try_it.questions import Correction, PageQuestion, from_json, read


def asked(**values) -> PageQuestion:
    return from_json(PageQuestion, json.dumps({"number": 1} | values))


def visits(store=None):
    """Sessions of visitors without a project."""
    return SimpleNamespace(models=lambda project: store or make_store())


def respond(model=None, other=NONE, store=None, **values) -> events.Shown:
    """Return the updates that the page gets for a question."""
    text = json.dumps({"number": 1, "sentence": SENTENCE} | values)
    return events.respond(visits(store), text, model, other, None, "")


@pytest.mark.parametrize(
    "sent",
    [None, 3, "", "{", "{}", "[]", "null", "[" * 100_000, '{"number": "x"}', '{"number": 1e999}',
     '{"number": 1, "one": [1], "two": 3}', "x" * 30_000,
     json.dumps({"number": 1, "parts": ["x" * 10**6] * 3})],
)  # fmt: skip
def test_what_the_page_never_sends_is_refused(sent):
    shown = events.respond(visits(), sent, None, NONE, None, "")
    assert "could not be read; reload the page" in shown.problem
    assert json.loads(shown.answer)["error"] is True
    assert "could not be read" in refusal(from_json, Correction, sent)


def test_parts_and_tapped_words_make_both_sentences():
    parts = {"parts": ["Kenya", "is different from", "Uganda"]}
    tapped = {"sentence": SENTENCE, "one": [0, 1], "two": [4, 5]}
    for values in (parts, tapped):
        question = read(asked(**values))
        assert (question.pair.premise, question.pair.hypothesis) == (SENTENCE, SWAPPED)
        assert question.swap.sure
        assert question.is_swap
    assert "relation" in refusal(read, asked(parts=["Kenya", " ", "Uganda"]))
    assert "words of the object" in refusal(read, asked(**tapped | {"two": None}))


def test_an_answer_is_about_the_sentence_that_was_sent():
    shown = respond(number=4, sentence=f"  {SENTENCE.replace(' ', '  ')} ")
    values = json.loads(shown.answer)
    assert "What changed" not in shown.verdict
    assert shown.problem == ""
    assert (values["number"], values["premise"], values["hypothesis"]) == (4, SENTENCE, SWAPPED)
    assert SWAPPED in values["said"]
    assert values["guess"] == ["Kenya", "is different from", "Uganda"]
    assert shown.verdict.count("part--subject") == shown.verdict.count("part--object") == 2


@pytest.mark.parametrize(
    ("second", "change"),
    [
        ("Uganda is not different from Kenya.", "What changed: a negation."),
        ("Kenya and Uganda differ.", "What changed: other words."),
    ],
)
def test_no_word_about_a_swap_where_none_was_made(second, change):
    shown = respond(store=make_store(any_pair=True), hypothesis=second)
    assert change in shown.verdict
    assert not re.search("swap", shown.verdict + shown.answer.replace("is_swap", ""))
    assert "Yes, it follows" in shown.verdict or "No, it is ruled out" in shown.verdict
    assert shown.verdict.count("data-teach=") >= 2
    assert json.loads(shown.answer)["second"] == second


@pytest.mark.parametrize("any_pair", [False, True])
@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"sentence": "Electrons repel electrons."}, "Swapping changes nothing here."),
        ({"hypothesis": SENTENCE}, "Nothing changed."),
    ],
)
def test_a_sentence_follows_from_itself_without_a_model(any_pair, values, said):
    shown = respond(store=make_store(any_pair=any_pair), **values)
    assert shown.problem == shown.why == ""
    assert said in shown.verdict
    assert "<h2>Yes</h2>" in shown.verdict
    for absent in ("verdict__warning", "bars", "data-teach"):
        assert absent not in shown.verdict
    assert json.loads(shown.answer)["sure"]
    assert events.draw_pictures(visits(), shown.answer, None, None, "")["map"] is None


def test_another_language_is_refused_whichever_way_it_is_asked():
    german, other = "Anna ist die Mutter von Bob.", "Bob ist die Mutter von Anna."
    for values in (
        {"sentence": german},
        {"sentence": german, "hypothesis": other},
        {"hypothesis": other},
        {"sentence": german, "one": [0, 1], "two": [5, 6]},
        {"parts": ["Anna", "ist die Mutter von", "Bob"]},
    ):
        shown = respond(**values)
        assert "not seem to be English" in shown.problem, values
        assert shown.verdict == ""


def test_a_model_of_swaps_hands_another_pair_to_the_model_of_pairs():
    store = make_store("general", "pairs")
    shown = respond(store=store, hypothesis="Uganda is not different from Kenya.")
    assert store.loads == ["general", "pairs"]
    assert "Answered by pairs, as general judges only swaps. Made up as pairs." in shown.about_line
    assert json.loads(shown.answer)["model"] == "general"  # what is asked next, and in the link
    assert "Answered by general. Made up" in respond(store=store).about_line
    assert verdict.NO_VERDICT not in shown.verdict


def test_a_second_model_that_disagrees_makes_the_page_unsure():
    store = make_store("general", "pairs")
    assert "verdict__warning" not in verdict.verdict_panel(ask(store=store, k=1))
    pairs = store.get("pairs").classifier
    turned = {"entailment": "contradiction", "contradiction": "entailment"}
    others = [replace(p, label=turned.get(p.label, "entailment")) for p in pairs.index.pairs]
    pairs.index = LabelIndex(others, pairs.index.embeddings)
    found = ask(store=store, k=1)
    assert found.second_verdict not in ("", found.prediction.label)
    assert found.model.name == "general"
    assert "a second model answers “" in verdict.verdict_panel(found)
    assert "a second model answers “" in verdict.verdict_in_words(found)


def test_a_pair_that_is_not_judged_gets_one_line():
    store = make_store(any_pair=True)
    shown = respond(store=store, hypothesis="It rained in Rome.", other="wikidata14")
    assert shown.verdict.count(NOT_OUR_KIND) == 1
    for absent in ("bars", "data-teach", "verdict__warning", "What changed", "%"):
        assert absent not in shown.verdict
    assert shown.verdict.count(verdict.NO_VERDICT) == 3  # beside the other model, too
    assert shown.why == ""
    values = json.loads(shown.answer)
    assert (values["in_scope"], values["said"]) == (False, f"{verdict.NO_VERDICT}. {NOT_OUR_KIND}")
    drawn = events.draw_pictures(visits(store), shown.answer, None, None, "")
    assert drawn["map"] is None


@pytest.mark.parametrize(
    ("sentence", "others"),
    [
        ("The man saw the girl with the telescope in the park of the bussiness.", 1),
        ("Kenya bordrs Uganda in the bussiness of the river.", 0),
    ],
)
def test_where_the_swap_is_doubtful_the_page_asks_before_any_verdict(sentence, others):
    shown = respond(sentence=sentence)
    title = "Which two change places?" if others else "Is this the swap?"
    assert title in shown.verdict
    assert shown.verdict.count("data-ask=") > others
    assert '<details class="words" open>' in shown.words
    for absent in ("verdict__word", "bars", "data-teach", "%"):
        assert absent not in shown.verdict
    assert shown.why == ""
    assert "Answered by" not in shown.about_line
    assert json.loads(shown.answer)["which"] is True
    choice = json.loads(unescape(re.search('data-ask="([^"]*)"', shown.verdict)[1]))
    assert "verdict__word" in respond(**choice).verdict


def test_a_second_model_answers_beside_the_first():
    assert "Two models on this pair" in respond(other="wikidata14").verdict
    assert "Two models" not in respond(model="wikidata14", other="wikidata14").verdict


@pytest.mark.parametrize(
    ("sentence", "hypothesis"),
    [("", ""), ("\x00", ""), ("one", ""), (SENTENCE, "\x00 \x01"), ("x" * 3000, "y z")],
)
def test_bad_input_is_one_sentence_and_clears_the_verdict(sentence, hypothesis):
    shown = respond(sentence=sentence, hypothesis=hypothesis)
    assert shown.problem
    assert UNEXPECTED not in shown.problem
    assert shown.verdict == shown.why == shown.about_line == ""
    assert bool(shown.words) is (len(sentence.split()) > 1)


def test_k_is_how_many_neighbours_are_shown():
    found = ask(k=5)
    assert verdict.why_panel(found).count('class="near__pair"') == verdict.SHOWN + 5
    assert "Votes of the 5 nearest examples" in verdict.verdict_panel(found)


@pytest.mark.parametrize(
    ("temperature", "share", "familiar", "words"),
    [
        (0.1, 0.61, None, "Not sure: about 6 in 10 of these are right."),
        (0.1, 0.61, False, "so do not rely on the verdict."),
        (0.1, 0.9, None, ""),
        (None, 0.61, None, ""),  # what the share means was not measured
        (None, 0.61, False, "so do not rely on the verdict."),
    ],
)
def test_what_an_unsure_verdict_says(temperature, share, familiar, words):
    found, shares = ask(), {"entailment": share, "x": 1 - share}
    prediction = replace(
        found.prediction, label="entailment", probabilities=shares, familiar=familiar
    )
    classifier = found.model.classifier
    classifier.card = classifier.card.with_(temperature=temperature)
    html = verdict.verdict_panel(replace(found, prediction=prediction))
    warning = re.search(r"verdict__warning.*</span> ([^<]*)</p>", html)
    assert (warning is not None) == bool(words)
    assert warning is None or warning[1].endswith(words)
    assert ("How sure the model is" in html) is (temperature is not None)


def test_all_text_of_visitors_and_models_is_escaped():
    found = ask(f"{NASTY} knows Bob.", f"Bob knows {NASTY}.", k=8)
    drawn = [
        verdict.verdict_panel(found),
        verdict.why_panel(found),
        verdict.words_panel(found.prediction.pair.premise, None),
        many.many_panel([(NASTY, found), (NASTY, NASTY)]),
        verdict.compared_panel([found]),
        verdict.honest_line(make_card("a", scores={NASTY: NASTY, UNSEEN: NASTY}, summary=NASTY)),
        problem_panel(Problem(NASTY)),
        model_panel(make_card(NASTY, summary=NASTY, scores={NASTY: {NASTY: NASTY}})),
        json.dumps(figures.draw_map(found)),
        json.dumps(figures.draw_rotation(found)),
    ]
    assert "&lt;img" in "".join(drawn)
    assert not [html for html in drawn if "<img" in html]


def test_many_sentences_are_answered_line_by_line():
    text = f"{SENTENCE}\n\n word \nAnn is different from =1+1.\n"
    rows = many.check_many(make_store(), text, None)
    assert [line for line, _ in rows] == [SENTENCE, "word", "Ann is different from =1+1."]
    assert rows[0][1].prediction.pair.hypothesis == SWAPPED
    assert "word" in rows[1][1]
    assert "<b>2 of 3</b> were answered" in many.many_panel(rows)
    table = list(csv.reader(many.to_csv(rows).splitlines()))
    assert tuple(table[0]) == many.COLUMNS
    assert table[1][:3] == [SENTENCE, SWAPPED, rows[0][1].prediction.label]
    assert table[3][1].startswith("'=1+1")
    found = ask(hypothesis="It rained in Rome.", store=make_store(any_pair=True))  # no verdict
    assert f"<td>none</td><td><small>{NOT_OUR_KIND}" in many.many_panel([(SENTENCE, found)])
    cells = list(csv.reader(many.to_csv([(SENTENCE, found)]).splitlines()))[1]
    assert cells[2:] == ["none", "", "no", NOT_OUR_KIND]


@pytest.mark.parametrize("text", ["", "  \n ", None, "Ann knows Bob.\n" * (many.MOST + 1)])
def test_no_lines_or_too_many_are_refused(text):
    with pytest.raises(InputError, match=r"at least one|at most 50"):
        many.check_many(make_store(), text, None)


def test_pictures_are_drawn_of_the_last_answer():
    drawn = events.draw_pictures(visits(), respond().answer, None, None, "")
    assert len(drawn) == 5
    assert "Most like" in drawn["rotation_caption"]
    assert events.draw_pictures(visits(), "", None, None, "") == {}


def test_zero_is_on_top_and_a_quarter_turn_is_to_the_right():
    found = ask()
    turns = np.ones(DIMENSION // 2, complex)
    turns[:5] = [1, 1j, -1j, -1, 2 + 2j]
    vector = np.concatenate([turns.real, turns.imag]).astype(np.float32)
    turned = replace(found, prediction=replace(found.prediction, label_embedding=vector))
    ring = figures.draw_rotation(turned)[0]["data"][0]
    half = np.sqrt(0.5)
    assert np.allclose(ring["x"][:5], [0, 1, -1, 0, half], atol=1e-3)
    assert np.allclose(ring["y"][:5], [1, 0, 0, -1, half], atol=1e-3)
    assert ring["marker"]["size"][4] > ring["marker"]["size"][0], "by amplitude"


def test_a_model_that_reads_both_sentences_together_has_no_rotation():
    found = ask()
    classifier = found.model.classifier
    classifier.card = replace(classifier.card, method="knn-learnt-metric")
    assert figures.draw_rotation(found) is None


def test_map_joins_the_query_to_each_neighbour():
    found = ask(k=4)
    lines, *clouds, query = figures.draw_map(found)["data"]
    assert lines["x"].count(None) == 4
    assert sum(len(cloud["x"]) for cloud in clouds) == len(found.model.classifier.index)
    assert query["name"] == "your sentence"
    assert len({cloud["marker"]["symbol"] for cloud in clouds}) == len(clouds)
