"""Prompts around a sentence, as part of the tokenizer, so that they are counted and saved with it.

The prompt's tokens take the place of `[CLS]` and `[SEP]`, so truncation cuts a long sentence and
not its prompt, and no other code has to handle prompts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tokenizers import Tokenizer, normalizers, processors

from symdemo.errors import InputError
from symdemo.text import shorten

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

SENTENCE = "{sentence}"
REPRESENTATIVE_WORD = "representative-word"
PROMPTS = {REPRESENTATIVE_WORD: 'The representative word for {sentence} is:"'}
"""By name; from section 3.3 of BeLLM (arXiv 2311.05296)."""

_PAIR_SEPARATOR = "\n"
_SPECIAL = ("bos_token", "eos_token", "unk_token")


def put_prompt(tokenizer: Any, prompt: str | None, max_length: int) -> PreTrainedTokenizerFast:
    """Return a tokenizer that wraps each sentence in a prompt, with a line break between two.

    The sentence is tokenized on its own, with the prompt's space before it.

    Args:
        tokenizer: a fast tokenizer of transformers; it is not changed.
        prompt: a name in `PROMPTS`, or a text with `{sentence}` once; `{sentence}` alone if None.
        max_length: maximum number of tokens, including the prompt's.

    Raises:
        InputError: a prompt without `{sentence}` or without room for one, or a tokenizer that
            merges the prompt's end with the sentence.
    """
    template = SENTENCE if prompt is None else PROMPTS.get(prompt, prompt)
    if template.count(SENTENCE) != 1:
        raise InputError(
            f"The prompt “{shorten(template)}” has {SENTENCE} {template.count(SENTENCE)} times; a "
            f"text with it once is expected, or one of: {', '.join(PROMPTS)}."
        )
    before, after = template.split(SENTENCE)
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
    from transformers import PreTrainedTokenizerFast

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
    """Return the tokens of `text` after a word: some tokenizers add a space at the start."""
    word, both = _ids(tokenizer, "x"), _ids(tokenizer, f"x{text}")
    return both[len(word) :] if both[: len(word)] == word else _ids(tokenizer, text)


def _own_frame(tokenizer: Tokenizer) -> tuple[list[int], list[int]]:
    """Return the special tokens that the tokenizer puts before and after every text."""
    word, whole = _ids(tokenizer, "x"), list(tokenizer.encode("x").ids)
    start = next(i for i in range(len(whole) - len(word) + 1) if whole[i : i + len(word)] == word)
    return whole[:start], whole[start + len(word) :]
