"""Which encoders there are, by name."""

from __future__ import annotations

from dataclasses import dataclass

from symdemo.errors import ModelError
from symdemo.text import shorten

DEFAULT_ENCODER = "all-MiniLM-L6-v2"


@dataclass(frozen=True, slots=True)
class EncoderSpec:
    """What is known of an encoder before it is loaded. `max_length` counts tokens.

    A `decoder` is a language model that reads from left to right; see `symdemo.encoders.decoders`.
    """

    name: str
    hub_id: str
    pooling: str
    max_length: int
    licence: str
    script: str | None = "LATIN"
    decoder: bool = False


_MINILM = "nreimers/MiniLM-L6-H384-uncased"
ENCODERS: dict[str, EncoderSpec] = {
    spec.name: spec
    for spec in (
        EncoderSpec(
            DEFAULT_ENCODER, f"sentence-transformers/{DEFAULT_ENCODER}", "mean", 256, "apache-2.0"
        ),
        EncoderSpec(
            "all-MiniLM-L12-v2", "sentence-transformers/all-MiniLM-L12-v2", "mean", 128,
            "apache-2.0",
        ),
        EncoderSpec("MiniLM-L6-H384-uncased", _MINILM, "mean", 256, "mit"),
        EncoderSpec(
            "MiniLM-L12-H384-uncased", "microsoft/MiniLM-L12-H384-uncased", "mean", 256, "mit"
        ),
        EncoderSpec("roberta-large", "FacebookAI/roberta-large", "mean", 256, "mit"),
        EncoderSpec("roberta-large-mnli", "FacebookAI/roberta-large-mnli", "mean", 256, "mit"),
        EncoderSpec(
            "all-mpnet-base-v2", "sentence-transformers/all-mpnet-base-v2", "mean", 384,
            "apache-2.0",
        ),
        EncoderSpec(
            "smollm2-135m", "HuggingFaceTB/SmolLM2-135M-Instruct", "weighted-mean", 256,
            "apache-2.0", decoder=True,
        ),
    )
}  # fmt: skip


def find_spec(name: str) -> EncoderSpec:
    """The registered encoder called `name`: its name, its hub id, or either without the owner."""
    for spec in ENCODERS.values():
        if name in (spec.name, spec.hub_id) or name.rsplit("/", maxsplit=1)[-1] == spec.name:
            return spec
    raise ModelError(
        f"The encoder “{shorten(name)}” is unknown; expected a local folder or one of: "
        f"{', '.join(ENCODERS)}."
    )
