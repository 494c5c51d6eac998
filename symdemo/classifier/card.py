"""A model's card: what it was made from and how, and its scores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

from symdemo.classifier.index import K
from symdemo.errors import ModelError
from symdemo.geometry import QUOTIENTS, Quotient
from symdemo.training.methods import METHODS

UNSEEN = "relations never taught, three answers"
"""The name of the score that says most about a visitor's own sentences."""

FIRST_STAGE = "measured on models of the first stage"
"""The name of the scores of models without the second training stage."""


@dataclass(frozen=True, slots=True)
class ModelCard:
    """The description stored with a model, as plain JSON values.

    Attributes:
        name: the model's name.
        summary: what it was taught, in a sentence for visitors.
        method: one of `methods.METHODS`.
        encoder: registered name, hub id or folder of the encoder it started from.
        base_hash: SHA-256 of that encoder's weights file.
        quotient: of Eq. 6.
        k: number of voting neighbours.
        temperature: of a vote of all taught pairs, instead of the majority of k; None for k
            neighbours.
        labels: in the order of a readout's rows.
        seed: of its training.
        training: hyperparameters, by name.
        data: what it was taught: `hash`, `pairs`, `relations`, and free text under `source`.
        scores: figures in percent with what they were measured on.
        familiar_within: distance from all taught pairs beyond which a pair is unfamiliar; None if
            not measured.
        made_with: the version of symdemo that made it.
        parent: the model it was retrained from, if any.
    """

    name: str
    method: str
    encoder: str
    base_hash: str
    labels: tuple[str, ...]
    summary: str = ""
    quotient: Quotient = "conjugate"
    k: int = K
    temperature: float | None = None
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

    @classmethod
    def from_json(cls, values: Any) -> ModelCard:
        """Read a card.

        Raises:
            ModelError: an unknown or missing field, or a value of the wrong type.
        """
        if not isinstance(values, dict):
            raise ModelError("The model's card is not a JSON object.")
        known = {f.name for f in fields(cls)}
        required = {"name", "method", "encoder", "base_hash", "labels"}
        if set(values) - known or required - set(values):
            raise ModelError(
                f"The model's card has the unknown fields {sorted(set(values) - known)} and lacks "
                f"{sorted(required - set(values))}."
            )
        for name, kind in _KINDS.items():
            if name in values and (
                not isinstance(values[name], kind) or isinstance(values[name], bool)
            ):
                raise ModelError(
                    f"The model's card has {type(values[name]).__name__} under “{name}”; "
                    f"expected {' or '.join(k.__name__ for k in kind)}."
                )
        if not all(isinstance(label, str) for label in values["labels"]):
            raise ModelError("The model's card has a label that is not text.")
        if len(set(values["labels"])) < len(values["labels"]):
            raise ModelError("The model's card has a label twice.")
        for name, allowed in (("method", METHODS), ("quotient", QUOTIENTS)):
            if name in values and values[name] not in allowed:
                raise ModelError(
                    f"The model's card has the {name} “{values[name]}”; expected: "
                    f"{', '.join(allowed)}."
                )
        if values.get("k", K) < 1:
            raise ModelError(f"The model's card has k = {values['k']}; at least 1 is expected.")
        if (warmth := values.get("temperature")) is not None and not 0 < warmth < float("inf"):
            raise ModelError(f"The model's card has the temperature {warmth}; above 0 is expected.")
        return cls(**values | {"labels": tuple(values["labels"])})


_KINDS: dict[str, tuple[type, ...]] = {
    "name": (str,),
    "method": (str,),
    "encoder": (str,),
    "base_hash": (str,),
    "labels": (list,),
    "summary": (str,),
    "quotient": (str,),
    "k": (int,),
    "temperature": (float, int, type(None)),
    "seed": (int, type(None)),
    "training": (dict,),
    "data": (dict,),
    "scores": (dict,),
    "familiar_within": (float, int, type(None)),
    "made_with": (str,),
    "parent": (str, type(None)),
}


def readme(card: ModelCard) -> str:
    """Return the README of a model folder, with the hub's front matter."""
    lines = [
        "---",
        "library_name: symdemo",
        "license: apache-2.0",
        "tags: [sentence-similarity, symmetry, relations]",
        "---",
        "",
        f"# {card.name}",
        "",
        card.summary or "A symdemo model.",
        "",
        f"- Method `{card.method}`, encoder `{card.encoder}` (weights {card.base_hash[:12]}…), "
        f"quotient `{card.quotient}`, k = {card.k}, seed {card.seed}, symdemo {card.made_with}.",
        f"- Labels: {', '.join(card.labels)}.",
    ]
    for title, values in (
        ("Taught", card.data),
        ("Training", card.training),
        ("Scores", card.scores),
    ):
        lines += ["", f"## {title}", ""]
        lines += [f"- {key}: {_plain(value)}" for key, value in values.items()] or ["- none"]
    usage = "SymmetryClassifier.from_pretrained(folder).predict([Pair(premise, hypothesis)])"
    return "\n".join([*lines, "", "## Use", "", "```python", usage, "```", ""])


def _plain(value: Any) -> str:
    if isinstance(value, dict):
        return "; ".join(f"{key} {_plain(item)}" for key, item in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(_plain(item) for item in value)
    return str(value)
