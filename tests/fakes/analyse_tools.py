"""Helpers of the tests of the tab “Analyse”: start runs, send requests as the page, read HTML."""

import html
import inspect
import json
import re
from html.parser import HTMLParser
from types import SimpleNamespace


def start(service, data, models, **options):
    """Start a workspace and wait until its models have answered."""
    workspace = service.start(lambda reports: data, models, **options)
    finish(service, workspace)
    return workspace


def finish(service, workspace, kind="analysis"):
    """Wait for a workspace's job; returns its last state."""
    view = service.sessions.queue.current(workspace.id, kind)
    return view and service.sessions.queue.wait(view.id, workspace.id, 60)


def actions():
    """Return the names of what a reader may do, and of what the owner alone may."""
    from symdemo.ui.analyse.explorer import ExplorerRequest

    methods = (ExplorerRequest.act, ExplorerRequest._change)
    return [re.findall(r'case "([a-z ]+)":', inspect.getsource(method)) for method in methods]


def start_button(sessions):
    """Return the components of a new page by id, and a function that presses “Analyse”.

    It takes the values of inputs by id; the others keep theirs.
    """
    from ui_fakes import event_of, parts_of

    from symdemo.ui.app import build_app

    demo = build_app(sessions.store, sessions=sessions)
    event = event_of(demo, "analyse-start", "click")
    request = SimpleNamespace(session_hash="page", client=None, headers={})

    def press(given):
        boxes = [(getattr(box, "elem_id", None), box) for box in event.inputs]
        values = [
            given.get(id, "" if id is None else getattr(box, "value", None)) for id, box in boxes
        ]
        return event.fn(request, *values)

    return parts_of(demo), press


class Page:
    """A page of the explorer: it keeps a view, as the script does."""

    def __init__(self, explorer, workspace, **view):
        self.explorer, self.workspace = explorer, workspace
        self.view = {"analysis": workspace.id, **view}

    def send(self, name, body):
        found = getattr(self.explorer, name)(json.dumps(body))
        json.dumps(found, allow_nan=False)
        self.view |= found.get("view", {})
        return found

    def look(self, parts=None, **view):
        self.view |= view
        return self.send("analyse_look", {"view": self.view, "parts": parts})

    def act(self, do, **values):
        return self.send("analyse_act", {"view": self.view, "action": {"do": do, **values}})

    def ready(self, **view):
        """Look until nothing is being computed."""
        found = self.look(**view)
        for _ in range(20):
            if not found.get("again"):
                told = text_of(found["parts"].get("main", ""))
                assert "could not" not in told, told
                return found
            for kind in ("analysis", "figures"):
                finish(self.explorer.service, self.workspace, kind)
            found = self.look()
        raise AssertionError("it is never ready")

    def shown(self, **view):
        """Return the rows that the view, with changes, selects."""
        from symdemo.ui.analyse.view import ShownRows, read_view

        opened = self.explorer.service.opened(self.workspace)
        return ShownRows.of(opened, read_view(self.view | view))

    def count(self, **view):
        found = self.look(**view)
        assert "problem" not in found, found
        line = text_of(found["parts"]["filters"]).split(" of ")[0]
        return int(line.strip().replace(",", ""))


class _Reader(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.texts = [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs), len(self.texts)))

    def handle_data(self, data):
        self.texts.append(data)


def _read(markup):
    reader = _Reader()
    reader.feed(str(markup))
    return reader


def text_of(markup):
    return " ".join("".join(_read(markup).texts).split())


def tags_of(markup):
    return [(tag, attrs) for tag, attrs, _ in _read(markup).tags]


def presses(markup, attribute):
    """Return the parsed value of every such attribute, with the first text of its element."""
    reader = _read(markup)
    return [
        (json.loads(attrs[attribute]), reader.texts[at].strip())
        for _, attrs, at in reader.tags
        if attribute in attrs
    ]


def unescaped(markup):
    return html.unescape(str(markup))
