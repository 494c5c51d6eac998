"""Results files: reports of what was measured, as JSON in `RESULTS`, validated when read.

Rows stay plain dictionaries, as the files hold them. Accuracies are shares in [0, 1] unless said
otherwise; correlations in `SentenceReport` are in points, from −100 to 100.
"""

# No string annotations here: pydantic reads them.
import json
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar, Generic, Literal, NotRequired, Self, TypeVar, cast

from pydantic import TypeAdapter, ValidationError
from typing_extensions import TypedDict

from symdemo.errors import InputError
from symdemo.files.paths import RESULTS

VERSIONS: tuple[Literal["lexicalized"], Literal["delexicalized"]] = ("lexicalized", "delexicalized")
"""Test sentences with names, and with ids in their place."""


class Measured(TypedDict):
    """Median and range of n measurements."""

    median: float
    least: float
    most: float
    n: int


Spread = Measured | None


class Versions(TypedDict):
    """Accuracy on test sentences with names and with ids."""

    lexicalized: Spread
    delexicalized: Spread


class MadeBy(TypedDict):
    """Commit, machine and versions behind a report."""

    commit: str
    machine: dict[str, Any]
    versions: dict[str, str]


class RowsMadeBy(TypedDict):
    """The number of rows measured at a commit on a processor."""

    commit: str | None
    processor: str | None
    rows: int


class ProbeRow(Versions):
    """The untouched encoder by 1-NN; `paper` has the paper's two accuracies in percent."""

    encoder: str
    paper: list[float] | None


class CrossEncoderRow(Versions):
    """The NLI cross-encoder; `paper` in percent."""

    model: str
    paper: list[float]


class Forgetting(Versions):
    """Cost of retraining: points of Spearman lost on STS-B, and drift of generic sentences."""

    sts_loss: Spread
    drift: Spread
    neighbours_kept: Spread


BothForgetting = TypedDict("BothForgetting", {"with retention": Forgetting, "without": Forgetting})


class NothingReadRow(TypedDict):
    """Accuracy of an answer that reads no sentence."""

    answer: str
    samples: int
    accuracy: Spread


class CurveRow(Versions):
    """A method's accuracy at one number of samples."""

    encoder: str
    method: str
    samples: int


class MethodRow(CurveRow):
    """A method at its reported size; `forgetting` is “with retention” and “without”."""

    perfect_seeds: int
    steps: Spread
    seconds: Spread
    smallest_perfect: dict[str, Any] | None
    without_names: dict[str, Any] | None
    forgetting: BothForgetting
    nli: dict[str, Any] | None
    paper: list[float] | None


class PaperSettingsRow(Forgetting):
    """A method of the first encoder with the paper's hyperparameters and number of pairs."""

    method: str
    samples: int
    steps: Spread


class NewLabelRow(TypedDict):
    """A third label taught by examples: accuracy on it, and on the other labels afterwards."""

    examples: int
    neutral: Spread
    others: Spread


class AblationRow(Versions):
    """Changed hyperparameters and their effect."""

    changes: dict[str, Any]
    sts_loss: Spread
    drift: Spread


class PaperPlan(TypedDict):
    """The settings of a study."""

    encoders: list[str]
    seeds: list[int]
    other_seeds: list[int] | None
    search_seeds: list[int]
    ablation_seeds: list[int]
    settings: dict[str, dict[str, dict[str, Any]]]
    chosen_at: str


class PaperSummary(TypedDict):
    """All figures of `symdemo reproduce`."""

    plan: PaperPlan
    reading_nothing: list[NothingReadRow]
    beyond: list[CurveRow]
    missing_encoders: list[str]
    cross_encoder: CrossEncoderRow | None
    probes: list[ProbeRow]
    methods: list[MethodRow]
    paper_settings: NotRequired[list[PaperSettingsRow]]
    nli: dict[str, Any] | None
    new_label: list[NewLabelRow]
    ablations: list[AblationRow]
    accuracy_by_samples: list[CurveRow]


class PaperValues(TypedDict):
    """The file `reproduce.json`."""

    command: str
    made_by: MadeBy
    rows_made_by: list[RowsMadeBy]
    finished: bool
    summary: PaperSummary


class Scored(TypedDict):
    """A figure in points with its 95% interval."""

    value: float
    low: float
    high: float
    n: int


class EncoderRow(TypedDict):
    """An encoder as `load_encoder` names it, or a `baseline` without one."""

    encoder: str
    label: str
    baseline: bool


class StsFigure(Scored):
    """Spearman over all pairs of a task; `subset_mean` averages over its subsets."""

    subset_mean: float


class StsRow(EncoderRow):
    """Table 1 of BeLLM; `average` is None if a task is missing that another row has."""

    tasks: dict[str, StsFigure]
    average: float | None


class DegradationRow(EncoderRow):
    """Figure 4: Spearman of the first n layers for each n of `layers`."""

    data: str
    pairs: int
    layers: list[int]
    spearman: list[float]
    turning_point: int


class DependencyRow(EncoderRow):
    """Figures 2 and 5: a box plot of correlations in [−1, 1] with the `pivot` token."""

    data: str
    pivot: str
    n: int
    mean: float
    quartiles: list[float]
    whiskers: list[float]


class AblationRun(TypedDict):
    """One training: Spearman on STS-B."""

    seed: int
    spearman: float
    train_pairs: int
    seconds: float


class DecoderSetting(TypedDict):
    """Options to read a decoder with; `looking_back` is a number of layers or “all”."""

    encoder: str
    looking_back: Any
    strategy: str
    pooling: str
    prompt: str | None
    config: dict[str, Any]


class SettingRow(DecoderSetting):
    """Table 4: `gain` is over the same setting without layers that look back."""

    runs: list[AblationRun]
    mean: float
    deviation: float | None
    gain: Scored | None


class SentenceSummary(TypedDict):
    """All figures of `symdemo sts`; `missing` maps absent tasks to the reason."""

    sts: list[StsRow]
    conditional: list[dict[str, Any]]
    transfer: list[dict[str, Any]]
    degradation: list[DegradationRow]
    dependencies: list[DependencyRow]
    retrieval: list[dict[str, Any]]
    ablation: list[SettingRow]
    missing: dict[str, str]


class SentenceValues(TypedDict):
    """The file `bellm.json`; `data` has the hashes of the data by task."""

    command: str
    made_by: MadeBy
    finished: bool
    data: dict[str, str]
    summary: SentenceSummary


class ShareFigure(TypedDict):
    """A share with its 95% interval; None where it was not measured."""

    mean: float | None
    low: float | None
    high: float | None


class UnseenRow(TypedDict):
    """A method's accuracy; `by_kind` has share and count by construction."""

    three: ShareFigure
    unjoined: ShareFigure
    matched: ShareFigure
    by_kind: dict[str, list[float]]
    seeds: int


class UnseenData(TypedDict):
    """The test sentences."""

    pairs: int
    relations: int


class UnseenValues(TypedDict):
    """The parts of `general.json` that are shown."""

    command: str
    made_by: MadeBy
    data: UnseenData
    rows: dict[str, UnseenRow]


Values = TypeVar("Values")


@dataclass(frozen=True)
class ResultsFile(Generic[Values]):
    """A results file; another `stamp` means another state of the file."""

    NAME: ClassVar[str]
    COMMAND: ClassVar[str]
    KIND: ClassVar[Any]

    stamp: str
    values: Values

    @classmethod
    def from_json(cls, values: object, stamp: str = "") -> Self:
        """Return the report with these values.

        Raises:
            InputError: they do not have its form; the message names the first difference.
        """
        try:
            TypeAdapter(cls.KIND).validate_python(values)
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(map(str, first["loc"])) or "the file"
            raise InputError(
                f"{cls.NAME} is not a report of “{cls.COMMAND}” ({place}: {first['msg']}); "
                "run it again."
            ) from None
        return cls(stamp, cast(Values, values))

    @classmethod
    def find(cls, folder: Path = RESULTS) -> Self | None:
        """Return the report in a folder, or None if there is none; read again when it changed.

        Raises:
            InputError: the file is not such a report.
        """
        path = folder / cls.NAME
        try:
            state = path.stat()
        except OSError:
            return None
        return _read(cast(Hashable, cls), path, f"{state.st_mtime_ns}-{state.st_size}")


@lru_cache(maxsize=8)
def _read(kind: Any, path: Path, stamp: str) -> Any:
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        values = None
    return kind.from_json(values, stamp)


class PaperReport(ResultsFile[PaperValues]):
    """The report of `symdemo reproduce`."""

    NAME = "reproduce.json"
    COMMAND = "symdemo reproduce"
    KIND = PaperValues

    @property
    def summary(self) -> PaperSummary:
        """All figures."""
        return self.values["summary"]

    @property
    def encoders(self) -> list[str]:
        """The encoders with figures, in the order of the plan."""
        rows = (*self.summary["probes"], *self.summary["methods"])
        return list(dict.fromkeys(row["encoder"] for row in rows))

    def seeds(self, encoder: str | None) -> Sequence[int]:
        """Return the seeds planned for an encoder; the first encoder may have more."""
        plan = self.summary["plan"]
        others = plan["other_seeds"]
        first = encoder in plan["encoders"][:1]
        return plan["seeds"] if first or others is None else others

    def encoder(self, wanted: object) -> str | None:
        """Return the wanted encoder if the report has it, else the first."""
        return wanted if wanted in self.encoders else next(iter(self.encoders), None)

    def rows(
        self, part: Literal["probes", "methods", "accuracy_by_samples"], encoder: str | None
    ) -> list[Any]:
        """Return an encoder's rows of a part of the summary."""
        return [row for row in self.summary[part] if row["encoder"] == encoder]

    def curve(self, encoder: str | None, method: str) -> list[CurveRow]:
        """Return a method's accuracy by number of samples, ascending."""
        rows = self.rows("accuracy_by_samples", encoder)
        return sorted((r for r in rows if r["method"] == method), key=lambda r: r["samples"])


class SentenceReport(ResultsFile[SentenceValues]):
    """The report of `symdemo sts` and `symdemo bellm compare`."""

    NAME = "bellm.json"
    COMMAND = "symdemo sts"
    KIND = SentenceValues

    @property
    def summary(self) -> SentenceSummary:
        """All figures."""
        return self.values["summary"]


class UnseenReport(ResultsFile[UnseenValues]):
    """The report on relations never taught."""

    NAME = "general.json"
    COMMAND = "python -m experiments.general"
    KIND = UnseenValues


def origins_in_words(origins: Sequence[RowsMadeBy]) -> str:
    """Say in a sentence at which commits rows were measured; empty if none is known."""
    known = [origin for origin in origins if origin["commit"]]
    parts = [f"{o['rows']:,} at commit {o['commit']} ({o['processor']})" for o in known]
    if rest := sum(o["rows"] for o in origins) - sum(o["rows"] for o in known):
        parts.append(f"{rest:,} before commits were recorded")
    return f"Measurements: {'; '.join(parts)}." if known else ""
