"""The plain BERT equals sentence-transformers, and refuses models that it does not support."""

import json
import re
import shutil
import subprocess
import sys

import numpy as np
import pytest

from symdemo.encoders import load_encoder
from symdemo.encoders.plain_bert import PlainBert, load_plain_bert
from symdemo.encoders.registry import EncoderSpec
from symdemo.errors import InputError

SENTENCES = [
    "Ann is the mother of Ben.",
    "Zoë’s café — naïve 北京!",
    "a\tb   c",
    "x y " * 100,  # longer than is read, so it is cut
    "Ann-Marie's e-mail: 3,14 …",
]
PAIRS = [(SENTENCES[0], SENTENCES[1]), ("x " * 40, "y " * 50), (SENTENCES[4], SENTENCES[2])]


@pytest.fixture(scope="module", params=["tiny", "embedded"])
def both(request):
    """Load one folder both ways: without modules.json (tiny) and with it (embedded)."""
    name = request.getfixturevalue("tiny_folder") if request.param == "tiny" else "all-MiniLM-L6-v2"
    plain, usual = load_encoder(name, "cpu", inference_only=True), load_encoder(name, "cpu")
    assert isinstance(plain, PlainBert)
    assert not isinstance(usual, PlainBert)
    return plain, usual


@pytest.mark.parametrize("inputs", [SENTENCES, PAIRS], ids=["sentences", "pairs"])
def test_the_embeddings_are_those_of_sentence_transformers(both, inputs):
    plain, usual = both
    np.testing.assert_allclose(plain.encode(inputs), usual.encode(inputs), atol=2e-6)
    for name in ("dimension", "max_length", "device", "name", "base_hash"):
        assert getattr(plain, name) == getattr(usual, name)
    for texts in (*((text,) for text in SENTENCES), *PAIRS):
        assert plain.count_tokens(*texts) == usual.count_tokens(*texts)


@pytest.mark.parametrize(
    ("pooling", "change"),
    [
        ("cls", {}),
        ("mean", {"hidden_act": "relu"}),
        ("mean", {"position_embedding_type": "relative_key"}),
        ("mean", {"num_hidden_layers": 3}),  # a layer more than there are tensors for
    ],
)
def test_unsupported_models_are_left_to_sentence_transformers(
    tiny_folder, tmp_path, pooling, change
):
    folder = shutil.copytree(tiny_folder, tmp_path / "other")
    config = json.loads((folder / "config.json").read_text("utf-8")) | change
    (folder / "config.json").write_text(json.dumps(config), "utf-8")
    assert load_plain_bert(folder, EncoderSpec("x", "x", pooling), "cpu", "") is None


def test_it_needs_neither_transformers_nor_scikit_learn(tiny_folder):
    program = (
        "import sys; from symdemo.encoders import load_encoder\n"
        "load_encoder(sys.argv[1], 'cpu', inference_only=True).encode(['Ann met Ben.'])\n"
        "print({'sentence_transformers', 'transformers', 'sklearn', 'pandas'} & {*sys.modules})"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(tiny_folder)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "set()\n"


@pytest.mark.parametrize(
    ("device", "message"),
    [
        ("banana", "The device “banana” is unknown; cpu, cuda, cuda:1 or mps is expected."),
        ("cuda:99", "There is no device cuda:99 here; seen: "),
    ],
)
def test_a_device_that_is_not_here_is_refused(tiny_folder, device, message):
    for inference_only in (False, True):
        with pytest.raises(InputError, match=re.escape(message)):
            load_encoder(tiny_folder, device, inference_only)
