"""Sentence encoders: the registry, loading, and encoding.

`load_encoder` loads registered encoders and local folders, as sentence-transformers models and
never with code of theirs; `decoders.load_decoder` also fetches a decoder from the hub.
"""

from symdemo.encoders.encoder import Encoder
from symdemo.encoders.loading import load_encoder
from symdemo.encoders.registry import DEFAULT_ENCODER, pick_device, quiet_transformers

__all__ = ["DEFAULT_ENCODER", "Encoder", "load_encoder", "pick_device", "quiet_transformers"]
