"""150 requests at once from one visitor, while four others ask."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx

from trials.serving import SENTENCES, App, RefusedError, others

SECONDS = 240.0
REQUESTS = 150


def run(app: App) -> dict[str, Any]:
    """Ask all at once; whoever is refused must be told so in a sentence."""
    refused: list[str] = []
    broken: list[str] = []
    seconds: list[float] = []
    number = app.times(REQUESTS)

    def ask(n: int) -> None:
        began = time.perf_counter()
        try:
            with app.visitor(1) as visitor:
                visitor.predict(SENTENCES[n % len(SENTENCES)])
        except RefusedError as error:
            refused.append(str(error))
        except httpx.HTTPError as error:
            broken.append(f"{type(error).__name__}: {error}")
        seconds.append(time.perf_counter() - began)

    with others(app) as met, ThreadPoolExecutor(number) as pool:
        time.sleep(3.0)  # what the others see before it begins, too
        list(pool.map(ask, range(number)))
        time.sleep(3.0)
    return {
        "tried": number,
        "failed": len(broken),
        "refused": len(refused),
        "refusals": sorted(set(refused))[:3],
        "slowest_seconds": max(seconds),
        "others": met.to_json(),
    }
