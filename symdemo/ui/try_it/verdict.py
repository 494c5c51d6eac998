"""HTML of an answer: the verdict, the pair it is about, and what speaks against relying on it."""

from __future__ import annotations

import json
import re
from html import escape

from symdemo.classifier.asking import SURE, UNFAMILIAR
from symdemo.pairs import CONTRADICTION, ENTAILMENT, LABELS, NEUTRAL
from symdemo.ui.shared.answers import Answer
from symdemo.ui.shared.panels import ask_button, wording

WAITING = """
<section class="card verdict verdict--waiting"><p class="quiet">The verdict appears here.</p>
</section>
"""

NO_SWAP = "This is not a mere swap"
"""The verdict's words where something else changed than the places."""

CORRECTIONS = {
    ENTAILMENT: "It holds both ways",
    CONTRADICTION: "It cannot hold both ways",
    NEUTRAL: "It leaves that open",
}
"""What a visitor who knows better says with one tap, by label."""


def verdict_panel(answer: Answer) -> str:
    """The verdict in words, colour and a sign, with the pair it is about and its shares."""
    return f"""
<section class="card verdict {_style(answer)}">
  {_word(answer)}
  <div class="verdict__pair">{_quoted_pair(answer)}</div>
  {_note(answer)}{_warning(answer)}{_other_swaps(answer)}
  {_bars(answer)}{_teaching(answer)}
</section>"""


def verdict_in_words(answer: Answer) -> str:
    """The verdict in one or two plain sentences, as it is read aloud."""
    if not answer.in_scope:
        return f"{NO_SWAP}. {answer.question.difference}"
    shown = wording(answer.prediction.label)
    hypothesis = answer.prediction.pair.hypothesis
    return f"{shown.verdict}. {answer.share:.0%}. {hypothesis} {_doubt(answer)}".strip()


def _style(answer: Answer) -> str:
    if not answer.in_scope:
        return "verdict--none"
    style = f"verdict--{wording(answer.prediction.label).style}"
    return style + ("" if not _doubt(answer) else " verdict--unsure")


def _word(answer: Answer) -> str:
    if not answer.in_scope:
        sign, title = "≠", NO_SWAP
        meaning = f"{answer.question.difference} The model was taught swaps alone."
    else:
        sign, title, meaning = wording(answer.prediction.label)[1:]
    message = f'<p class="verdict__meaning">{escape(meaning)}</p>' if meaning else ""
    return (
        f'<div class="verdict__word"><span class="verdict__sign" aria-hidden="true">{sign}</span>'
        f"<div><h2>{escape(title)}</h2>{message}</div></div>"
    )


def _note(answer: Answer) -> str:
    """What was read in place of what was typed, where that is another sentence."""
    note = answer.question.swap.note if answer.question.swap else ""
    return f'<p class="quiet verdict__note">{escape(note)}</p>' if note else ""


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


def _warning(answer: Answer) -> str:
    doubt = _doubt(answer)
    if not doubt:
        return ""
    return f'<p class="verdict__warning"><span aria-hidden="true">⚠</span> {escape(doubt)}</p>'


def _other_swaps(answer: Answer) -> str:
    """Buttons for what else may have been meant, this swap among them."""
    swap = answer.question.swap
    if not swap or swap.sure:
        return ""
    sentence = answer.question.sentence
    choices = "".join(
        f"<li>{ask_button(text, {'sentence': sentence, 'hypothesis': text})}</li>"
        for text in (choice.hypothesis for choice in (swap, *swap.others))
    )
    return (
        f'<ul class="choices" aria-label="Which swap is meant?">{choices}</ul>'
        '<p class="quiet">None of these? Tap the two parties under “Swap it another way”.</p>'
    )


def _quoted_pair(answer: Answer) -> str:
    """Both sentences, with what changed places marked where it can be found in both."""
    pair, parts = answer.prediction.pair, answer.question.swap
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
    if not answer.in_scope:
        return ""
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
        for label, share in sorted(prediction.probabilities.items(), key=place_of_label)
    )
    return f'<div class="bars"><h3>{title}</h3><ul>{rows}</ul></div>'


def place_of_label(share: tuple[str, float]) -> int:
    """The three usual labels first, in their usual order, whatever order they were taught in."""
    return LABELS.index(share[0]) if share[0] in LABELS else len(LABELS)


def _teaching(answer: Answer) -> str:
    """“Wrong?”: each other answer as a button that makes a row to teach of it."""
    if not answer.in_scope:
        return ""
    pair = answer.prediction.pair
    buttons = "".join(
        f'<button type="button" class="choice" data-teach="{escape(json.dumps(row))}">'
        f"{text}</button>"
        for label, text in CORRECTIONS.items()
        if label != answer.prediction.label
        for row in [{"premise": pair.premise, "hypothesis": pair.hypothesis, "label": label}]
    )
    return f'<div class="wrong"><h3>Wrong? Teach it</h3><p class="choices">{buttons}</p></div>'


def taught_panel(message: str) -> str:
    """What became of a pair that was to be taught."""
    return (
        f'<p class="said" role="status">{escape(message)} <button type="button" class="choice" '
        'data-tab="teach">Go to Teach</button></p>'
    )


def compared_panel(answers: list[Answer], names: list[str]) -> str:
    """Two models on one pair, side by side."""
    cells = "".join(
        f'<li class="pin verdict--{wording(answer.prediction.label).style}"><h3>{escape(name)}</h3>'
        f"<p><b>{wording(answer.prediction.label).sign} "
        f"{escape(wording(answer.prediction.label).verdict)}</b> {answer.share:.0%}</p></li>"
        for answer, name in zip(answers, names, strict=True)
    )
    return (
        f'<section class="card"><h2>Two models on this pair</h2><ul class="pins">{cells}</ul>'
        "</section>"
    )


def words_panel(sentence: str, parts: tuple[str, str] | None) -> str:
    """The words of a sentence as buttons to tap; those of the two parties are chosen already."""
    words = sentence.split()
    chosen = {place: name for name, span in _places(words, parts).items() for place in span}
    chips = "".join(
        f'<button type="button" class="word" data-party="{chosen.get(place, "")}" '
        f'aria-pressed="{"true" if place in chosen else "false"}">{escape(word)}</button>'
        for place, word in enumerate(words)
    )
    return (
        '<div class="words"><p class="quiet">Tap the words of the first party, then those of the '
        "second. Tap a word again to take it back.</p>"
        f'<p class="words__row">{chips}</p>'
        '<button type="button" class="choice choice--go" data-swap-words>Swap these two</button>'
        "</div>"
    )


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
