"""The tab “Try it” without a browser: what its handlers answer, and what is drawn from it."""

import csv
import json
import re
from dataclasses import replace

import pytest

pytest.importorskip("gradio")

from ui_fakes import NASTY, SENTENCE, SWAPPED, ask, make_card, make_store

from symdemo.classifier.asking import find_swap
from symdemo.classifier.card import FIRST_STAGE, UNSEEN
from symdemo.classifier.checkpoints import list_models
from symdemo.errors import InputError
from symdemo.ui.shared.about import honest_line, model_panel
from symdemo.ui.shared.answers import check
from symdemo.ui.shared.events import UNEXPECTED, Problem, attempt, problem_panel
from symdemo.ui.shared.html import relation_name, wording
from symdemo.ui.shared.store import ModelStore
from symdemo.ui.try_it import events
from symdemo.ui.try_it.events import NONE, Shown, draw_pictures, show_answer
from symdemo.ui.try_it.figures import draw_map, draw_rotation, rotation_caption
from symdemo.ui.try_it.many import COLUMNS, MOST, check_many, many_panel, to_csv
from symdemo.ui.try_it.questions import Asked, read
from symdemo.ui.try_it.verdict import NO_SWAP, compared_panel, verdict_panel, words_panel
from symdemo.ui.try_it.why import why_panel

# Questions


def asked(**values) -> Asked:
    return Asked.from_json(json.dumps({"number": 1} | values))


LONG = json.dumps({"number": 1, "parts": ["x" * 10**6] * 3})


@pytest.mark.parametrize(
    "sent",
    [None, 3, "", "{", "[]", "null", "[" * 100_000, '{"number": "x"}', '{"number": 1e999}', LONG],
)
def test_what_the_page_never_sends_is_refused(sent):
    with pytest.raises(InputError, match="could not be read; open the page again"):
        Asked.from_json(sent)


def respond(text, store=None, model=None, other=NONE, k=None) -> Shown:
    """What the page is given; the visitor has no project."""
    store = store or make_store()
    return events.respond(Visits(store), text, model, other, k, "")


class Visits:
    """Sessions of visitors without a project."""

    def __init__(self, store):
        self.store = store

    def models(self, project):
        return self.store


def test_a_question_is_read_as_the_page_sends_it():
    question = asked(sentence=SENTENCE, fill=True, one=[0, 1], two=[4, 5])
    assert question == Asked(1, SENTENCE, places=((0, 1), (4, 5)), fill=True)
    assert asked(parts=["Kenya", "borders", "Uganda"]).parts == ("Kenya", "borders", "Uganda")


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", None, 7, "null", '{"number": "x"}', '{"number": 1e999}', "[" * 9_000,
     '{"number": 1, "one": [1], "two": 3}', "x" * 30_000],
)  # fmt: skip
def test_what_the_page_never_sends_is_told_in_a_sentence(text):
    shown = respond(text)
    assert "could not be read" in shown.problem
    assert json.loads(shown.answer)["error"] is True


def test_both_parties_have_to_be_tapped():
    shown = respond(json.dumps({"number": 1, "sentence": SENTENCE, "one": [0, 1], "two": None}))
    assert "both parties" in shown.problem


def test_an_answer_is_about_the_sentence_that_was_sent():
    shown = respond(json.dumps({"number": 4, "sentence": SENTENCE}))
    values = json.loads(shown.answer)
    assert shown.problem == ""
    assert (values["number"], values["premise"], values["hypothesis"]) == (4, SENTENCE, SWAPPED)
    assert SWAPPED in values["said"]
    assert values["guess"] == ["Kenya", "is different from", "Uganda"]
    assert "part--subject" in shown.verdict


def test_three_boxes_make_both_sentences():
    question = read(asked(parts=["Kenya", "is different from", "Uganda"]))
    assert (question.pair.premise, question.pair.hypothesis) == (SENTENCE, SWAPPED)
    assert question.swap.sure


def test_an_empty_box_is_named():
    with pytest.raises(InputError, match="relation"):
        read(asked(parts=["Kenya", " ", "Uganda"]))


def test_tapped_words_are_swapped():
    question = read(asked(sentence=SENTENCE, one=[0, 1], two=[4, 5]))
    assert question.pair.hypothesis == SWAPPED
    assert question.is_swap


def test_an_edited_swap_gets_no_verdict():
    edited = "Uganda is not different from Kenya."
    shown = respond(json.dumps({"number": 1, "sentence": SENTENCE, "hypothesis": edited}))
    assert NO_SWAP in shown.verdict
    assert "“not” was added." in shown.verdict
    assert "Yes, it still holds" not in shown.verdict
    assert "bars" not in shown.verdict
    assert shown.why == ""


def test_a_second_model_answers_beside_the_first():
    shown = respond(json.dumps({"number": 1, "sentence": SENTENCE}), other="wikidata14")
    assert "Two models on this pair" in shown.verdict
    alone = respond(json.dumps({"number": 1, "sentence": SENTENCE}), model="wikidata14",
                    other="wikidata14")  # fmt: skip
    assert "Two models" not in alone.verdict


def test_pictures_are_drawn_of_what_was_answered():
    answered = respond(json.dumps({"number": 1, "sentence": SENTENCE})).answer
    drawn = draw_pictures(Visits(make_store()), answered, None, None, "")
    assert len(drawn) == 5
    assert "Most like" in drawn["rotation_caption"]
    nothing = draw_pictures(Visits(make_store()), "", None, None, "")
    assert nothing == {}


# Answers


def test_check_swaps_and_answers():
    found = check(make_store(), SENTENCE)
    assert found.prediction.pair.hypothesis == SWAPPED
    assert found.question.swap == find_swap(SENTENCE)
    assert len(found.prediction.neighbours) == 3
    distances = [near.distance for near in found.prediction.neighbours]
    assert distances == sorted(distances)


@pytest.mark.parametrize(
    ("sentence", "hypothesis"),
    [("", ""), ("one", ""), (SENTENCE, SENTENCE), (SENTENCE, "\x00 \x01"), ("x" * 3000, "y z")],
)
def test_bad_input_is_one_sentence_and_leaves_no_verdict_standing(sentence, hypothesis):
    text = json.dumps({"number": 2, "sentence": sentence, "hypothesis": hypothesis})
    shown = respond(text)
    assert shown.problem
    assert UNEXPECTED not in shown.problem
    assert shown.verdict == ""
    assert shown.why == ""


def test_an_unknown_error_is_told_in_general_words(caplog):
    found = attempt(check, make_store(), "Please crash now.", "Now crash please.")
    assert found == Problem(UNEXPECTED)
    assert "secret inner detail" in caplog.text


@pytest.mark.parametrize("k", [0, -1, 16])
def test_k_out_of_range_is_refused(k):
    with pytest.raises(InputError, match="between 1 and 15"):
        ask(k=k)


def test_k_is_how_many_neighbours_are_shown():
    found = ask(k=5)
    assert why_panel(found).count('class="near__pair"') == 5
    assert "Votes of the 5 nearest taught examples" in verdict_panel(found)


# What is drawn


@pytest.mark.parametrize(
    ("label", "words"),
    [
        ("entailment", "Yes, it still holds"),
        ("contradiction", "No – the swap is false"),
        ("neutral", "Can’t tell"),
        ("sometimes", "sometimes"),
    ],
)
def test_verdict_in_words(label, words):
    shown = wording(label)
    assert shown.verdict == words
    assert shown.sign


@pytest.mark.parametrize(
    ("temperature", "share", "familiar", "words"),
    [
        (0.1, 0.61, None, "Not sure: of such verdicts about 6 in 10 are right."),
        (
            0.1,
            0.61,
            False,
            "This is unlike anything the model was taught, so do not rely on the verdict.",
        ),
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
    prediction = replace(prediction, label="entailment")
    html = verdict_panel(replace(found, prediction=prediction))
    shown = re.search(r"</span> ([^<]*)</p>", html.split("verdict__warning")[-1])
    assert (shown[1] if "verdict__warning" in html else "") == words
    assert ("How sure the model is" in html) is (temperature is not None)


def test_only_an_unfamiliar_pair_is_warned_about():
    for familiar, warned in ((None, False), (True, False), (False, True)):
        html = verdict_panel(ask(store=make_store(familiar=familiar)))
        assert ("unlike anything" in html) is warned


def test_what_changed_places_is_marked_in_both_sentences():
    html = verdict_panel(ask())
    assert html.count("part--subject") == html.count("part--object") == 2
    assert '<span class="part part--subject">Kenya</span>' in html


def test_everything_typed_or_taught_is_escaped():
    found = ask(f"{NASTY} knows Bob.", f"Bob knows {NASTY}.", k=8)
    drawn = [
        verdict_panel(found),
        why_panel(found),
        words_panel(found.prediction.pair.premise, None),
        many_panel([(NASTY, found), (NASTY, NASTY)]),
        compared_panel([found], [NASTY]),
        honest_line(make_card("a", scores={NASTY: NASTY}, summary=NASTY)),
        problem_panel(Problem(NASTY)),
        model_panel(make_card(NASTY, summary=NASTY, scores={NASTY: {NASTY: NASTY}})),
        json.dumps(draw_map(found)),
        json.dumps(draw_rotation(found)),
        rotation_caption(found),
    ]
    assert "&lt;img" in "".join(drawn)
    assert not [html for html in drawn if "<img" in html]


def test_relations_are_shown_by_name():
    assert relation_name("P25") == "mother"
    assert relation_name("my own") == "my own"
    assert relation_name(None) == "–"


def test_model_panel_with_and_without_scores():
    assert "Not measured yet" in model_panel(make_card("a"))
    html = model_panel(make_card("a", scores={"accuracy": 97.25, "by kind": {"new": 81}}))
    assert "97.2" in html
    assert "<dt>new</dt><dd>81</dd>" in html
    assert "There is no model yet" in model_panel(None)


# Many at once


def test_many_sentences_are_answered_line_by_line():
    text = f"{SENTENCE}\n\n word \nAnn is different from =1+1.\n"
    rows = check_many(make_store(), text, None)
    assert [line for line, _ in rows] == [SENTENCE, "word", "Ann is different from =1+1."]
    assert rows[0][1].prediction.pair.hypothesis == SWAPPED
    assert "word" in rows[1][1]
    html = many_panel(rows)
    assert "<b>2 of 3</b> were answered" in html
    table = list(csv.reader(to_csv(rows).splitlines()))
    assert tuple(table[0]) == COLUMNS
    assert table[1][:3] == [SENTENCE, SWAPPED, rows[0][1].prediction.label]
    assert table[3][1].startswith("'=1+1")


@pytest.mark.parametrize("text", ["", "  \n ", None, "Ann knows Bob.\n" * (MOST + 1)])
def test_nothing_or_too_much_is_told(text):
    with pytest.raises(InputError, match=r"Nothing was pasted|at most 50"):
        check_many(make_store(), text, None)


def test_the_honest_line_says_what_was_measured_and_on_what():
    unseen = {UNSEEN: "90.7% (entailment 97%)"}
    assert "Right on 90.7% of test sentences" in honest_line(make_card("a", scores=unseen))
    assert "final training" not in honest_line(make_card("a", scores=unseen))
    both = unseen | {FIRST_STAGE: "all figures above"}
    assert "measured before the final training round" in honest_line(make_card("a", scores=both))
    assert "not measured yet" in honest_line(make_card("a"))


# A shipped model


@pytest.mark.skipif(
    "wikidata14" not in {card.name for card in list_models()}, reason="models/wikidata14 is absent"
)
def test_real_model_answers_with_everything_drawn():
    store = ModelStore.of_folder()
    sentence = "Serena Williams is a sibling of Venus Williams."
    found = check(store, sentence, model="wikidata14")
    assert found.prediction.label == "entailment"
    assert "Yes, it still holds" in show_answer(found, Asked(1, sentence), None).verdict
    assert found.model.plane is found.model.plane
