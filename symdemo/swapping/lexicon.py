"""Lists of words by what they do in a sentence, above all of those that mislead the parser."""

from __future__ import annotations

import tomllib

from symdemo.files.paths import ASSETS

# The long lists, with what each of them holds.
_LISTS = tomllib.loads((ASSETS / "words.toml").read_text(encoding="utf-8"))


def word_set(text: str, separator: str | None = None) -> frozenset[str]:
    """Return the words of a text, or what a separator parts."""
    return frozenset(text.split(separator))


def word_table(text: str) -> dict[str, str]:
    """Return what follows the slash by what comes before it."""
    return dict(pair.split("/") for pair in text.split())


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

# Nouns that are plurals without an article: "wolves eat sheep".
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
DOUBLE_NAMES = word_set(
    "trinidad and tobago, bosnia and herzegovina, antigua and barbuda, saint kitts and nevis, "
    "são tomé and príncipe, saint vincent and the grenadines, turks and caicos, "
    "johnson & johnson",
    ", ",
)

# Verbs whose coordinated subject is the pair itself: "the rabbi and the imam met in Jerusalem".
COLLECTIVE_VERBS = word_set(
    "meet marry divorce share agree disagree fight collaborate cooperate quarrel talk argue "
    "differ merge collide overlap intersect coincide compete interact trade kiss hug separate "
    "team"
)

# Words that "as" answers: "as tall as", "the same age as", "such a fool as".
COMPARING_WORDS = word_set("as same so such just identical equal equally twice half much")

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

# Nouns that only say on which side of the other: "lies to the north of the village".
SIDES = word_set("north south east west left right northeast northwest southeast southwest rear")

# Verbs of a link or a gap between two things, which something third makes: "is connected to the
# coast by a road".
CONNECTING_VERBS = word_set(
    "connect join link separate bond tie bind attach divide couple fasten relate wire chain"
)
# What follows "by" in these says how, not who.
MANNERS = word_set(
    "chance accident mistake coincidence luck hand foot train bus car plane ship mail"
)

# Prepositions that bring in the second argument of an act: sign a treaty with, tell a story to.
ARGUMENT_PREPOSITIONS = word_set("with to from against for")


# Given names that are nouns too. Those that can be counted are names wherever they open a sentence
# bare ("Bill hit the king"); the others ("Grace", "Hope") only beside another name or with 's.
COUNTED_NAMES = word_set(
    "bill rose mark jack pat robin rob sue dean earl victor ruby pearl daisy lily iris violet ivy "
    "frank miles ray jay carol gene jean nick bob tom raj ann mike peter art dick peg penny"
)
UNCOUNTED_NAMES = word_set(
    "grace hope faith joy will mercy patience dawn amber basil olive hazel heather jasmine ginger "
    "charity felicity prudence constance holly"
)

# Days, months and feasts keep their capital, the seasons are common nouns; the parser takes each of
# them for the time of what happens, also where it is the subject.
_CALENDAR = word_set(
    "monday tuesday wednesday thursday friday saturday sunday january february march april may "
    "june july august september october november december"
)
DAYS_AND_MONTHS = _CALENDAR | word_set("christmas easter ramadan")
SEASONS = word_set("spring summer autumn winter")
# Words that only ever say when.
DAY_ADVERBS = word_set("yesterday today tomorrow tonight")
TIME_WORDS = (_CALENDAR | SEASONS | DAY_ADVERBS - {"tonight"}) | word_set(
    "year month week day morning evening night noon afternoon hour minute century decade midnight "
    "midday dawn dusk sunrise sunset generation lifetime while season time moment past age second "
    "millennium weekend"
)

# Past forms that are base forms of other verbs too (found, saw), or that end like a regular one.
PASTS_LIKE_OTHER_VERBS = word_set(
    "saw found fell felt left bled fed led lit lay bore wound ground bound spat slew smelt fled "
    "bred sped wed shed"
)
# Verbs whose past is the base form.
UNCHANGED_PASTS = word_set(
    "hit beat put cut hurt set let shut split spread bet cast read quit rid burst bid upset wet"
)

# Verbs after which a being before a bare noun is the object ("lent the farmer money", "elected Ann
# president").
GIVING_VERBS = word_set(
    "give lend send pay offer owe sell show teach tell hand bring promise award deny grant feed "
    "loan leave write serve wish cost pass throw elect appoint crown buy dedicate donate bequeath "
    "deliver mail email assign entrust present transfer forward return lease rent whisper confess "
    "recommend"
)

# Verbs with an object that could be someone, but is not here: "shook hands with Bob".
IDIOMS = word_set(
    "shake hands, join hands, hold hands, make friends, make enemies, cross paths, cross swords, "
    "match wits, compare notes, join forces, combine forces, mix words",
    ", ",
)

# Verbs that say little without their object: "makes room for", "has a bearing on".
LIGHT_VERBS = word_set(
    "have make take give form set cast bear pay play lay put do get keep hold leave lose draw "
    "share throw show find call raise feel"
)

# What is given in "He bought her lunch"; of anything else, "her" is the owner at times.
GIFTS = word_set(
    "lunch dinner breakfast supper tea coffee money cash flowers advice help lessons food water "
    "drinks presents gifts chocolates roses a an some"
)

# What people write in a chat around a sentence; no part of any phrase.
CHAT = word_set(
    "haha hahaha lol lmao imo imho tbh ngl fr omg ugh xd pls btw dude bro honestly seriously "
    "anyway smh wow hey yo rofl ffs man"
)

# Ways of naming kin that are written like names without an article: "Granny reads".
KIN_NAMES = word_set(
    "mum mom mummy mommy dad daddy papa mama granny grandma grandpa grandad granddad nan nana "
    "gran auntie abuela abuelo"
)

# Words before a subject that point at it and stay where they are: "Even Grandpa".
FOCUS_PARTICLES = word_set("even only just also merely simply")

# Verbs after which "from" brings in the second argument: "steals tasks from a busy core".
TAKING_VERBS = word_set(
    "take steal borrow buy get receive inherit obtain collect copy fetch pull download rent hide "
    "import order purchase demand expect"
)
# Verbs that lean on somebody or something.
VERBS_WITH_ON = word_set("depend rely live feed count spy insist lean prey")

# Verbs of what one thinks, whose subject is no argument: "nicer to Dev than I expected".
THINKING_VERBS = word_set(
    "expect think thought hope imagine believe guess know say suppose realise realize remember "
    "look seem appear use assume wish like want would fear"
)

# Languages, programs and firms that are common nouns too; names beside another name.
TECHNICAL_NAMES = word_set(
    "rust swift java python ruby perl basic pascal scheme scala julia dart elm crystal zig docker "
    "git kafka spark hive oracle mercury edge chrome safari opera word excel windows access slack "
    "signal apple amazon shell target visa orange gap nest puma jaguar ford meta uber stripe"
)

DETERMINERS = word_set(
    "the a this that these those every each no some any all both most many few several"
)
COPULAS = word_set("am is are was were 's 're 'm")
AUXILIARIES = COPULAS | word_set(
    "be been being 've 'll 'd has have had do does did will would can could may might must shall "
    "should not"
)
COORDINATORS = word_set("and or")
PREPOSITIONS = word_set(
    "in on at by for of to from with without into onto than as about over under above below "
    "between among after before since until during through against across behind beside near "
    "towards upon within despite because although though while when if unless whereas where"
)
ADVERBS = word_set(
    "yesterday today tomorrow now then often sometimes always never once twice again still ago "
    "already soon later earlier together very quite too also just only even ever here there"
)
CLOSED_CLASS = DETERMINERS | AUXILIARIES | COORDINATORS | PREPOSITIONS | ADVERBS
RELATIVES = word_set("who whom whose which that what")

ANIMALS = word_set(_LISTS["animals"])
GROUPS = word_set(_LISTS["groups"])
ANIMATES = ANIMALS | GROUPS | word_set(_LISTS["other_beings"])
NOT_AGENTS = word_set(_LISTS["not_agents"])
MALE = word_set(_LISTS["male"])
FEMALE = word_set(_LISTS["female"])
PASTS = word_table(_LISTS["pasts"])
PARTICIPLES = word_table(_LISTS["participles"])

# Words right before "that" where a statement follows. Before anything else ("the friend
# that", "such that") it opens a clause about a thing, or points.
STATING_VERBS = """
    know knows knew known say says said agree agrees agreed think thinks thought
    believe believes believed report reports reported show shows showed shown
    confirm confirms confirmed explain explains explained claim claims claimed
    argue argues argued insist insists insisted swear swears swore admit admits admitted
    learn learns learned learnt hear hears heard read reads discover discovers discovered
    find finds found see sees saw notice notices noticed realise realises realised
    realize realizes realized remember remembers remembered recall recalls recalled
    forget forgets forgot deny denies denied doubt doubts doubted dispute disputes disputed
    mention mentions mentioned state states stated prove proves proved
    conclude concludes concluded reveal reveals revealed record records recorded
    write writes wrote written maintain maintains maintained suspect suspects suspected
    assume assumes assumed emerge emerges emerged happens happened goes seems appears
    add adds added note notes noted suggest suggests suggested tell tells told
    remark remarks remarked understand understands understood accept accepts accepted
    announce announces announced testify testifies testified declare declares declared teaches
    turns turned
"""
STATING_ADJECTIVES = """
    true certain clear obvious evident plain sure aware convinced likely possible apparent proud
"""


ADJECTIVES = word_set(
    "old young new big small large tall short long great rich poor strong weak happy sad angry "
    "hungry busy clever bright dark heavy hot cold wet dirty full quiet loud red blue green yellow "
    "black white brown grey pink purple orange wooden golden silver former local foreign northern "
    "southern eastern western male female other older younger bigger smaller larger taller shorter "
    "richer poorer"
)
"""Adjectives that are hardly ever another kind of word before a noun."""
MODIFIERS = ADJECTIVES | word_set(
    "little high low good bad fast slow tired kind light warm cool dry clean empty early late left "
    "right upper lower first second third last next main own two three four five six seven eight "
    "nine ten eleven twelve"
)
"""Words before a noun that occur elsewhere too."""
