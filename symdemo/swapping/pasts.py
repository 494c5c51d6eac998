"""The past of a verb, for a question with "did" that is read as a statement."""

import re

_FORMS = """
    awake/awoke beat/beat become/became begin/began bend/bent bet/bet bind/bound bite/bit
    bleed/bled blow/blew break/broke breed/bred bring/brought build/built burst/burst buy/bought
    cast/cast catch/caught choose/chose cling/clung come/came cost/cost creep/crept cut/cut
    deal/dealt dig/dug do/did draw/drew drink/drank drive/drove eat/ate fall/fell feed/fed
    feel/felt fight/fought find/found flee/fled fling/flung fly/flew forbid/forbade forget/forgot
    forgive/forgave freeze/froze get/got give/gave go/went grind/ground grow/grew hang/hung
    have/had hear/heard hide/hid hit/hit hold/held hurt/hurt keep/kept know/knew lay/laid lead/led
    leave/left lend/lent let/let lie/lay light/lit lose/lost make/made mean/meant meet/met
    mistake/mistook outdo/outdid outrun/outran overcome/overcame overtake/overtook
    overthrow/overthrew pay/paid put/put quit/quit read/read ride/rode ring/rang rise/rose run/ran
    say/said see/saw seek/sought sell/sold send/sent set/set shake/shook shed/shed shine/shone
    shoot/shot show/showed shrink/shrank shut/shut sing/sang sink/sank sit/sat sleep/slept
    slide/slid speak/spoke spend/spent spin/spun spit/spat split/split spread/spread spring/sprang
    stand/stood steal/stole stick/stuck sting/stung strike/struck swear/swore sweep/swept
    swim/swam swing/swung take/took teach/taught tear/tore tell/told think/thought throw/threw
    understand/understood undo/undid uphold/upheld upset/upset wake/woke wear/wore weave/wove
    wed/wed weep/wept wet/wet win/won wind/wound withdraw/withdrew withhold/withheld
    withstand/withstood wring/wrung write/wrote
"""
_IRREGULAR = dict(pair.split("/") for pair in re.findall(r"\S+", _FORMS))


def past_of(base: str) -> str:
    """Give the past of a base form: beat, beat; border, bordered; carry, carried; stop, stopped."""
    low = base.lower()
    if low in _IRREGULAR:
        return _IRREGULAR[low]
    if low.endswith("e"):
        return base + "d"
    if re.search(r"[^aeiou]y$", low):
        return base[:-1] + "ied"
    # One short syllable doubles its last letter: stop, stopped.
    if re.fullmatch(r"[^aeiou]*[aeiou][bdgklmnprt]", low):
        return base + base[-1] + "ed"
    return base + "ed"
