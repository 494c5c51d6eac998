"""HTML of an answer: the verdict, the pair it is about, and what speaks against relying on it."""

from __future__ import annotations

import re

from markupsafe import Markup

from symdemo.classifier.asking import SURE, UNFAMILIAR
from symdemo.pairs import CONTRADICTION, ENTAILMENT, LABELS, NEUTRAL
from symdemo.ui.shared.answers import Answer
from symdemo.ui.shared.html import Wording, draw, wording

NO_SWAP = "This is not a mere swap"
"""The verdict's words where something else changed than the places."""

CORRECTIONS = {
    ENTAILMENT: "It holds both ways",
    CONTRADICTION: "It cannot hold both ways",
    NEUTRAL: "It leaves that open",
}
"""What a visitor who knows better says with one tap, by label."""

MARKED = Markup('{}<span class="part part--{}">{}</span>{}<span class="part part--{}">{}</span>{}')
TAUGHT = Markup(
    '<p class="said" role="status">{} <button type="button" class="choice" data-tab="teach">'
    "Go to Teach</button></p>"
)


def verdict_panel(answer: Answer) -> Markup:
    """The verdict in words, colour and a sign, with the pair it is about and its shares."""
    return draw(
        "try_it/verdict.html",
        answer=answer,
        shown=_wording(answer),
        doubt=_doubt(answer),
        quoted=_quoted_pair(answer),
        bars=_title_of_bars(answer),
        shares=sorted(answer.prediction.probabilities.items(), key=place_of_label),
        corrections=CORRECTIONS,
    )


def verdict_in_words(answer: Answer) -> str:
    """The verdict in one or two plain sentences, as it is read aloud."""
    if not answer.in_scope:
        return f"{NO_SWAP}. {answer.question.difference}"
    shown = wording(answer.prediction.label)
    hypothesis = answer.prediction.pair.hypothesis
    return f"{shown.verdict}. {answer.share:.0%}. {hypothesis} {_doubt(answer)}".strip()


def _wording(answer: Answer) -> Wording:
    if answer.in_scope:
        return wording(answer.prediction.label)
    meaning = f"{answer.question.difference} The model was taught swaps alone."
    return Wording("none", "≠", NO_SWAP, meaning)


def _doubt(answer: Answer) -> str:
    """Why not to rely on the verdict; empty where there is no reason.

    How often verdicts of a certain share are right is known only where the model's card has a
    temperature, which was chosen on relations that the model had not been taught.
    """
    if not answer.in_scope:
        return ""
    swap = answer.question.swap
    if swap and swap.doubts:
        return " ".join(["Is this the swap you mean?", *swap.doubts])
    if answer.question.difference:
        return f"More than the places changed: {answer.question.difference}"
    if answer.prediction.familiar is False:
        return f"{UNFAMILIAR.removesuffix('.')}, so do not rely on the verdict."
    if answer.model.classifier.card.temperature is None or answer.share >= SURE:
        return ""
    return f"Not sure: of such verdicts about {round(10 * answer.share)} in 10 are right."


def _quoted_pair(answer: Answer) -> list[str]:
    """Both sentences, with what changed places marked where it can be found in both."""
    pair, parts = answer.prediction.pair, answer.question.swap
    sentences = [pair.premise, pair.hypothesis]
    marked = [_marked(text, parts.subject, parts.object) for text in sentences] if parts else [None]
    return marked if all(marked) else sentences


def _marked(text: str, subject: str, object: str) -> Markup | None:
    """`text` with both phrases marked; None where one of them is not in it."""
    places = []
    for phrase, role in ((subject, "subject"), (object, "object")):
        found = re.search(rf"(?<!\w){re.escape(phrase)}(?!\w)", text, re.IGNORECASE)
        if not phrase or found is None:
            return None
        places.append((*found.span(), role))
    (start, end, first), (start2, end2, second) = sorted(places)
    if end > start2:
        return None
    return MARKED.format(
        text[:start],
        *(first, text[start:end]),
        text[end:start2],
        *(second, text[start2:end2]),
        text[end2:],
    )


def _title_of_bars(answer: Answer) -> str:
    n, model = len(answer.prediction.neighbours), answer.model.classifier
    if model.readout is not None or model.card.temperature is not None:
        return "How sure the model is"
    many = f"Votes of the {n} nearest taught examples"
    return "Vote of the nearest taught example" if n == 1 else many


def place_of_label(share: tuple[str, float]) -> int:
    """The three usual labels first, in their usual order, whatever order they were taught in."""
    return LABELS.index(share[0]) if share[0] in LABELS else len(LABELS)


def taught_panel(message: str) -> Markup:
    """What became of a pair that was to be taught."""
    return TAUGHT.format(message)


def compared_panel(answers: list[Answer], names: list[str]) -> Markup:
    """Two models on one pair, side by side."""
    return draw("try_it/compared.html", answers=list(zip(answers, names, strict=True)))


def words_panel(sentence: str, parts: tuple[str, str] | None) -> Markup:
    """The words of a sentence as buttons to tap; those of the two parties are chosen already."""
    words = sentence.split()
    chosen = {place: name for name, span in _places(words, parts).items() for place in span}
    return draw("try_it/words.html", words=words, chosen=chosen)


def _places(words: list[str], parts: tuple[str, str] | None) -> dict[str, range]:
    """Where the two phrases stand among the words; empty where one is not found."""
    found: dict[str, range] = {}
    bare = [word.strip(".,;:!?\"“”'’()").casefold() for word in words]
    bare = [re.sub(r"['’]s?$", "", word) for word in bare]
    for name, phrase in zip(("one", "two"), parts or (), strict=False):
        wanted = [word.strip(".,;:!?\"“”'’()").casefold() for word in phrase.split()]
        for start in range(len(words) - len(wanted) + 1):
            if wanted and bare[start : start + len(wanted)] == wanted:
                found[name] = range(start, start + len(wanted))
                break
    return found if len(found) == 2 else {}
