"""Sentence encoders: the registry, loading, and encoding.

`load_encoder` loads registered encoders and local folders, as sentence-transformers models and
never with code of theirs; `decoders.load_decoder` also fetches a decoder from the hub.
"""

from symdemo.encoders.encoder import Encoder, SentenceEncoder
from symdemo.encoders.loading import load_encoder
from symdemo.encoders.registry import (
    DEFAULT_ENCODER,
    ENCODERS,
    find_spec,
    pick_device,
    quiet_transformers,
)

__all__ = [
    "DEFAULT_ENCODER",
    "ENCODERS",
    "Encoder",
    "SentenceEncoder",
    "find_spec",
    "load_encoder",
    "pick_device",
    "quiet_transformers",
]
