"""Forward passes that take less time: the same figures, less padding, attention in plain steps."""

from contextlib import suppress

import torch

from symdemo.training.loop import PASS, ByLength

SENTENCES = ["Ann is the mother of Ben.", "Kenya borders Uganda.", "Oscar was next."]


def test_short_passes_give_the_same_embeddings_in_the_same_order_and_the_same_gradients(
    tiny_encoder, pairs
):
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


def test_passes_on_a_cpu_are_short_and_a_gpu_reads_all_at_once():
    class Recorder:
        def __init__(self, device):
            self.device, self.passes = torch.device(device), []

        def forward(self, inputs):
            self.passes.append(len(inputs))
            return torch.tensor([[float(len(text))] for text in inputs])

    texts = ["x" * (7 * n % 20 + 1) for n in range(20)]
    for device, passes in (("cpu", [8, 8, 4]), ("cuda", [20])):
        recorder = Recorder(device)
        embeddings = ByLength(recorder).forward(texts)
        assert recorder.passes == passes
        assert embeddings[:, 0].tolist() == [len(text) for text in texts]


def test_training_has_its_own_attention_and_puts_the_usual_one_back(tiny_encoder):
    student = tiny_encoder.clone()
    config, usual = student.body.config, student.body.config._attn_implementation
    before = student.forward(SENTENCES)
    with student.in_training(dropout=False):
        assert config._attn_implementation == "eager" != usual
        assert torch.allclose(student.forward(SENTENCES), before, atol=1e-5)
    modes = []
    with suppress(MemoryError), student.in_training(dropout=True):
        modes.append(student.model.training)
        raise MemoryError
    assert modes == [True]
    assert config._attn_implementation == usual
    assert not student.model.training
    assert tiny_encoder.body.config._attn_implementation == usual
