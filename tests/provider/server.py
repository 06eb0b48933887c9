"""The server: answers by rule, decided by the request alone, with the faults that a plan says."""

import asyncio
import hashlib
import json
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from aiohttp import web

from levers.catalogue import Catalogue
from levers.load import load_catalogue
from programs.adapter import read_turns, task_of
from programs.contract import contract
from programs.errors import ProgramError
from programs.rules.roles import answer
from programs.tasks import SIGNATURES
from tests.provider.faults import STATUS, Asked, Fault, Plan, scripted
from tests.provider.wire import AnthropicWire, BadRequestError, Body, OpenAIWire, Said, error_message

Wire = OpenAIWire | AnthropicWire
_JSON_FAULTS = frozenset({Fault.PROSE, Fault.WRONG_TYPES, Fault.MISSING_FIELDS, Fault.EXTRA_TEXT})


class Provider:
    """A running server: where it is, what it was asked, and how it is to fail from now on."""

    def __init__(self, plan: Plan, latency_seconds: float, retry_after: str) -> None:
        self.plan = plan
        self.latency_seconds = latency_seconds
        self.retry_after = retry_after
        self.port = 0
        self.asked: list[Asked] = []
        self.faults: list[Fault | None] = []
        self.most_at_once = 0
        self._at_once = 0
        self._attempts: Counter[str] = Counter()

    @property
    def openai_url(self) -> str:
        """Base URL for clients of chat completions."""
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def anthropic_url(self) -> str:
        """Base URL for clients of messages."""
        return f"http://127.0.0.1:{self.port}"

    def app(self) -> web.Application:
        """Return the web application."""
        app = web.Application(client_max_size=64 * 2**20)
        for wire in (OpenAIWire(), AnthropicWire()):
            app.router.add_post(wire.path, self._handler(wire))
        return app

    def _handler(self, wire: Wire):  # type: ignore[no-untyped-def]
        async def handle(request: web.Request) -> web.StreamResponse:
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
            try:
                return await self._handle(wire, request)
            finally:
                self._at_once -= 1

        return handle

    async def _handle(self, wire: Wire, request: web.Request) -> web.StreamResponse:
        raw = await request.read()
        body: Body = json.loads(raw)
        digest = hashlib.sha256(wire.path.encode() + raw).hexdigest()
        self._attempts[digest] += 1
        key = wire.key(request.headers)
        try:
            system, turns = wire.conversation(body)
        except BadRequestError as exc:
            return web.json_response(wire.error(Fault.BAD_REQUEST, str(exc)), status=400)
        asked = Asked(len(self.asked) + 1, digest, self._attempts[digest], task_of(system), key, body)
        fault = self.plan(asked)
        self.asked.append(asked)
        self.faults.append(fault)
        await asyncio.sleep(self.latency_seconds)
        if fault in STATUS:
            headers = {"Retry-After": self.retry_after} if STATUS[fault] in (429, 503, 529) else {}
            status = 402 if fault is Fault.NO_MONEY and isinstance(wire, AnthropicWire) else STATUS[fault]
            return web.json_response(wire.error(fault, error_message(fault, key)), status=status, headers=headers)
        try:
            text = answered(str(body["model"]), system, turns)
        except ProgramError as exc:
            return web.json_response(wire.error(Fault.BAD_REQUEST, str(exc)), status=400)
        said = spoilt(text, fault, plain=contract(SIGNATURES[asked.task]).plain_text is not None)
        return await self._send(request, json.dumps(wire.answer(body, said)), fault)

    async def _send(self, request: web.Request, text: str, fault: Fault | None) -> web.StreamResponse:
        if fault is Fault.HANGING:
            await asyncio.sleep(3600)
        if fault is Fault.NOT_JSON:
            return web.Response(text="<html><body>Bad gateway</body></html>", content_type="text/html")
        if fault is Fault.NOT_THE_INTERFACE:
            return web.json_response({"choices": "none", "content": 7, "usage": "free"})
        if fault is Fault.DROPPED and request.transport:
            request.transport.abort()
        if fault is Fault.TRUNCATED:
            response = web.StreamResponse(
                headers={"Content-Length": str(len(text)), "Content-Type": "application/json"}
            )
            await response.prepare(request)
            await response.write(text[: len(text) // 2].encode())
            if request.transport:
                request.transport.close()
            return response
        return web.Response(text=text, content_type="application/json")


@cache
def _catalogue() -> Catalogue:
    return load_catalogue()


def answered(model: str, system: str, turns: list[tuple[str, str]]) -> str:
    """Return what the rules named by `model` answer to a conversation, in any wire's words.

    What they draw is decided by model and inputs alone, so that a repaired answer is the one that was spoilt.

    Raises:
        ProgramError: it is no conversation of ours, or the rules have no answer.
    """
    task, inputs = read_turns(system, turns, SIGNATURES)
    codec = contract(SIGNATURES[task])
    drawn = hashlib.sha256(f"{model}|{task}|{codec.write_inputs(inputs)}".encode()).digest()
    return codec.write_reply(answer(model, task, inputs, int.from_bytes(drawn[:7], "big"), _catalogue()))


def spoilt(text: str, fault: Fault | None, *, plain: bool) -> Said:
    """Return a good answer as a model with this fault would give it; plain text cannot have the faults of JSON."""
    if fault is Fault.EMPTY:
        return Said("")
    if fault is Fault.CUT:
        return Said(text[: len(text) // 2], "length")
    if fault is Fault.REFUSAL:
        return Said("I cannot help with that.", declined=True)
    if fault is Fault.CONTENT_FILTER:
        return Said(text[: len(text) // 3], "content_filter")
    if plain or fault not in _JSON_FAULTS:
        return Said(text)
    fields = json.loads(text)
    if fault is Fault.PROSE:
        return Said("Let me think {aloud} about this. All in all it looks fine to me.")
    if fault is Fault.EXTRA_TEXT:
        return Said(f"Here is the reply {{as wanted}}:\n```json\n{json.dumps(fields, indent=1)}\n```\nAnything else?")
    if fault is Fault.MISSING_FIELDS:
        del fields[list(fields)[-1]]
    if fault is Fault.WRONG_TYPES:
        fields = {name: {"value": value} for name, value in fields.items()}
    return Said(json.dumps(fields))


@contextmanager
def serve(plan: Plan | None = None, *, latency_seconds: float = 0.0, retry_after: str = "0") -> Iterator[Provider]:
    """Yield a provider that runs in a thread of its own, on a free port of 127.0.0.1."""
    provider = Provider(plan or scripted(), latency_seconds, retry_after)
    started, loop = threading.Event(), asyncio.new_event_loop()
    ended = asyncio.Event()

    async def run() -> None:
        runner = web.AppRunner(provider.app(), handler_cancellation=True, shutdown_timeout=0.1)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        provider.port = runner.addresses[0][1]
        started.set()
        await ended.wait()
        await runner.cleanup()

    thread = threading.Thread(target=lambda: loop.run_until_complete(run()), daemon=True)
    thread.start()
    started.wait(10)
    try:
        yield provider
    finally:
        loop.call_soon_threadsafe(ended.set)
        thread.join(10)
        loop.close()
