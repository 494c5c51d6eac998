"""Pairs that are swaps, pairs that are not and why, and properties of all pairs."""

from cases import cases_of, each_case
from hypothesis import assume, example, given
from hypothesis import strategies as st

from symdemo.data.bank import shipped_bank
from symdemo.data.relations import load_facts, pairs_of_facts
from symdemo.swapping import Exchange, exchanged


@each_case(__file__, "exchanged_pairs.csv")
def test_swaps_are_told_from_other_pairs_in_both_directions(row):
    premise, hypothesis, difference = row["premise"], row["hypothesis"], row["difference"]
    assert exchanged(premise, hypothesis) == Exchange(not difference, difference)
    assert exchanged(hypothesis, premise).is_swap is (not difference)


def test_every_listed_swap_is_one():
    sentences = cases_of(__file__, "swap_sentences.csv")
    pairs = [(row["sentence"], row["swapped"]) for row in sentences]
    pairs += [(pair.premise, pair.hypothesis) for pair in pairs_of_facts(load_facts())]
    pairs += [(pair.premise, pair.hypothesis) for pair in shipped_bank().pairs(seed=7)[::50]]
    missed = [pair for pair in pairs if not exchanged(*pair).is_swap]
    assert missed == []


NAMES = st.sampled_from(["Ann", "Bob", "Kenya", "Uganda", "Mozart", "Latin", "Fiji", "Oslo"])
NOUNS = st.sampled_from(["nurse", "farmer", "wolf", "ship", "river", "bank", "poet", "judge"])
ARGUMENTS = st.one_of(
    NAMES,
    st.builds("the {}".format, NOUNS),
    st.builds("the {} from {}".format, NOUNS, NAMES),
    st.builds("{}'s {}".format, NAMES, NOUNS),
)
FRAMES = st.sampled_from(
    [
        "{} met {}",
        "{} is near {}",
        "{} gave {} a ring",
        "in 1990 {} wrote to {} about it",
        "there is a quarrel between {} and {}",
        "it was {} that {} feared",
        "{} and {} are alike",
    ]
)
NEW_WORDS = st.sampled_from(["zebra", "Peru", "purple", "seven", "obviously", "without", "sings"])


def filled(frame, x, y):
    text = frame.format(x, y)
    return text[0].upper() + text[1:] + "."


@st.composite
def two_arguments(draw):
    """A frame and two arguments without a word in common."""
    frame, x, y = draw(FRAMES), draw(ARGUMENTS), draw(ARGUMENTS)
    one, two = (set(side.lower().replace("'s", "").split()) - {"the", "from"} for side in (x, y))
    assume(not one & two)
    return frame, x, y


@given(two_arguments())
def test_two_exchanged_arguments_are_a_swap(drawn):
    frame, x, y = drawn
    assert exchanged(filled(frame, x, y), filled(frame, y, x)).is_swap


@given(two_arguments(), st.integers(0, 20), NEW_WORDS, st.booleans())
@example(("{} met {}", "Ann", "Bob"), 0, "Peru", True)
def test_a_replaced_or_added_word_is_no_swap(drawn, place, word, replaced):
    frame, x, y = drawn
    words = filled(frame, y, x).split()
    place %= len(words)
    assume(words[place].lower() != word)
    words[place : place + replaced] = [word]
    assert not exchanged(filled(frame, x, y), " ".join(words)).is_swap


@given(st.permutations(["Ann", "saw", "the", "old", "wolf", "near", "Oslo"]))
def test_reading_the_other_way_gives_the_same_answer(words):
    one, two = "Ann saw the old wolf near Oslo", " ".join(words)
    assert exchanged(one, two).is_swap == exchanged(two, one).is_swap


@given(st.lists(st.text(max_size=8), max_size=6), st.lists(st.text(max_size=8), max_size=6))
def test_any_text_gets_an_answer(one, two):
    found = exchanged(" ".join(one), " ".join(two))
    assert found.is_swap or found.difference
