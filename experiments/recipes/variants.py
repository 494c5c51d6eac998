"""Phrasings of the bank denied, and with a modality, by the project's grammar.

Parsing all phrasings takes minutes, so `load_variants` keeps what was made in a file.
"""

from __future__ import annotations

import json
import random
import re
from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pandas as pd

from symdemo.analysis.counterfactuals.statements import (
    NothingToMakeError,
    Statement,
    read_alike,
)
from symdemo.analysis.counterfactuals.verbs import negate
from symdemo.data.bank import BankRelation, RelationBank
from symdemo.data.bank_phrasings import fill, finish
from symdemo.data.inference import Inference, Modality
from symdemo.errors import InputError
from symdemo.files.storage import write_text
from symdemo.pairs import Pair
from symdemo.swapping.parsing import apply

if TYPE_CHECKING:
    from spacy.tokens import Token

TRIES = 3
"""Pairs of entities that a phrasing is filled with, until one can be negated."""

MODAL_WORDS: dict[str, dict[str, Modality]] = defaultdict(dict)
"""Form of a verb, or “sentence” → words around it, or around the sentence → their modality, where
“” denies it."""
_ROWS = pd.read_csv(Path(__file__).parent / "modal_words.csv", keep_default_na=False)
for _form, _modality, _words in _ROWS.itertuples(index=False):
    MODAL_WORDS[_form][_words] = _modality
_PLURAL = {"wants": "want", "hopes": "hope", "refuses": "refuse", "is": "are", "was": "were"}


class Variant(NamedTuple):
    """A changed phrasing: the phrasing's number, the frame, and its modality; "" if negated."""

    number: int
    frame: str
    modality: Modality = ""


def variants_of(relation: BankRelation, bank: RelationBank, inference: Inference) -> list[Variant]:
    """Return phrasings of a relation that can be denied or take a modality, so changed.

    They are those of the bank, and those added that say the same.
    """
    found = []
    for number, phrasing in [
        (s.number, s.frame)
        for s in inference.statements(relation)
        if s.number < len(relation.phrasings) or s.says == "="
    ]:
        if frame := _negated(phrasing, relation, bank):
            found.append(Variant(number, frame))
        with suppress(InputError, NothingToMakeError, ValueError):
            if modal := _with_modality(phrasing, relation, bank):
                found.append(Variant(number, *modal))
    return found


def _negated(phrasing: str, relation: BankRelation, bank: RelationBank) -> str | None:
    rng = random.Random(phrasing)
    for _ in range(TRIES):
        head, tail = bank.draw(relation, rng)
        with suppress(InputError, NothingToMakeError, ValueError):
            pair = Pair(*_filled(phrasing, head, tail), relation.label, relation.id, head, tail)
            if frame := _frame(negate(pair)[0].premise, head, tail):
                return frame
    return None


def _with_modality(
    phrasing: str, relation: BankRelation, bank: RelationBank
) -> tuple[str, Modality] | None:
    """Return the frame of a phrasing with a random modality that its verb can take."""
    rng = random.Random(f"modality {phrasing}")
    head, tail = bank.draw(relation, rng)
    read, _ = read_alike(*_filled(phrasing, head, tail))
    if read.no is not None or read.tense not in {"present", "past"}:
        return None
    form = read.form(read.helpers[0] if read.helpers else read.verb)
    choices, word = _choices(read, form)
    if not choices:
        return None
    words = rng.choice(sorted(choices))
    text = words.format(base=read.base, same=form)
    if read.person != "singular":
        first, *rest = text.split()
        text = " ".join([_PLURAL.get(first, first), *rest])
    changed = apply(read.clause.text, [read.clause.edit(word, text)])
    frame = _frame(changed, head, tail)
    return (frame, choices[words]) if frame else None


def _choices(read: Statement, form: str) -> tuple[dict[str, Modality], Token]:
    """Return the modalities that a verb can take, and the word that they replace."""
    if not read.helpers and read.base == "be":
        return (MODAL_WORDS["is"] if form == "is" else {}), read.verb
    if not read.helpers and read.base not in {"have", "do"} and not read.adverbs:
        choices = MODAL_WORDS[read.tense]
        regular = form.endswith("ed")  # else the participle may be another form
        return {k: v for k, v in choices.items() if regular or "have {same}" not in k}, read.verb
    if len(read.helpers) == 1 and read.base != "be" and form in {"was", "were"}:
        return MODAL_WORDS["was"], read.helpers[0]
    return {}, read.verb


def _filled(phrasing: str, head: str, tail: str) -> tuple[str, str]:
    return finish(fill(phrasing, head, tail)), finish(fill(phrasing, tail, head))


def _frame(sentence: str, head: str, tail: str) -> str | None:
    """Return a sentence with [X] and [Y] in the places of both entities; None without them."""
    for name, place in ((head, "[X]"), (tail, "[Y]")):
        sentence, times = re.subn(re.escape(name), place, sentence, count=1, flags=re.IGNORECASE)
        if not times:
            return None
    return sentence


def load_variants(
    path: Path, made_of: Sequence[tuple[BankRelation, RelationBank]], inference: Inference
) -> dict[str, list[Variant]]:
    """Return relation → variants, from a file; made and written if it is not there."""
    if not path.exists():
        made = {r.id: variants_of(r, bank, inference) for r, bank in made_of}
        write_text(path, json.dumps(made, ensure_ascii=False))
    rows = json.loads(path.read_text(encoding="utf-8"))
    return {name: [Variant(*row) for row in found] for name, found in rows.items()}
