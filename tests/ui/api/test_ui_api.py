"""The endpoints, called over HTTP as a program would, and as tools by an MCP client."""

import asyncio
import json

import gradio_client
import pytest
from lab_fakes import FakeLoader
from ui_fakes import make_store, served

from symdemo.ui.sentences.comparing import BELLM
from symdemo.ui.shared.sessions import Sessions
from symdemo.ui.shared.store import SharedEncoders

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    encoders = SharedEncoders(FakeLoader(BELLM))
    sessions = Sessions(make_store(), tmp_path_factory.mktemp("projects"), encoders=encoders)
    with served(sessions) as (_, url):
        yield url


@pytest.fixture(scope="module")
def client(address):
    return gradio_client.Client(address, verbose=False)


def test_a_sentence_alone_is_swapped_and_judged(client):
    found = client.predict("Kenya is different from Uganda.", api_name="/predict")
    assert found["hypothesis"] == "Uganda is different from Kenya."
    assert set(found) == {
        "label", "probabilities", "premise", "hypothesis", "neighbours", "symmetry", "familiar",
        "sentence", "is_swap", "change", "judged", "in_scope", "sure", "doubts", "note",
        "other_swaps", "model",
    }  # fmt: skip
    assert sum(found["probabilities"].values()) == pytest.approx(1)
    assert set(found["neighbours"][0]) == {
        "premise", "hypothesis", "label", "relation", "distance"
    }  # fmt: skip


def test_a_hypothesis_and_a_model_can_be_given(client):
    found = client.predict(
        sentence="Ann met Bob.", hypothesis="It was Bob whom Ann met.", model="wikidata14",
        api_name="/predict",
    )  # fmt: skip
    assert found["hypothesis"] == "It was Bob whom Ann met."
    assert not found["is_swap"]
    assert found["judged"]
    assert found["change"] == "seen from the other side"
    assert found["doubts"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"sentence": ""}, "empty"),
        ({"sentence": "word"}, "word"),
        ({"sentence": "Ann knows Bob.", "model": "../secret"}, "There is no model"),
        ({"sentence": "Ann met crash.", "hypothesis": "Crash met Ann."}, "Something went wrong"),
    ],
)
def test_bad_input_is_told_in_a_sentence(client, arguments, message):
    with pytest.raises(gradio_client.exceptions.AppError, match=message) as raised:
        client.predict(**arguments, api_name="/predict")
    assert "Traceback" not in str(raised.value)
    assert "secret inner" not in str(raised.value)


def test_two_sentences_are_compared(client):
    found = client.predict("A cat  sleeps.", "A cat naps.", api_name="/similarity")
    assert (found["first"], found["second"]) == ("A cat sleeps.", "A cat naps.")
    untouched, bellm, minilm = found["encoders"]
    for row in (untouched, minilm):
        assert -1 <= row["cosine"] <= 1
        assert 0 <= row["nearer_unrelated"] <= row["unrelated"] == 100
        assert 0 <= row["nearer_same"] <= row["same"] == 40
    assert set(bellm) == {"encoder", "missing"}
    (one,) = client.predict(
        "A cat sleeps.", "A cat naps.", "all-MiniLM-L6-v2", api_name="/similarity"
    )["encoders"]
    assert one == minilm


def test_only_what_is_meant_for_programs_is_public(client):
    named = client.view_api(return_format="dict")["named_endpoints"]
    assert list(named) == ["/predict", "/why", "/swap", "/compare", "/teach", "/similarity"]
    assert not client.view_api(return_format="dict")["unnamed_endpoints"]


def test_an_assistant_calls_the_documented_tools(address):
    from mcp import ClientSession
    from mcp.client.streamable_http import streamable_http_client

    async def talk():
        url = f"{address}gradio_api/mcp/"
        async with (
            streamable_http_client(url) as (read, write, _),
            ClientSession(read, write) as session,
        ):
            await session.initialize()
            tools = (await session.list_tools()).tools
            held = await session.call_tool("does_it_hold", {"sentence": "Kenya borders Uganda."})
            refused = await session.call_tool("does_it_hold", {"sentence": "word"})
            both = {"first": "A cat sleeps.", "second": "A cat naps."}
            rest = [  # the session checks each result against the schema of its tool
                await session.call_tool("explain_verdict", {"sentence": "Kenya borders Uganda."}),
                await session.call_tool("swap_places", {"sentence": "Kenya borders Uganda."}),
                await session.call_tool("compare_models", {"sentence": "Kenya borders Uganda."}),
                await session.call_tool("how_similar", both),
            ]
            return tools, held, refused, rest

    tools, held, refused, rest = asyncio.run(talk())
    assert [tool.name for tool in tools] == [
        "does_it_hold", "explain_verdict", "swap_places", "compare_models", "teach_relations",
        "how_similar",
    ]  # fmt: skip
    for tool in tools:
        assert tool.description
        assert "Returns:" in tool.description
        assert all(value["description"] for value in tool.inputSchema["properties"].values())
    asked = tools[0].inputSchema["properties"]["hypothesis"]["description"]
    assert asked.endswith("the swapped first one if empty.")
    assert ",," not in tools[0].description
    for tool, found in zip(tools[:4] + tools[5:], [held, *rest], strict=True):
        assert not found.isError, found
        told = json.loads(found.content[0].text)
        assert found.structuredContent == (told if isinstance(told, dict) else {"result": told})
        assert {*found.structuredContent} == {*tool.outputSchema["properties"]}
    answer = held.structuredContent
    assert (answer["label"], answer["hypothesis"]) == ("entailment", "Uganda borders Kenya.")
    assert rest[1].structuredContent["hypothesis"] == "Uganda borders Kenya."
    compared = rest[2].structuredContent["result"]
    assert [row["asked"] for row in compared] == ["general", "wikidata14"]
    assert {row["hypothesis"] for row in compared} == {"Uganda borders Kenya."}
    words = [(one["word"], one["side"]) for one in rest[0].structuredContent["words"]]
    assert sorted(words) == [("Kenya", "both"), ("Uganda", "both"), ("borders", "both")]
    assert refused.isError
    assert "word" in refused.content[0].text
