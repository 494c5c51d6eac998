"""What a noun by itself is: a being, who can be a party as a person can, or usually a name.

A dictionary has "Denmark" and "Ruby" as nouns like any other; `assets/names.txt` lists those that
are written with a capital, and `names_list` makes that list.
"""

from __future__ import annotations

from functools import cache

from symdemo.files.paths import ASSETS
from symdemo.swapping.reading.lexicon import word_set
from symdemo.swapping.reading.pipeline import knows_verb

ANIMALS = word_set(
    "dog cat horse wolf fox hare bear lion tiger mouse rat bird fish animal sparrow crow eagle "
    "falcon owl swan dolphin whale shark eel snake python frog toad ant bee wasp spider butterfly "
    "monkey ape gorilla zebra giraffe elephant rabbit donkey camel llama kitten puppy pup cub lamb "
    "calf insect duck duckling goose pig goat sheep child baby infant toddler"
)
GROUPS = word_set(
    "team class crew company firm bank government state country city village court committee union "
    "club school university hospital army nation tribe family crowd gang band choir council "
    "parliament party navy police church ministry embassy agency brewery supplier board"
)
# Persons above all; no pronoun tells the few animals and bodies among them.
_OTHERS = word_set(
    "human vegan vet mum dad mom granny grandad buyer countess duchess baroness lioness heiress "
    "empress mistress priestess relative sibling acquaintance opponent inhabitant tenant "
    "landlady lifeguard pedestrian passenger cyclist motorist jockey coachman maid butler nanny "
    "tutor mentor apprentice comrade ally man woman person people boy girl adult king queen "
    "prince princess emperor mother father parent brother sister son daughter uncle aunt cousin "
    "nephew niece husband wife spouse grandmother grandfather grandma grandpa twin friend "
    "neighbour neighbor enemy rival partner colleague guest host boss chief nurse judge guard "
    "thief cook priest monk nun imam rabbi bishop pope saint student pupil cow assistant client "
    "agent president minister ambassador knight patient citizen poet champion captain coach "
    "witness landlord musician politician physician librarian surgeon sultan shepherd orphan "
    "heir bride groom widow merchant servant peasant actress waitress goddess hostess employee "
    "refugee giant accountant attendant defendant detective pilot spy chemist mechanic duke "
    "intern customer postman stranger model babysitter chef graduate candidate expert general "
    "monarch nobleman patron pirate prophet scout squire veteran volunteer virgin youth tourist "
    "cattle hen rooster cock parrot pigeon raccoon squirrel octopus hyena scorpion mantis estate "
    "delegation troop staff flatmate roommate housemate teammate bloke guy lad lass dude couple "
    "majority minority hostage elder electrician lawyer soldier doctor author mayor tailor "
    "senator traitor bachelor warrior officer prisoner villager foreigner grocer butcher "
    "messenger carpenter plumber fisher potter archer hunter hiker climber lodger gardener "
    "islander settler outsider insider newcomer commander conqueror gangster youngster juror"
)
ANIMATES = ANIMALS | GROUPS | _OTHERS
_AGENT_SUFFIXES = ("ist", "man", "woman", "ian", "guard", "herd", "smith")
_NOT_AGENTS = word_set(
    "letter paper water river border order number power center centre butter dinner tower corner "
    "summer winter offer answer chapter matter weather computer door floor color error factor "
    "motor sector mirror harbor plant restaurant pendant process success business illness coffee "
    "tree fee degree committee cancer poster folder theatre theater tractor layer feather leather "
    "ladder copper silver finger shoulder liver bladder disorder flower shower ruler hammer dress "
    "access address mess guarantee knee bee transfer encounter newspaper member sweater shelter "
    "cellar calendar collar dollar guitar cigar altar pillar sugar cucumber pepper lever lighter "
    "printer scanner router trailer container drawer fever barrier carrier corridor cover fibre "
    "filter gender hunger anger danger wonder meter metre litre powder quarter rubber shutter "
    "slipper sticker timber trigger trouser zipper horror terror armor flavor flavour favor "
    "favour honor humor labor odor rumor tumor vapor harbour colour labour humour rumour tumour "
    "odour armour behaviour laser lesson heater boiler cooker freezer speaker loudspeaker adapter "
    "charger helicopter scooter liner prayer supper manner murder remainder reminder register "
    "semester thunder whisker wafer"
)


def is_animate(lemma: str) -> bool:
    """Whether a common noun is animate: a person, an animal or a body of people."""
    return lemma in ANIMATES or is_agent_noun(lemma)


def is_agent_noun(lemma: str) -> bool:
    """Whether a noun ends like one for who does something (an agent): baker, but not lavender."""
    if len(lemma) <= 4 or lemma in _NOT_AGENTS:
        return False
    if lemma.endswith(("er", "or")):
        stem = lemma[:-2]
        return any(knows_verb(base) for base in (stem, stem + "e", stem[:-1], stem[:-1] + "y"))
    return lemma.endswith(_AGENT_SUFFIXES)


FILE = ASSETS / "names.txt"
DOUBT = "?"
"""What follows a word that is a name as often as not."""


@cache
def _names() -> tuple[frozenset[str], frozenset[str]]:
    """Lower-cased words that are usually names, and those that often are."""
    lines = FILE.read_text(encoding="utf-8").splitlines()
    words = [line for line in lines if line and not line.startswith("#")]
    often = {word.removesuffix(DOUBT) for word in words if word.endswith(DOUBT)}
    return frozenset(words) - {word + DOUBT for word in often}, frozenset(often)


def is_usually_name(word: str) -> bool:
    """Whether a lower-cased noun hardly occurs without a capital: denmark, galileo."""
    return word in _names()[0]


def is_often_name(word: str) -> bool:
    """Whether a lower-cased noun occurs with a capital as often as without: ruby, python."""
    return word in _names()[1]
