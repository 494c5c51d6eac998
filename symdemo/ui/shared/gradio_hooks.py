"""All that depends on private parts of Gradio, written for version 6.31.0.

Gradio's own queue is first come, first served: one visitor could fill it. It builds 0.36 MB for
each page that asks, which takes 80 ms of everyone's time. It logs and quotes what was sent. And a
page asks for the scripts of all kinds of components at once, those of tabs never opened included.
"""

from __future__ import annotations

import json
import logging
import re
import traceback
from collections import Counter, OrderedDict
from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import gradio as gr
from gradio import mcp, routes, state_holder
from gradio.blocks import Block
from gradio.context import LocalContext
from jinja2 import ChoiceLoader, DictLoader

from symdemo.ui.shared import events
from symdemo.ui.shared.requests import REFUSED, Turns, caller_of

logger = logging.getLogger(__name__)

MAX_EVENTS = 512  # events of all visitors that wait or run
SHARE = 64  # most of these for one address, which a school may share; opening a page takes five
MAX_PAGES = 2_000  # pages whose state is kept
PAGES = 128  # most of these for one address, so that nobody pushes out the pages of others

BUSY = "{} of your requests are already waiting. Wait for their answers."


@dataclass(frozen=True, slots=True)
class Origin:
    """The sender of a request; empty for calls from inside the program."""

    page: str = ""  # the name of the open page, or of a program's session
    address: str = ""  # network address; with the page behind a proxy that hides it


def current_origin() -> Origin:
    """Return the sender of the request that this thread or task answers."""
    return origin_of(LocalContext.request.get(None))


def origin_of(request: Any) -> Origin:
    """Return the sender of a Gradio request, or of the first of a list of them."""
    request = request[0] if isinstance(request, list) and request else request
    if request is None:
        return Origin()
    page = getattr(request, "session_hash", None) or ""
    return Origin(page, caller_of(request, page))


class GuardedBlocks(gr.Blocks):
    """Blocks whose events wait for their turn, and whose errors quote nothing that was sent."""

    def queue(self, *args: Any, **kwargs: Any) -> GuardedBlocks:
        """Let Gradio start each event as it comes; `process_api` makes it wait for its turn.

        Concurrency limits mean what they mean in Gradio. Events cannot be posted past the queue.
        """
        self._turns: dict[str, Turns] = {}
        self._events: Counter[str] = Counter()
        self._pages: OrderedDict[str, OrderedDict[str, None]] = OrderedDict()
        for event in self.fns.values():
            if isinstance(event.concurrency_limit, int):
                self._turns.setdefault(event.concurrency_id, Turns(event.concurrency_limit))
                event.concurrency_limit = None
        # Gradio would tell all who wait their place whenever one is answered.
        usual = {"status_update_rate": 1.0, "max_size": MAX_EVENTS}
        super().queue(*args, **usual | kwargs | {"api_open": False})
        return self

    async def preprocess_data(self, *args: Any, **kwargs: Any) -> Any:
        """Pass inputs through their components; do not quote an input that one refuses."""
        try:
            return await super().preprocess_data(*args, **kwargs)
        except Exception as error:
            logger.warning("An input was refused (%s).", type(error).__name__)
            raise gr.Error(REFUSED, print_exception=False) from None

    async def process_api(self, block_fn: Any, *args: Any, **kwargs: Any) -> dict[str, Any]:
        """Run an event in its turn; report an unexpected error in one sentence.

        Gradio would print such an error with everything that was sent, project keys included.
        """
        origin = origin_of(kwargs.get("request"))
        caller = origin.address
        self._remember(origin)
        if self._events[caller] >= SHARE:
            raise gr.Error(BUSY.format(SHARE), print_exception=False)
        self._events[caller] += 1
        try:
            turns = self._turns.get(block_fn.concurrency_id)
            async with turns.take(caller) if turns else nullcontext():
                return await super().process_api(block_fn, *args, **kwargs)
        except gr.Error as error:
            error.print_exception = False
            raise
        except Exception as error:
            where = traceback.extract_tb(error.__traceback__)[-1]
            logger.warning(
                "An event could not be run: %s in %s, line %s.",
                type(error).__name__, where.name, where.lineno,
            )  # fmt: skip
            raise gr.Error(REFUSED, print_exception=False) from None
        finally:
            self._events[caller] -= 1
            self._events = +self._events

    def _remember(self, origin: Origin) -> None:
        """Note the page that asks; forget the least recently used if its address has too many."""
        pages = self._pages.setdefault(origin.address, OrderedDict())
        pages[origin.page] = None
        pages.move_to_end(origin.page)
        self._pages.move_to_end(origin.address)
        forgotten = [pages.popitem(last=False)[0]] if len(pages) > PAGES else []
        if len(self._pages) > MAX_PAGES:
            forgotten += self._pages.popitem(last=False)[1]
        for page in forgotten:
            self.state_holder.session_data.pop(page, None)
            self.state_holder.time_last_used.pop(page, None)


class LightState(state_holder.SessionState):
    """The state of one page, without Gradio's copy of all components.

    The copy serves deep links only, and their route is closed.
    """

    def __init__(self, blocks: gr.Blocks):
        # Gradio copies the components in `blocks`; it looks all others up in `default_config`.
        super().__init__(SimpleNamespace(blocks={}, default_config=blocks.default_config))  # type: ignore[arg-type]

    def __setitem__(self, key: int, value: Any) -> None:
        super().__setitem__(key, value)
        self.config_values.clear()

    def _update_config(self, key: int) -> None:
        """Copy nothing, unlike Gradio."""

    def _update_value_in_config(self, key: int, value: Any) -> None:
        """Copy nothing, unlike Gradio."""


state_holder.SessionState = LightState  # type: ignore[misc]


class JsonTools(mcp.GradioMCPServer):
    """MCP tools that answer in JSON, as text and structured; Gradio would write Python's `repr`."""

    def postprocess_output_data(self, data: Any, root_url: str) -> list[Any]:
        """Return the one output of an endpoint as JSON."""
        text = json.dumps(data[0], ensure_ascii=False, allow_nan=False)
        return [self.types.TextContent(type="text", text=text)]

    def create_mcp_server(self) -> Any:
        """Add output schemas to the tools, and structured results; a list is under “result”."""
        server, types = super().create_mcp_server(), self.types
        call = server.request_handlers[types.CallToolRequest]
        tools = server.request_handlers[types.ListToolsRequest]

        async def call_structured(request: Any) -> Any:
            answer: Any = await call(request)
            if not answer.root.isError:
                found = json.loads(answer.root.content[0].text)
                found = found if isinstance(found, dict) else {"result": found}
                answer.root.structuredContent = found
            return answer

        async def list_with_schemas(request: Any) -> Any:
            answer: Any = await tools(request)
            for tool in answer.root.tools:
                endpoint = self.api_info["named_endpoints"][self.tool_to_endpoint[tool.name]]
                schema = endpoint["returns"][0]["type"]
                if schema["type"] != "object":
                    properties = {"result": schema}
                    schema = {"type": "object", "properties": properties, "required": ["result"]}
                tool.outputSchema = schema
            return answer

        server.request_handlers[types.CallToolRequest] = call_structured
        server.request_handlers[types.ListToolsRequest] = list_with_schemas
        return server


mcp.GradioMCPServer = JsonTools  # type: ignore[misc]

LAUNCH: dict[str, Any] = {"max_threads": MAX_EVENTS, "state_session_capacity": MAX_PAGES}
"""Options of `launch`: threads for all events, since `Turns` limits how many run."""

_PAGE = "frontend/index.html"
_PAGES = routes.templates.env.loader


def describe_page(tags: str, first: str) -> None:
    """Put `tags` in place of Gradio's tags for link previews, and a script at the page's end.

    The script `first` runs as soon as the page has arrived, before Gradio's own.
    """
    environment = routes.templates.env
    assert _PAGES is not None
    page = _PAGES.get_source(environment, _PAGE)[0]
    page = re.sub(r'<meta\s+(?:property="og:|name="twitter:|name="description")[^>]*>', "", page)
    page = page.replace("<head>", f"<head>{tags}", 1)
    page = page.replace("</body>", f"<script>{{% raw %}}{first}{{% endraw %}}</script></body>", 1)
    environment.loader = ChoiceLoader([DictLoader({_PAGE: page}), _PAGES])


def fill_page(demo: gr.Blocks, values: Mapping[str | None, Any]) -> None:
    """Let the page open with other values of its components, given by `elem_id`."""
    for block in demo.blocks.values():
        if isinstance(block, gr.HTML | gr.Textbox) and block.elem_id in values:
            block.value = values[block.elem_id]
    demo.config = demo.get_config_file()  # of a server that runs already


_SHOW = """() => {{
  const seen = window.symdemoSeen ??= new Set(), shown = seen.has({0}) ? {{}} : {{visible: true}};
  seen.add({0});
  return Array({1}).fill({{__type__: "update", ...shown}});
}}"""


def load_when_opened(page: gr.Blocks) -> None:
    """Delay scripts of components that are only in closed tabs or accordions until these open.

    A page loads a component's script when the component becomes visible.
    """
    folds: list[gr.Tab | gr.Accordion] = []
    at_once = {type(block) for block in _inside(page, folds)}
    for fold in folds:
        later = [b for b in _inside(fold) if b.visible is True and type(b) not in at_once]
        for block in later:
            block.visible = False
        if later:
            event = fold.select if isinstance(fold, gr.Tab) else fold.expand
            event(outputs=later, js=_SHOW.format(fold._id, len(later)), **events.IN_PAGE)


def _inside(block: Block, folds: list[gr.Tab | gr.Accordion] | None = None) -> Iterator[Block]:
    """Yield what is in a block; given `folds`, only what is visible when the page opens.

    Tabs and accordions that are closed then are added to `folds`.
    """
    for place, child in enumerate(getattr(block, "children", ())):
        yield child
        opens = not place if isinstance(child, gr.Tab) else getattr(child, "open", True)
        if folds is None or opens:
            yield from _inside(child, folds)
        else:
            folds.append(child)
