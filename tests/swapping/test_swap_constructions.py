"""Natural sentences by kind, each with the swap that a person would write."""

import pytest

pytest.importorskip("spacy", reason="free sentences need the parser")

from symdemo.errors import InputError, NoPairFound
from symdemo.swapping import swap

SHARED = [
    ("The brother and sister separated.", "The sister and brother separated."),
    ("Some bugs and worms look alike.", "Some worms and bugs look alike."),
    (
        "The deaf student and teacher talked for hours.",
        "The deaf teacher and student talked for hours.",
    ),
    ("My aunt and uncle divorced last year.", "My uncle and aunt divorced last year."),
    ("Her long black hair and boobs were admired.", "Her boobs and long black hair were admired."),
    (
        "The left and right channels are out of phase.",
        "The right and left channels are out of phase.",
    ),
    ("The nurse and the doctor met.", "The doctor and the nurse met."),
]
RECIPROCAL = [
    ("Ann and Bob resembled each other.", "Bob and Ann resembled each other."),
    ("Monday and Tuesday follow one another.", "Tuesday and Monday follow one another."),
    (
        "The mayor and the bishop have hated each other for years.",
        "The bishop and the mayor have hated each other for years.",
    ),
    ("Ann introduced Bob and Carl to each other.", "Ann introduced Carl and Bob to each other."),
]
TOGETHER = [
    (
        "I mixed the cinnamon with the rest of the sugar.",
        "I mixed the rest of the sugar with the cinnamon.",
    ),
    (
        "You have to combine strength and street smarts.",
        "You have to combine street smarts and strength.",
    ),
    (
        "The study compared aspirin with ibuprofen.",
        "The study compared ibuprofen with aspirin.",
    ),
    ("The referee separated Ann from Bob.", "The referee separated Bob from Ann."),
    (
        "People often confuse Slovenia with Slovakia.",
        "People often confuse Slovakia with Slovenia.",
    ),
    ("The priest married Ann to Bob.", "The priest married Bob to Ann."),
    ("Nuno introduced Rita to Hugo.", "Nuno introduced Hugo to Rita."),
    ("Whisk the eggs with the sugar until pale.", "Whisk the sugar with the eggs until pale."),
    ("The new railway links Nairobi and Mombasa.", "The new railway links Mombasa and Nairobi."),
]
PASSIVE = [
    (
        "The treaty was signed by France and Germany.",
        "The treaty was signed by Germany and France.",
    ),
    (
        "The ministers signed a treaty between France and Germany.",
        "The ministers signed a treaty between Germany and France.",
    ),
    ("Bob was hit by a bus.", "A bus was hit by Bob."),
    ("The villagers were saved by a soldier.", "A soldier was saved by the villagers."),
]
SCORES = [
    ("Arsenal beat Chelsea 3-1.", "Chelsea beat Arsenal 3-1."),
    ("Nadal defeated Federer 6-4, 7-5.", "Federer defeated Nadal 6-4, 7-5."),
    ("Leeds drew 2-2 with Fulham.", "Fulham drew 2-2 with Leeds."),
    (
        "Peru, a small team, stunned Brazil, the champions.",
        "Brazil, the champions, stunned Peru, a small team.",
    ),
    (
        "My cousin Dmitri hired our friend Paula, a locksmith.",
        "Our friend Paula, a locksmith, hired my cousin Dmitri.",
    ),
]
RELATIVE = [
    ("The man that Ann married hates Bob.", "Bob hates the man that Ann married."),
    ("Ann, who is my sister, married Bob.", "Bob married Ann, who is my sister."),
    (
        "The woman who fed the ducks knows the man who paints boats.",
        "The man who paints boats knows the woman who fed the ducks.",
    ),
]
CLAUSES = [
    ("A hates B and B hates A.", "B hates A and A hates B."),
    ("Ann loves Bob, but Bob does not love Ann.", "Bob loves Ann, but Ann does not love Bob."),
    ("Ann loves Bob but he hates her.", "Bob loves Ann but she hates him."),
    (
        "The fox chased the hen, but the hen escaped.",
        "The hen chased the fox, but the fox escaped.",
    ),
    (
        "Japan attacked Russia in 1904, and most of Europe was stunned.",
        "Russia attacked Japan in 1904, and most of Europe was stunned.",
    ),
]
PRONOUNS = [
    (
        "I will follow the merchant to see where he goes.",
        "The merchant will follow me to see where I go.",
    ),
    ("Peter lent his bicycle to Sofia.", "Sofia lent her bicycle to Peter."),
    ("My mother read to me when I laid in bed.", "I read to my mother when she laid in bed."),
    ("Ann told Bob that she loves him.", "Bob told Ann that he loves her."),
    ("The boys gave their ball to Ann.", "Ann gave her ball to the boys."),
    ("You sent me your picture.", "I sent you my picture."),
    ("Serena congratulated Roger on his victory.", "Roger congratulated Serena on her victory."),
    ("She sat down between Omar and Ruth.", "She sat down between Ruth and Omar."),
]
POSSESSIVES = [
    ("Ann's car is faster than Bob's.", "Bob's car is faster than Ann's."),
    (
        "Kim's birthday is on the same day as Lee's.",
        "Lee's birthday is on the same day as Kim's.",
    ),
    ("My house is bigger than yours.", "Your house is bigger than mine."),
    ("My handwriting looks like my father's.", "My father's handwriting looks like mine."),
    (
        "I borrowed Ben's bike because mine was broken.",
        "Ben borrowed my bike because his was broken.",
    ),
]
AGREEMENT = [
    ("The dogs chase the cat and bite it.", "The cat chases the dogs and bites them."),
    ("He has met them and likes them.", "They have met him and like him."),
    ("This bacterium kills amoebae but dies.", "Amoebae kill this bacterium but die."),
    ("The Hittites were allies of Troy.", "Troy was an ally of the Hittites."),
    ("Dina is a friend of mine.", "I am a friend of Dina's."),
]
CONTRACTIONS = [
    ("I'll follow the merchant.", "The merchant will follow me."),
    ("I'd marry Bob.", "Bob would marry me."),
    ("I've met the mayor.", "The mayor has met me."),
    ("She's known them for years.", "They've known her for years."),
    ("You aren't suing me.", "I am not suing you."),
    ("They're older than Tom.", "Tom's older than them."),
]
WORD_ORDER = [
    (
        "The worker thread deadlocks with the main thread.",
        "The main thread deadlocks with the worker thread.",
    ),
    ("The old API conflicts with the new one.", "The new API conflicts with the old one."),
    ("Whale sharks feed on plankton.", "Plankton feeds on whale sharks."),
    ("There are more sheep than people in Wales.", "There are more people than sheep in Wales."),
    ("The virus spread from bats to humans.", "The virus spread from humans to bats."),
    ("It was Ann who kissed Bob.", "It was Bob who kissed Ann."),
]
CAPITALS = [
    ("Only Rita trusts Paul.", "Only Paul trusts Rita."),
    ("Rust is safer than C.", "C is safer than Rust."),
    ("ANN MARRIED BOB.", "BOB MARRIED ANN."),
    ("THE CAT CHASED THE DOG!", "THE DOG CHASED THE CAT!"),
    ("Sodium is softer than iron.", "Iron is softer than sodium."),
    ("Granny adores the postman.", "The postman adores Granny."),
    ("they've blocked me lol", "I've blocked them lol"),
    ("The function foo() calls bar().", "bar() calls the function foo()."),
]
TYPING = [
    ("Ann marryed Bob.", "Bob marryed Ann."),
    ("The Romans conquerd the Britons.", "The Britons conquerd the Romans."),
    ("Teh postman hates our dog.", "Our dog hates teh postman."),
    ("Ann married  Bob .", "Bob married  Ann ."),
]
UNKNOWN_VERBS = [
    ("Curlew lee-bowed Nimbus.", "Nimbus lee-bowed Curlew."),
    ("Chess resembles shogi.", "Shogi resembles chess."),
    ("Whisky complements chocolate.", "Chocolate complements whisky."),
    ("Ann blorbed Bob.", "Bob blorbed Ann."),
    ("A trill twibs a quock.", "A quock twibs a trill."),
]
KINDS = {name: own for name, own in globals().items() if name.isupper() and isinstance(own, list)}


@pytest.mark.parametrize(
    ("sentence", "swapped"),
    [pytest.param(*pair, id=f"{kind}-{pair[0]}") for kind, own in KINDS.items() for pair in own],
)
def test_a_sentence_is_swapped_as_a_person_would(sentence: str, swapped: str) -> None:
    got = swap(sentence)
    assert got.hypothesis == swapped
    assert got.premise == sentence
    assert not got.note


def test_every_kind_has_three_sentences() -> None:
    assert len(KINDS) >= 14
    assert all(len(own) >= 3 for own in KINDS.values())


@pytest.mark.parametrize(
    "sentence",
    [
        "Both suspects accused each other.",
        "They love one another.",
        "All three candidates attacked one another on live television.",
        "It has been snowing since breakfast.",
        "He yawned twice during the speech.",
        "Prices rose by three per cent.",
        "Good morning and happy birthday!",
    ],
)
def test_no_pair_is_made_up(sentence: str) -> None:
    with pytest.raises(NoPairFound):
        swap(sentence)


@pytest.mark.parametrize(
    ("sentence", "guess"),
    [
        ("The cat sleeps.", ("The cat", "sleeps", "")),
        ("Both suspects accused each other.", ("Both suspects", "accused", "each other")),
        ("Give Bob the book.", ("", "Give", "Bob the book")),
        ("happy birthday", ("happy birthday", "", "")),
    ],
)
def test_what_fills_the_boxes_where_no_pair_is_found(sentence, guess) -> None:
    with pytest.raises(NoPairFound, match="No subject and object") as caught:
        swap(sentence)
    assert caught.value.guess == guess
    assert isinstance(caught.value, InputError)


def test_other_bad_input_has_no_guess() -> None:
    with pytest.raises(InputError) as caught:
        swap("word")
    assert not isinstance(caught.value, NoPairFound)


@pytest.mark.parametrize(
    ("sentence", "swapped"),
    [
        (
            "The mail server sends alerts to the pager.",
            "The pager sends alerts to the mail server.",
        ),
        (
            "The speech began before the music stopped.",
            "The music began before the speech stopped.",
        ),
        ("Row 7C is left of row 7D.", "Row 7D is left of row 7C."),
        ("Some pilots are singers.", "Some singers are pilots."),
        ("Not all lakes are reservoirs.", "Not all reservoirs are lakes."),
        ("Did Rosa ever meet Iqbal?", "Iqbal met Rosa."),
        ("im older than rosa", "Rosa is older than me"),
    ],
)
def test_what_visitors_type(sentence, swapped):
    assert swap(sentence).hypothesis == swapped
