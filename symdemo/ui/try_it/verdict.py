"""HTML of an answer: the verdict, its pair, how far to rely on it, and what it rests on."""

from __future__ import annotations

import re
from collections.abc import Sequence

from markupsafe import Markup

from symdemo.classifier.asking import SURE, UNFAMILIAR
from symdemo.classifier.card import UNSEEN, ModelCard
from symdemo.classifier.explaining import is_invented, is_swap, is_turned_round, outvoted, vote_pull
from symdemo.pairs import CONTRADICTION, ENTAILMENT, LABELS, NEUTRAL
from symdemo.swapping.changes import SAME
from symdemo.ui.shared.about import NO_MODEL
from symdemo.ui.shared.answers import LoadedAnswer
from symdemo.ui.shared.html import Wording, draw, wording

NO_VERDICT = "Not judged"  # the headline of a pair that the model does not judge

FREELY = {
    ENTAILMENT: "The second sentence follows from the first.",
    CONTRADICTION: "Both sentences cannot be true.",
    NEUTRAL: "The second sentence may or may not be true.",
}
"""The meaning of a verdict on a second sentence that is no swap."""

MARKED = Markup('{}<span class="part part--{}">{}</span>{}<span class="part part--{}">{}</span>{}')
SHOWN = 3  # closest examples beside the reason; the others are folded away


def verdict_panel(answer: LoadedAnswer) -> Markup:
    """Render the verdict in words, colour and a sign, with its pair and its shares."""
    return draw(
        "try_it/verdict.html",
        answer=answer,
        shown=_wording(answer),
        same=SAME,
        doubt=_doubt(answer),
        quoted=_quoted_pair(answer),
        shares=sorted(answer.prediction.probabilities.items(), key=lambda one: _place(one[0])),
    )


def verdict_in_words(answer: LoadedAnswer) -> str:
    """Return the verdict in one or two plain sentences, as it is read aloud."""
    shown = _wording(answer)
    if not answer.in_scope:
        return f"{shown.verdict}. {shown.meaning}"
    hypothesis = answer.prediction.pair.hypothesis
    return f"{shown.verdict}, {answer.share:.0%} sure. {hypothesis} {_doubt(answer)}".strip()


def _wording(answer: LoadedAnswer) -> Wording:
    if not answer.in_scope:
        return Wording("none", "≠", NO_VERDICT, answer.why_none)
    label = answer.prediction.label
    shown = wording(label)
    free = not answer.question.is_swap and label in FREELY
    return shown._replace(meaning=FREELY[label]) if free else shown


def _doubt(answer: LoadedAnswer) -> str:
    """Return why not to rely on the verdict, or "".

    How often a verdict with a given share is right is known only for a model whose card has a
    temperature: that was chosen on unseen relations.
    """
    if not answer.in_scope:
        return ""
    if answer.question.difference and answer.question.difference in answer.doubts:
        return f"More than a swap: {answer.question.difference}"
    if answer.prediction.familiar is False:
        return f"{UNFAMILIAR.removesuffix('.')}, so do not rely on the verdict."
    if answer.second_verdict not in ("", answer.prediction.label):
        return f"Not sure: a second model answers “{wording(answer.second_verdict).verdict}”."
    if answer.model.classifier.card.temperature is None or answer.share >= SURE:
        return ""
    right = round(10 * answer.share)
    coin = " – a coin toss" if right == 5 else ""
    return f"Not sure{coin}: about {right} in 10 of these are right."


def _quoted_pair(answer: LoadedAnswer) -> Sequence[str]:
    """Return both sentences, with subject and object marked where both are found in both."""
    pair, parts = answer.prediction.pair, answer.question.swap
    sentences = [pair.premise, pair.hypothesis]
    marked = [_marked(text, parts.subject, parts.object) for text in sentences] if parts else []
    return marked if all(marked) and marked else sentences


def _marked(text: str, subject: str, object: str) -> Markup:
    """Mark both phrases in a text; empty if one of them is not in it."""
    places = []
    for phrase, role in ((subject, "subject"), (object, "object")):
        found = re.search(rf"(?<!\w){re.escape(phrase)}(?!\w)", text, re.IGNORECASE)
        if not phrase or found is None:
            return Markup()
        places.append((*found.span(), role))
    (start, end, one), (start2, end2, two) = sorted(places)
    if end > start2:
        return Markup()
    marked = (one, text[start:end], text[end:start2], two, text[start2:end2])
    return MARKED.format(text[:start], *marked, text[end2:])


def _place(label: str) -> int:
    """Sort the three usual labels first, in their usual order."""
    return LABELS.index(label) if label in LABELS else len(LABELS)


def compared_panel(answers: list[LoadedAnswer]) -> Markup:
    """Show two models on one pair, side by side."""
    return draw("try_it/compared.html", answers=[(answer, _wording(answer)) for answer in answers])


def words_panel(sentence: str, parts: tuple[str, str] | None, asked: bool = False) -> Markup:
    """Show words as buttons, those of `parts` chosen; folded away unless the page asks."""
    words = [word for word in sentence.split() if word.isprintable()]
    if len(words) < 2:
        return Markup()
    chosen = {place: name for name, span in _places(words, parts).items() for place in span}
    return draw("try_it/words.html", words=words, chosen=chosen, asked=asked)


def _places(words: list[str], parts: tuple[str, str] | None) -> dict[str, range]:
    """Return the places of both phrases among the words; empty if one is not found."""
    found: dict[str, range] = {}
    marks = ".,;:!?\"“”'’()"
    bare = [re.sub(r"['’]s?$", "", word.strip(marks).casefold()) for word in words]
    for name, phrase in zip(("one", "two"), parts or (), strict=False):
        wanted = [word.strip(marks).casefold() for word in phrase.split()]
        for start in range(len(words) - len(wanted) + 1):
            if wanted and bare[start : start + len(wanted)] == wanted:
                found[name] = range(start, start + len(wanted))
                break
    return found if len(found) == 2 else {}


def honest_line(card: ModelCard | None, answer: LoadedAnswer | None = None) -> Markup:
    """Say in one line how good a model is on a visitor's own sentences, and that it answered."""
    names = {"unseen": UNSEEN, "no_model": NO_MODEL}
    return draw("try_it/honest.html", card=card, answer=answer, **names)


def why_panel(answer: LoadedAnswer) -> Markup:
    """Explain the verdict: a reason, the closest examples, the pull of each label."""
    model, prediction = answer.model.classifier, answer.prediction
    pull = vote_pull(model, prediction)
    labels, near = pull.labels if pull else (), prediction.neighbours
    same = [one.label == prediction.label for one in near[:SHOWN]]
    closest = f"{sum(same)} of the {len(same)} closest examples that it knows have this answer."
    if same and same[0]:
        they = "examples that it knows have" if all(same) and len(same) > 1 else "example has"
        closest = f"The closest {they} this answer, too."
    return draw(
        "try_it/why.html",
        told=outvoted(prediction, pull) or closest,
        near=near,
        is_invented=is_invented,
        is_swap=is_swap,
        is_turned_round=is_turned_round,
        few=SHOWN,
        model=model,
        pull=pull,
        order=sorted(range(len(labels)), key=lambda j: _place(labels[j])),
    )
