"""Names that a dictionary has as nouns keep their capital away from the sentence's opening."""

import pytest

pytest.importorskip("spacy", reason="free sentences need the parser")

from symdemo.swapping import swap
from symdemo.swapping.words import is_often_name, is_usually_name


@pytest.mark.parametrize(
    ("sentence", "swapped"),
    [
        ("Denmark borders Germany", "Germany borders Denmark"),
        ("Iceland is larger than Sweden.", "Sweden is larger than Iceland."),
        ("Socrates resembles it.", "It resembles Socrates."),
        ("Copenhagen lies near Malmö.", "Malmö lies near Copenhagen."),
        ("Python inspired Ruby.", "Ruby inspired Python."),
        ("Coffee is stronger than tea.", "Tea is stronger than coffee."),
        ("Copper is heavier than water.", "Water is heavier than copper."),
        ("Line A crosses line B.", "Line B crosses line A."),
        ("x equals y.", "y equals x."),
        ("Player A beat player B.", "Player B beat player A."),
        ("Team A defeated team B.", "Team B defeated team A."),
        ("Company A acquired company B.", "Company B acquired company A."),
        ("Variable x equals variable y.", "Variable y equals variable x."),
        ("Line a crosses line b.", "Line b crosses line a."),
        ("Person X is person Y's mother.", "Person Y is person X's mother."),
        ("Ann met a man who met B.", "A man who met B met Ann."),
        ("Whales resemble Danes.", "Danes resemble whales."),
    ],
)
def test_only_names_keep_their_capital(sentence, swapped):
    assert swap(sentence).hypothesis == swapped


def test_what_is_usually_a_name_is_told_from_what_often_is():
    assert all(map(is_usually_name, ("denmark", "galileo", "beethoven", "zambia")))
    assert all(map(is_often_name, ("ruby", "python", "oracle")))
    for word in ("water", "copper", "theology", "doctor", "target"):
        assert not is_usually_name(word), word
        assert not is_often_name(word), word
    assert not is_usually_name("king")
