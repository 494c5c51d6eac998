"""A model's card: what it was made from and how, and its scores."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Annotated, Any

from pydantic import AfterValidator, ConfigDict, Field

from symdemo.classifier.index import K
from symdemo.encoders import ENCODERS
from symdemo.geometry import Quotient
from symdemo.training.methods import check_method

UNSEEN = "relations never taught, three answers"
"""The name of the score that says most about a visitor's own sentences."""

FIRST_STAGE = "measured on models of the first stage"
"""The name of the scores of models without the second training stage."""


def _check_distinct(labels: tuple[str, ...]) -> tuple[str, ...]:
    if len(set(labels)) < len(labels):
        raise ValueError("each label once is expected")
    return labels


@dataclass(frozen=True, slots=True)
class ModelCard:
    """The description stored with a model, as plain JSON values; pydantic checks it on loading.

    Attributes:
        name: the model's name.
        method: one of `methods.METHODS`.
        encoder: registered name, hub id or folder of the encoder it started from.
        base_hash: SHA-256 of that encoder's weights file.
        labels: in the order of a readout's rows.
        summary: what it was taught, in a sentence for visitors.
        quotient: the quotient of Eq. 6.
        k: number of voting neighbours.
        temperature: used when all taught pairs vote; None if k neighbours vote by majority.
        seed: the seed of its training.
        training: hyperparameters, by name.
        data: what it was taught: `hash`, `pairs`, `relations`, and free text under `source`.
        scores: figures in percent with what they were measured on.
        familiar_within: distance from all taught pairs beyond which a pair is unfamiliar; None if
            not measured.
        made_with: the version of symdemo that made it.
        parent: the model it was retrained from, if any.
    """

    __pydantic_config__ = ConfigDict(strict=True, extra="forbid")

    name: str
    method: Annotated[str, AfterValidator(check_method)]
    encoder: str
    base_hash: str
    labels: Annotated[tuple[str, ...], AfterValidator(_check_distinct)]
    summary: str = ""
    quotient: Quotient = "conjugate"
    k: Annotated[int, Field(ge=1)] = K
    temperature: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    seed: int | None = None
    training: Mapping[str, Any] = field(default_factory=dict)
    data: Mapping[str, Any] = field(default_factory=dict)
    scores: Mapping[str, Any] = field(default_factory=dict)
    familiar_within: float | None = None
    made_with: str = ""
    parent: str | None = None

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
    text = f"""---
{about.to_yaml()}
---

# {card.name}

{card.summary or "A symdemo model."}

- Method `{card.method}`, encoder `{card.encoder}` (weights {card.base_hash[:12]}…), \
quotient `{card.quotient}`, k = {card.k}, seed {card.seed}, symdemo {card.made_with}.
- Labels: {", ".join(card.labels)}.
"""
    sections = {"Taught": card.data, "Training": card.training, "Scores": card.scores}
    for title, values in sections.items():
        lines = [f"- {key}: {_plain(value)}" for key, value in values.items()] or ["- none"]
        text += "\n".join(["", f"## {title}", "", *lines, ""])
    usage = """from symdemo import SymmetryClassifier

SymmetryClassifier.from_pretrained(folder).predict([(premise, hypothesis)])
"""
    if whole:
        usage += """
from sentence_transformers import SentenceTransformer  # the encoder alone

SentenceTransformer(folder).encode([sentence])
"""
    return str(hub.ModelCard(f"{text}\n## Use\n\n```python\n{usage}```\n"))


def _plain(value: Any) -> str:
    if isinstance(value, dict):
        return "; ".join(f"{key} {_plain(item)}" for key, item in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(_plain(item) for item in value)
    return str(value)
