"""What a sentence's construction is, and where its entities stand."""

import pytest

from symdemo.data.bank import shipped_bank
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


BEYOND_SPACY = """
ahead alongside amid anybody apart aside atop away beneath despite everybody fewer
fewest half having inside like little near ones opposite outside past shall somebody
theirs till underneath unlike
"""
"""Function words, by a grammar, that spaCy's list of stop words lacks: read once, and no verbs."""


def test_the_list_is_of_closed_classes():
    """A word that is added to it and that spaCy does not know for one has to be looked at here."""
    stops = pytest.importorskip("spacy.lang.en.stop_words").STOP_WORDS
    assert {w for w in FUNCTION_WORDS if "'" not in w} - stops == set(BEYOND_SPACY.split())
    verbs_and_names_that_spacy_counts = {"make", "give", "call", "move", "show", "serious", "name"}
    assert verbs_and_names_that_spacy_counts <= stops
    assert not verbs_and_names_that_spacy_counts & FUNCTION_WORDS


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
    with pytest.raises(InputError, match=r"“cid” does not stand in “Ann met Bob\.”"):
        masked(Pair("Ann met Bob.", "Bob met Ann.", None, None, "Ann", "Cid"))


def test_a_filled_phrasing_has_the_skeleton_of_the_phrasing():
    """Whatever entities fill it, on every 20th relation of the bank."""
    bank = shipped_bank()
    few = bank.relations[::20]
    phrasings = [phrasing for relation in few for phrasing in relation.phrasings]
    pairs = bank.pairs(few, seed=11)
    assert len(pairs) > 900
    for pair, phrasing in zip(pairs, phrasings, strict=True):
        assert skeleton(masked(pair)) == skeleton(phrasing)
