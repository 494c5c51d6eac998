"""Encoders: the registry, loading and its refusals, encoding, and the weights."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from tiny import MAX_LENGTH

from symdemo import encoders
from symdemo.encoders import load_encoder
from symdemo.errors import InputError

SENTENCES = [
    "Ann is the mother of Ben.",
    "Kenya borders Uganda and is located next to it.",
    "Oscar was next.",
    "Leo is a sibling of Mia, and Mia is a sibling of Nora.",
    "x y",
]


@pytest.fixture(scope="module")
def embedded():
    return load_encoder(device="cpu")


def test_many_threads_may_use_one_encoder(embedded):
    inputs = [[" ".join(["word"] * n), "Ann met Ben."] for n in (2, 9, 40, 90)] * 6
    alone = [embedded.encode(pair) for pair in inputs]

    def encode(pair):
        embedded.count_tokens(*pair)
        return embedded.encode(pair)

    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(encode, inputs))
    for one, other in zip(alone, together, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-6)


def test_long_or_foreign_sentences_are_refused(embedded):
    embedded.check("Ann is the mother of Zoë.")
    with pytest.raises(InputError, match=r"^The premise has \d+ tokens; all-MiniLM.* most 256\.$"):
        embedded.check("mother " * 255, "premise")
    embedded.check("mother " * 254)
    with pytest.raises(InputError, match="hypothesis is written in Cyrillic letters"):
        embedded.check("Анна мать Бена.", "hypothesis")
    embedded.check_together("mother " * 126, "mother " * 127)
    with pytest.raises(InputError, match=r"^The pair has 257 tokens"):
        embedded.check_together("mother " * 127, "mother " * 127)


def test_a_local_encoder_reads_all_scripts_up_to_its_own_length(tiny_encoder):
    tiny_encoder.check("Анна мать Бена.")
    assert tiny_encoder.max_length == MAX_LENGTH
    tiny_encoder.check("ann " * (MAX_LENGTH - 2))
    with pytest.raises(InputError, match=f"has {MAX_LENGTH + 1} tokens; .* at most {MAX_LENGTH}"):
        tiny_encoder.check("ann " * (MAX_LENGTH - 1))


def test_embeddings_are_unit_and_in_order(tiny_encoder):
    rows = tiny_encoder.encode(SENTENCES)
    assert rows.shape == (5, tiny_encoder.dimension) == (5, 32)
    assert rows.dtype == np.float32
    assert np.linalg.norm(rows, axis=1) == pytest.approx(np.ones(5), abs=1e-5)
    assert np.abs(rows @ rows.T - np.eye(5))[~np.eye(5, dtype=bool)].max() < 0.999
    for row, sentence in zip(rows, SENTENCES, strict=True):
        assert tiny_encoder.encode([sentence])[0] == pytest.approx(row, abs=1e-5)


def test_equal_inputs_are_encoded_once_in_the_order_of_their_tokens(tiny_encoder, monkeypatch):
    texts = [*SENTENCES, "1 2 3 4 5 6 7 8"]  # more tokens than longer ones have
    seen, forward = [], encoders.SentenceEncoder.forward

    def counted(self, batch):
        seen.append(batch)
        return forward(self, batch)

    monkeypatch.setattr(encoders.SentenceEncoder, "forward", counted)
    progress = []
    rows = tiny_encoder.encode(
        [*texts, *texts[::-1]], batch_size=2, progress=lambda *n: progress.append(n)
    )
    read = [sentence for batch in seen for sentence in batch]
    assert sorted(read) == sorted(texts)
    assert read == sorted(read, key=tiny_encoder.count_tokens)
    assert progress == [(2, 6), (4, 6), (6, 6)]
    assert np.array_equal(rows[:6], rows[:5:-1])


def test_no_inputs_and_odd_inputs(tiny_encoder):
    assert tiny_encoder.encode([]).shape == (0, 32)
    assert tiny_encoder.encode(text for text in ["Ann is next."]).shape == (1, 32)
    for batch_size in (0, "8", None):
        with pytest.raises(InputError, match="The batch size is"):
            tiny_encoder.encode(["Ann is next."], batch_size=batch_size)
    for given, says in (
        (None, "list of sentences; a single NoneType"),
        ("Ann is next.", "list of sentences; a single string"),
        ({"premise": "Ann is next."}, "list of sentences; a single dict"),
        ([{"premise": "Ann is next."}], "tuples; seen: dict"),
    ):
        with pytest.raises(InputError, match=says):
            tiny_encoder.encode(given)
    odd = tiny_encoder.encode(["", " ", "☃ 🙂", "ann " * 500, "\x00"])
    assert np.isfinite(odd).all()
