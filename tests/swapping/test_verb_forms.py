"""Forms of verbs, against a list by hand."""

import pytest

from symdemo.swapping.parsing import parse
from symdemo.swapping.words import base_of, gerund, participle, past

TABLE = """
    border bordered bordered bordering      refer referred referred referring
    travel travelled travelled travelling   visit visited visited visiting
    stop stopped stopped stopping           play played played playing
    carry carried carried carrying          agree agreed agreed agreeing
    write wrote written writing             begin began begun beginning
    lie lay lain lying                      lay laid laid laying
    lead led led leading                    beat beat beaten beating
    undergo underwent undergone undergoing  foresee foresaw foreseen foreseeing
    withdraw withdrew withdrawn withdrawing mislead misled misled misleading
    panic panicked panicked panicking       forbid forbade forbidden forbidding
    quit quit quit quitting                 relay relayed relayed relaying
    die died died dying                     overlap overlapped overlapped overlapping
    focus focused focused focusing          hit hit hit hitting
"""
FORMS = TABLE.split()


@pytest.mark.parametrize(
    ("base", "forms"), [(FORMS[n], FORMS[n + 1 : n + 4]) for n in range(0, len(FORMS), 4)]
)
def test_forms_of_a_verb(base, forms):
    assert [past(base), participle(base), gerund(base)] == forms


@pytest.mark.parametrize(
    ("sentence", "base"),
    [
        ("Ann overlaps with Bob.", "overlap"),
        ("The cat hates the dog.", "hate"),
        ("The letter was written by Anna.", "write"),
        ("The baker outswam the chemist.", "outswim"),
        ("Ann has denied the claim.", "deny"),
    ],
)
def test_the_base_of_a_form(sentence, base):
    verb = next(token for token in parse(sentence) if token.dep_ == "ROOT")
    assert base_of(verb) == base
