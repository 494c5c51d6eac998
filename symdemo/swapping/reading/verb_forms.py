"""Forms of a verb by the parser's dictionary: base, third person, past, participle, -ing.

`inflection` knows the irregular verbs and the rules of spelling; the dictionary knows which verbs
double their last letter (referred, travelled; but bordered).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from symdemo.swapping.reading.inflection import (
    PREFIXED,
    base_form,
    doubles_last_letter,
    gerund_of,
    irregular_participle,
    past_of,
    third_person,
)
from symdemo.swapping.reading.pipeline import knows_verb, lookups, surface, verb_lemma

if TYPE_CHECKING:
    from spacy.tokens import Token

# The dictionary has these doubled too; written with one letter they are never wrong.
_SINGLE = frozenset({"focus", "benefit", "bias", "combat", "pivot", "profit"})


def past(base: str) -> str:
    """Give the past: refer, referred; write, wrote; twib, twibbed."""
    return past_of(base, doubled=_doubles(base))


def participle(base: str) -> str:
    """Give the past participle: refer, referred; write, written."""
    return irregular_participle(base) or past(base)


def gerund(base: str) -> str:
    """Give the form in -ing: refer, referring; write, writing."""
    return gerund_of(base, doubled=_doubles(base))


def _doubles(base: str) -> bool:
    low = base.lower()
    if low in _SINGLE:
        return False
    irregular = lookups().get_table("lemma_exc").get("verb", {})
    listed = (irregular.get(f"{low}{low[-1:]}{ending}", ()) for ending in ("ed", "ing"))
    return doubles_last_letter(base) or any(low in bases for bases in listed)


def base_of(verb: Token) -> str | None:
    """Give the base form of a verb as the sentence has it, or None where no base has that form.

    The lemmatizer takes "hates" for a form of "hat" and leaves "overlaps" as it is, so a base is
    only believed where its own forms hold the word.
    """
    form = surface(verb).lower()
    irregular = lookups().get_table("lemma_exc").get("verb", {})
    bases = [verb_lemma(verb), *irregular.get(form, ())]
    if (prefixed := PREFIXED.fullmatch(form)) is not None:  # "outswam"
        bases += [prefixed["prefix"] + base for base in irregular.get(prefixed["verb"], ())]
    bases += [base_form(form), form]
    for ending in ("ed", "ing"):
        if form.endswith(ending):
            stem = form.removesuffix(ending)
            bases += [stem + "e", stem, stem[:-1], stem[:-1] + "y"]
    bases = [base for base in dict.fromkeys(bases) if base and form in forms_of_verb(base)]
    bases.sort(key=lambda base: (not knows_verb(base), base == form))
    return bases[0] if bases else None


def forms_of_verb(base: str) -> frozenset[str]:
    """Give all forms of a verb: base, third person, past, participle, -ing."""
    return frozenset({base, third_person(base), past(base), participle(base), gerund(base)})
