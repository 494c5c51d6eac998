"""A swap says when it is not sure, and what else it may be."""

import pytest

pytest.importorskip("spacy", reason="free sentences need the parser")

from symdemo.swapping import candidates, swap


@pytest.mark.parametrize(
    "sentence",
    [
        "The cat chased the dog.",
        "Marie Curie was married to Pierre Curie in 1895.",
        "Peter lent his bicycle to Sofia.",
        "Kenya and Uganda share a border.",
        "Ann's car is faster than Bob's.",
        "The treaty was signed by France and Germany.",
        "Arsenal beat Chelsea 3-1.",
        "Does Kenya border Uganda?",
        "Oslo is part of Norway.",
        "The brother and sister separated.",
    ],
)
def test_plain_sentences_are_sure(sentence: str) -> None:
    got = swap(sentence)
    assert got.sure, got.doubts
    assert got.others == ()


@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        ("the road from Oslo", "no verb"),
        ("Ann, Bob and Carl are friends.", "More than two are named"),
        ("Ann married Bob and Carl married Dora.", "two others"),
        ("I can't believe it.", "does not say what"),
        ("Her long black hair and boobs were admired.", "adjectives"),
        ("The company sold its factory to the nurse.", "he or she"),
        ("Tom hit Bob because he was angry with her.", ""),
    ],
)
def test_a_doubt_is_told_in_plain_words(sentence: str, said: str) -> None:
    found = swap(sentence).doubts
    assert said == "" or any(said in doubt for doubt in found), found
    assert all(doubt.endswith(".") for doubt in found)


def test_two_readings_are_both_given() -> None:
    found = [
        got
        for got in map(
            swap,
            [
                "NASA funded a startup in Austin.",
                "The regulator is investigating a bank in Zurich.",
                "The World Health Organization thanked a small NGO in Malawi.",
                "The cache invalidates the session store on logout.",
            ],
        )
        if got.others
    ]
    assert found
    for got in found:
        assert candidates.TWO_READINGS in got.doubts
        assert got.hypothesis not in {other.hypothesis for other in got.others}
        assert {other.premise for other in got.others} == {got.premise}


def test_a_swap_that_does_not_lead_back_is_doubted() -> None:
    assert swap("Nobody in the choir likes the new conductor.").doubts == (candidates.NOT_BACK,)
