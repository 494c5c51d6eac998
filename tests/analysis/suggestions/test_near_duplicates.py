import pytest
from hypothesis import given
from hypothesis import strategies as st
from suggestion_columns import make_answered

from symdemo.analysis.suggestions import near_duplicates
from symdemo.analysis.suggestions.near_duplicates import find_groups, one_letter

ENTAILMENT, CONTRADICTION = "entailment", "contradiction"
# Names stand inside of a sentence somewhere, so that they are known to be names.
OTHERS = [
    ("Today Ann Eve Maria Mario met Bob.", "Today Bob met Ann Eve Maria Mario."),
    ("The kennel lies beside the stable.", "The stable lies beside the kennel."),
]


def groups(*pairs, labels=None, **columns):
    """The groups among pairs, whose labels alternate, and `OTHERS`."""
    labels = [*(labels or [(ENTAILMENT, CONTRADICTION)[n % 2] for n in range(len(pairs))])]
    labels += [ENTAILMENT] * len(OTHERS)
    columns = {name: [*own, *[None] * len(OTHERS)] for name, own in columns.items()}
    premises, hypotheses = zip(*pairs, *OTHERS, strict=True)
    return find_groups(make_answered(labels, list(premises), list(hypotheses), **columns))


SAYING = ("Ann is Bob's mother.", "Bob is Ann's mother.")


@pytest.mark.parametrize(
    "other",
    [
        SAYING,
        ("ann is bobs MOTHER", "BOB is Ann’s mother!!"),
        ("Ann is really Bob's mother.", "Bob is really Ann's mother."),
        ("Ann is Bob's mohter.", "Bob is Ann's mohter."),
        ("Ann is Bob's mother.", "Bob is Ann's moter."),
        ("Ann is Bob's motherr.", "Bob is Ann's mother."),
        ("Ann is Bob's mother indeed.", "Bob is Ann's mother."),
        ("Ann is Bob's mo-ther.", "Bob is Ann's mo-ther."),
    ],
)
def test_nearly_the_same(other):
    assert groups(SAYING, other) == [[0, 1]]
    assert groups(other, SAYING) == [[0, 1]]
    assert groups(SAYING, other, labels=[ENTAILMENT] * 2) == []


@pytest.mark.parametrize(
    "other",
    [
        ("Eve is Bob's mother.", "Bob is Eve's mother."),
        ("Maria is Bob's mother.", "Bob is Maria's mother."),
        ("Ann Eve is Bob's mother.", "Bob is Ann Eve's mother."),
        ("Ann is not Bob's mother.", "Bob is not Ann's mother."),
        ("Ann is Bob's father.", "Bob is Ann's father."),
        ("Bob is Ann's mother.", "Ann is Bob's mother."),
        ("Ann is Bob's old mother indeed.", "Bob is Ann's old mother indeed."),
        ("Ann is Bob's mother.", "Bob is Eve's mother."),
    ],
)
def test_not_the_same(other):
    assert groups(SAYING, other) == []


def test_names_and_figures_that_differ_in_one_sign_are_not_misspelt():
    mario = ("Today Mario met Bob.", "Today Bob met Mario.")
    maria = ("Today Maria met Bob.", "Today Bob met Maria.")
    assert groups(mario, maria) == []
    one = ("Line 1001 crosses line 7.", "Line 7 crosses line 1001.")
    other = ("Line 1002 crosses line 7.", "Line 7 crosses line 1002.")
    assert groups(one, other) == []


def test_a_word_that_many_rows_have_is_not_a_misspelling():
    lives = ("Ann lives near Bob.", "Bob lives near Ann.")
    loves = ("Ann loves near Bob.", "Bob loves near Ann.")
    assert groups(lives, loves) == [[0, 1]]
    often = [(f"{name} lives.", f"{name} lives too.") for name in ("A", "B")]
    often += [(f"{name} loves.", f"{name} loves too.") for name in ("A", "B")]
    labels = [ENTAILMENT, CONTRADICTION, *[ENTAILMENT] * 4]
    assert groups(lives, loves, *often, labels=labels) == []
    assert groups(lives, loves, *often, labels=labels, relation=["r", "r", *[None] * 4]) == [[0, 1]]


def test_a_misspelt_negation_is_one_and_the_lack_of_one_is_not():
    nothing = ("Ann has nothing but Bob.", "Bob has nothing but Ann.")
    assert groups(nothing, ("Ann has nothng but Bob.", "Bob has nothng but Ann.")) == [[0, 1]]
    ever = ("Ann has ever met Bob.", "Bob has ever met Ann.")
    assert groups(ever, ("Ann has never met Bob.", "Bob has never met Ann.")) == []


def test_what_rows_are_known_to_be_about():
    longer = ("Ann is Bob's step mother.", "Bob is Ann's step mother.")
    same, other = ["mother", "mother"], ["mother", "step mother"]
    assert groups(SAYING, longer, relation=same) == [[0, 1]]
    assert groups(SAYING, longer, relation=other) == []
    assert groups(SAYING, ("ANN is Bobs mother", SAYING[1]), relation=other) == [[0, 1]]
    nurse = ("The nurse met Bob.", "Bob met the nurse.")
    night = ("The night nurse met Bob.", "Bob met the night nurse.")
    assert groups(nurse, night) == [[0, 1]]
    assert groups(nurse, night, head=["the nurse", "the night nurse"]) == []


def test_a_group_holds_those_that_agree_too_and_the_odd_one_comes_first():
    variants = [
        SAYING,
        ("ANN is Bob's mother", SAYING[1]),
        ("Ann is surely Bob's mother.", "Bob is surely Ann's mother."),
        ("Ann is Bob's mohter.", "Bob is Ann's mohter."),
    ]
    labels = [ENTAILMENT] * 3 + [CONTRADICTION]
    premises, hypotheses = zip(*variants, *OTHERS, strict=True)
    answered = make_answered([*labels, None, ENTAILMENT], list(premises), list(hypotheses))
    (found,) = near_duplicates(answered)
    assert found.rows.tolist() == [3, 0, 1, 2]
    assert found.scores.tolist() == pytest.approx([1, 1 / 3, 1 / 3, 1 / 3])
    assert found.groups.tolist() == [0] * 4
    assert "4 pairs" in found.title


# The oracle: the distance of Damerau in its restricted form, by the textbook's table.


def distance(a, b):
    table = {(-1, -1): 0}
    table |= {(i, -1): i + 1 for i in range(len(a))} | {(-1, j): j + 1 for j in range(len(b))}
    for i in range(len(a)):
        for j in range(len(b)):
            cost = a[i] != b[j]
            found = min(table[i - 1, j] + 1, table[i, j - 1] + 1, table[i - 1, j - 1] + cost)
            if i and j and a[i] == b[j - 1] and a[i - 1] == b[j]:
                found = min(found, table[i - 2, j - 2] + 1)
            table[i, j] = found
    return table[len(a) - 1, len(b) - 1]


@given(st.text("abc", max_size=6), st.text("abc", max_size=6))
def test_one_letter_is_a_distance_of_one(a, b):
    assert one_letter(a, b) == (distance(a, b) == 1)
