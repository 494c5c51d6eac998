"""Two sentences: the scale of each encoder, its answers, and their cards."""

import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from lab_fakes import FakeEncoder, FakeLoader
from ui_fakes import NASTY

from symdemo.errors import InputError, ModelError
from symdemo.jobs.deadline import check_time
from symdemo.ui.api import Endpoints
from symdemo.ui.sentences import comparing
from symdemo.ui.sentences.answers import answer_panel
from symdemo.ui.shared import events
from symdemo.ui.shared.events import UNEXPECTED
from symdemo.ui.shared.store import SharedEncoders

MINILM = comparing.LAB_ENCODERS[-1].name
CAT, DOG = "A cat sleeps.", "A dog barks."


def last_of(encoders, first=CAT, second=DOG):
    (*_, last) = comparing.compare_all(encoders, first, second)
    return last, str(answer_panel(last, first, second))


def test_a_scale_holds_the_sorted_cosines_and_is_measured_once():
    encoder = FakeEncoder("one")
    with ThreadPoolExecutor(4) as pool:
        scale, *others = pool.map(lambda _: comparing.measure_scale(encoder), range(4))
    assert all(other is scale for other in others)
    assert len(encoder.seen) == 80
    pairs = comparing.fixed_pairs()
    same = sorted(float(np.dot(*encoder.encode(list(pair)))) for pair in pairs)
    apart = sorted(
        float(np.dot(*encoder.encode([pairs[i][0], pairs[j][1]])))
        for i, j in comparing.unrelated_places(40)
    )
    assert scale.same == pytest.approx(same, abs=1e-5)
    assert scale.unrelated == pytest.approx(apart, abs=1e-5)


def test_the_first_similarity_after_a_start_answers_however_long_loading_takes(
    open_sessions, monkeypatch
):
    class Slow(FakeEncoder):
        def encode(self, inputs, batch_size=64, progress=None):
            time.sleep(0.3 if len(inputs) > 2 else 0)  # the 80 sentences of the scale
            check_time()
            return super().encode(inputs, batch_size, progress)

    def load(name):
        time.sleep(0.3)
        return Slow(name)

    monkeypatch.setattr(events, "SECONDS", 0.25)
    sessions = open_sessions(encoders=SharedEncoders(load))
    found = Endpoints(sessions).how_similar(CAT, DOG)["encoders"]
    assert [row["missing"] for row in found] == [None] * 3


def test_ranks_and_ranges_by_hand():
    scale = comparing.Scale(np.array([0.5, 0.6, 0.7, 0.8]), np.array([0.0, 0.1, 0.2, 0.3, 0.4]))
    ranks = {0.65: (5, 2), 0.2: (2, 0), -1: (0, 0)}  # an equal cosine is not lower
    assert {cosine: scale.ranks(cosine) for cosine in ranks} == ranks
    assert np.array(scale.ranges) == pytest.approx(np.array([(0.04, 0.36), (0.53, 0.77)]))


SHARP = comparing.Scale(np.array([0.5, 0.8]), np.array([0.0, 0.4]))
BLUNT = comparing.Scale(np.linspace(0.9, 0.99, 40), np.linspace(0.88, 0.97, 100))


@pytest.mark.parametrize(
    ("scale", "cosine", "likeness"),
    [(SHARP, 0.7, "same"), (SHARP, 0.1, "unrelated"), (SHARP, 0.45, "between"),
     (BLUNT, 0.94, "either"), (BLUNT, 0.98, "same")],
)  # fmt: skip
def test_likeness(scale, cosine, likeness):
    assert scale.likeness(cosine) == likeness


def test_an_encoder_is_loaded_once_and_tried_again_if_it_was_missing():
    loader = FakeLoader(comparing.BELLM)
    encoders = SharedEncoders(loader)
    with ThreadPoolExecutor(6) as pool:
        assert len({id(one) for one in pool.map(encoders.get, [MINILM] * 6)}) == 1
    assert loader.loads == [MINILM]
    with pytest.raises(ModelError):
        encoders.get(comparing.BELLM)
    loader.gone.clear()
    assert encoders.get(comparing.BELLM).name == comparing.BELLM


def test_the_others_answer_if_some_are_missing():
    encoders = SharedEncoders(FakeLoader(comparing.UNTOUCHED, comparing.BELLM))
    _, panel = last_of(encoders)
    assert panel.count("<section") == 1
    assert "only MiniLM answers" in panel
    assert panel.count("pip install --no-deps gguf") == panel.count("lab-missing") == 1
    again = next(comparing.compare_all(encoders, CAT, DOG))
    assert isinstance(again[comparing.UNTOUCHED], ModelError)  # not announced again


def test_one_that_fails_is_logged_and_the_others_answer(encoders, caplog):
    _, panel = last_of(encoders, "A crash here.")
    assert panel.count(UNEXPECTED) == 3
    assert "secret inner" not in panel
    assert "secret inner detail" in caplog.text


@pytest.mark.parametrize(
    ("text", "words"),
    [("", "is empty"), ("  \n", "is empty"), ("123 !", "“123 !”"), (None, "NoneType"),
     ("x" * 501, "501 characters"), ("A bell \x07 rings.", "U+0007"),
     ("An unreadable one.", "cannot be read")],
)  # fmt: skip
def test_bad_input_is_one_sentence_that_names_the_box(encoders, loader, text, words):
    with pytest.raises(InputError, match="second sentence") as raised:
        list(comparing.compare_all(encoders, CAT, text))
    assert words in str(raised.value)
    assert bool(loader.loads) == (words == "cannot be read")


def test_every_place_lies_within_the_picture_and_sentences_are_escaped(encoders):
    _, panel = last_of(encoders, f"{CAT} {NASTY}", f"{CAT} {NASTY}")
    places = [float(part.split("%")[0]) for part in panel.split("left: ")[1:]]
    assert len(places) == 3 * 4
    assert all(0 <= place <= 100 for place in places)
    assert "<b>100 of 100</b>" in panel
    assert "<b>40 of 40</b>" in panel
    assert "<img" not in panel
    assert "&lt;img" in panel
