"""What still works where the English parser, or all of spaCy, is not installed."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
MISSING = {
    "spaCy": "sys.modules['spacy'] = None",
    "its pipelines": "import spacy; spacy.load = lambda *_, **__: open('no such pipeline')",
}
ASKED = """
from symdemo.errors import ModelError
from symdemo.swapping import exchanged, swap
try:
    free = swap("The cat chased the dog.").hypothesis
except ModelError as error:
    free = str(error)
told = {
    "free": free,
    "wording": swap("Oslo is part of Norway.").hypothesis,
    "long slip": exchanged("Croatia borders Slovenia.", "Slovennia borders Croatia.").is_swap,
    "short slip": exchanged("Ann loves Bob.", "Bob loved Ann.").is_swap,
}
print(json.dumps(told))
"""


@pytest.mark.parametrize("missing", MISSING)
def test_without_the_parser(missing) -> None:
    pytest.importorskip("spacy")
    script = f"import json, sys\n{MISSING[missing]}\n{ASKED}"
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=REPOSITORY, capture_output=True, text=True, check=True
    )
    told = json.loads(done.stdout)
    assert "pip install" in told["free"]
    # The known wordings need no parser; without its dictionary only long words are mended.
    assert told["wording"] == "Norway is part of Oslo."
    assert told["long slip"]
    assert not told["short slip"]
