"""Options of a decoder that is read as a sentence encoder, and the name that encodes them."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, get_args
from urllib.parse import parse_qsl, urlencode

from symdemo.errors import InputError
from symdemo.text import shorten

KINDS = ("llama", "mistral", "qwen2", "qwen3")
"""The model types of transformers that can look back."""

Strategy = Literal["modification", "addition"]
Pooling = Literal["last", "mean", "weighted-mean"]


@dataclass(frozen=True, slots=True)
class DecoderOptions:
    """Options of a decoder that is read as a sentence encoder.

    Raises:
        InputError: any other value.
    """

    looking_back: int | Literal["all"] = 0  # number of last layers that also see later tokens
    # Remove the causal mask of these layers, or add copies without it; see `backward`.
    strategy: Strategy = "modification"
    # The last token's state, the mean of all states, or their mean with weights i / Σi at position
    # i (SGPT, arXiv 2202.08904). One layer that looks back by `modification` changes nothing for
    # the last token, which sees all tokens anyway.
    pooling: Pooling = "weighted-mean"
    prompt: str | None = None  # a text with `{sentence}`, or a name in `prompts.PROMPTS`

    def __post_init__(self) -> None:
        number = self.looking_back
        whole = isinstance(number, int) and not isinstance(number, bool) and number >= 0
        if not whole and number != "all":
            raise _unexpected("looking_back", number, ("a number of layers", "all"))
        if self.strategy not in get_args(Strategy):
            raise _unexpected("strategy", self.strategy, get_args(Strategy))
        if self.pooling not in get_args(Pooling):
            raise _unexpected("pooling", self.pooling, get_args(Pooling))

    def name(self, base: str) -> str:
        """Return the name under which `load_encoder` loads decoder `base` with these options."""
        chosen = asdict(self)
        given = {f.name: chosen[f.name] for f in fields(self) if chosen[f.name] != f.default}
        return f"{base}?{urlencode(given)}" if given else base


def parse_name(name: str) -> tuple[str, DecoderOptions]:
    """Split a name of `DecoderOptions.name` into the decoder and its options.

    Raises:
        InputError: an unknown option or value.
    """
    base, _, query = name.partition("?")
    given: dict[str, Any] = dict(parse_qsl(query, keep_blank_values=True))
    known = tuple(field.name for field in fields(DecoderOptions))
    if unknown := given.keys() - set(known):
        raise _unexpected("option of a decoder", min(unknown), known)
    if given.get("looking_back", "").isdecimal():
        given["looking_back"] = int(given["looking_back"])
    return base, DecoderOptions(**given)


def _unexpected(what: str, value: object, expected: tuple[str, ...]) -> InputError:
    return InputError(
        f"The {what} is “{shorten(str(value))}”; expected one of: {', '.join(expected)}."
    )
