"""Skeletons of sentences by hand, and the masking of entities."""

import pytest

from symdemo.errors import InputError
from symdemo.evaluation.baselines.skeleton import FUNCTION_WORDS, masked, skeleton
from symdemo.pairs import Pair


@pytest.mark.parametrize(
    ("phrasing", "expected"),
    [
        ("[X] was founded by the parents of [Y].", "[e] was _ by the _ of [e]"),
        ("[Y] was founded by the parents of [X].", "[e] was _ by the _ of [e]"),
        ("[X] and [Y] are old friends.", "[e] and [e] are _"),
        ("[X] is [Y]'s mother.", "[e] is [e] 's _"),
        ("[X] is the miners' spokesman for [Y].", "[e] is the _ 's _ for [e]"),
        ("According to Ann, [X] didn’t follow [Y].", "_ to _ , [e] didn't _ [e]"),
        ("[X] has twenty-three left-handed sisters in [Y]", "[e] has _ in [e]"),
    ],
)
def test_skeletons_by_hand(phrasing, expected):
    assert skeleton(phrasing) == expected


def test_a_word_is_in_the_list_or_it_is_masked():
    assert skeleton("founded mother friends loves seven quickly Ann") == "_"
    for word in FUNCTION_WORDS:
        assert skeleton(word) == word
        assert skeleton(word.upper()) == word


def test_entities_are_found_as_whole_words_and_the_longer_first():
    pair = Pair(
        "The nurse's son married the nurse near Nursery.",
        "",
        None,
        None,
        "the nurse's son",
        "the nurse",
    )
    assert masked(pair) == "[e] married [e] near nursery."
    assert (
        masked(Pair("Ann is Anna's boss.", "", None, None, "Ann", "Anna")) == "[e] is [e]'s boss."
    )


def test_pairs_without_entities_are_refused():
    with pytest.raises(InputError, match="names no head and tail"):
        masked(Pair("Ann met Bob.", "Bob met Ann."))
    with pytest.raises(InputError, match=r"“cid” does not occur in “Ann met Bob\.”"):
        masked(Pair("Ann met Bob.", "Bob met Ann.", None, None, "Ann", "Cid"))
