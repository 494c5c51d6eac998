"""Sentence encoders: which there are, how to get one, and how to encode with it.

An encoder is a sentence-transformers model with what symdemo needs around it: unit embeddings,
duplicates encoded once, two sentences read as one pair, and the share of weights that training has
changed. Only the registered encoders and local folders are loaded, never code from either.
"""

from symdemo.encoders.loading import hash_weights, load_encoder, pick_device, quiet_transformers
from symdemo.encoders.registry import DEFAULT_ENCODER, ENCODERS, EncoderSpec, find_spec
from symdemo.encoders.sentence_encoder import SentenceEncoder, TextInput

__all__ = [
    "DEFAULT_ENCODER",
    "ENCODERS",
    "EncoderSpec",
    "SentenceEncoder",
    "TextInput",
    "find_spec",
    "hash_weights",
    "load_encoder",
    "pick_device",
    "quiet_transformers",
]
