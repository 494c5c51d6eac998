"""Layers that look back: which tokens each layer sees, with transformers as the oracle."""

import copy

import pytest
import torch
from tiny import KINDS, LAYERS, make_tiny_decoder

from symdemo.encoders import quiet_transformers
from symdemo.errors import InputError

LENGTH = 7
IDS = torch.tensor([[5, 9, 30, 11, 200, 7, 42], [8, 301, 12, 77, 6, 90, 13]])
MASK = torch.tensor([[1, 1, 1, 1, 1, 1, 1], [1, 1, 1, 1, 1, 0, 0]])
REAL = MASK.bool()
STRATEGIES = ("modification", "addition")


def look_back(*args):
    from symdemo.encoders.decoders.backward import look_back  # slow to import

    return look_back(*args)


@pytest.fixture(scope="module", params=KINDS)
def decoder(request):
    return make_tiny_decoder(request.param)


def run(model, ids=IDS, mask=MASK, **options):
    with torch.no_grad():
        return model(input_ids=ids, attention_mask=mask, **options)


def changed_layers(model, position):
    """For each layer (embedding first): does an earlier state depend on a later token?"""
    other = IDS[:1].clone()
    other[0, position] += 1
    ones = torch.ones_like(other)
    a, b = (run(model, ids, ones, output_hidden_states=True) for ids in (IDS[:1], other))
    return [
        bool((x[0, :position] - y[0, :position]).abs().max() > 1e-6)
        for x, y in zip(a.hidden_states, b.hidden_states, strict=True)
    ]


@pytest.mark.parametrize("layers", range(LAYERS + 1))
@pytest.mark.parametrize("attention", ["sdpa", "eager"])
def test_earlier_states_see_later_tokens_in_the_last_layers_alone(decoder, layers, attention):
    model = look_back(copy.deepcopy(decoder), layers, "modification")
    model.set_attn_implementation(attention)
    expected = [False] * (1 + LAYERS - layers) + [True] * layers
    for position in range(1, LENGTH):
        assert changed_layers(model, position) == expected


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
            rows, shared = (
                slice(8 * head, 8 * head + 8),
                slice(8 * (head // 2), 8 * (head // 2) + 8),
            )
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


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("layers", [1, 2, LAYERS])
def test_neither_padding_nor_the_batch_matters(decoder, layers, strategy):
    model = look_back(copy.deepcopy(decoder), layers, strategy)
    short = IDS[1:, :5]
    alone = run(model, short, torch.ones_like(short)).last_hidden_state[0]
    batch = run(model).last_hidden_state[1, :5]
    torch.testing.assert_close(batch, alone, atol=1e-5, rtol=1e-4)
    for left, right in ((0, 4), (3, 0), (2, 5)):
        ids = torch.nn.functional.pad(short, (left, right), value=3)
        mask = torch.nn.functional.pad(torch.ones_like(short), (left, right))
        padded = run(model, ids, mask).last_hidden_state
        assert padded.isfinite().all()
        torch.testing.assert_close(padded[0, left : left + 5], alone, atol=1e-4, rtol=1e-3)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_kind_of_attention_the_precision_and_a_cache_do_not_matter(decoder, strategy):
    model = look_back(copy.deepcopy(decoder), 2, strategy)
    rows = run(model).last_hidden_state
    cached = run(model, use_cache=True)
    assert torch.equal(cached.last_hidden_state, rows)
    assert cached.past_key_values.get_seq_length() == LENGTH
    assert run(model, use_cache=False).past_key_values is None
    model.set_attn_implementation("eager")
    torch.testing.assert_close(run(model).last_hidden_state[REAL], rows[REAL], atol=1e-4, rtol=1e-3)
    halved = run(model.bfloat16()).last_hidden_state[REAL].float()
    assert torch.nn.functional.cosine_similarity(halved, rows[REAL]).min() > 0.98


def test_a_filled_cache_and_no_input_are_refused(decoder):
    from transformers import DynamicCache

    model = look_back(copy.deepcopy(decoder), 1, "modification")
    cache = run(model, past_key_values=DynamicCache(config=model.config), use_cache=True)
    with pytest.raises(ValueError, match="cannot go on from a cache"):
        run(model, past_key_values=cache.past_key_values)
    with pytest.raises(ValueError, match="Exactly one of"):
        model()


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_saving_and_loading_keep_the_look_back(decoder, strategy, tmp_path):
    from transformers import AutoModel

    model = look_back(copy.deepcopy(decoder), 2, strategy)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(1.01)
    with quiet_transformers():
        model.save_pretrained(tmp_path)
        again = AutoModel.from_pretrained(tmp_path)
    assert type(again) is type(model)
    assert (again.config.looking_back, again.config.strategy) == (2, strategy)
    assert torch.equal(run(again).last_hidden_state, run(model).last_hidden_state)


def test_other_transformers_and_too_many_layers_are_refused(decoder):
    from transformers import BertConfig, BertModel

    with pytest.raises(InputError, match=r"^4 layers are to look back; the decoder has 3\.$"):
        look_back(copy.deepcopy(decoder), 4, "modification")
    config = BertConfig(vocab_size=9, hidden_size=8, num_attention_heads=2, num_hidden_layers=1)
    with pytest.raises(InputError, match="of the kind bert cannot look back; expected one of: lla"):
        look_back(BertModel(config), 1, "modification")
