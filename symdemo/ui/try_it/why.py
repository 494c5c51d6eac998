"""HTML of what a verdict rests on: a reason, the nearest examples, the pull of each label."""

from __future__ import annotations

from html import escape

from symdemo.classifier.explaining import (
    VotePull,
    is_invented,
    outvoted,
    reason,
    shown_premise,
    vote_pull,
)
from symdemo.text import shorten
from symdemo.ui.shared.answers import Answer
from symdemo.ui.shared.panels import label_tag, relation_name, wording
from symdemo.ui.try_it.verdict import place_of_label


def why_panel(answer: Answer) -> str:
    """Everything that explains the verdict, right under it."""
    model, prediction = answer.model.classifier, answer.prediction
    pull = vote_pull(model, prediction)
    told = [reason(prediction, model), outvoted(prediction, pull) if pull else ""]
    sentences = "".join(f"<p>{escape(text)}</p>" for text in told if text)
    return f"""
<section class="card why"><h2>Why</h2>{sentences}
{_neighbours(answer)}
{_pull(pull) if pull else ""}</section>"""


def _neighbours(answer: Answer) -> str:
    """The nearest taught pairs, nearest first; distances are those of the full space."""
    items = "".join(_neighbour(near) for near in answer.prediction.neighbours)
    model = answer.model.classifier
    role = "Their labels are the votes."
    if model.card.temperature is not None:
        role = "All taught examples vote; near ones count most."
    if model.readout:
        role = "This model does not vote; they only show what it holds to be alike."
    return (
        f'<h3>Nearest taught examples</h3><ol class="near" id="neighbours">{items}</ol>'
        f'<p class="quiet">{role} Distance 0 is the same, 2 the opposite.</p>'
    )


def _neighbour(near) -> str:
    name = relation_name(near.relation)
    made_up = ' <span class="invented">invented example</span>' if is_invented(near.pair) else ""
    first = shown_premise(near.pair)
    second = near.pair.premise if first == near.pair.hypothesis else near.pair.hypothesis
    return (
        f'<li><p class="near__pair">{escape(shorten(first, 300))} '
        f'<span aria-hidden="true">⇄</span> {escape(shorten(second, 300))}</p>'
        f'<p class="near__facts">{label_tag(near.label)} {escape(name)}{made_up} '
        f'<span class="near__distance">distance <b>{near.distance:.4f}</b></span></p></li>'
    )


def _pull(pull: VotePull) -> str:
    """How the vote adds up, nearest first: the last row is the verdict's shares."""
    order = sorted(range(len(pull.labels)), key=lambda j: place_of_label((pull.labels[j], 0)))
    rows = "".join(
        f'<tr><th scope="row">{_counted(count, pull.counts[-1])}</th><td>'
        f'<span class="stack" aria-hidden="true">'
        + "".join(
            f'<span class="stack__part bar--{wording(pull.labels[j]).style}" '
            f'style="width:{row[j]:.2%}"></span>'
            for j in order
        )
        + '</span><span class="visually-hidden">'
        + ", ".join(f"{escape(pull.labels[j])} {row[j]:.0%}" for j in order)
        + "</span></td></tr>"
        for count, row in zip(pull.counts, pull.shares, strict=True)
    )
    return (
        '<details class="pull"><summary>How the vote adds up</summary>'
        '<p class="quiet">Each row adds taught examples that lie further off. A bar’s length is '
        "their share of the whole vote so far; the last one is the verdict’s.</p>"
        f'<table><thead><tr><th scope="col">Nearest</th><th scope="col">Share of the vote</th></tr>'
        f"</thead><tbody>{rows}</tbody></table></details>"
    )


def _counted(count: int, all_of_them: int) -> str:
    return f"all {count:,}" if count == all_of_them else f"{count:,}"
