"""Words for the swap: pronoun case, verb agreement, capitals and the small closed word lists.

Everything here works on plain strings; nothing in this file needs spaCy.
"""

import re


def word_set(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


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

# Names that look plural and take a singular verb.
SINGULAR_NAMES = word_set(
    "thames ganges states netherlands nations philippines bahamas maldives emirates seychelles "
    "solomons angeles orleans vegas athens brussels wales honduras cyprus paris texas illinois "
    "arkansas kansas massachusetts airlines motors industries systems times news studios"
)

PLURAL_NOUNS = word_set(
    "people police cattle children men women mice geese feet teeth oxen folk bacteria fungi "
    "amoebae algae larvae antennae mitochondria criteria phenomena nuclei cacti stimuli vertebrae "
    "both many few several"
)

# Nouns that are plurals where they stand bare: "wolves eat sheep".
SAME_IN_PLURAL = word_set("sheep fish deer")

# Words that open a noun phrase and lose their capital when it moves away from the sentence start.
FUNCTION_WORDS = word_set(
    "a an the teh hte this that these those some any no each every both either neither all many "
    "most few several such my your his her its our their he she it we they you one two three four "
    "five six seven eight nine ten another other more everyone everybody someone somebody nobody "
    "anyone anybody everything something nothing"
)

# Names whose article keeps its capital in the middle of a sentence.
NAMES_WITH_ARTICLE = ("the hague", "the bronx", "the gambia", "the bahamas")

NATIONAL_ADJECTIVES = word_set(
    "french german greek dutch welsh irish english british american african european asian arab "
    "roman christian muslim catholic jewish hindu buddhist islamic protestant orthodox thai swiss "
    "czech iraqi israeli pakistani victorian latin"
)

# Names that are common nouns too, or that the tagger takes for them.
ALWAYS_NAMES = word_set(
    "mercury venus mars jupiter saturn uranus neptune pluto buddhism christianity islam hinduism "
    "judaism god zeus china turkey chile jordan georgia mali chad japan"
)

# Countries and bodies of two names, which are one thing and take a singular verb.
DOUBLE_NAMES = (
    "trinidad and tobago",
    "bosnia and herzegovina",
    "antigua and barbuda",
    "saint kitts and nevis",
    "são tomé and príncipe",
    "saint vincent and the grenadines",
    "turks and caicos",
    "johnson & johnson",
)

# Verbs whose coordinated subject is the pair itself: "the rabbi and the imam met in Jerusalem".
COLLECTIVE_VERBS = word_set(
    "meet marry divorce share agree disagree fight collaborate cooperate quarrel talk argue "
    "differ merge collide overlap intersect coincide compete interact trade kiss hug separate "
    "team"
)

# Words that "as" answers: "as tall as", "the same age as", "such a fool as".
COMPARING_WORDS = word_set("as same so such just identical equal equally twice half much")

TIME_WORDS = word_set(
    "january february march april may june july august september october november december monday "
    "tuesday wednesday thursday friday saturday sunday today yesterday tomorrow year month week "
    "day morning evening night noon afternoon hour minute century decade spring summer autumn "
    "winter midnight midday dawn dusk sunrise sunset generation lifetime while season time moment "
    "past age second millennium weekend"
)

UNITS = word_set(
    "percent cent % point dollar euro pound rupee yen metre meter kilometre kilometer km mile "
    "inch foot degree gram kilogram kilo litre liter volt watt goal vote seat length percentage"
)

# Prepositions that usually say where, when or for how much, not with whom.
ADJUNCT_PREPOSITIONS = word_set(
    "in at on during since after before until till for through throughout within despite under "
    "because due as without over around across along via near inside outside behind beside among"
)
# What these bring in is said of the whole sentence, wherever the parser hangs it.
SENTENCE_PREPOSITIONS = word_set("during since until despite throughout because via")
# And these, after somebody: "argued with the reviewer about the ending"; but "a book about Bob".
SENTENCE_PREPOSITIONS_AFTER_BEINGS = word_set("about over")

# Nouns that only say on which side of the other: "lies to the north of the village".
SIDES = word_set("north south east west left right northeast northwest southeast southwest rear")

# Verbs of a link or a gap between two things, which something third makes: "is connected to the
# coast by a road".
LINKING_VERBS = word_set(
    "connect join link separate bond tie bind attach divide couple fasten relate wire chain"
)
# What follows "by" in these says how, not who.
MANNERS = word_set(
    "chance accident mistake coincidence luck hand foot train bus car plane ship mail"
)

REFLEXIVES = word_set(
    "myself yourself himself herself itself oneself ourselves yourselves themselves"
)

# Prepositions that bring in the other party of an act: sign a treaty with, tell a story to.
PARTY_PREPOSITIONS = word_set("with to from against for")

_BE = {"present": ("am", "is", "are"), "past": ("was", "was", "were")}
_IRREGULAR_THIRD = {"have": "has", "do": "does", "go": "goes"}


def is_pronoun(text: str) -> bool:
    """Whether the text is one personal or possessive pronoun."""
    # US and IT are names.
    return text.lower() in _ROW_OF and not (len(text) > 1 and text.isupper())


def row_of(text: str) -> tuple[str, ...] | None:
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


def has_fixed_capitals(word: str) -> bool:
    """Whether a word's capitals never depend on its place: I, NATO, Q42, iPhone, McGill."""
    return word == "I" or any(c.isdigit() for c in word) or any(c.isupper() for c in word[1:])


def is_name_start(words: list[str]) -> bool | None:
    """Whether a capitalised sentence opening is a name; ``None`` where words alone cannot tell."""
    first = words[0].strip("\"'“”‘’(),")
    if has_fixed_capitals(first) or (len(words) == 1 and len(first) == 1):
        return True
    if " ".join(words[:2]).lower() in NAMES_WITH_ARTICLE:
        return True
    if first.lower() in FUNCTION_WORDS:
        return False
    if first.lower() in NATIONAL_ADJECTIVES:
        return True
    # A capital on the next word too: a name of several words (Mount Kenya, Treaty of Versailles).
    links = {"of", "the", "de", "la", "van", "von", "and", "&"}
    follows = [w for w in words[1:3] if w not in links]
    if follows and follows[0][:1].isupper():
        return True
    return None


def capitalise(text: str) -> str:
    """Put a capital on the first letter, leaving words such as iPhone as they are."""
    for i, c in enumerate(text):
        if c.isalpha():
            word = re.match(r"\w+\S*", text[i:]).group()
            code = word.rstrip(".,;:!?\"'”’").endswith(")") or "_" in word  # foo(), my_function
            if c.islower() and (code or any(x.isupper() for x in re.match(r"\w+", word).group())):
                return text
            return text[:i] + c.upper() + text[i + 1 :]
        if c.isalnum():
            return text
    return text


def lower_first(text: str) -> str:
    """Take the capital off the first letter."""
    for i, c in enumerate(text):
        if c.isalnum():
            return text[:i] + c.lower() + text[i + 1 :]
    return text


def starts_like_name(text: str) -> bool:
    """Whether a phrase from the middle of a sentence opens with a capital."""
    first = text.lstrip("\"'“‘(").split(maxsplit=1)[:1]
    return bool(first) and (first[0][:1].isupper() or has_fixed_capitals(first[0]))
