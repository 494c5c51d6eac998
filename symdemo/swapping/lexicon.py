"""Lists of words by what they do in a sentence, above all of those that mislead the parser."""

from __future__ import annotations


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
OTHER_BEINGS = word_set(
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
ANIMATES = ANIMALS | GROUPS | OTHER_BEINGS

NOT_AGENTS = word_set(
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


# Given names and nouns of men, and of women.
MALE = word_set(
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
    "tomas tomasz tony viktor vincent vladimir walter wei will william yusuf "
    "man boy king prince father brother son uncle nephew husband grandfather grandpa grandson "
    "groom bridegroom duke monk pope lord sir gentleman guy dad daddy papa stepfather sultan "
    "bishop emperor widower waiter actor policeman fireman postman businessman fisherman salesman "
    "landlord mailman milkman boyfriend godfather mr mr. bull rooster cock ram squire nobleman "
    "knight count baron wizard merchant blacksmith male"
)
FEMALE = word_set(
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
    "victoria yasmin yuki zeynep zofia zoe "
    "woman girl queen princess mother sister daughter aunt niece wife grandmother grandma "
    "granddaughter bride duchess nun lady madam mum mom mummy mommy mama stepmother empress widow "
    "waitress actress policewoman businesswoman landlady girlfriend godmother goddess hostess "
    "heroine witch mrs mrs. ms ms. miss cow hen ewe midwife female"
)

# Pasts of irregular verbs, and participles unlike the past.
PASTS = word_table("""
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
""")
PARTICIPLES = word_table("""
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
""")

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
