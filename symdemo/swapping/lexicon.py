"""Short lists of the names and verbs that a small parser gets wrong in plain sentences."""

from symdemo.swapping.words import word_set

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
DAYS_AND_MONTHS = word_set(
    "monday tuesday wednesday thursday friday saturday sunday january february march april may "
    "june july august september october november december christmas easter ramadan"
)
SEASONS = word_set("spring summer autumn winter")
# Words that only ever say when.
DAY_ADVERBS = word_set("yesterday today tomorrow tonight")

# Past forms that are base forms of other verbs too (found, saw), or that end like a regular one.
PASTS_LIKE_OTHER_VERBS = word_set(
    "saw found fell felt left bled fed led lit lay bore wound ground bound spat slew smelt fled "
    "bred sped wed shed"
)
# Verbs whose past is the base form.
UNCHANGED_PASTS = word_set(
    "hit beat put cut hurt set let shut split spread bet cast read quit rid burst bid upset wet"
)

# Verbs after which a being before a bare noun is the party ("lent the farmer money", "elected Ann
# president").
GIVING_VERBS = word_set(
    "give lend send pay offer owe sell show teach tell hand bring promise award deny grant feed "
    "loan leave write serve wish cost pass throw elect appoint crown buy dedicate donate bequeath "
    "deliver mail email assign entrust present transfer forward return lease rent whisper confess "
    "recommend"
)

# Verbs with an object that could be someone, but is not here: "shook hands with Bob".
IDIOMS = frozenset(
    {
        "shake hands",
        "join hands",
        "hold hands",
        "make friends",
        "make enemies",
        "cross paths",
        "cross swords",
        "match wits",
        "compare notes",
        "join forces",
        "combine forces",
        "mix words",
    }
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

# Ways of naming kin that are written like names where they stand bare: "Granny reads".
KIN_NAMES = word_set(
    "mum mom mummy mommy dad daddy papa mama granny grandma grandpa grandad granddad nan nana "
    "gran auntie abuela abuelo"
)

# Words before a subject that point at it and stay where they are: "Even Grandpa".
FOCUS = word_set("even only just also merely simply")

# Verbs after which "from" brings in the other party: "steals tasks from a busy core".
TAKING_VERBS = word_set(
    "take steal borrow buy get receive inherit obtain collect copy fetch pull download rent hide "
    "import order purchase demand expect"
)
# And those that lean on somebody or something.
VERBS_WITH_ON = word_set("depend rely live feed count spy insist lean prey")

# Verbs of what one thinks, whose subject is no party: "nicer to Dev than I expected".
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
