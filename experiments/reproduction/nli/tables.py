"""Markdown on forgetting on NLI, under a heading that says of what data, size and encoder it is."""

from __future__ import annotations

from experiments.reproduction.markdown import table
from symdemo.training.methods import find_method

RECIPES = {"own": "its own", "one": "one for all", "without": "its own, no retention"}


def nli_part(found: dict | None) -> list[str]:
    """Heading, what it is made of, and a row for each start; nothing where it was not measured."""
    if found is None:
        return []
    if "missing" in found:
        return ["### Forgetting on NLI", f"NLI was not measured: {found['missing']}"]
    asked = sum(found["asked"].values())
    sets = ", ".join(f"{name} {n:,}" for name, n in found["asked"].items())
    heading = f"{found['encoder']} after {found['learnt']:,} pairs, {asked:,} asked"
    return [
        f"### Forgetting on NLI: {heading}",
        f"{found['encoder']} learns three labels from {found['learnt']:,} pairs "
        f"({found['source']}), all that are at hand, with a method's own objective; then the "
        f"relations from {found['samples']} pairs. Asked before and after: {sets}. "
        f"{_baselines(found)} *Lost*: points of accuracy, in brackets 95% of draws of test rows, "
        "those of one premise together and the same before and after. *One for all*: the same "
        "hyperparameters for every method. *Right then*: on the relations, by the model that "
        "learnt NLI first, beside the answer “contradiction” to everything.",
        _starts(found),
    ]


def _baselines(found: dict) -> str:
    if not (found["majority"] and found["hypothesis"]):
        return "What the commonest label and the hypothesis alone get was not measured yet."
    return (
        f"The commonest label is right on {found['majority']['all']:.1%}, logistic regression over "
        f"the hypothesis' words alone on {found['hypothesis']['all']:.1%}."
    )


def _starts(found: dict) -> str:
    header = ["Method", "Recipe", "Start", "Before", "Lost", "Right then: lex", "delex"]
    rows = [
        [
            find_method(row["method"]).title,
            RECIPES[row["recipe"]],
            str(row["start"]),
            f"{row['before']['all']:.1%}",
            _lost(row["lost"]),
            f"{row['lexicalized']:.1%}",
            f"{row['delexicalized']:.1%}",
            f"{row['always_contradiction']:.1%}",
        ]
        for row in found["rows"]
    ]
    return table([*header, "always “contradiction”"], rows)


def _lost(values: list[float]) -> str:
    mean, low, high = (f"{value + 0.0:.1f}".replace("-", "−") for value in values)
    return f"{mean} [{low} to {high}]"
