"""A list that a visitor brings: its job, how that gets on, and what is shown of it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import quote

import gradio as gr
from markupsafe import Markup

from symdemo.jobs.state import JobView
from symdemo.ui.sentences.asking import Latest
from symdemo.ui.sentences.comparing import fixed_pairs
from symdemo.ui.sentences.nearest import (
    SHOWN,
    Found,
    Request,
    expected_seconds,
    find_nearest,
    read_request,
)
from symdemo.ui.sentences.readers import missing_words
from symdemo.ui.shared.events import Problem, Updates, attempt, problem_panel
from symdemo.ui.shared.gradio_hooks import current_origin
from symdemo.ui.shared.html import draw
from symdemo.ui.shared.sessions import Sessions

KIND = "sentences"
LOOK_SECONDS = 0.4
"""Between two looks at a job."""
EXAMPLE_QUERY = "A child is playing by the water."


def list_examples() -> tuple[str, str]:
    """A sentence to look for, and a list."""
    return EXAMPLE_QUERY, "\n".join(sentence for pair in fixed_pairs() for sentence in pair)


class ListDesk:
    """The jobs of all visitors' lists; a page's newest one replaces those before it."""

    def __init__(self, sessions: Sessions):
        self.sessions = sessions
        self._latest = Latest()

    async def look_up(self, visit: str, query: Any, pasted: Any) -> AsyncIterator[dict[str, Any]]:
        """What is to be written, by the names of components, until the job has ended.

        It ends without a word where the page has begun another one.
        """
        job = attempt(self._begin, visit, query, pasted)
        if isinstance(job, Problem):
            yield {"problem": problem_panel(job), "stop": gr.Button(visible=False), "found": ""}
            return
        while True:
            view = attempt(self.sessions.queue.get, job, visit)
            if self._latest.get(visit) != job:
                return
            if isinstance(view, Problem):
                yield {"problem": problem_panel(view), "stop": gr.Button(visible=False)}
                return
            yield _shown(view)
            if view.finished:
                return
            await asyncio.sleep(LOOK_SECONDS)

    def stop(self, visit: str) -> Updates:
        """Ask a page's job to stop."""
        if job := self._latest.get(visit):
            self.sessions.queue.stop(job, visit)
        return {}

    def _begin(self, visit: str, query: Any, pasted: Any) -> str:
        request = read_request(query, pasted)
        self.stop(visit) if self._at_work(visit) else None
        encoders = self.sessions.encoders
        job = self.sessions.queue.submit(
            visit,
            "Nearest sentences",
            lambda handle: find_nearest(encoders, request, handle),
            expected_seconds=expected_seconds(encoders, len(request.lines)),
            kind=KIND,
            group=current_origin().address,
        )
        self._latest.note(visit, job)
        return job

    def _at_work(self, visit: str) -> bool:
        view = self.sessions.queue.current(visit, KIND)
        return view is not None and not view.finished


def _shown(view: JobView) -> dict[str, Any]:
    """What is written of a job as it stands."""
    if view.state == "failed":
        failed = problem_panel(Problem(view.error or "It failed; try again."))
        return {"problem": failed, "found": "", "stop": gr.Button(visible=False)}
    done = view.state == "done"
    panel = found_panel(view.result) if done else draw("sentences/job.html", view=view)
    return {"problem": "", "found": panel, "stop": gr.Button(visible=not view.finished)}


def found_panel(found: Found) -> Markup:
    """The nearest lines under each reader, side by side, and the file to take home."""
    request: Request = found.request
    return draw(
        "sentences/nearest.html",
        query=request.query,
        total=len(request.lines),
        shown=min(SHOWN, len(request.lines)),
        columns=[(reader, found.nearest(reader)) for reader in found.distances],
        missing=missing_words(found.missing) if found.missing else "",
        file=quote("\ufeff" + found.to_csv()),
    )
