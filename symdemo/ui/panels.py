"""HTML for the page. Whatever a visitor typed or a model was taught is escaped here."""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING, NamedTuple

from symdemo.pairs import CONTRADICTION, ENTAILMENT, LABELS, NEUTRAL, shorten
from symdemo.relations import RELATION_BY_ID

if TYPE_CHECKING:
    from symdemo.ui.try_handlers import Answer, Problem


class Wording(NamedTuple):
    """How a label is shown: a style class, a sign, the verdict, and what it means."""

    style: str
    sign: str
    verdict: str
    meaning: str


WORDINGS: dict[str, Wording] = {
    ENTAILMENT: Wording(
        "holds", "✓", "Yes, it still holds", "If the first sentence is true, so is the second."
    ),
    CONTRADICTION: Wording(
        "fails",
        "✕",
        "No, it cannot also hold",
        "If the first sentence is true, the second is false.",
    ),
    NEUTRAL: Wording(
        "open",
        "?",
        "It says nothing about that",
        "The first sentence leaves the second one open.",
    ),
}

UNFAMILIAR = "This is unlike anything the model was taught, so do not rely on the verdict."

SURE = 0.75
"""A verdict with a smaller share than this is shown as unsure."""

HEADER = """
<header class="masthead">
  <p class="masthead__name">symdemo</p>
  <h1>Swap subject and object: does the sentence still hold?</h1>
  <p class="masthead__lead"><span>“Kenya borders Uganda” <b class="holds">can be turned round</b>.
  </span><span>“Ann is Bob’s mother” <b class="fails">cannot</b>.</span> Type a sentence, and a
  small language model gives its verdict and shows what it rests on.</p>
</header>
"""

WAITING = """
<section class="card verdict verdict--waiting"><p class="quiet">The verdict appears here.</p>
</section>
"""


def wording(label: str) -> Wording:
    """How to show a label; one that was taught by a user is shown by its own name."""
    return WORDINGS.get(label, Wording("other", "◆", label, ""))


def relation_name(relation: str | None) -> str:
    """The name of one of the 14 relations by its id; any other as it was taught."""
    if not relation:
        return "–"
    return RELATION_BY_ID[relation].name if relation in RELATION_BY_ID else relation


def problem_panel(problem: Problem | None) -> str:
    """The one place where it says what is wrong; empty when nothing is."""
    if problem is None:
        return ""
    return (
        '<div class="problem" role="alert"><span class="problem__sign" aria-hidden="true">!</span>'
        f"<p>{escape(problem.message)}</p></div>"
    )


def verdict_panel(answer: Answer) -> str:
    """The verdict in words, colour and a sign, with the share of each label."""
    prediction = answer.prediction
    shown = wording(prediction.label)
    doubt = _doubt(answer)
    warning = (
        f'<p class="verdict__warning"><span aria-hidden="true">⚠</span> {doubt}</p>'
        if doubt
        else ""
    )
    style = f"verdict--{shown.style}" + (" verdict--unsure" if warning else "")
    meaning = f'<p class="verdict__meaning">{escape(shown.meaning)}</p>' if shown.meaning else ""
    return f"""
<section class="card verdict {style}" role="status">
  <div class="verdict__pair">{_quoted_pair(answer)}</div>
  <div class="verdict__word"><span class="verdict__sign" aria-hidden="true">{shown.sign}</span>
    <div><h2>{escape(shown.verdict)}</h2>{meaning}</div></div>
  {warning}
  {_bars(answer)}
</section>"""


def _doubt(answer: Answer) -> str:
    """Why not to rely on the verdict; empty where there is no reason.

    How often verdicts of a certain share are right is known only where the model's card has a
    temperature, which was chosen on relations that the model had not been taught.
    """
    prediction = answer.prediction
    if prediction.familiar is False:
        return UNFAMILIAR
    share = max(prediction.probabilities.values())
    if answer.model.classifier.card.temperature is None or share >= SURE:
        return ""
    return f"Not sure: of such verdicts about {round(10 * share)} in 10 are right."


def _quoted_pair(answer: Answer) -> str:
    """Both sentences, with what changed places marked where it can be found in both."""
    pair, parts = answer.prediction.pair, answer.parts
    quoted = [escape(pair.premise), escape(pair.hypothesis)]
    if parts:
        marked = [
            _marked(text, parts.subject, parts.object) for text in (pair.premise, pair.hypothesis)
        ]
        if all(marked):
            quoted = marked
    return (
        '<span class="arrow" aria-hidden="true">⇅</span>'
        f'<p class="sentence">{quoted[0]}</p><p class="sentence">{quoted[1]}</p>'
    )


def _marked(text: str, subject: str, object: str) -> str | None:
    """`text` escaped, with both phrases marked; None where one of them is not in it."""
    places = []
    for phrase, role in ((subject, "subject"), (object, "object")):
        found = re.search(rf"(?<!\w){re.escape(phrase)}(?!\w)", text, re.IGNORECASE)
        if not phrase or found is None:
            return None
        places.append((*found.span(), role))
    (start, end, first), (start2, end2, second) = sorted(places)
    if end > start2:
        return None
    return (
        f'{escape(text[:start])}<span class="part part--{first}">{escape(text[start:end])}</span>'
        f'{escape(text[end:start2])}<span class="part part--{second}">'
        f"{escape(text[start2:end2])}</span>{escape(text[end2:])}"
    )


def _bars(answer: Answer) -> str:
    prediction, n = answer.prediction, len(answer.prediction.neighbours)
    model = answer.model.classifier
    by_vote = model.readout is None and model.card.temperature is None
    title = f"Votes of the {n} nearest taught examples" if by_vote else "How sure the model is"
    if by_vote and n == 1:
        title = "Vote of the nearest taught example"
    rows = "".join(
        f'<li class="bar bar--{wording(label).style}"><span class="bar__label">{escape(label)}'
        f'</span><span class="bar__track" aria-hidden="true"><span style="width:{share:.1%}">'
        f'</span></span><span class="bar__share">{share:.0%}</span></li>'
        for label, share in sorted(prediction.probabilities.items(), key=_place)
    )
    return f'<div class="bars"><h3>{title}</h3><ul>{rows}</ul></div>'


def _place(share: tuple[str, float]) -> int:
    """The three usual labels first, in their usual order, whatever order they were taught in."""
    return LABELS.index(share[0]) if share[0] in LABELS else len(LABELS)


def neighbours_table(answer: Answer) -> str:
    """The nearest taught pairs, nearest first; distances are those of the full space."""
    rows = "".join(
        f'<tr><td class="number">{place}</td>'
        f"<td>{escape(shorten(near.pair.premise, 300))}</td>"
        f"<td>{escape(shorten(near.pair.hypothesis, 300))}</td>"
        f'<td><span class="tag tag--{wording(near.label).style}">'
        f'<span aria-hidden="true">{wording(near.label).sign}</span> {escape(near.label)}</span>'
        f"</td><td>{escape(relation_name(near.relation))}</td>"
        f'<td class="number">{near.distance:.4f}</td></tr>'
        for place, near in enumerate(answer.prediction.neighbours, start=1)
    )
    model = answer.model.classifier
    role = "Their labels are the votes."
    if model.card.temperature is not None:
        role = "All taught examples vote; these count most."
    if model.readout:
        role = "This model does not vote; they only show what it holds to be alike."
    return f"""
<section class="card"><h2>Nearest taught examples</h2>
<p class="quiet">{role} Distances are measured in all
{len(answer.prediction.label_embedding)} dimensions, not on the map: 0 is the same, 2 the
opposite.</p>
<div class="scroll" tabindex="0" role="region" aria-label="Nearest taught examples">
<table id="neighbours-table"><thead><tr><th scope="col" class="number">#</th>
<th scope="col">Sentence</th><th scope="col">Swapped</th><th scope="col">Taught as</th>
<th scope="col">Relation</th><th scope="col" class="number">Distance</th></tr></thead>
<tbody>{rows}</tbody></table></div></section>"""
