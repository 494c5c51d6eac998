"""Layers that look back: which tokens each layer sees, with transformers as the oracle."""

import copy

import pytest
import torch
from tiny import KINDS, LAYERS, make_tiny_decoder

LENGTH = 7
IDS = torch.tensor([[5, 9, 30, 11, 200, 7, 42], [8, 301, 12, 77, 6, 90, 13]])
MASK = torch.tensor([[1, 1, 1, 1, 1, 1, 1], [1, 1, 1, 1, 1, 0, 0]])
REAL = MASK.bool()
STRATEGIES = ("modification", "addition")


def look_back(*args):
    from symdemo.encoders.decoders.backward import look_back  # slow to import

    return look_back(*args)


def run(model, ids=IDS, mask=MASK, **options):
    with torch.no_grad():
        return model(input_ids=ids, attention_mask=mask, **options)


@pytest.mark.parametrize("sliding", [None, 3])
@pytest.mark.parametrize("kind", KINDS)
def test_with_all_layers_it_equals_transformers_bidirectional_decoder(kind, sliding):
    plain = make_tiny_decoder(kind, sliding)
    model = look_back(copy.deepcopy(plain), LAYERS, "modification")
    none = look_back(copy.deepcopy(plain), 0, "modification")
    causal = run(plain).last_hidden_state[REAL]
    assert torch.equal(run(none).last_hidden_state[REAL], causal)
    plain.config.is_causal = False
    expected = run(plain).last_hidden_state[REAL]
    assert torch.equal(run(model).last_hidden_state[REAL], expected)
    assert (expected - causal).abs().max() > 0.1


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_last_layer_by_hand(strategy):
    """Eq. 4 for one head after another, from the state that enters the last layer of a LLaMA."""
    plain = make_tiny_decoder("llama")
    seen = {}
    last = plain.layers[-1]
    last.register_forward_pre_hook(lambda _, inputs: seen.update(x=inputs[0]))
    run(plain, IDS[:1], MASK[:1])
    hidden = seen["x"][0]
    cos, sin = plain.rotary_emb(hidden[None], torch.arange(LENGTH)[None])

    def turned(x):
        return x * cos[0] + torch.cat([-x[:, 4:], x[:, :4]], dim=1) * sin[0]

    def layer(mask):
        attention, x = last.self_attn, last.input_layernorm(hidden)
        heads = []
        for head in range(4):
            rows, shared = (slice(8 * n, 8 * n + 8) for n in (head, head // 2))
            query = turned(x @ attention.q_proj.weight[rows].T)
            key = turned(x @ attention.k_proj.weight[shared].T)
            scores = query @ key.T / 8**0.5 + mask
            heads.append(scores.softmax(-1) @ (x @ attention.v_proj.weight[shared].T))
        middle = hidden + torch.cat(heads, dim=1) @ attention.o_proj.weight.T
        return middle + last.mlp(last.post_attention_layernorm(middle))

    with torch.no_grad():
        backward = layer(torch.zeros(LENGTH, LENGTH))  # Eq. 4
        causal = layer(torch.full((LENGTH, LENGTH), -torch.inf).triu(1))  # Eqs. 2 and 3
        expected = plain.norm(
            backward if strategy == "modification" else causal + backward
        )  # Eq. 5
    model = look_back(copy.deepcopy(plain), 1, strategy)
    torch.testing.assert_close(
        run(model, IDS[:1], MASK[:1]).last_hidden_state[0], expected, atol=1e-4, rtol=1e-4
    )
