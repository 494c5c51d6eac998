"""45 posts of a table of 1,000 long whole sentences from one visitor, while four others ask."""

from __future__ import annotations

import json
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx

from trials.serving import App, RefusedError, others

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
    posts, rows = app.times(POSTS), ROWS
    refused: list[str] = []
    broken: list[str] = []
    seconds: list[float] = []

    def post(number: int) -> None:
        cells = [["", "", "", "yes", LONG.format(f"{number}th {n}th", n), ""] for n in range(rows)]
        table = json.dumps({"headers": HEADERS, "rows": cells})
        began = time.perf_counter()
        try:
            with app.visitor(1) as visitor:
                if number % 2:
                    answer = visitor.post("teach-grid", "input", "", table)
                    if answer.status_code != httpx.codes.OK:
                        raise RefusedError(f"{answer.status_code}: {answer.text[:200]}")
                else:
                    visitor.act("teach-grid", "input", "", table)
        except RefusedError as error:
            refused.append(str(error))
        except httpx.HTTPError as error:
            broken.append(f"{type(error).__name__}: {error}")
        seconds.append(time.perf_counter() - began)

    with others(app) as met, ThreadPoolExecutor(posts) as pool:
        time.sleep(3.0)
        list(pool.map(post, range(posts)))
        time.sleep(3.0)
    return {
        "tried": posts,
        "failed": len(broken),
        "refused": len(refused),
        "refusals": sorted(set(refused))[:3],
        "slowest_seconds": max(seconds),
        "others": met.to_json(),
    }
