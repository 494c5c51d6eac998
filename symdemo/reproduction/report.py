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

VERSIONS = ("lexicalized", "delexicalized")


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


class Nli(TypedDict, total=False):
    """Forgetting on NLI: `before` in percent, `loss` by arm in points; or why it is `missing`."""

    missing: str
    before: Spread
    loss: dict[str, Spread]
    lexicalized: Spread
    delexicalized: Spread
    source: str
    pairs: list[int]


class Smallest(TypedDict):
    """The smallest samples without error by seed, None for a seed that did not get there."""

    by_seed: list[int | None]
    reached: int
    spread: Spread


class PaperFigures(TypedDict):
    """What the paper says of a method: accuracies in percent, forgetting in points of MNLI."""

    accuracy: list[float] | None
    samples: int | None
    forgetting: float | None


class MethodRow(TypedDict):
    """A method on an encoder; `forgetting` has “with retention” and “without”."""

    encoder: str
    method: str
    samples: int
    lexicalized: Spread
    delexicalized: Spread
    perfect_seeds: int
    steps: Spread
    seconds: Spread
    smallest_perfect: Smallest | None
    forgetting: dict[str, Forgetting]
    nli: Nli | None
    paper: PaperFigures


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
    ablation_seeds: list[int]


class Summary(TypedDict):
    """All figures; what a study left out is empty."""

    plan: PlanRow
    missing_encoders: list[str]
    cross_encoder: CrossEncoderRow | None
    probes: list[ProbeRow]
    methods: list[MethodRow]
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


class Values(TypedDict):
    """The whole file."""

    command: str
    made_by: MadeBy
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
