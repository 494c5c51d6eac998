"""How much one page and one network address may begin."""

from types import SimpleNamespace

import pytest
from gradio.context import LocalContext
from job_fakes import Gate
from refusals import refusal
from ui_fakes import project_ids

from symdemo.errors import InputError
from symdemo.teaching.limits import Limits


@pytest.fixture
def asked_by():
    """Set the page and the address of the requests that follow."""
    tokens = []

    def ask(page, address):
        client = SimpleNamespace(host=address) if address else None
        request = SimpleNamespace(client=client, headers={}, session_hash=page)
        tokens.append(LocalContext.request.set(request))

    yield ask
    for token in reversed(tokens):
        LocalContext.request.reset(token)


def test_a_flood_from_one_address_leaves_room_for_others(open_sessions, asked_by):
    sessions = open_sessions(limits=Limits(projects=20, projects_per_address=5))
    for number in range(40):
        asked_by(f"flood {number}", "198.51.100.7")
        sessions.find_or_create("", f"flood {number}")
    assert len(project_ids(sessions)) == 5  # the older ones gave way, as nothing was taught in them
    asked_by("page", "198.51.100.8")
    mine = sessions.find_or_create("", "page")
    assert mine.id in project_ids(sessions)


def test_a_flood_from_many_addresses_never_keeps_a_visitor_out(open_sessions, asked_by):
    sessions = open_sessions(limits=Limits(projects=6))
    asked_by("page", "198.51.100.8")
    mine = sessions.find_or_create("", "page")
    for number in range(30):
        asked_by(f"flood {number}", f"203.0.113.{number % 3}")
        sessions.find_or_create("", f"flood {number}")
    assert len(project_ids(sessions)) == 6
    assert mine.id in project_ids(sessions)  # those of the greatest crowd gave way
    asked_by("other page", "198.51.100.9")
    assert sessions.find_or_create("", "other page").id in project_ids(sessions)


def test_taught_projects_of_one_address_are_bounded(open_sessions, asked_by):
    sessions = open_sessions(
        limits=Limits(projects_per_address=3, projects_per_page=2, address_bytes=4_000)
    )
    made = []
    for page in ("one", "one", "two"):
        asked_by(page, "198.51.100.7")
        made.append(sessions.begin(sessions.projects.create))
        (made[-1].folder / "versions" / "v000001-00000000").mkdir(parents=True)
    asked_by("three", "198.51.100.7")
    with pytest.raises(InputError, match="would be 4 projects from your network; at most 3"):
        sessions.begin(sessions.projects.create)
    sessions.projects.delete(made[2].id)
    asked_by("one", "203.0.113.9")
    with pytest.raises(InputError, match="This page would have begun 3 projects; at most 2"):
        sessions.begin(sessions.projects.create)
    (made[0].folder / "large").write_bytes(b"x" * 5_000)
    asked_by("three", "198.51.100.7")
    assert "from your network take" in refusal(sessions.begin, sessions.projects.create)


def test_one_address_shares_its_time_between_browsers(open_sessions, asked_by):
    sessions = open_sessions()
    gates = [Gate() for _ in range(5)]

    def ask(n, page, key=""):
        asked_by(page, "198.51.100.7")
        return sessions.submit(f"owner {n}", "", gates[n], "analysis", 60, key)

    views = [ask(n, "one", "one’s key") for n in range(3)]
    views += [ask(3, "two", "one’s key"), ask(4, "three")]
    assert [view.state for view in views] == ["running"] * 2 + ["waiting"] * 3
    gates[0].let_go.set()
    assert gates[4].begun.wait(5)  # the other browser
    assert not gates[2].begun.is_set()
    for gate in gates:
        gate.let_go.set()
