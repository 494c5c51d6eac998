"""150 requests at once from one visitor, while four others ask."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from experiments.trials.serving import SENTENCES, App, Attempts, others

SECONDS = 240.0
REQUESTS = 150


def run(app: App) -> dict[str, Any]:
    """Ask all at once; whoever is refused must be told so in a sentence."""
    attempts, number = Attempts(), app.times(REQUESTS)

    def ask(n: int) -> None:
        with app.visitor(1) as visitor:
            attempts.make(lambda: visitor.predict(SENTENCES[n % len(SENTENCES)]))

    with others(app) as met, ThreadPoolExecutor(number) as pool:
        time.sleep(3.0)  # what the others see before it begins, too
        list(pool.map(ask, range(number)))
        time.sleep(3.0)
    return attempts.to_json() | {"others": met.to_json()}
