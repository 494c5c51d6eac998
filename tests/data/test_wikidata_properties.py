"""Any triples at all: no leaks between train and test."""

import tempfile
from collections import Counter
from pathlib import Path

from hypothesis import assume, given
from hypothesis import strategies as st

from symdemo.data.dataset_folder import PARTS, build_dataset, pairs_file
from symdemo.data.pair_files import load_pairs
from symdemo.errors import InputError

# Few entities with fewer labels make every collision likely: namesakes, reverses, repetitions.
ENTITIES = 16
NAMES = [*"ABCDEFGHJKLM", "a", "b", ""]


def lists_of_triples(relations, **sizes):
    entity = st.integers(1, ENTITIES)
    return st.lists(st.tuples(entity, st.sampled_from(relations), entity), **sizes)


names = st.lists(st.sampled_from(NAMES), min_size=ENTITIES, max_size=ENTITIES)


def write_files(folder: Path, triples, labels) -> tuple[Path, Path]:
    paths = folder / "t.txt", folder / "e.txt"
    paths[0].write_text("".join(f"Q{h}\t{p}\tQ{t}\n" for h, p, t in triples), "utf-8")
    named = enumerate(labels, start=1)
    paths[1].write_text("".join(f"Q{n}\t{label}\n" for n, label in named), "utf-8")
    return paths


@given(
    lists_of_triples(["P25", "P22", "P3373", "P1889"], min_size=40, max_size=80),
    names,
    st.integers(0, 10_000),
    st.sampled_from([0.25, 0.5, 0.75]),
)
def test_no_entity_pair_is_on_both_sides_whatever_the_seed(triples, labels, seed, share):
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "out")
        try:
            content = build_dataset(
                *write_files(Path(folder), triples, labels), out, test_share=share, seed=seed
            )
        except InputError as error:
            assume("one side empty" not in str(error) and "No usable" not in str(error))
            raise
        pairs = {
            (part, delexicalized): load_pairs(out / pairs_file(part, delexicalized))
            for part in PARTS
            for delexicalized in (False, True)
        }
    by_id = {
        f"Q{number}": label.casefold() for number, label in enumerate(labels, start=1) if label
    }
    sides = {part: set() for part in PARTS}
    for (part, delexicalized), own in pairs.items():
        assert len(own) == content["pairs"][part]
        assert Counter(pair.label for pair in own) == content["pairs_by_label"][part]
        for pair in own:
            ends = (by_id[pair.head], by_id[pair.tail]) if delexicalized else pair.entity_pair
            sides[part].add(frozenset(end.casefold() for end in ends))
    assert not sides["train"] & sides["test"]
    for delexicalized in (False, True):
        train, test = (
            {text for p in pairs[part, delexicalized] for text in (p.premise, p.hypothesis)}
            for part in PARTS
        )
        assert not train & test
