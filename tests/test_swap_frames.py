"""Sentences that introduce a statement: "Experts agree that …"."""

import pytest

from symdemo import swap
from symdemo.bank import load_bank
from symdemo.bank_phrasings import capitalise
from symdemo.swapping import join
from symdemo.swapping.frames import split_frame

pytest.importorskip("spacy", reason="free sentences need the parser")

FRAMES = (
    *load_bank().modifiers["frame"],
    "I heard on the radio that",
    "few people remember that",
    "the mayor is convinced that",
)


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize(
    ("statement", "swapped"),
    [
        ("Kenya borders Uganda.", "Uganda borders Kenya."),
        ("the nurse hired my neighbour in 1895.", "my neighbour hired the nurse in 1895."),
        ("Ann is Bob's mother.", "Bob is Ann's mother."),
        ("he is older than Ann.", "Ann is older than him."),
    ],
)
def test_an_introduction_stays_where_it_is(frame: str, statement: str, swapped: str) -> None:
    found = swap(f"{capitalise(frame)} {statement}")
    assert found.hypothesis == f"{capitalise(frame)} {swapped}"
    assert join(found.subject, found.relation, found.object) == found.premise


@pytest.mark.parametrize(
    "sentence",
    [
        "The dog that bit Ann belongs to Bob.",
        "Kenya borders Uganda.",
        "As he said, that man is Bob's brother.",
        "The friend that Ann met likes Bob.",
    ],
)
def test_no_introduction_is_seen_where_there_is_none(sentence: str) -> None:
    assert split_frame(sentence) is None


def test_that_may_point() -> None:
    assert swap("Ann knows that dog.").hypothesis == "That dog knows Ann."
