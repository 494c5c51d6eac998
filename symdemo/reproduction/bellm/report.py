"""The report of `symdemo sts` as everyone reads it: what the file holds, and is it one?

As in `symdemo.reproduction.report`, the rows are typed dictionaries. Correlations and accuracies
are in points, from −100 or 0 to 100, as the paper gives them. A part that was not measured is an
empty list.
"""

# No annotations as strings here: they are looked at to check a file.
from dataclasses import dataclass
from typing import Any, TypedDict

from symdemo.reproduction.report import MadeBy
from symdemo.reproduction.report_file import ReportFile

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

    `mean` and `deviation` (the standard one, of n − 1; None for a single seed) are of `runs`;
    `config` is what of data and hyperparameters was told. `gain` is over the same setting where no
    layer looks back, seed by seed; None where that, or a second seed, was not measured.
    """

    encoder: str
    looking_back: Any
    strategy: str
    pooling: str
    prompt: str | None
    config: dict[str, Any]
    runs: list[AblationRun]
    mean: float
    deviation: float | None
    gain: Scored | None


class SelectionRow(TypedDict):
    """Hyperparameters that were tried, with the setting that is usual: Spearman on dev pairs."""

    encoder: str
    looking_back: Any
    strategy: str
    pooling: str
    prompt: str | None
    config: dict[str, Any]
    seed: int
    spearman: float
    train_pairs: int
    seconds: float


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
    selection: list[SelectionRow]
    training: list[TrainingRow]
    missing: dict[str, str]


class Origins(TypedDict, total=False):
    """Where the rows were made, as `Ledger.origins` tells; reports of before have none."""

    rows_made_by: list[dict[str, Any]]


class Values(Origins):
    """The whole file; `data` are the hashes of what was measured on, by task."""

    command: str
    made_by: MadeBy
    finished: bool
    data: dict[str, str]
    summary: Summary


@dataclass(frozen=True)
class Report(ReportFile):
    """The report of `symdemo sts`."""

    NAME = REPORT
    COMMAND = "symdemo sts"
    KIND = Values

    values: Values

    @property
    def summary(self) -> Summary:
        """All figures."""
        return self.values["summary"]
