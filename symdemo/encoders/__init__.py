"""Sentence encoders: which there are, how to get one, and how to encode with it.

An encoder gives unit embeddings, reads two sentences as one pair, and says which of its weights
training has changed; `protocol.py` says what all others may ask of it. `load_encoder` loads the
registered encoders and local folders alone, as sentence-transformers models and never with code
from either; `decoders.load_decoder` also fetches a decoder from the hub.
"""

from symdemo.encoders.devices import pick_device
from symdemo.encoders.folders import hash_weights, quiet_transformers
from symdemo.encoders.loading import load_encoder
from symdemo.encoders.protocol import Encoder, TextInput, TrainableEncoder
from symdemo.encoders.registry import DEFAULT_ENCODER, ENCODERS, EncoderSpec, find_spec
from symdemo.encoders.sentence_encoder import SentenceEncoder

__all__ = [
    "DEFAULT_ENCODER",
    "ENCODERS",
    "Encoder",
    "EncoderSpec",
    "SentenceEncoder",
    "TextInput",
    "TrainableEncoder",
    "find_spec",
    "hash_weights",
    "load_encoder",
    "pick_device",
    "quiet_transformers",
]
