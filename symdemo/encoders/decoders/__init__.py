"""Decoder language models as sentence encoders: prompts, poolings, and layers that look back.

Li and Li (2024), BeLLM, arXiv 2311.05296. `load_decoder` returns an encoder like any other; its
name holds its options, and `load_encoder` takes that name.
"""

from symdemo.encoders.decoders.loading import load_decoder
from symdemo.encoders.decoders.options import DecoderOptions

__all__ = ["DecoderOptions", "load_decoder"]
