"""A model's card: what it was made from and how, and its scores."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Annotated, Any

from pydantic import AfterValidator, ConfigDict, Field

from symdemo.classifier.index import K
from symdemo.encoders.registry import ENCODERS
from symdemo.files.paths import ASSETS
from symdemo.geometry import Quotient
from symdemo.training.methods import check_method

UNSEEN = "relations never taught, three answers"
"""The name of the score that says most about a visitor's own sentences."""


def _check_distinct(labels: tuple[str, ...]) -> tuple[str, ...]:
    if len(set(labels)) < len(labels):
        raise ValueError("each label once is expected")
    return labels


@dataclass(frozen=True, slots=True)
class ModelCard:
    """The description stored with a model, as plain JSON values; pydantic checks it on loading."""

    __pydantic_config__ = ConfigDict(strict=True, extra="forbid")

    name: str
    method: Annotated[str, AfterValidator(check_method)]  # one of `methods.METHODS`
    encoder: str  # registered name, hub id or folder of the encoder it started from
    base_hash: str  # SHA-256 of that encoder's weights file
    labels: Annotated[tuple[str, ...], AfterValidator(_check_distinct)]  # in a readout's order
    summary: str = ""  # what it was taught, in a sentence for visitors
    quotient: Quotient = "conjugate"  # of Eq. 6
    k: Annotated[int, Field(ge=1)] = K  # number of voting neighbours
    # Used when all taught pairs vote; None if k neighbours vote by majority.
    temperature: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    seed: int | None = None  # of its training
    training: Mapping[str, Any] = field(default_factory=dict)  # hyperparameters, by name
    # What it was taught: `hash`, `pairs`, `relations`, and free text under `source`.
    data: Mapping[str, Any] = field(default_factory=dict)
    # Figures in percent with what they were measured on.
    scores: Mapping[str, Any] = field(default_factory=dict)
    # The distance from all taught pairs beyond which a pair is unfamiliar; None if not measured.
    familiar_within: float | None = None
    made_with: str = ""  # the version of symdemo that made it
    parent: str | None = None  # the model it was retrained from, if any

    def with_(self, **changes) -> ModelCard:
        """Return a copy with some fields changed."""
        return replace(self, **changes)

    def to_json(self) -> dict[str, Any]:
        """Return the card as JSON values."""
        return asdict(self) | {"labels": list(self.labels)}


def readme(card: ModelCard, whole: bool = False) -> str:
    """Return the README of a model folder, with the hub's front matter.

    Args:
        card: the card.
        whole: the folder holds all that sentence-transformers needs.
    """
    import huggingface_hub as hub
    import jinja2

    numbers = {name: re.match(r"([\d.]+)%", str(text)) for name, text in card.scores.items()}
    about = hub.ModelCardData(
        language="en",
        license="apache-2.0",
        library_name="symdemo",
        base_model=ENCODERS[card.encoder].hub_id if card.encoder in ENCODERS else None,
        tags=["symdemo", "sentence-similarity", "symmetry", "relations"]
        + whole * ["sentence-transformers"],
        metrics=["accuracy"],
        model_name=card.name,
        eval_results=[
            hub.EvalResult(
                task_type="text-classification", dataset_type="symdemo",
                dataset_name=str(card.data.get("source") or "own pairs"),
                metric_type="percentage", metric_name=name, metric_value=float(number[1]),
            )
            for name, number in numbers.items() if number
        ] or None,
    )  # fmt: skip
    template = jinja2.Template((ASSETS / "model_card.md").read_text(encoding="utf-8"))
    sections = {"Taught": card.data, "Training": card.training, "Scores": card.scores}
    text = template.render(
        card=card, about=about.to_yaml(), sections=sections, plain=_plain, whole=whole
    )
    return str(hub.ModelCard(f"{text}\n"))


def _plain(value: Any) -> str:
    if isinstance(value, dict):
        return "; ".join(f"{key} {_plain(item)}" for key, item in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(_plain(item) for item in value)
    return str(value)
