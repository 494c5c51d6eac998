"""The app: a header, one tab per builder, endpoints for programs, and how it is launched."""

from __future__ import annotations

import json
from collections.abc import Callable
from threading import Thread
from typing import Any, NamedTuple

import gradio as gr
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware

from symdemo.files.paths import ASSETS, DOCS
from symdemo.teaching.limits import Limits
from symdemo.ui.analyse.tab import build_analyse_tab
from symdemo.ui.api import Endpoints
from symdemo.ui.benchmark.tab import build_benchmark_tab
from symdemo.ui.sentences.tab import build_sentences_tab
from symdemo.ui.shared import events
from symdemo.ui.shared.connections import guard_server
from symdemo.ui.shared.gradio_hooks import LAUNCH, GuardedBlocks, describe_page, load_when_opened
from symdemo.ui.shared.html import draw, draw_html, read_script
from symdemo.ui.shared.requests import REFUSALS, BodyLimit
from symdemo.ui.shared.sessions import Sessions
from symdemo.ui.shared.store import ModelStore
from symdemo.ui.shared.temporary import UPLOAD_SECONDS, temporary_files
from symdemo.ui.shared.visitor import Visitor
from symdemo.ui.teach.tab import build_teach_tab
from symdemo.ui.try_it.events import warm_up
from symdemo.ui.try_it.tab import build_try_tab

TITLE = "symdemo: does the sentence still hold when subject and object are swapped?"
PICTURE = DOCS / "try.png"  # an installed package has none
DELETE_CACHE = (300, UPLOAD_SECONDS)
"""Seconds between two removals of old uploads and downloads, and the age of an old one."""


class Tab(NamedTuple):
    """A tab, and the function that draws and connects it."""

    name: str
    id: str  # in the address
    # May return a function of the drawn tab, which connects what happens when it is opened.
    build: Callable[[Visitor, gr.Blocks], Callable[[gr.Tab], Any] | None]


TABS = (
    Tab("Try it", "try", build_try_tab),
    Tab("Teach", "teach", build_teach_tab),
    Tab("Analyse", "analyse", build_analyse_tab),
    Tab("Sentence lab", "sentences", build_sentences_tab),
    Tab("Benchmark", "benchmark", build_benchmark_tab),
)


def build_app(store: ModelStore, sessions: Sessions | None = None) -> gr.Blocks:
    """Build the app on a store of models; pass `launch_options()` to its `launch`."""
    sessions = sessions or Sessions(store)
    picture = PICTURE.as_posix() if PICTURE.exists() else ""
    gr.set_static_paths([picture] if picture else [])
    preview = draw("shared/preview.html", title=TITLE, picture=picture)
    describe_page(preview, read_script("first.js"))
    temporary_files()  # before any component is made: each reads the folder of its files once
    with GuardedBlocks(title=TITLE, analytics_enabled=False, delete_cache=DELETE_CACHE) as demo:
        visitor = Visitor.draw(sessions)
        draw_html(draw("shared/masthead.html"), elem_id="masthead")
        with gr.Tabs():
            for tab in TABS:
                with gr.Tab(tab.name, id=tab.id, elem_id=f"tab-{tab.id}") as drawn:
                    connect = tab.build(visitor, demo)
                kept = {"tab": "" if tab is TABS[0] else tab.id}
                drawn.select(js=f"() => window.symdemo?.remember?.({kept}, true)", **events.IN_PAGE)
                if connect:
                    connect(drawn)
        load_when_opened(demo)
        programs = Endpoints(sessions)
        for name, endpoint, queue in (
            ("predict", programs.does_it_hold, events.MODEL_QUEUE),
            ("why", programs.explain_verdict, events.MODEL_QUEUE),
            ("swap", programs.swap_places, events.MODEL_QUEUE),
            ("compare", programs.compare_models, events.MODEL_QUEUE),
            ("teach", programs.teach_relations, events.TEACH_QUEUE),
            ("similarity", programs.how_similar, events.SENTENCE_QUEUE),
        ):
            gr.api(endpoint, api_name=name, **queue)
    return demo.queue()


def serve(host: str | None = None, port: int | None = None) -> None:
    """Build the app on the models in `models/` and run it until it is stopped."""
    store = ModelStore.of_folder()
    launch(build_app(store), store, host, port)


def launch(
    demo: gr.Blocks,
    store: ModelStore,
    host: str | None = None,
    port: int | None = None,
    share: bool = False,
) -> None:
    """Run the app; model and parser load in the background, and the page then opens with an answer.

    Host and port default to GRADIO_SERVER_NAME and GRADIO_SERVER_PORT.
    """
    guard_server()
    Thread(target=warm_up, args=(store, demo), daemon=True).start()
    demo.launch(server_name=host, server_port=port, share=share or None, **launch_options())


def launch_options() -> dict[str, Any]:
    """Return the arguments of `launch`: looks, limits, middleware, and what is switched off."""
    most, check = Limits().archive_bytes, temporary_files().check_upload
    return {
        "theme": theme(),
        "css_paths": [ASSETS / "style.css"],
        "head": f"<script>{read_script('aids.js')}</script>",
        "footer_links": ["api"],
        "run_history": False,
        "ssr_mode": False,
        "max_file_size": most,
        "enable_monitoring": False,
        "mcp_server": True,
        **LAUNCH,
        "app_kwargs": {
            "middleware": [
                Middleware(GZipMiddleware, minimum_size=10_000, compresslevel=5),
                Middleware(BodyLimit, upload_bytes=most, check_upload=check),
            ],
            "exception_handlers": REFUSALS,
        },
    }


def theme() -> gr.themes.Base:
    """Return the theme, with system fonts only: nothing is fetched from outside.

    Its colours are darker than the defaults, which fall short of a contrast of 4.5 on white.
    """
    made = json.loads((ASSETS / "theme.json").read_text(encoding="utf-8"))
    return gr.themes.Base(**made["base"]).set(**made["set"])
