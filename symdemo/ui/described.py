"""Pictures for those who do not see them: a name, and what is drawn in words with its figures.

    caption = "<p>…</p>" + in_words("map", "Map of taught examples", ["Yours lies beside …"])

The words stand under the picture, folded, where everyone can read them. `assets/aids.js` makes the
picture one image with that name and these words as its description; nothing else need be done.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape


def in_words(plot: str, name: str, sentences: Iterable[str]) -> str:
    """HTML that names and describes a picture, to be put into its caption.

    Args:
        plot: the `elem_id` of the `gr.Plot`.
        name: what the picture is, in a few words; it is read out first.
        sentences: what is to be seen, figures included, as plain text; each begins a line.
    """
    lines = " ".join(f"<p>{escape(sentence)}</p>" for sentence in sentences)
    about = f'id="{escape(plot)}-words" data-describes="{escape(plot)}" data-name="{escape(name)}"'
    # The description is a copy: what stands in a folded part describes nothing, hidden words do.
    return (
        f'<details class="in-words"><summary>This picture in words</summary>{lines}</details>'
        f"<div hidden {about}>{lines}</div>"
    )
