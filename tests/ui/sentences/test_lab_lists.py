"""A list that a visitor brings: what is read, what is nearest, and the jobs of several pages."""

import asyncio
import csv
import io
import threading
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("gradio")

from lab_fakes import FakeEncoder, FakeLoader
from ui_fakes import NASTY, make_store

from symdemo.errors import InputError, ModelError
from symdemo.jobs.queue import StoppedError
from symdemo.jobs.reporting import Reporter
from symdemo.text import MIB
from symdemo.ui.sentences import lists
from symdemo.ui.sentences.lists import ListDesk, found_panel, list_examples
from symdemo.ui.sentences.nearest import (
    MAX_PASTED,
    MOST_LINES,
    SHOWN,
    Found,
    Request,
    find_nearest,
    read_list,
    read_request,
)
from symdemo.ui.sentences.readers import BELLM, READERS, UNTOUCHED
from symdemo.ui.shared.encoders import SharedEncoders
from symdemo.ui.shared.sessions import Sessions

LIST = "A cat sleeps.\n\nA dog barks.\r\nIt rains in May.\n"

# Reading


def test_lines_keep_their_numbers_and_empty_ones_are_passed_over():
    request = read_request(" A cat  naps. ", LIST)
    assert request.query == "A cat naps."
    assert request.numbers == (1, 3, 4)
    assert request.lines == ("A cat sleeps.", "A dog barks.", "It rains in May.")


@pytest.mark.parametrize(
    ("query", "pasted", "told"),
    [
        ("", LIST, "The sentence to look for is empty"),
        ("A cat.", " \n ", "The list is empty"),
        ("A cat.", None, "The list is empty"),
        ("A cat.", "A dog.\n" * (MOST_LINES + 1), f"{MOST_LINES + 1} lines; at most {MOST_LINES}"),
        ("A cat.", "x" * (MAX_PASTED + 1), f"at most {MAX_PASTED:,}"),
        ("A cat.", "A dog.\n\n123", "sentence in line 3 is “123”"),
        ("A cat.", "A dog.\n" + "x" * 600, "sentence in line 2"),
    ],
)
def test_what_is_wrong_with_a_list_is_one_sentence(query, pasted, told):
    with pytest.raises(InputError) as raised:
        read_request(query, pasted)
    assert told in str(raised.value)


def test_a_file_is_read_and_others_are_refused(write):
    assert read_list(write("list.txt", "\ufeffEin Satz.\nÜber alles.")) == "Ein Satz.\nÜber alles."
    with pytest.raises(InputError, match="no UTF-8 text"):
        read_list(write("list.txt", b"\xff\xfe\x00"))
    with pytest.raises(InputError, match="up to 1 MiB"):
        read_list(write("list.txt", b"a" * (MIB + 1)))


def test_the_example_list_can_be_read():
    assert len(read_request(*list_examples()).lines) == 80


# Finding


class Heard(Reporter):
    """What was reported, and whether to stop after so many reports."""

    def __init__(self, most=10**9):
        self.told, self.most = [], most

    def progress(self, done, total, eta=None):
        self.told.append((done, total, eta))

    def stopped(self):
        return len(self.told) >= self.most


def test_distances_are_those_of_the_embeddings(encoders):
    found = find_nearest(encoders, read_request("A cat naps.", LIST), Heard())
    assert list(found.distances) == list(READERS)
    for reader, far in found.distances.items():
        rows = FakeEncoder(reader.name, 1.0 if reader.decoder else 0.0).encode(
            ["A cat naps.", "A cat sleeps.", "A dog barks.", "It rains in May."]
        )
        assert far == pytest.approx(1 - rows[1:] @ rows[0], abs=1e-5)
        near = found.nearest(reader)
        assert near[0][1] == "A cat sleeps."
        assert [d for *_, d in near] == sorted(d for *_, d in near)


def test_equal_lines_keep_their_order_and_ten_are_shown(encoders):
    request = read_request("A dog.", "A dog.\n" * 30)
    found = find_nearest(encoders, request, Heard())
    assert [number for number, *_ in found.nearest(READERS[0])] == list(range(1, SHOWN + 1))


def test_progress_rises_to_the_end_and_says_what_is_left(encoders):
    heard = Heard()
    find_nearest(
        encoders, read_request("A dog.", "\n".join(f"line {i} a" for i in range(90))), heard
    )
    done = [told[0] for told in heard.told]
    assert done == sorted(done)
    assert done[-1] == pytest.approx(heard.told[-1][1], abs=2)
    assert heard.told[-1][2] == pytest.approx(0, abs=0.1)


def test_it_stops_between_two_batches(encoders, loader):
    lines = "\n".join(f"line {i} a" for i in range(90))
    with pytest.raises(StoppedError):
        find_nearest(encoders, read_request("A dog.", lines), Heard(most=3))
    assert len(loader.loads) == 1


def test_some_and_all_readers_may_be_missing():
    request = read_request("A dog.", LIST)
    found = find_nearest(SharedEncoders(FakeLoader(UNTOUCHED, BELLM)), request, Heard())
    assert [reader.title for reader in found.distances] == ["MiniLM"]
    assert "pip install" in found_panel(found)
    with pytest.raises(ModelError, match="None of the models"):
        find_nearest(
            SharedEncoders(FakeLoader(*(reader.name for reader in READERS))), request, Heard()
        )


def test_a_line_that_an_encoder_refuses_is_named(encoders):
    with pytest.raises(InputError, match="sentence in line 2 cannot be read"):
        find_nearest(encoders, read_request("A dog.", "A cat.\nAn unreadable line."), Heard())


def found_by_hand():
    request = Request("A dog.", (1, 3, 4), ("=A1", f"{NASTY} cat", "A dog."))
    distances = {READERS[2]: np.array([0.5, 0.25, 0.0]), READERS[0]: np.array([0.1, 0.1, 0.2])}
    return Found(request, distances, ())


def test_the_file_has_all_lines_with_distance_and_place():
    rows = list(csv.reader(io.StringIO(found_by_hand().to_csv())))
    mini, model = READERS[2].name, READERS[0].name
    assert rows == [
        ["line", "sentence", f"distance {mini}", f"place {mini}",
         f"distance {model}", f"place {model}"],
        ["1", "'=A1", "0.5000", "3", "0.1000", "1"],
        ["3", f"{NASTY} cat", "0.2500", "2", "0.1000", "2"],
        ["4", "A dog.", "0.0000", "1", "0.2000", "3"],
    ]  # fmt: skip


def test_lines_of_strangers_stay_text():
    panel = found_panel(found_by_hand())
    assert "<img" not in panel
    assert "&lt;img" in panel
    assert "3 nearest of 3 lines" in " ".join(panel.split())


# Jobs


@pytest.fixture
def make_desk(tmp_path, monkeypatch):
    monkeypatch.setattr(lists, "LOOK_SECONDS", 0.01)
    made = []

    def make(loader) -> ListDesk:
        sessions = Sessions(make_store(), tmp_path / "projects", encoders=SharedEncoders(loader))
        made.append(sessions)
        return ListDesk(sessions)

    yield make
    for sessions in made:
        sessions.queue.close(2)


async def written(desk, visit, query="A dog.", pasted=LIST):
    return [values async for values in desk.look_up(visit, query, pasted)]


def test_a_list_is_read_in_the_background(make_desk):
    steps = asyncio.run(written(make_desk(FakeLoader()), "a"))
    assert "3 nearest of 3 lines" in " ".join(steps[-1]["found"].split())
    assert not steps[-1]["stop"].visible


def test_a_bad_list_begins_no_job(make_desk):
    desk = make_desk(FakeLoader())
    (step,) = asyncio.run(written(desk, "a", pasted=""))
    assert "The list is empty" in step["problem"]
    assert desk.sessions.queue.current("a", lists.KIND) is None


def test_what_fails_is_told(make_desk):
    steps = asyncio.run(written(make_desk(FakeLoader()), "a", pasted="An unreadable line."))
    assert "sentence in line 1 cannot be read" in steps[-1]["problem"]
    assert steps[-1]["found"] == ""


def test_a_newer_list_replaces_the_older_one_of_its_page_alone(make_desk):
    gate = threading.Event()
    desk = make_desk(FakeLoader(gate=gate))

    async def both():
        first = asyncio.create_task(written(desk, "a", "A cat."))
        await asyncio.sleep(0.1)
        other = asyncio.create_task(written(desk, "b", "A bee."))
        second = asyncio.create_task(written(desk, "a", "A dog."))
        await asyncio.sleep(0.1)
        gate.set()
        return await asyncio.gather(first, second, other)

    first, second, other = asyncio.run(both())
    assert not any("nearest of" in step["found"] for step in first)
    assert "to “A dog.”" in " ".join(second[-1]["found"].split())
    assert "to “A bee.”" in " ".join(other[-1]["found"].split())
    assert any("Place 1 in the queue" in step["found"] for step in other)


def test_a_list_can_be_stopped(make_desk):
    gate = threading.Event()
    desk = make_desk(FakeLoader(gate=gate))

    async def stopped():
        begun = asyncio.create_task(written(desk, "a"))
        await asyncio.sleep(0.1)
        desk.stop("a")
        gate.set()
        return await begun

    steps = asyncio.run(stopped())
    assert "Stopped." in steps[-1]["found"]
    assert steps[0]["stop"].visible


def test_a_page_cannot_have_the_job_of_another(make_desk):
    desk = make_desk(FakeLoader())
    asyncio.run(written(desk, "a"))
    job = desk.sessions.queue.current("a", lists.KIND)
    with pytest.raises(InputError):
        desk.sessions.queue.get(job.id, "b")
    assert Path(desk.sessions.root).exists() is False  # nothing of it is written to a disk
