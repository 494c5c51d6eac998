"""Small STS files in the usual layouts, and a fake encoder."""

from pathlib import Path

import numpy as np

WORDS = ("Ann", "Ben", "Eve", "Leo", "Mia", "Finn")


def sentence(number: int) -> str:
    """Return a distinct sentence for each number below 216."""
    a, b, c = (WORDS[number // 6**k % 6] for k in range(3))
    return f"{a} is the mother of {b} and {c}"


def write_sts(root: Path) -> Path:
    """Write STS-B's test part, and STS12 with two subsets and some unscored pairs."""
    (root / "sts" / "STS12").mkdir(parents=True)
    rows = [(n % 6 * 0.9, sentence(n), sentence(7 * n + 40)) for n in range(24)]
    text = "".join(f"a\tb\tc\t{n}\t{s:.3f}\t{x}\t{y}\n" for n, (s, x, y) in enumerate(rows))
    (root / "sts" / "sts-test.csv").write_text(text, encoding="utf-8")
    for part, own in (("one", rows[:12]), ("two", rows[12:])):
        lines = "".join(f"{x}\t{y}\n" for _, x, y in own)
        gold = "".join("\n" if n == 2 else f"{s:.2f}\n" for n, (s, *_) in enumerate(own))
        (root / "sts" / "STS12" / f"STS.input.{part}.txt").write_text(lines, encoding="utf-8")
        (root / "sts" / "STS12" / f"STS.gs.{part}.txt").write_text(gold, encoding="utf-8")
    (root / "sts" / "STS12" / "STS.gs.ALL.txt").write_text("1\n", encoding="utf-8")
    return root


class FakeEncoder:
    """Looks sentences up in a table."""

    def __init__(self, table: dict[str, list[float]]):
        self.table = table

    def encode(self, inputs: list[str], **_: object) -> np.ndarray:
        rows = np.array([self.table[text] for text in inputs], dtype=np.float32)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)
