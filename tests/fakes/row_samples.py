"""Rows that the tests of teaching share: one, any of them, and what refuses one."""

import pytest
from hypothesis import strategies as st

from symdemo.errors import InputError
from symdemo.teaching.rows import TeachRow

BOSS = TeachRow("Ann", "is the boss of", "Ben", label="contradiction")
WORDS = st.text(st.sampled_from("abcdefgh"), min_size=1, max_size=6)
NAMES = WORDS.map(str.title)
RELATIONS = st.lists(WORDS, min_size=1, max_size=3).map(" ".join)
LABELS = st.sampled_from(["entailment", "contradiction", "neutral", "depends"])
ROWS = st.builds(TeachRow, NAMES, RELATIONS, NAMES, label=LABELS).filter(
    lambda row: row.subject != row.object
)


def refusal(function, *args) -> str:
    with pytest.raises(InputError) as error:
        function(*args)
    return str(error.value)
