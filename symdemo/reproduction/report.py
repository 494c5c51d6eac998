"""The report of `symdemo reproduce` as everyone reads it: what the file holds, and is it one?

The rows are typed dictionaries: they are what the file holds, so nothing is translated between
writing, reading, and giving the file away again.
"""

# No annotations as strings here: they are looked at to check a file.
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypedDict

from symdemo.reproduction.report_file import ReportFile

REPORT = "reproduce.json"
"""The name of the file."""

VERSIONS: tuple[Literal["lexicalized"], Literal["delexicalized"]] = ("lexicalized", "delexicalized")


class Measured(TypedDict):
    """Median, least and most of n measurements; shares in [0, 1] unless said otherwise."""

    median: float
    least: float
    most: float
    n: int


Part = Literal["probes", "methods", "accuracy_by_samples"]
"""The parts of a summary that have rows for each encoder."""

Spread = Measured | None
"""None where nothing was measured."""


class ProbeRow(TypedDict):
    """The untouched encoder by 1-NN; the paper's two accuracies in percent."""

    encoder: str
    lexicalized: Spread
    delexicalized: Spread
    paper: list[float] | None


class CrossEncoderRow(TypedDict):
    """The NLI cross-encoder; the paper's two accuracies in percent."""

    model: str
    lexicalized: Spread
    delexicalized: Spread
    paper: list[float]


class Forgetting(TypedDict):
    """What retraining cost, and the accuracy that it bought; `sts_loss` in points of Spearman."""

    sts_loss: Spread
    drift: Spread
    neighbours_kept: Spread
    lexicalized: Spread
    delexicalized: Spread


class NliStartRow(TypedDict):
    """What one start lost: shares “all” and by set, and the points lost with their interval."""

    method: str
    recipe: str
    start: int
    before: dict[str, float]
    after: dict[str, float]
    lost: list[float]
    lexicalized: float
    delexicalized: float
    always_contradiction: float


class NliForgetting(TypedDict, total=False):
    """Forgetting on NLI, start by start; or why it is `missing`. Shares “all” and by set."""

    missing: str
    encoder: str
    source: str
    learnt: int
    asked: dict[str, int]
    samples: int
    majority: dict[str, float] | None
    hypothesis: dict[str, float] | None
    rows: list[NliStartRow]


class Nli(TypedDict, total=False):
    """The same of a method: `before` in percent, `loss` in points; or why it is `missing`."""

    missing: str
    before: Spread
    loss: dict[str, Spread]
    lexicalized: Spread
    delexicalized: Spread
    source: str
    pairs: list[int]


class Smallest(TypedDict):
    """The smallest samples from which on nothing was wrong by seed; None where there are none."""

    by_seed: list[int | None]
    reached: int
    spread: Spread


class WithoutNames(TypedDict):
    """A method without the bank's names in recombination."""

    lexicalized: Spread
    delexicalized: Spread
    smallest_perfect: Smallest | None


class NothingReadRow(TypedDict):
    """What an answer gets that reads no sentence, when taught so many pairs."""

    answer: str
    samples: int
    accuracy: Spread


class BeyondRow(TypedDict):
    """A method on an encoder at another size, with one seed."""

    encoder: str
    method: str
    samples: int
    lexicalized: Spread
    delexicalized: Spread


class MethodRow(TypedDict):
    """A method on an encoder; `forgetting` has “with retention” and “without”.

    `paper` are the paper's two accuracies of the same encoder in percent.
    """

    encoder: str
    method: str
    samples: int
    lexicalized: Spread
    delexicalized: Spread
    perfect_seeds: int
    steps: Spread
    seconds: Spread
    smallest_perfect: Smallest | None
    without_names: WithoutNames | None
    forgetting: dict[str, Forgetting]
    nli: Nli | None
    paper: list[float] | None


class NewLabelRow(TypedDict):
    """A third label after so many examples: accuracy on it, and on the others afterwards."""

    examples: int
    neutral: Spread
    others: Spread


class AblationRow(TypedDict):
    """Some hyperparameters changed, and what came of it."""

    changes: dict[str, Any]
    lexicalized: Spread
    delexicalized: Spread
    sts_loss: Spread
    drift: Spread


class CurveRow(TypedDict):
    """Accuracy at one number of samples."""

    encoder: str
    method: str
    samples: int
    lexicalized: Spread
    delexicalized: Spread


class PlanRow(TypedDict):
    """What of a plan is told beside its figures."""

    encoders: list[str]
    seeds: list[int]
    other_seeds: list[int] | None
    search_seeds: list[int]
    ablation_seeds: list[int]
    settings: dict[str, dict[str, dict[str, Any]]]
    chosen_at: str


class Summary(TypedDict):
    """All figures; what a study left out is empty."""

    plan: PlanRow
    reading_nothing: list[NothingReadRow]
    beyond: list[BeyondRow]
    missing_encoders: list[str]
    cross_encoder: CrossEncoderRow | None
    probes: list[ProbeRow]
    methods: list[MethodRow]
    nli: NliForgetting | None
    new_label: list[NewLabelRow]
    ablations: list[AblationRow]
    accuracy_by_samples: list[CurveRow]


class Machine(TypedDict):
    """What a report was put together on."""

    processor: str
    threads: int


class Versions(TypedDict):
    """Of what a report was put together with; others may stand beside it."""

    torch: str


class MadeBy(TypedDict):
    """Where a report was put together."""

    commit: str
    machine: Machine
    versions: Versions


class Origin(TypedDict):
    """How many rows were made at a commit on a processor; `today` by the code of today."""

    commit: str | None
    processor: str | None
    today: bool | None
    rows: int


class Values(TypedDict):
    """The whole file."""

    command: str
    made_by: MadeBy
    rows_made_by: list[Origin]
    finished: bool
    summary: Summary


@dataclass(frozen=True)
class Report(ReportFile):
    """The report of `symdemo reproduce`."""

    NAME = REPORT
    COMMAND = "symdemo reproduce"
    KIND = Values

    values: Values

    @property
    def summary(self) -> Summary:
        """All figures."""
        return self.values["summary"]

    @property
    def encoders(self) -> list[str]:
        """The encoders with figures, in the order of the plan."""
        rows = (*self.summary.get("probes", ()), *self.summary.get("methods", ()))
        return list(dict.fromkeys(row["encoder"] for row in rows))

    def seeds(self, encoder: str | None) -> Sequence[int]:
        """The seeds that an encoder was to be measured with; the first one may have more."""
        plan = self.summary.get("plan") or {}
        others = plan.get("other_seeds")
        first = encoder in plan.get("encoders", ())[:1]
        return plan.get("seeds", ()) if first or others is None else others

    def encoder(self, asked: object) -> str | None:
        """The encoder that was asked for where it is in the report, or the first."""
        return asked if asked in self.encoders else next(iter(self.encoders), None)

    def rows(self, part: Part, encoder: str | None) -> list[Any]:
        """The rows of a part of the summary that belong to an encoder."""
        return [row for row in self.summary.get(part) or () if row["encoder"] == encoder]

    def curve(self, encoder: str | None, method: str) -> list[CurveRow]:
        """Accuracy against samples of one method, ascending."""
        rows = self.rows("accuracy_by_samples", encoder)
        return sorted((r for r in rows if r["method"] == method), key=lambda r: r["samples"])
