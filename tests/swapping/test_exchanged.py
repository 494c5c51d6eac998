"""Which pairs are swaps, which are not and why, kind by kind; and what holds for all sentences."""

import csv
import itertools
from pathlib import Path

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from symdemo.data.bank import shipped_bank
from symdemo.data.relations import load_facts, pairs_of_facts
from symdemo.swapping import Exchange, exchanged
from symdemo.swapping.same_words import is_misspelt
from symdemo.swapping.words import is_word

SENTENCES = Path(__file__).parent / "swap_sentences.csv"

SWAPS = {
    "plain": [
        ("Kenya borders Uganda.", "Uganda borders Kenya."),
        ("A dog bit an ox.", "An ox bit a dog."),
        ("Ann made Bob laugh.", "Bob made Ann laugh."),
        ("Ann, Bob and Carl are friends.", "Bob, Ann and Carl are friends."),
        ("São Paulo is near Rio.", "rio is near sao paulo"),
        ("To Mali, Bhutan is a rival.", "To Bhutan, Mali is a rival."),
        ("It was Ann who called Bob.", "It was Bob who called Ann."),
        ("x > y", "y > x"),
        ("A is connected to B", "B is connected to A."),
        ("1,024 is more than n + 1.", "n + 1 is more than 1,024."),
    ],
    "capitals and punctuation": [
        ("The Rhine meets the Main.", "the main meets the rhine"),
        ("KENYA BORDERS UGANDA", "UGANDA BORDERS KENYA"),
        ("Mr. Lund knows Mr. Berg", "Mr Berg knows Mr Lund."),
        ("In 1998, Croatia played Jamaica.", "In 1998 Jamaica played Croatia."),
        ("Kenya, I think, borders Uganda.", "Uganda I think borders Kenya."),
        ("My co-worker knows Tom.", "Tom knows my coworker."),
    ],
    "pronoun case": [
        ("She loves me.", "I love her."),
        ("I am taller than Rupert.", "Rupert is taller than me."),
        ("Mine is bigger than yours.", "Yours is bigger than mine."),
        ("The US trades with us.", "We trade with the US."),
    ],
    "agreement": [
        ("My parents trust the doctor.", "The doctor trusts my parents."),
        ("Are the islands near the coast?", "Is the coast near the islands?"),
        ("Ann was following the geese.", "The geese were following Ann."),
        ("Ann is a friend of the twins.", "The twins are friends of Ann."),
    ],
    "contractions": [
        ("The heater isn't near the tap.", "The tap is not near the heater."),
        ("You are faster than Ali.", "Ali's faster than you."),
        ("She has met Anton.", "Anton's met her."),
        ("I cannot stand him.", "He can't stand me."),
        ("the boys dont like ann", "ann doesn't like the boys"),
    ],
    "possessives": [
        ("Ann is Bob's cousin.", "Bob is Ann's cousin."),
        ("My sister knows Tom.", "Tom knows my sister."),
        ("My car is faster than yours.", "Your car is faster than mine."),
        ("Ann's car is faster than Bob's.", "Bob's car is faster than Ann's."),
        ("Emma is the twins' aunt.", "The twins are Emma's aunt."),
        ("Is Portugal Spain's ally?", "Is Spain Portugal's ally?"),
        ("Her best friend is Dominic.", "Dominic's best friend is her."),
    ],
    "joined": [
        ("The brother and sister quarrelled.", "The sister and brother quarrelled."),
        ("Are Hal and Gwen engaged?", "Are Gwen and Hal engaged?"),
        ("There is a road between X and Y.", "There is a road between Y and X."),
    ],
    "later pronouns": [
        ("Diane visited Piotr when he was ill.", "Piotr visited Diane when she was ill."),
        ("I helped Nina because she asked me.", "Nina helped me because I asked her."),
        ("Ann hurt herself for Bob.", "Bob hurt himself for Ann."),
    ],
    "typing errors": [
        ("Ken emailed Barbara yesterday.", "Barbara emailed Ken yesteday."),
        ("Croatia borders Slovenia.", "Slovennia borders Croatia."),
        ("Gold is denser than lead.", "Lead is denser tahn gold."),
        ("The owner trained the parrot.", "The parrot trainde the owner."),
    ],
    "moved adverbials": [
        ("Pia met Rolf at a wedding in Graz.", "At a wedding in Graz, Rolf met Pia."),
        ("The cat slowly followed the fox.", "The fox followed the cat slowly."),
        ("Two years ago Ed married Flo.", "Flo married Ed two years ago."),
        ("Ann met Bob in Rome in 1990.", "In Rome Bob met Ann in 1990."),
    ],
    "named more than once": [
        ("A hates B and B hates A.", "B hates A and A hates B."),
        ("Ann helped Bob because Bob paid Ann.", "Bob helped Ann because Ann paid Bob."),
    ],
    "titles": [
        ("not a moment too soon is part of darude", "darude is part of not a moment too soon"),
        ("Swann's Way is part of In Search of Lost Time.",
         "In Search of Lost Time is part of Swann's Way."),
    ],
}  # fmt: skip

MOVED_OTHERWISE = "The words are the same, but subject and object did not change places."
NO_SWAPS = {
    "nothing exchanged": [
        ("Kenya borders Uganda.", "kenya borders uganda", "Nothing changed places."),
        ("The dog saw the dog.", "The dog saw the dog.", "Nothing changed places."),
        ("Yesterday Ann met Bob.", "Ann met Bob yesterday.", "Only “yesterday” moved."),
        ("In May, Ann met Bob.", "Ann met Bob in May.", "Only “in May” moved."),
    ],
    "negation": [
        ("Kenya borders Uganda.", "Uganda does not border Kenya.", "“not” was added."),
        ("Malta isn't near Crete.", "Crete is near Malta.", "“not” was left out."),
        ("Ann has never met Bob.", "Bob has met Ann.", "“never” was left out."),
    ],
    "tense and modality": [
        ("Ann loves Bob.", "Bob loved Ann.", "“loves” became “loved”."),
        ("Ravi loves Meena.", "Meena will love Ravi.", "“will” was added."),
        ("Ann can beat Bob.", "Bob could beat Ann.", "“can” became “could”."),
    ],
    "another entity": [
        ("Kenya borders Uganda.", "Uganda borders Tanzania.", "“Tanzania” is new."),
        ("Austria borders Italy.", "Italy borders Australia.", "“Australia” is new."),
        ("Maria knows Tom.", "Tom knows Marta.", "“Marta” is new."),
        ("The jury saw Ann.", "Ann saw the judge.", "“jury” became “judge”."),
        ("I saw her.", "She saw you.", "“I” became “you”."),
        ("The dog bit the man.", "The man bit the dogs.", "“dog” became “dogs”."),
    ],
    "another relation": [
        ("Ann is older than Bob.", "Bob is younger than Ann.", "“older” became “younger”."),
        ("Ann hit Bob.", "Bob was hit by Ann.", "“was” and “by” were added."),
        ("Ann teaches Bob.", "Bob learns from Ann.", "“teaches” became “learns from”."),
    ],
    "numbers and qualifiers": [
        ("Oslo is 300 km from Bergen.", "Bergen is 400 km from Oslo.", "“300” became “400”."),
        ("Lucy secretly admires Tom.", "Tom admires Lucy.", "“secretly” was left out."),
    ],
    "torn phrases": [
        (one, two, MOVED_OTHERWISE)
        for one, two in (
            ("The old man met the young woman.", "The young man met the old woman."),
            ("The old man met the woman.", "The old woman met the man."),
            ("Two boys met three girls.", "Three boys met two girls."),
            ("Ann is tall and thin.", "Ann is thin and tall."),
            ("Ann Smith met Bob Jones.", "Bob Smith met Ann Jones."),
            ("Ann loves Bob and hates Carl.", "Ann hates Bob and loves Carl."),
            ("Ann met Bob and Carl.", "Bob met Ann and Carl."),
            ("My brother met his sister.", "My sister met his brother."),
            ("The king of Spain met the queen of France.",
             "The queen of Spain met the king of France."),
            ("Bob's mother is Ann.", "Ann is Bob's mother."),
            ("Under the bridge is a boat.", "A boat is under the bridge."),
        )
    ],
    "nothing in common": [
        ("Kenya borders Uganda.", "The soup is getting cold.",
         "The two sentences say different things."),
    ],
}  # fmt: skip


def of_kinds(table):
    return [
        pytest.param(*case, id=f"{kind}: {case[1]}") for kind, cases in table.items()
        for case in cases
    ]  # fmt: skip


@pytest.mark.parametrize(("premise", "hypothesis"), of_kinds(SWAPS))
def test_swaps_are_recognised_in_both_directions(premise, hypothesis):
    assert exchanged(premise, hypothesis) == Exchange(True)
    assert exchanged(hypothesis, premise) == Exchange(True)


@pytest.mark.parametrize(("premise", "hypothesis", "difference"), of_kinds(NO_SWAPS))
def test_what_is_no_swap_says_what_differs(premise, hypothesis, difference):
    assert exchanged(premise, hypothesis) == Exchange(False, difference)
    assert not exchanged(hypothesis, premise).is_swap


def test_every_listed_swap_is_one():
    with SENTENCES.open(encoding="utf-8", newline="") as file:
        pairs = [(row["sentence"], row["swapped"]) for row in csv.DictReader(file)]
    pairs += [(pair.premise, pair.hypothesis) for pair in pairs_of_facts(load_facts())]
    pairs += [(pair.premise, pair.hypothesis) for pair in shipped_bank().pairs(seed=7)[::20]]
    missed = [pair for pair in pairs if not exchanged(*pair).is_swap]
    assert missed == []


@pytest.mark.parametrize("text", ["", ".", "Ann", "’s", "日本", "a " * 1000, "\n"])
def test_text_that_is_no_sentence_is_no_swap(text):
    assert not exchanged(text, "Bob met Ann.").is_swap
    assert not exchanged(text, text).is_swap


@pytest.mark.parametrize(
    ("one", "two"),
    [("loved", "loves"), ("window", "widow"), ("teacher", "teaches"), ("mother", "brother"),
     ("maria", "marta"), ("older", "oldest"), ("nine", "nina")],
)  # fmt: skip
def test_another_word_is_no_typing_error(one, two):
    assert not is_misspelt(one, two, name=one.startswith("m"))


def test_inflected_words_are_known():
    for word in ("cats", "carried", "planned", "loving", "happiest", "the", "fishermen"):
        assert is_word(word), word
    for word in ("cta", "carryed", "plannned", "tahn"):
        assert not is_word(word), word


# What holds whatever the words are.

NAMES = st.sampled_from(["Ann", "Bob", "Kenya", "Uganda", "Mozart", "Latin", "Fiji", "Oslo"])
NOUNS = st.sampled_from(["nurse", "farmer", "wolf", "ship", "river", "bank", "poet", "judge"])
PARTIES = st.one_of(
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
def two_parties(draw):
    """A frame and two parties without a word in common."""
    frame, x, y = draw(FRAMES), draw(PARTIES), draw(PARTIES)
    one, two = (set(party.lower().replace("'s", "").split()) - {"the", "from"} for party in (x, y))
    assume(not one & two)
    return frame, x, y


@given(two_parties())
def test_two_exchanged_parties_are_a_swap(drawn):
    frame, x, y = drawn
    assert exchanged(filled(frame, x, y), filled(frame, y, x)).is_swap


@given(two_parties(), st.integers(0, 20), NEW_WORDS)
@example(("{} met {}", "Ann", "Bob"), 0, "Peru")
def test_a_replaced_word_is_no_swap(drawn, place, word):
    frame, x, y = drawn
    words = filled(frame, y, x).split()
    assume(words[place % len(words)].lower() != word)
    words[place % len(words)] = word
    assert not exchanged(filled(frame, x, y), " ".join(words)).is_swap


@given(two_parties(), st.integers(0, 20), NEW_WORDS)
def test_an_added_word_is_no_swap(drawn, place, word):
    frame, x, y = drawn
    words = filled(frame, y, x).split()
    words.insert(place % (len(words) + 1), word)
    assert not exchanged(filled(frame, x, y), " ".join(words)).is_swap


@given(st.permutations(["Ann", "saw", "the", "old", "wolf", "near", "Oslo"]))
def test_reading_the_other_way_gives_the_same_answer(words):
    one, two = "Ann saw the old wolf near Oslo", " ".join(words)
    assert exchanged(one, two).is_swap == exchanged(two, one).is_swap


@given(st.lists(st.text(max_size=8), max_size=6), st.lists(st.text(max_size=8), max_size=6))
def test_any_text_gets_an_answer(one, two):
    found = exchanged(" ".join(one), " ".join(two))
    assert found.is_swap or found.difference


def test_swaps_of_one_frame_are_no_swaps_of_another():
    frames = ["{} met {}.", "{} is near {}.", "{} wrote to {}."]
    for one, two in itertools.permutations(frames, 2):
        assert not exchanged(one.format("Ann", "Bob"), two.format("Bob", "Ann")).is_swap


@pytest.mark.parametrize(
    ("premise", "hypothesis"),
    [
        ("Lagos is hotter than Oslo.", "Oslo is hoter than Lagos."),
        ("The clerk called the baker.", "The baker called teh clerk."),
        ("Iron is denser than tin.", "Tin is denser then iron."),
        ("My vice-president met the mayor.", "The mayor met my vice president."),
        ("I am shorter than my aunt.", "My aunt is shorter than I am."),
    ],
)
def test_what_is_written_one_way_or_another_is_no_difference(premise, hypothesis):
    assert exchanged(premise, hypothesis).is_swap
    assert exchanged(hypothesis, premise).is_swap
