"""Pairs, and the checks on sentences."""

import pytest
from refusals import refusal

from symdemo.errors import InputError
from symdemo.pairs import Pair, check_script, check_sentence, hash_pairs, sentence_key

AB = Pair("Ann likes Ben.", "Ben likes Ann.", "entailment", "likes", "Ann", "Ben")


def test_the_entity_pair_has_no_order():
    assert AB.entity_pair == AB.reversed().entity_pair == ("ann", "ben")
    assert Pair("x y", "y x", head="BEN", tail="ann").entity_pair == AB.entity_pair
    assert AB.reversed().reversed() == AB
    bare = Pair("Ann likes Ben.", "Ben likes Ann.")
    assert bare.entity_pair == bare.reversed().entity_pair
    assert bare.entity_pair != Pair("Ann likes Cy.", "Cy likes Ann.").entity_pair


def test_sentences_are_tidied():
    tidy = "Ann likes Ben."
    assert check_sentence("  Ann \t likes\r\n Ben. ") == check_sentence(tidy) == tidy
    assert check_sentence("肯尼亚 乌干达") == "肯尼亚 乌干达"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "is empty"),
        ("Kenya", "“Kenya”; a sentence of at least two words"),
        ("Ann \x00 Ben", "U+0000"),
        ("Ann\x1b[31m likes Ben", "U+001B"),
        ("Ann \ud800 Ben", "U+D800"),
        ("a b " * 2500, "10,000 characters; at most 2,000"),
        (None, "is NoneType; a sentence as text"),
    ],
)
def test_what_is_not_a_sentence_is_refused(text, says):
    with pytest.raises(InputError, match=r"^The premise ") as error:
        check_sentence(text, "premise")
    assert says in str(error.value)
    assert len(str(error.value)) < 200


def test_other_scripts_are_refused():
    check_script("Ann likes Zoë and Łukasz.")
    check_script("The letter α comes before β.")
    check_script("12 + 34")
    with pytest.raises(InputError, match=r"premise is written in Cyrillic letters.*Latin letters"):
        check_script("Анна любит Бена", "premise")
    assert "Cjk letters" in refusal(check_script, "肯尼亚 borders 乌干达和坦桑尼亚埃塞俄比亚")
    with pytest.raises(InputError, match=r"Latin letters; .* Greek letters"):
        check_script("Ann", script="GREEK")


def test_sentences_are_compared_without_case_spaces_and_final_stop():
    assert sentence_key(" Ann  met BEN. ") == sentence_key("ann met Ben…") == "ann met ben"


def test_the_hash_names_sentences_labels_and_order():
    other = Pair("Cy likes Di.", "Di likes Cy.", "neutral")
    assert hash_pairs([AB]) == "8a4de0699bfd52ed293da3c98835b2604ed1e511564ae2212dab47461eb3aa30"
    assert hash_pairs([AB, other]) == hash_pairs(iter([AB, other]))
    changed = [[other, AB], [AB], [], [AB, other.reversed()], [AB, Pair("Cy likes Di.", "Di", "x")]]
    assert len({hash_pairs(pairs) for pairs in [[AB, other], *changed]}) == 6
