"""What merely introduces a statement: "Experts agree that", "It is well known that".

The parser hangs such a sentence on the introducing verb and may then take "Experts" for a party. So
the introduction is set aside, and what follows "that" is read as a sentence of its own.
"""

from __future__ import annotations

import re

# Words that stand right before "that" where a statement follows. Before anything else ("the friend
# that", "such that") it opens a clause about a thing, or points.
_VERBS = """
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
_ADJECTIVES = """
    true certain clear obvious evident plain sure aware convinced likely possible apparent proud
"""
_STATED = "|".join(f"{_VERBS} {_ADJECTIVES}".split())
_FRAME = re.compile(
    rf"""
    (?P<frame> [^,;:]{{0,60}}? \b (?:
        (?:{_STATED}) (?: \s (?: out | here | (?:in|on|at|from)\ the\ \w+ ) )?
      | (?:tell|tells|told|remind|reminds|reminded|assures?|assured|teaches|taught|shows?|showed)
        \s (?:me|us|you|him|her|them|everyone|everybody|people|the\ \w+)
      | (?:a|no|the|of|any) \s (?:fact|doubt|secret|truth|news|proof|question)
      | (?:fact|truth|point|news) \s (?:is|was)
      | what\ [^,;:]+ \s (?:is|was)
      | has\ it
    ) \s that \s )
    (?P<statement> .+ )
    """,
    re.VERBOSE | re.DOTALL | re.IGNORECASE,
)


def split_frame(sentence: str) -> tuple[str, str] | None:
    """The introduction, up to and with "that ", and the statement after it; None without one."""
    match = _FRAME.fullmatch(sentence)
    return (match["frame"], match["statement"]) if match else None
