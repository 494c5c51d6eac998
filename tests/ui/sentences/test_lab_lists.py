"""A visitor's list: what is read, which lines are nearest, and the jobs of several pages."""

import asyncio
import csv
import io
import threading

import numpy as np
import pytest
from lab_fakes import FakeEncoder, FakeLoader
from refusals import refusal
from ui_fakes import NASTY

from symdemo.errors import InputError, ModelError
from symdemo.jobs.reporting import SILENT
from symdemo.text import MIB
from symdemo.ui.sentences import lists
from symdemo.ui.sentences.comparing import BELLM, LAB_ENCODERS, UNTOUCHED
from symdemo.ui.shared.store import SharedEncoders

LIST = "A cat sleeps.\n\nA dog barks.\r\nIt rains in May.\n"


def test_lines_keep_their_numbers_and_empty_ones_are_skipped():
    lines = {1: "A cat sleeps.", 3: "A dog barks.", 4: "It rains in May."}
    assert lists.read_query(" A cat  naps. ", LIST) == ("A cat naps.", lines)
    assert len(lists.read_query(*lists.example_list())[1]) == 80


@pytest.mark.parametrize(
    ("sentence", "pasted", "told"),
    [
        ("", LIST, "The sentence to search for is empty"),
        ("A cat.", " \n ", "The list is empty"),
        ("A cat.", "A dog.\n" * (lists.MOST_LINES + 1), "501 lines; at most 500"),
        ("A cat.", "x" * (lists.MAX_PASTED + 1), "at most 150,000"),
        ("A cat.", "A dog.\n\n123", "sentence in line 3 is “123”"),
    ],
)
def test_a_bad_list_is_refused_in_one_sentence(sentence, pasted, told):
    assert told in refusal(lists.read_query, sentence, pasted)


def test_text_files_are_read_and_others_refused(write):
    text = "Ein Satz.\nÜber alles."
    assert lists.read_list(write("list.txt", f"\ufeff{text}")) == text
    for content, told in ((b"\xff\xfe\x00", "no UTF-8 text"), (b"a" * (MIB + 1), "up to 1 MiB")):
        assert told in refusal(lists.read_list, write("list.txt", content))


def test_distances_are_those_of_the_embeddings(encoders):
    found = lists.rank_lines(encoders, *lists.read_query("A cat naps.", LIST), SILENT)
    assert list(found.distances) == list(LAB_ENCODERS)
    for own, far in found.distances.items():
        rows = FakeEncoder(own.name, 1.0 if own.decoder else 0.0).encode(
            ["A cat naps.", "A cat sleeps.", "A dog barks.", "It rains in May."]
        )
        assert far == pytest.approx(1 - rows[1:] @ rows[0], abs=1e-5)
        near = found.nearest(own)
        assert near[0][1] == "A cat sleeps."
        assert [d for *_, d in near] == pytest.approx(sorted(far))


def test_some_or_all_encoders_may_be_missing():
    query = lists.read_query("A dog.", LIST)
    found = lists.rank_lines(SharedEncoders(FakeLoader(UNTOUCHED, BELLM)), *query, SILENT)
    assert [own.title for own in found.distances] == ["MiniLM"]
    assert "pip install" in lists.found_panel(found)
    nothing = SharedEncoders(FakeLoader(*(own.name for own in LAB_ENCODERS)))
    with pytest.raises(ModelError, match="None of the models"):
        lists.rank_lines(nothing, *query, SILENT)


def test_the_file_and_the_panel_by_hand():
    lines = {1: "=A1", 3: f"{NASTY} cat", 4: "A dog."}
    mini, model = LAB_ENCODERS[2], LAB_ENCODERS[0]
    distances = {mini: np.array([0.5, 0.25, 0.0]), model: np.array([0.1, 0.1, 0.2])}
    found = lists.RankedLines("A dog.", lines, distances)
    assert list(csv.reader(io.StringIO(found.to_csv()))) == [
        ["line", "sentence", f"distance {mini.name}", f"place {mini.name}",
         f"distance {model.name}", f"place {model.name}"],
        ["1", "'=A1", "0.5000", "3", "0.1000", "1"],
        ["3", f"{NASTY} cat", "0.2500", "2", "0.1000", "2"],
        ["4", "A dog.", "0.0000", "1", "0.2000", "3"],
    ]  # fmt: skip
    panel = lists.found_panel(found)
    assert "<img" not in panel
    assert "&lt;img" in panel
    assert "3 of 3 lines" in " ".join(panel.split())


@pytest.fixture
def searching(open_sessions, monkeypatch):
    """Make sessions that search one list at a time, with fake encoders."""
    monkeypatch.setattr(lists, "LOOK_SECONDS", 0.01)
    return lambda gate=None: open_sessions(
        workers=1, encoders=SharedEncoders(FakeLoader(gate=gate))
    )


async def written(sessions, visit, newest, sentence="A dog.", pasted=LIST):
    return [values async for values in lists.search(sessions, visit, newest, sentence, pasted)]


def test_a_list_is_searched_in_the_background(searching):
    sessions = searching()
    steps = asyncio.run(written(sessions, "a", []))
    assert "3 of 3 lines" in " ".join(steps[-1]["found"].split())
    assert not steps[-1]["stop"].visible
    job = sessions.queue.current("a", lists.KIND)
    with pytest.raises(InputError):  # it is no other page's
        sessions.queue.get(job.id, "b")
    assert not sessions.root.exists()  # nothing is written to disk


def test_a_bad_list_starts_no_job_and_a_failed_job_is_reported(searching):
    sessions = searching()
    (step,) = asyncio.run(written(sessions, "a", [], pasted=""))
    assert "The list is empty" in step["problem"]
    assert sessions.queue.current("a", lists.KIND) is None
    steps = asyncio.run(written(sessions, "a", [], pasted="A cat.\nAn unreadable line."))
    assert "sentence in line 2 cannot be read" in steps[-1]["problem"]
    assert steps[-1]["found"] == ""


def test_a_newer_list_replaces_the_older_one_of_its_page_and_can_be_stopped(searching):
    gate = threading.Event()
    sessions = searching(gate)
    one, two, three = [], [], []  # the newest search of each page

    async def run():
        first = asyncio.create_task(written(sessions, "a", one, "A cat."))
        await asyncio.sleep(0.1)
        other = asyncio.create_task(written(sessions, "b", two, "A bee."))
        second = asyncio.create_task(written(sessions, "a", one, "A dog."))
        third = asyncio.create_task(written(sessions, "c", three, "A fish."))
        await asyncio.sleep(0.1)
        lists.stop(sessions, "c", three)
        gate.set()
        return await asyncio.gather(first, second, other, third)

    first, second, other, third = asyncio.run(run())
    assert not any("most similar to" in step["found"] for step in first)
    assert "to “A dog.”" in " ".join(second[-1]["found"].split())
    assert "to “A bee.”" in " ".join(other[-1]["found"].split())
    assert any("Place 1 in the queue" in step["found"] for step in other)
    assert third[0]["stop"].visible
    assert "Stopped." in third[-1]["found"]
