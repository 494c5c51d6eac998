"""Which pronouns may stand for a phrase: he, she, it, they; from short lists, not from the world.

A phrase of which nothing is known may be several of them, and the swap says so where it matters.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from symdemo.swapping.reading.inflection import NOMINATIVE, forms_of
from symdemo.swapping.reading.lexicon import word_set
from symdemo.swapping.reading.nouns import ANIMALS, GROUPS
from symdemo.swapping.reading.phrases import Phrase, children, is_animate, is_name, number_of

if TYPE_CHECKING:
    from spacy.tokens import Token

_MALE_NAMES = word_set(
    "adam ahmed alan albert alex alexander ali anders andrew anthony antonio arjun arthur ben "
    "bill bob boris brian bruno carl carlos charles chris daniel dave david dennis diego dmitri "
    "donald edward emre eric ethan felix francis frank fred gary george giovanni greg hamlet hans "
    "harry hassan henry hiroshi hugo ibrahim ivan jack jacob jakob james jan jason jeff jim joe "
    "john jonas jonathan jorge jose josé joseph josh juan jun karim karl kenji kevin kofi kwame "
    "lars leo leon louis lucas luigi luis luke malik marco mario mark martin matt matthew max "
    "michael mike miguel mikko mohammed muhammad nathan nick nicolas nikolai noah nuno oliver olu "
    "omar oscar oskar otto pablo paolo patrick paul pavel pedro peter philip pierre rahul raj "
    "ralph ravi ricardo richard rick robert roger romeo ron ryan sam samuel santiago scott sean "
    "sergei simon sipho stefan stephen steve steven tariq ted thabo thomas tim timothy tobias tom "
    "tomas tomasz tony viktor vincent vladimir walter wei will william yusuf"
)
_FEMALE_NAMES = word_set(
    "abena ada aiko aisha alice alicia amanda amara amina amy ana andrea angela anita ann anna "
    "anne anneli aoife astrid barbara beatrice bella betty bridget camille carla carmen carol "
    "caroline catherine charlotte chiara chloe christine clara claire cleopatra cynthia dana "
    "daniela deborah denise dewi diana dora dorothy elena elisabeth elizabeth ella ellen elsa "
    "emily emma erika esther eva eve ewa fatima fiona frida gertrude gina giulia grace greta hana "
    "hannah heidi helen helena ida ines ingrid irene isabel isabella jane janet jasmine jennifer "
    "jessica joan joanna julia juliet karen kate katherine kathy katja keiko kelly laila lara "
    "laura leila lena lerato leticia linda lindiwe lisa lucia lucy lydia magda mai margaret maria "
    "marie mary mei melissa mia michelle mona monica nadia nancy naomi natalia natasha nina noor "
    "nora olga olivia pamela patricia paula petra priya rachel rebecca rita rosa rosie ruth sally "
    "samira sandra sara sarah sheila sibel siobhan sofia sonia sophia sophie stella sue sunita "
    "susan svetlana sylvia tamara tanya teresa thandiwe tina ursula valentina vera veronica "
    "victoria yasmin yuki zeynep zofia zoe"
)
_MALE_NOUNS = word_set(
    "man boy king prince father brother son uncle nephew husband grandfather grandpa grandson "
    "groom bridegroom duke monk pope lord sir gentleman guy dad daddy papa stepfather sultan "
    "bishop emperor widower waiter actor policeman fireman postman businessman fisherman salesman "
    "landlord mailman milkman boyfriend godfather mr mr. bull rooster cock ram squire nobleman "
    "knight count baron wizard merchant blacksmith"
)
_FEMALE_NOUNS = word_set(
    "woman girl queen princess mother sister daughter aunt niece wife grandmother grandma "
    "granddaughter bride duchess nun lady madam mum mom mummy mommy mama stepmother empress widow "
    "waitress actress policewoman businesswoman landlady girlfriend godmother goddess hostess "
    "heroine witch mrs mrs. ms ms. miss cow hen ewe midwife"
)
_MALE = _MALE_NAMES | _MALE_NOUNS | {"male"}
_FEMALE = _FEMALE_NAMES | _FEMALE_NOUNS | {"female"}
_ANIMALS, _GROUPS = ANIMALS | {"deer"}, GROUPS | {"jury"}

PERSON = ("they", "she", "he")
ANYTHING = ("it", "he", "she", "they")


def pronouns_for(phrase: Phrase) -> tuple[str, ...]:
    """Give the pronouns, in the nominative, that may stand for a phrase; one where it is known."""
    head = phrase.head
    if (row := forms_of(head.text)) is not None and head.tag_.startswith("PRP"):
        return (row[NOMINATIVE].lower(),)
    inside = [c for c in head.subtree if phrase.first <= c.i <= phrase.last and c.dep_ == "conj"]
    if any(forms_of(c.text) in {forms_of("I"), forms_of("we")} for c in inside):
        return ("we",)
    if number_of(phrase) == "plural":
        return ("they",)
    return _of_noun(head)


def _ends_like_her_name(name: str) -> bool:
    """Whether a given name is most likely a woman's: Annika, Serena, Camille.

    Only a name that no list has comes here, and names of places in -a are told by no pronoun of
    persons, so that the guess does no harm there.
    """
    return len(name) > 3 and name.endswith(("ika", "ena", "ina", "elle", "ette", "iana", "isha"))


def _of_noun(head: Token) -> tuple[str, ...]:
    """The pronouns for a noun in the singular, by its own word and what stands beside it."""
    beside = {c.lower_ for c in children(head, "compound", "appos", "amod", "nmod")}
    known = {head.lower_, head.lemma_.lower(), *(beside if is_name(head) else ())}
    known |= beside & {"male", "female"}
    male, female = known & _MALE, known & _FEMALE
    if not male and not female and is_name(head) and _ends_like_her_name(head.lower_):
        return ("she",)
    if bool(male) != bool(female):
        return ("he",) if male else ("she",)
    word = head.lemma_.lower()
    if word in _ANIMALS:
        return ("it", "he", "she")
    if word in _GROUPS:
        return ("it", "they")
    if is_name(head) or (head.text[:1].isupper() and is_animate(head)):
        return ANYTHING
    return PERSON if is_animate(head) else ("it",)


def gender_of(word: str) -> str:
    """The pronoun, he or she, that a given name or a noun is known to take; "" where unknown."""
    low = word.lower()
    if (low in _MALE) == (low in _FEMALE):
        return ""
    return "he" if low in _MALE else "she"
