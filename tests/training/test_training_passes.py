"""Faster forward passes: short ones by length, and eager attention, with the same embeddings."""

import torch

from symdemo.training.loop import PASS, ByLength

SENTENCES = ["Ann is the mother of Ben.", "Kenya borders Uganda.", "Oscar was next."]


def test_short_passes_give_the_same_embeddings_and_gradients(tiny_encoder, pairs):
    sentences = [pair.premise for pair in pairs[: 3 * PASS - 1]] + SENTENCES
    assert len({len(sentence) for sentence in sentences}) > 3
    rows, gradients = [], []
    for wrap in (lambda encoder: encoder, ByLength):
        student = tiny_encoder.clone()
        student.model.requires_grad_(True)
        embeddings = wrap(student).forward(sentences)
        (embeddings @ embeddings.T).square().sum().backward()
        rows.append(embeddings.detach())
        gradients.append([p.grad for p in student.model.parameters() if p.grad is not None])
    assert torch.allclose(rows[0], rows[1], atol=1e-5)
    for whole, short in zip(*gradients, strict=True):
        assert torch.allclose(whole, short, rtol=1e-3, atol=1e-4)
