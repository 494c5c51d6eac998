"""Known wordings, the parts of a sentence, and a sentence joined from three boxes."""

import pytest

from symdemo.data.relations import RELATIONS
from symdemo.errors import InputError
from symdemo.swapping import join, swap

WORDINGS = [relation.template for relation in RELATIONS]
ENTITIES = [
    ("Oslo", "Bergen"),
    ("Q7024230", "Q2231347"),
    ("the cat", "the old dog"),
    ("Don Bosco Technical College, Mandaluyong", "City of Mandaluyong"),
    ("insulin", "glucose metabolism"),
    ("ice cream (dessert)", "frozen food"),
    ("Trinidad and Tobago", "Lesser Antilles"),
    ("Ministry of Health and Welfare", "Cabinet of Japan"),
    ("World War I", "the Treaty of Versailles"),
    ("2010 Haiti earthquake", "5-HT receptor"),
    ("São Tomé", "Željko Đurđević"),
    ("Mary, Queen of Scots", "James VI and I"),
]


@pytest.mark.parametrize("wording", WORDINGS)
@pytest.mark.parametrize("pair", ENTITIES)
@pytest.mark.parametrize("capital", [True, False])
def test_known_wordings_swap_and_swap_back(wording, pair, capital):
    sentence = wording.replace("[X]", pair[0]).replace("[Y]", pair[1])
    # Without a capital only where the other side has none either: it would become the first word.
    if capital or any(side[0].isupper() for side in pair):
        sentence = sentence[0].upper() + sentence[1:]
    once = swap(sentence)
    assert once.hypothesis != sentence
    again = swap(once.hypothesis)
    assert again.hypothesis == sentence


@pytest.mark.parametrize("wording", WORDINGS)
def test_lower_case_wordings_swap_and_swap_back(wording):
    sentence = wording.replace("[X]", "bridget (first name)").replace(
        "[Y]", "brigitte (given name)"
    )
    sentence = sentence.rstrip(".")
    assert swap(swap(sentence).hypothesis).hypothesis == sentence


def test_known_wording_agrees_with_several():
    sentence = "Bob is the father of Ann, Carl and Dora."
    several = "Ann, Carl and Dora are the father of Bob."
    assert swap(sentence).hypothesis == several
    assert swap(several).hypothesis == sentence


def test_parts():
    got = swap("  Marie Curie was married to Pierre Curie in 1895.\n")
    assert got.premise == "Marie Curie was married to Pierre Curie in 1895."
    assert (got.subject, got.object) == ("Marie Curie", "Pierre Curie")
    assert got.relation == "[X] was married to [Y] in 1895."


@pytest.mark.parametrize(
    "sentence",
    [
        "Marie Curie was married to Pierre Curie in 1895.",
        "The cat chased the dog.",
        "Ann is Bob's mother.",
        "Ann's mother is Carla.",
        "He is her brother.",
        "Oslo is part of Norway.",
        "In 1999, Acme acquired Initech.",
    ],
)
def test_join_puts_the_parts_together_again(sentence):
    got = swap(sentence)
    assert join(got.subject, got.relation, got.object) == sentence


@pytest.mark.parametrize(
    ("boxes", "expected"),
    [
        (("ann", "is the mother of", "Bob"), "Ann is the mother of Bob."),
        (("The cat", "chased", "The dog"), "The cat chased the dog."),
        (("Ann", "[X] was married to [Y] in 1895.", "Bob"), "Ann was married to Bob in 1895."),
        (("Ann", "[Y] is a child of [X]", "Bob"), "Bob is a child of Ann."),
        (("iPhone", "is made by", "Apple Inc."), "iPhone is made by Apple Inc."),
        (("Carla", "[X]'s mother is [Y].", "Ann"), "Carla's mother is Ann."),
    ],
)
def test_join(boxes, expected):
    assert join(*boxes) == expected


@pytest.mark.parametrize(
    ("boxes", "said"),
    [
        (("", "is", "Bob"), "subject is empty"),
        (("Ann", " \x00 ", "Bob"), "relation is empty"),
        (("Ann", "is", "."), "object is empty"),
        (("Ann", "[X] is", "Bob"), r"names \[X\] 1 times and \[Y\] 0 times"),
    ],
)
def test_join_refuses(boxes, said):
    with pytest.raises(InputError, match=said):
        join(*boxes)


@pytest.mark.parametrize(
    ("sentence", "swapped"),
    [
        ("Romeo shook hands with Juliet.", "Juliet shook hands with Romeo."),
        ("My aunt made friends with a neighbour.", "A neighbour made friends with my aunt."),
        ("Ann crossed paths with Bob.", "Bob crossed paths with Ann."),
        ("The chef shook the hands of the guests.", "The guests shook the hands of the chef."),
    ],
)
def test_the_object_of_an_idiom_is_no_party(sentence, swapped):
    assert swap(sentence).hypothesis == swapped
