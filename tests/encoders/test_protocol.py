"""Another kind of encoder: a decoder in plain torch is trained, answers and is taught."""

import copy

import numpy as np
import pytest
import torch
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers
from torch.nn.functional import normalize

from symdemo.classifier import SymmetryClassifier
from symdemo.encoders import EncoderSpec, TrainableEncoder
from symdemo.encoders.encoder import find_embeddings, find_layers
from symdemo.errors import ModelError
from symdemo.training.config import TrainingConfig

CHARACTERS = "abcdefghijklmnopqrstuvwxyz0123456789.,'- "


class TinyDecoder(TrainableEncoder):
    """A LLaMA of two layers that reads characters; the last one's state is the embedding."""

    def __init__(self, model, tokenizer: Tokenizer):
        super().__init__(model, EncoderSpec("tiny-llama", "", "last", 128, "mit", None), "0" * 64)
        self.tokenizer = tokenizer

    @property
    def dimension(self):
        return self.model.config.hidden_size

    @property
    def max_length(self):
        return self.spec.max_length

    def forward(self, inputs):
        texts = [text if isinstance(text, str) else "|".join(text) for text in inputs]
        encoded = self.tokenizer.encode_batch(texts)
        ids = torch.tensor([one.ids for one in encoded])
        mask = torch.tensor([one.attention_mask for one in encoded])
        hidden = self.model(input_ids=ids, attention_mask=mask).last_hidden_state
        return normalize(hidden[torch.arange(len(ids)), mask.sum(1) - 1], dim=-1)

    def count_tokens(self, *texts):
        return len("|".join(texts))

    def clone(self):
        return TinyDecoder(copy.deepcopy(self.model), self.tokenizer)


@pytest.fixture(scope="module")
def decoder():
    from transformers import LlamaConfig, LlamaModel

    pieces = {piece: number for number, piece in enumerate(["<pad>", "<unk>", "|", *CHARACTERS])}
    tokenizer = Tokenizer(models.WordLevel(pieces, unk_token="<unk>"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Split("", "isolated")
    tokenizer.enable_padding(pad_id=0, pad_token="<pad>")
    config = LlamaConfig(
        vocab_size=len(pieces),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        initializer_range=0.2,
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(7)
        return TinyDecoder(LlamaModel(config), tokenizer)


@pytest.fixture(scope="module")
def quick():
    return TrainingConfig(learning_rate=3e-3, epochs=4, min_steps=0, retention=0.5, recombine=0.0)


def test_a_decoder_is_trained_answers_and_is_taught(decoder, pairs, quick):
    start, rows = decoder.weights(), decoder.encode(["Ann met Ben."])
    model = SymmetryClassifier.from_encoder(decoder, "knn").fit(pairs, config=quick)
    answers = model.predict(pairs)
    assert np.mean([a.label == p.label for a, p in zip(answers, pairs, strict=True)]) > 0.9
    assert all(torch.equal(own, start[name]) for name, own in decoder.weights().items())
    assert np.array_equal(decoder.encode(["Ann met Ben."]), rows)
    changed = model.encoder.changed_weights(decoder)
    assert changed
    assert not [name for name in changed if name.startswith("embed_tokens")]
    carried = decoder.clone()
    carried.replace_weights(changed)
    assert np.array_equal(carried.encode(["Ann met Ben."]), model.encoder.encode(["Ann met Ben."]))
    assert len(model.teach(pairs[:2]).index) == len(pairs) + 2


def test_other_modules_have_no_embeddings_or_layers(tiny_encoder, decoder):
    assert find_embeddings(tiny_encoder.body) is tiny_encoder.body.embeddings
    assert find_embeddings(decoder.body) is decoder.body.embed_tokens
    assert find_layers(tiny_encoder.body) is tiny_encoder.body.encoder.layer
    assert find_layers(decoder.body) is decoder.body.layers
    for find in (find_embeddings, find_layers):
        with pytest.raises(ModelError, match=r"A Linear has no .* that can be frozen"):
            find(torch.nn.Linear(2, 2))
