"""The report of `symdemo sts` as everyone reads it: what the file holds, and is it one?

As in `symdemo.reproduction.report`, the rows are typed dictionaries. Correlations and accuracies
are in points, from −100 or 0 to 100, as the paper gives them. A part that was not measured is an
empty list.
"""

# No annotations as strings here: they are looked at to check a file.
import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, TypedDict, cast

from symdemo.errors import InputError
from symdemo.files.paths import RESULTS
from symdemo.reproduction.fitting import misfit
from symdemo.reproduction.report import MadeBy, Spread

REPORT = "bellm.json"
"""The name of the file."""


class Scored(TypedDict):
    """A figure in points, its 95% interval, and over how many pairs, sentences or queries."""

    value: float
    low: float
    high: float
    n: int


class Row(TypedDict):
    """Whose figures: the name that `load_encoder` takes (a folder's without the path), and the
    name to show. A `baseline` is no encoder, such as the overlap of words.
    """

    encoder: str
    label: str
    baseline: bool


class StsScore(Scored):
    """Spearman over all pairs of a task at once; `subset_mean` is the mean over its sub-sets."""

    subset_mean: float


class StsRow(Row):
    """Table 1. `average` is over `tasks`; None where a task is missing that another row has."""

    tasks: dict[str, StsScore]
    average: float | None


class ConditionalRow(Row):
    """Table 2."""

    spearman: Scored


class TransferScore(Scored):
    """Accuracy; `f1` of MRPC alone. A `note` says where it was not learnt as SentEval does."""

    f1: float | None
    learnt_from: int
    note: str


class TransferRow(Row):
    """Table 3. `average` is over the tasks in `tasks`, as in `StsRow`."""

    tasks: dict[str, TransferScore]
    average: float | None


class DegradationRow(Row):
    """Figure 4: Spearman with the first n layers, for each n in `layers`, ascending from 1."""

    data: str
    pairs: int
    layers: list[int]
    spearman: list[float]
    turning_point: int


class DependencyRow(Row):
    """Figures 2 and 5: a box plot over n sentences, correlations in [−1, 1].

    `quartiles` are three, the middle one the median; `whiskers` are the least and the most of what
    lies within 1.5 times the distance of the quartiles from them. `pivot` is “first” or “last”.
    """

    data: str
    pivot: str
    n: int
    mean: float
    quartiles: list[float]
    whiskers: list[float]


class RetrievalRow(Row):
    """Section 5.4: `strict` is the share of queries whose first four are the four wanted ones;
    `recall` is the share of wanted ones among the first four.
    """

    data: str
    strict: Scored
    recall: float


class AblationRun(TypedDict):
    """One training: Spearman on the test part of STS-B."""

    seed: int
    spearman: float
    train_pairs: int
    seconds: float


class AblationRow(TypedDict):
    """Table 4: one setting. `looking_back` is a number of layers or “all”; `prompt` may be None.

    `mean` and `deviation` (the standard one, of n − 1; None for a single seed) are of `runs`.
    """

    encoder: str
    looking_back: Any
    strategy: str
    pooling: str
    prompt: str | None
    runs: list[AblationRun]
    mean: float
    deviation: float | None


class SymmetryRow(TypedDict):
    """Relations taught to an encoder: accuracies as shares in [0, 1], over the seeds.

    `forgetting` is what it then lost on STS-B, in points of Spearman.
    """

    encoder: str
    label: str
    method: str
    samples: int
    lexicalized: Spread
    delexicalized: Spread
    forgetting: Spread


class TrainingPoint(TypedDict):
    """Where a training was: seconds since its begin, pairs seen, Spearman on the dev part."""

    seconds: float
    pairs: int
    spearman: float


class TrainingRow(TypedDict):
    """The curve of one training."""

    encoder: str
    label: str
    seed: int
    curve: list[TrainingPoint]


class Summary(TypedDict):
    """All figures; `missing` says of data that are not here why (task → reason)."""

    sts: list[StsRow]
    conditional: list[ConditionalRow]
    transfer: list[TransferRow]
    degradation: list[DegradationRow]
    dependencies: list[DependencyRow]
    retrieval: list[RetrievalRow]
    ablation: list[AblationRow]
    symmetry: list[SymmetryRow]
    training: list[TrainingRow]
    missing: dict[str, str]


class Values(TypedDict):
    """The whole file; `data` are the hashes of what was measured on, by task."""

    command: str
    made_by: MadeBy
    finished: bool
    data: dict[str, str]
    summary: Summary


@dataclass(frozen=True)
class Report:
    """A report under the stamp of its file.

    Attributes:
        stamp: another one for another state of the file.
        values: what the file holds.
    """

    stamp: str
    values: Values

    @classmethod
    def from_json(cls, values: object, stamp: str = "", name: str = REPORT) -> "Report":
        """The report that a file called `name` holds.

        Raises:
            InputError: it is none; the message says where it differs.
        """
        if differs := misfit(values, Values, "it"):
            raise InputError(f"{name} is not a report of “symdemo sts” ({differs}); run it again.")
        return cls(stamp, cast(Values, values))

    @property
    def summary(self) -> Summary:
        """All figures."""
        return self.values["summary"]


def find_report(folder: Path = RESULTS) -> Report | None:
    """The report in a folder, read again only when its file has changed; None where there is none.

    Raises:
        InputError: the file is no report.
    """
    path = folder / REPORT
    try:
        state = path.stat()
    except OSError:
        return None
    return _read(path, f"{state.st_mtime_ns}-{state.st_size}")


@lru_cache(maxsize=4)
def _read(path: Path, stamp: str) -> Report:
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        values = None
    return Report.from_json(values, stamp, path.name)
