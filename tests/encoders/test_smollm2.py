"""SmolLM2-135M: the real decoder if its package is installed, and the error if not."""

import importlib.util

import numpy as np
import pytest

from symdemo.encoders import ENCODERS, load_encoder
from symdemo.encoders.decoders import load_decoder, smollm2
from symdemo.errors import ModelError

MISSING = [name for name in ("gguf", smollm2.PACKAGE) if importlib.util.find_spec(name) is None]


@pytest.fixture
def no_copy(monkeypatch, tmp_path):
    monkeypatch.setenv("SYMDEMO_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.mark.parametrize("name", ["smollm2-135m", "smollm2-135m?looking_back=1"])
def test_without_its_package_it_says_how_to_install_it(no_copy, monkeypatch, name):
    find = importlib.util.find_spec
    gone = (smollm2.PACKAGE, "gguf")
    monkeypatch.setattr(importlib.util, "find_spec", lambda n: None if n in gone else find(n))
    with pytest.raises(
        ModelError, match=r"not installed. Install them with: pip install .*smollm2"
    ):
        load_encoder(name)
    assert not no_copy.exists()


def test_another_file_in_the_package_is_refused(no_copy, monkeypatch, tmp_path):
    (tmp_path / smollm2.FILE).write_bytes(b"GGUF of somebody else")
    spec = importlib.util.spec_from_file_location("x", tmp_path / "__init__.py")
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: spec)
    with pytest.raises(ModelError, match=r"has the hash .*…; expected b179c9523d0e…"):
        smollm2.smollm2_folder()
    assert not no_copy.exists()


@pytest.mark.slow
@pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)}")
def test_the_real_one_is_read_as_it_is_and_as_bellm():
    plain = load_encoder("smollm2-135m", device="cpu")
    assert (plain.name, plain.dimension) == ("smollm2-135m", 576)
    assert plain.max_length == ENCODERS["smollm2-135m"].max_length
    texts = ["A cat sleeps.", "A kitten naps.", "Stocks fell sharply."]
    a, b, c = plain.encode(texts)
    assert a @ b > a @ c
    bellm = load_decoder("smollm2-135m", 1, prompt="representative-word", device="cpu")
    text = 'The representative word for A cat sleeps. is:"'
    ids = bellm.model.preprocess(["A cat sleeps."])["input_ids"][0].tolist()
    assert ids == plain.model.preprocess([text])["input_ids"][0].tolist()
    assert np.abs(bellm.encode(texts) - plain.encode(texts)).max() > 0.01
