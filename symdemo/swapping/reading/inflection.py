"""Forms of words: cases of pronouns, numbers of nouns, persons and pasts of verbs.

Everything here works on plain strings; nothing in this file needs spaCy.
"""

from __future__ import annotations

import re

# nominative, accusative, genitive, genitive alone, reflexive. Listed so that an ambiguous form
# ("her") finds its row.
PRONOUNS = (
    ("I", "me", "my", "mine", "myself"),
    ("you", "you", "your", "yours", "yourself"),
    ("he", "him", "his", "his", "himself"),
    ("she", "her", "her", "hers", "herself"),
    ("it", "it", "its", "its", "itself"),
    ("we", "us", "our", "ours", "ourselves"),
    ("they", "them", "their", "theirs", "themselves"),
)
NOMINATIVE, ACCUSATIVE, GENITIVE, ABSOLUTE, REFLEXIVE = range(5)
_ROW_OF = {form.lower(): row for row in PRONOUNS for form in row[: GENITIVE + 1]}
_ROW_OF_ANY = {form.lower(): row for row in PRONOUNS for form in row}
# Those that stand for a possessor and what it has: "My house is bigger than yours".
ABSOLUTES = frozenset(row[ABSOLUTE] for row in PRONOUNS)

REFLEXIVES = frozenset(row[REFLEXIVE] for row in PRONOUNS) | {"oneself", "yourselves"}

_BE = {"present": ("am", "is", "are"), "past": ("was", "was", "were")}
_IRREGULAR_THIRD = {"have": "has", "do": "does", "go": "goes"}


def is_pronoun(text: str) -> bool:
    """Whether the text is one personal or possessive pronoun."""
    # US and IT are names.
    return text.lower() in _ROW_OF and not (len(text) > 1 and text.isupper())


def forms_of(text: str) -> tuple[str, ...] | None:
    """Give all forms of the pronoun that the text is a form of, mine and myself among them."""
    return None if len(text) > 1 and text.isupper() else _ROW_OF_ANY.get(text.lower())


def pronoun_in(text: str, case: int) -> str:
    """Give the pronoun in another case: ``pronoun_in("He", ACCUSATIVE)`` is ``"him"``."""
    return _ROW_OF_ANY[text.lower()][case]


def genitive(text: str) -> str:
    """Give the possessive form of a noun phrase or a pronoun: Bob's, the dogs', her."""
    if is_pronoun(text):
        return pronoun_in(text, GENITIVE)
    # A plural in -s takes the bare apostrophe; a capital in the last word is a name (James's).
    last = text.rsplit(maxsplit=1)[-1]
    plural = last.endswith("s") and last.islower() and not last.endswith("ss")
    return text + ("'" if plural else "'s")


def third_person(lemma: str) -> str:
    """Give the third person singular of a verb: chase, chases; miss, misses; carry, carries."""
    if lemma in _IRREGULAR_THIRD:
        return _IRREGULAR_THIRD[lemma]
    if re.search(r"(?:s|x|z|ch|sh|o)$", lemma):
        return lemma + "es"
    if re.search(r"[^aeiou]y$", lemma):
        return lemma[:-1] + "ies"
    return lemma + "s"


_PLURALS = {
    "man": "men",
    "woman": "women",
    "child": "children",
    "wife": "wives",
    "person": "people",
}


def plural_of(noun: str) -> str:
    """Give the plural of a noun: ally, allies; wife, wives; fellow countryman, countrymen."""
    for ending, plural in _PLURALS.items():
        if noun.endswith(ending):
            return noun.removesuffix(ending) + plural
    return third_person(noun)  # nouns and verbs take the same ending


def base_form(third: str) -> str:
    """Give the base of a third person singular: borders, border; carries, carry."""
    if third.endswith("ies") and len(third) > 4:
        return third[:-3] + "y"
    if re.search(r"(?:s|x|z|ch|sh|o)es$", third):
        return third[:-2]
    return third.removesuffix("s")


def verb_form(form: str, lemma: str, person: str) -> str:
    """Mend a finite verb for a new subject; ``person`` is ``I``, ``singular`` or ``plural``.

    Past forms other than was/were are the same for all subjects and stay.
    """
    mended = _verb_form(form, lemma, person)
    if form.isupper() and len(form) > 1:
        return mended.upper()
    return mended.capitalize() if form[:1].isupper() else mended


def _verb_form(form: str, lemma: str, person: str) -> str:
    low = form.lower()
    column = {"I": 0, "singular": 1, "plural": 2}[person]
    if low in {"'s", "'re", "'m", "'ve", "’s", "’re", "’m", "’ve"}:
        short = {"be": ("'m", "'s", "'re"), "have": ("'ve", "'s", "'ve")}.get(lemma)
        return form[0] + short[column][1:] if short else form
    if low in {"was", "were"}:
        return _BE["past"][column]
    if low in {"am", "is", "are"}:
        return _BE["present"][column]
    if low == lemma and re.search(r"[^su]s$", low):
        lemma = base_form(low)  # the lemmatizer left the ending on: "overlaps"
    if low.endswith("s") and low not in {lemma, third_person(lemma)}:
        lemma = base_form(low)  # the lemmatizer took "hates" for a form of "hat"
    if low == third_person(lemma) or low == lemma:
        return third_person(lemma) if person == "singular" else lemma
    return form


POSSESSIVES = frozenset(row[GENITIVE] for row in PRONOUNS)


_FORMS = """
    arise/arose awake/awoke bear/bore beat/beat become/became begin/began bend/bent beset/beset
    bet/bet bid/bid bind/bound bite/bit bleed/bled blow/blew break/broke breed/bred bring/brought
    broadcast/broadcast build/built burst/burst buy/bought cast/cast catch/caught choose/chose
    cling/clung come/came cost/cost creep/crept cut/cut deal/dealt dig/dug do/did draw/drew
    drink/drank drive/drove eat/ate fall/fell feed/fed feel/felt fight/fought find/found flee/fled
    fling/flung fly/flew forbid/forbade forget/forgot forgive/forgave forsake/forsook freeze/froze
    get/got give/gave go/went grind/ground grow/grew hang/hung have/had hear/heard hide/hid hit/hit
    hold/held hurt/hurt keep/kept know/knew lay/laid lead/led leave/left lend/lent let/let lie/lay
    light/lit lose/lost make/made mean/meant meet/met mistake/mistook outdo/outdid outrun/outran
    overcome/overcame overtake/overtook overthrow/overthrew pay/paid put/put quit/quit read/read
    rid/rid ride/rode ring/rang rise/rose run/ran say/said see/saw seek/sought sell/sold send/sent
    set/set shake/shook shed/shed shine/shone shoot/shot show/showed shrink/shrank shut/shut
    sing/sang sink/sank sit/sat slay/slew sleep/slept slide/slid sling/slung slit/slit smite/smote
    speak/spoke spend/spent spin/spun spit/spat split/split spread/spread spring/sprang stand/stood
    steal/stole stick/stuck sting/stung strike/struck string/strung strive/strove swear/swore
    sweep/swept swim/swam swing/swung take/took teach/taught tear/tore tell/told think/thought
    throw/threw thrust/thrust tread/trod understand/understood undo/undid uphold/upheld upset/upset
    wake/woke wear/wore weave/wove wed/wed weep/wept wet/wet win/won wind/wound withdraw/withdrew
    withhold/withheld withstand/withstood wring/wrung write/wrote
"""
_IRREGULAR = dict(pair.split("/") for pair in re.findall(r"\S+", _FORMS))
# Participles that are not the past.
_PARTICIPLES = """
    arise/arisen awake/awoken be/been bear/borne beat/beaten become/become begin/begun bite/bitten
    blow/blown break/broken choose/chosen come/come do/done draw/drawn drink/drunk drive/driven
    eat/eaten fall/fallen fly/flown forbid/forbidden forget/forgotten forgive/forgiven
    forsake/forsaken freeze/frozen give/given go/gone grow/grown hide/hidden know/known lie/lain
    mistake/mistaken outdo/outdone outrun/outrun overcome/overcome overtake/overtaken
    overthrow/overthrown ride/ridden ring/rung rise/risen run/run see/seen sew/sewn shake/shaken
    show/shown shrink/shrunk sing/sung sink/sunk slay/slain smite/smitten sow/sown speak/spoken
    spring/sprung steal/stolen strive/striven swear/sworn swell/swollen swim/swum take/taken
    tear/torn throw/thrown tread/trodden undo/undone wake/woken wear/worn weave/woven
    withdraw/withdrawn write/written
"""
_IRREGULAR_PARTICIPLE = dict(pair.split("/") for pair in re.findall(r"\S+", _PARTICIPLES))
# A verb is inflected as what follows these: foresee, foresaw.
PREFIXED = re.compile(
    r"(?P<prefix>fore|inter|mis|out|over|pre|re|under|un|up|with)(?P<verb>\w{2,})"
)


def irregular_past(base: str) -> str | None:
    """Give the past of an irregular verb, or None: beat, beat; foresee, foresaw."""
    return _irregular(base.lower(), _IRREGULAR)


def irregular_participle(base: str) -> str | None:
    """Give the past participle of an irregular verb, or None: write, written; lead, led."""
    return _irregular(base.lower(), _IRREGULAR | _IRREGULAR_PARTICIPLE)


def _irregular(base: str, forms: dict[str, str]) -> str | None:
    if base in forms:
        return forms[base]
    prefixed = PREFIXED.fullmatch(base)
    # "relay" (relayed) is no "lay" once more.
    if prefixed is None or base in _NOT_PREFIXED or prefixed["verb"] not in forms:
        return None
    return prefixed["prefix"] + forms[prefixed["verb"]]


_NOT_PREFIXED = frozenset({"relay"})


def doubles_last_letter(base: str) -> bool:
    """Whether a verb of one short syllable doubles its last letter: stop, stopped."""
    return bool(re.fullmatch(r"(?:[^aeiou]*|qu|[^aeiou]*qu)[aeiou][bdgklmnprt]", base.lower()))


def past_of(base: str, *, doubled: bool | None = None) -> str:
    """Give the past of a base form: beat, beat; border, bordered; carry, carried; stop, stopped.

    `doubled` says whether a regular verb doubles its last letter, where that is known.
    """
    if (irregular := irregular_past(base)) is not None:
        return irregular
    low = base.lower()
    if low.endswith("e"):
        return base + "d"
    if re.search(r"[^aeiou]y$", low):
        return base[:-1] + "ied"
    if low.endswith("ic"):
        return base + "ked"
    if doubles_last_letter(base) if doubled is None else doubled:
        return base + base[-1] + "ed"
    return base + "ed"


def gerund_of(base: str, *, doubled: bool | None = None) -> str:
    """Give the form in -ing of a base form: chase, chasing; lie, lying; stop, stopping."""
    low = base.lower()
    if low.endswith("ie"):
        return base[:-2] + "ying"
    if re.search(r"[^eoy]e$", low) and low != "be":
        return base[:-1] + "ing"
    if low.endswith("ic"):
        return base + "king"
    if doubles_last_letter(base) if doubled is None else doubled:
        return base + base[-1] + "ing"
    return base + "ing"
