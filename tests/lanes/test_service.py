"""Systems that are services: what is sent, what is read, and what an unwilling server cannot do."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from pydantic import ValidationError

from demur.lanes.engine import open_models, open_probe
from demur.lanes.spec import ModelSpec
from demur.programs.call_scope import CallScope, call_scope
from demur.programs.errors import ErrorKind, LaneError, ModelUnavailable, ProgramError
from demur.programs.respondent import Response, System, respond, respond_from_index
from tests.lanes.asking import PASSAGES, QUESTION, MemoryCallStore

TOKEN = "planted-token-0123456789"
Serve = Callable[[dict[str, str], bytes, asyncio.StreamWriter], Awaitable[None]]


def http(body: bytes, status: str = "200 OK", kind: str = "application/json", more: str = "") -> bytes:
    """Return an answer as it stands on the wire."""
    return f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n{more}\r\n".encode() + body


@asynccontextmanager
async def served(serve: Serve) -> AsyncIterator[str]:
    """Serve HTTP by hand, so that answers can be as wrong as they like; yield the address."""

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
            headers = {"path": head[0].split(" ")[1]}
            headers |= {k.lower(): v for k, v in (line.split(": ", 1) for line in head[1:] if line)}
            await serve(headers, await reader.readexactly(int(headers["content-length"])), writer)
            await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/answer"
    finally:
        server.close()


def answering(answer: bytes) -> Serve:
    async def serve(headers: dict[str, str], body: bytes, writer: asyncio.StreamWriter) -> None:
        writer.write(answer)

    return serve


async def said_by(address: str, call_store: MemoryCallStore | None = None, **changes: Any) -> Response:
    """Return what a service says to the question."""
    limits = {"timeout_seconds": 10, "retries": 0, **changes.pop("limits", {})}
    fields = {"name": "mine", "provider": "service", "model": address, "version": "1", "limits": limits, **changes}
    async with open_models([ModelSpec.model_validate(fields)], "respondent", {"MINE": f"Bearer {TOKEN}"}) as models:
        with call_scope(CallScope("round-1", "respond", "unit-1", call_store or MemoryCallStore())):
            return await respond(System(), models["mine"], QUESTION, PASSAGES)


async def test_question_and_passages_are_posted_and_the_answer_is_read_from_fields_of_any_name() -> None:
    got: list[tuple[dict[str, str], Any]] = []
    answer = {"answer": "In 1874.", "citations": [0], "choices": [{"message": {"content": "In 1901."}}]}

    async def serve(headers: dict[str, str], body: bytes, writer: asyncio.StreamWriter) -> None:
        got.append((headers, json.loads(body)))
        writer.write(http(json.dumps(answer).encode()))

    names = {"question": "query", "passages": "contexts", "answer": "choices.0.message.content"}
    async with served(serve) as address:
        said = await said_by(address, headers={"Authorization": "MINE"})
        assert (await said_by(address, parameters=names)).text == "In 1901."
    (headers, body), (_, renamed) = got
    assert renamed == {"query": QUESTION, "contexts": [PASSAGES[0].text]}
    assert body == {"question": QUESTION, "passages": [PASSAGES[0].text]}
    assert headers["authorization"] == f"Bearer {TOKEN}" and headers["path"] == "/answer"
    assert (said.text, said.citations) == ("In 1874.", ("0",))


async def test_service_with_chat_completions_is_asked_in_one_message_and_finds_passages_itself() -> None:
    got: list[Any] = []

    async def serve(headers: dict[str, str], body: bytes, writer: asyncio.StreamWriter) -> None:
        got.append(json.loads(body))
        answer = {"choices": [{"message": {"content": "In 1874."}}], "citations": ["p1"]}
        writer.write(http(json.dumps(answer).encode()))

    async with served(serve) as address:
        assert (await said_by(address, parameters={"chat": "my-rag"})).text == "In 1874."
        fields = {"name": "mine", "provider": "service", "model": address, "version": "1"}
        spec = ModelSpec.model_validate({**fields, "parameters": {"chat": "my-rag"}})
        async with open_models([spec], "respondent", {}) as models:
            with call_scope(CallScope("round-1", "respond", "unit-1", MemoryCallStore())):
                said = await respond_from_index(models["mine"], QUESTION, "i1", "b1")
    assert (said.text, said.citations) == ("In 1874.", ("p1",))
    asked = {"model": "my-rag", "stream": False}
    with_passages = {"role": "user", "content": f"[1] {PASSAGES[0].text}\n\n{QUESTION}"}
    question = {"role": "user", "content": QUESTION}
    assert got == [
        {**asked, "messages": [with_passages]},
        {**asked, "messages": [question], "metadata": {"item": "i1", "base": "b1"}},
    ]


@pytest.mark.parametrize(
    ("answer", "kind", "said"),
    [
        (
            http(b"<html>Sign in</html>", kind="text/html"),
            "protocol",
            "HTTP 200 with text/html instead of JSON: '<html>Sign",
        ),
        (http(b'{"output": "x", "id": 3}'), "protocol", r"JSON without 'answer' \(it has output, id\)"),
        (http(b'{"answer": 3}'), "protocol", "returned int, which has no text"),
        (http(b'{"answer": " "}'), "protocol", "returned an empty text"),
        (http(b"[" * 100_000), "protocol", "instead of JSON"),
        (http(b"data: x\n\n", kind="text/event-stream"), "protocol", "a stream of events, and one JSON object"),
        (http(b'{"answer": "' + b"x" * 9_000_000 + b'"}'), "protocol", "more than 8,388,608 bytes"),
        (http(b'{"detail": "no index"}', "500 Oh"), "server", "HTTP 500: no index"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n{", "connection", "no connection, or the connection broke"),
    ],
)
async def test_whatever_comes_back_is_one_failed_request_that_says_what(answer: bytes, kind: str, said: str) -> None:
    call_store = MemoryCallStore()
    async with served(answering(answer)) as address:
        with pytest.raises(LaneError, match=said) as caught:
            await said_by(address, call_store)
    assert caught.value.kind is ErrorKind(kind)
    assert [call.error_class for call in call_store.calls] == [kind]


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (http(b"", "404 Not Found"), "HTTP 404: nothing else. Is its address right, path included"),
        (
            http(b"", "307 Go", more="Location: http://elsewhere.example/answer\r\n"),
            "127.0.0.1 redirects to another host, http://elsewhere.example; nothing is sent there",
        ),
        (http(b"{}", "401 Who"), r"Are its headers right \(none are sent\)"),
    ],
)
async def test_service_that_is_not_there_is_given_up_at_once(answer: bytes, said: str) -> None:
    async with served(answering(answer)) as address:
        with pytest.raises(ModelUnavailable, match=said):
            await said_by(address)


@pytest.mark.parametrize("wait", ["never answers", "slow by the byte"])
async def test_service_that_takes_for_ever_ends_at_its_time_limit(wait: str) -> None:
    async def serve(headers: dict[str, str], body: bytes, writer: asyncio.StreamWriter) -> None:
        if wait == "slow by the byte":
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n")
        while True:
            await asyncio.sleep(0.1)
            if wait == "slow by the byte":
                writer.write(b" ")
                await writer.drain()

    async with served(serve) as address:
        with pytest.raises(LaneError, match=r"no answer within 1 s") as caught:
            await said_by(address, limits={"timeout_seconds": 1})
    assert caught.value.kind is ErrorKind.TIMEOUT


async def test_cookies_of_a_service_are_forgotten_so_that_no_question_depends_on_another() -> None:
    cookies: list[str | None] = []

    async def serve(headers: dict[str, str], body: bytes, writer: asyncio.StreamWriter) -> None:
        cookies.append(headers.get("cookie"))
        status = "200 OK" if len(cookies) > 1 else "503 Busy"
        writer.write(http(b'{"answer": "x"}', status, more="Set-Cookie: session=1; Path=/\r\n"))

    async with served(serve) as address:
        await said_by(address, limits={"retries": 2})
    assert cookies == [None, None]


@pytest.mark.parametrize("answer", [{"answer": f"{TOKEN} it is"}, {"error": f"bad header Bearer {TOKEN}"}])
async def test_headers_are_kept_nowhere(answer: dict[str, str]) -> None:
    call_store = MemoryCallStore()
    status = "200 OK" if "answer" in answer else "400 Bad"
    async with served(answering(http(json.dumps(answer).encode(), status))) as address:
        try:
            await said_by(address, call_store, headers={"Authorization": "MINE"})
        except LaneError as exc:
            assert TOKEN not in str(exc)
    assert len(call_store.calls) == 1 and TOKEN not in repr(call_store.calls)


async def test_header_that_is_not_set_is_named() -> None:
    with pytest.raises(ProgramError, match="model 'mine' needs headers: set the environment variable OTHER"):
        await said_by("http://127.0.0.1:9/answer", headers={"X-Key": "OTHER"})


async def test_probe_asks_a_question_and_finds_wrong_fields_before_anything_begins() -> None:
    got: list[Any] = []

    async def serve(headers: dict[str, str], body: bytes, writer: asyncio.StreamWriter) -> None:
        got.append(json.loads(body))
        writer.write(http(b'{"output": "Green."}'))

    async with served(serve) as address:
        spec = ModelSpec(name="mine", provider="service", model=address, version="1")
        with (
            pytest.raises(LaneError, match="JSON without 'answer'"),
            call_scope(CallScope("round-1", "probe", "unit-1", MemoryCallStore())),
        ):
            await open_probe(spec, {})()
    assert got == [{"question": "What colour is the door?", "passages": ["The door is green."]}]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"model": "localhost/answer"}, "is not an address: write it as http"),
        ({"model": "http://me:word@host/answer"}, "an address must not contain user, password or query"),
        ({"parameters": {"text": "x"}}, "'text' is not one of question, passages, answer"),
        ({"parameters": {"passages": "question"}}, "question and passages name the same field"),
        ({"parameters": {"chat": "my-rag", "question": "q"}}, "question and chat cannot both be given"),
        ({"parameters": {"chat": True}}, "chat True must be the name of the service's model"),
        ({"parameters": {"answer": 3}}, "answer 3 must be the name of a field"),
        ({"headers": {"Authorization": "Bearer abc"}}, "is not the name of an environment variable. It is not shown"),
        ({"api_key_env": "KEY"}, "a service takes no base_url, api_key_env or prices"),
        ({"provider": "rules", "model": "judge/patterns", "version": None, "headers": {"A": "B"}}, "headers are for"),
    ],
)
def test_spec_that_cannot_be_used_says_why(changes: dict[str, Any], said: str) -> None:
    fields = {"name": "mine", "provider": "service", "model": "http://host/answer", "version": "1", **changes}
    with pytest.raises(ValidationError, match=said):
        ModelSpec.model_validate(fields)
