"""What tests of the tab “Analyse” share: starting, asking as the page does, and reading HTML."""

import html
import json
from html.parser import HTMLParser


def start(desk, data, models, **options):
    """A workspace whose models have answered."""
    workspace = desk.start(lambda reports: data, models, **options)
    finish(desk, workspace)
    return workspace


def finish(desk, workspace, kind="analysis"):
    """Wait for the work of a workspace; how it ended."""
    view = desk.sessions.queue.current(workspace.id, kind)
    return view and desk.sessions.queue.wait(view.id, workspace.id, 60)


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
        """Look until nothing is being made any more."""
        found = self.look(**view)
        for _ in range(20):
            if not found.get("again"):
                told = text_of(found["parts"].get("main", ""))
                assert "could not" not in told, told
                return found
            for kind in ("analysis", "figures"):
                finish(self.explorer.desk, self.workspace, kind)
            found = self.look()
        raise AssertionError("it is made for ever")

    def count(self, **view):
        """How many rows are left."""
        found = self.look(**view)
        assert "problem" not in found, found
        line = text_of(found["parts"]["filters"]).split(" of ")[0]
        return int(line.strip().replace(",", ""))


class _Reader(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.texts, self._open = [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs), len(self.texts)))

    def handle_data(self, data):
        self.texts.append(data)


def text_of(markup):
    """All text of some HTML."""
    reader = _Reader()
    reader.feed(str(markup))
    return " ".join("".join(reader.texts).split())


def tags_of(markup):
    """Every tag: its name, and its attributes."""
    reader = _Reader()
    reader.feed(str(markup))
    return [(tag, attrs) for tag, attrs, _ in reader.tags]


def presses(markup, attribute):
    """What every press with an attribute means, with the first word that stands on it."""
    reader = _Reader()
    reader.feed(str(markup))
    found = []
    for _, attrs, at in reader.tags:
        if attribute in attrs:
            found.append((json.loads(attrs[attribute]), reader.texts[at].strip()))
    return found


def unescaped(markup):
    return html.unescape(str(markup))
