"""Prompts around a sentence, as part of the tokenizer: they are saved, counted and kept with it.

The tokens before and after the sentence are what other tokenizers have `[CLS]` and `[SEP]` for, so
a sentence that is too long is cut and its prompt is not, and no other code has to know of it.
"""

from __future__ import annotations

from typing import Any

from tokenizers import Tokenizer, normalizers, processors
from transformers import PreTrainedTokenizerFast

from symdemo.errors import InputError
from symdemo.text import shorten

SENTENCE = "{sentence}"
REPRESENTATIVE_WORD = "representative-word"
PROMPTS = {REPRESENTATIVE_WORD: 'The representative word for {sentence} is:"'}
"""By name; this one is section 3.3 of BeLLM (arXiv 2311.05296)."""

_PAIR_SEPARATOR = "\n"
_SPECIAL = ("bos_token", "eos_token", "unk_token")


def find_prompt(prompt: str | None) -> str:
    """The template of a prompt that is given by name or as it is; `{sentence}` alone if None.

    Raises:
        InputError: a template without the place of the sentence, or with more than one.
    """
    template = SENTENCE if prompt is None else PROMPTS.get(prompt, prompt)
    if template.count(SENTENCE) != 1:
        raise InputError(
            f"The prompt “{shorten(template)}” has {SENTENCE} {template.count(SENTENCE)} times; a "
            f"text with it once is expected, or one of: {', '.join(PROMPTS)}."
        )
    return template


def put_prompt(tokenizer: Any, prompt: str | None, max_length: int) -> PreTrainedTokenizerFast:
    """A tokenizer that puts every sentence into a prompt, and a line break between two of a pair.

    The sentence is tokenized for itself, with the space before it that the prompt has there.

    Args:
        tokenizer: a fast tokenizer of transformers; it stays as it is.
        prompt: as in `find_prompt`.
        max_length: tokens at most, the prompt's own among them.

    Raises:
        InputError: a prompt that `find_prompt` refuses or that leaves no room for a sentence, or a
            tokenizer that joins what stands before a sentence with it.
    """
    before, after = find_prompt(prompt).split(SENTENCE)
    own = Tokenizer.from_str(tokenizer.backend_tokenizer.to_str())
    own.no_truncation()
    own.no_padding()
    opening, closing = _own_frame(own)
    stem = before.rstrip(" ")
    head, tail = _ids(own, stem), _ids_after(own, after)
    if before != stem and _ids(own, f"{stem} x") != head + _ids(own, "x"):
        if _ids(own, f"{stem} x") != head + _ids(own, " x"):
            raise InputError(f"This tokenizer cannot read a sentence after “{shorten(stem)}”.")
        space = normalizers.Prepend(" ")
        own.normalizer = normalizers.Sequence([space, own.normalizer]) if own.normalizer else space
    between = _ids_after(own, _PAIR_SEPARATOR)
    frame = {"before": opening + head, "between": between, "after": tail + closing}
    own.post_processor = processors.TemplateProcessing(
        single="before $A after",
        pair="before $A between $B after",
        special_tokens=[
            {"id": name, "ids": ids, "tokens": [own.id_to_token(i) for i in ids]}
            for name, ids in frame.items()
        ],
    )
    taken = sum(map(len, frame.values()))
    if taken + 2 > max_length:
        raise InputError(
            f"The prompt has {taken} tokens and leaves no room for a sentence in {max_length}."
        )
    return _wrap(own, tokenizer, max_length)


def _wrap(own: Tokenizer, old: Any, max_length: int) -> PreTrainedTokenizerFast:
    special = {name: getattr(old, name) for name in _SPECIAL if getattr(old, name, None)}
    if (padding := old.pad_token or old.eos_token) is None:
        raise InputError("The tokenizer has no token to pad with; a pad or end token is expected.")
    return PreTrainedTokenizerFast(
        tokenizer_object=own,
        model_max_length=max_length,
        padding_side="right",
        model_input_names=["input_ids", "attention_mask"],
        pad_token=padding,
        **special,
    )


def _ids(tokenizer: Tokenizer, text: str) -> list[int]:
    return list(tokenizer.encode(text, add_special_tokens=False).ids)


def _ids_after(tokenizer: Tokenizer, text: str) -> list[int]:
    """The tokens of `text` after a word: some tokenizers put a space before a beginning."""
    word, both = _ids(tokenizer, "x"), _ids(tokenizer, f"x{text}")
    return both[len(word) :] if both[: len(word)] == word else _ids(tokenizer, text)


def _own_frame(tokenizer: Tokenizer) -> tuple[list[int], list[int]]:
    """What the tokenizer puts before and after every text by itself, such as a begin token."""
    word, whole = _ids(tokenizer, "x"), list(tokenizer.encode("x").ids)
    start = next(i for i in range(len(whole) - len(word) + 1) if whole[i : i + len(word)] == word)
    return whole[:start], whole[start + len(word) :]
