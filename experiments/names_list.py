"""Makes `assets/names.txt`: nouns that are written with a capital more often than without.

The counts are those of a well-kept package that is needed for nothing else:

    pip download --no-deps spacy-lookups-data==1.0.5  # and unpack it
    python -m experiments.names_list spacy_lookups_data/data/en_lexeme_prob.json.gz
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections.abc import Mapping
from pathlib import Path

from symdemo.swapping.parsing import dictionary
from symdemo.swapping.words import DOUBT, NAMES_FILE

USUALLY, OFTEN = 1.25, 0.4
"""By how much the natural logarithm of a word's probability must be higher with a capital."""

RAREST = -18.0
"""A logarithm of a probability below which counts say little."""

_HEAD = """\
# Nouns that are usually written with a capital, and, with a question mark, those that often are.
# From word counts of spacy-lookups-data 1.0.5 (MIT), by experiments/names_list.py.
"""


def listed(log_probability: Mapping[str, float]) -> list[str]:
    """The file's lines, from logarithms of the probabilities of words as they are written."""
    lines = []
    for word in sorted(dictionary("lemma_index")["noun"]):
        capital = log_probability.get(word.capitalize(), RAREST)
        if not word.isalpha() or capital <= RAREST:
            continue
        more = capital - log_probability.get(word, RAREST - USUALLY)
        if more >= OFTEN:
            lines.append(word if more >= USUALLY else word + DOUBT)
    return lines


def main() -> None:
    """Write the list anew."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("probabilities", type=Path, help="en_lexeme_prob.json.gz")
    with gzip.open(parser.parse_args().probabilities, "rt", encoding="utf-8") as file:
        lines = listed(json.load(file))
    NAMES_FILE.write_text(_HEAD + "\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
