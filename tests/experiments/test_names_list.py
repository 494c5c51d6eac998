"""The list of names against made-up counts of words."""

from experiments.names_list import OFTEN, USUALLY, listed


def test_the_list_follows_the_counts():
    counts = {"Water": -12.0, "water": -9.0, "Denmark": -12.0, "denmark": -12.0 - USUALLY}
    counts |= {"Ruby": -13.0, "ruby": -13.0 - OFTEN, "Zambia": -14.0, "Lombardy": -19.0}
    assert listed(counts) == ["denmark", "ruby?", "zambia"]
