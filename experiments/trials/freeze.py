"""45 posts of a table of 1,000 long whole sentences from one visitor, while four others ask."""

from __future__ import annotations

import json
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from experiments.trials.serving import App, Attempts, others

SECONDS = 420.0
POSTS, ROWS = 45, 1_000
LONG = (
    "After the long council of the northern towns had ended in the old hall by the river, the "
    "{} governor of the upper valley quietly recommended the {} minister of the lower harbour to "
    "every merchant who had ever sold grain there."
)
HEADERS = ["Subject", "Relation", "Object", "Label", "Whole sentence", "Swapped sentence"]


def run(app: App) -> dict[str, Any]:
    """Post tables of sentences that nobody has parsed yet, straight and through the queue."""
    attempts, posts = Attempts(), app.times(POSTS)

    def post(number: int) -> None:
        cells = [["", "", "", "yes", LONG.format(f"{number}th {n}th", n), ""] for n in range(ROWS)]
        values = "teach-grid", "input", "", json.dumps({"headers": HEADERS, "rows": cells})
        with app.visitor(1) as visitor:
            attempts.make(lambda: (visitor.post if number % 2 else visitor.act)(*values))

    with others(app) as met, ThreadPoolExecutor(posts) as pool:
        time.sleep(3.0)
        list(pool.map(post, range(posts)))
        time.sleep(3.0)
    return attempts.to_json() | {"others": met.to_json()}
