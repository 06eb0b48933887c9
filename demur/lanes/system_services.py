"""The lane of systems that are services: they get questions and return answers as JSON.

The spec's `parameters` give the names of JSON fields. The request has the fields `question` and `passages`. The reply
has the fields `answer`, `citations` and `retrieved`. Dots in a name lead into objects and lists, as in
`choices.0.message.content`. A service with OpenAI's chat completions (`chat` names its model) gets one message with
passages and question. If such a service finds passages itself, the message is the question alone, and `metadata` has
the id of the item (`item`) and of the base instance (`base`).
"""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final

from dspy.lm15 import Request
from pydantic import JsonValue

from demur.lanes.keys import whole
from demur.lanes.providers.openai import connection_error
from demur.lanes.providers.provider_errors import provider_words, status_error
from demur.lanes.providers.sdks import keep_no_cookies, redirect_error, stay_on_host, tls
from demur.lanes.spec import ModelSpec
from demur.lanes.spec_checks import CHAT, fields_of
from demur.lanes.system_functions import (
    INDEX_SECONDS,
    REFERENCES,
    SystemQuestion,
    asked_of_system,
    reply_of_system,
    unreadable,
)
from demur.lanes.transport import Access
from demur.programs.call_scope import Reply
from demur.programs.errors import ErrorKind, LaneError, ProgramError

LARGEST_ANSWER: Final = 8 * 2**20
"""The largest answer in bytes; reading stops there."""
SHOWN: Final = 80
"""Characters of an answer that an error shows."""


class ServiceTransport:
    """Posts questions to the address in the model's name."""

    def __init__(self, spec: ModelSpec, access: Access) -> None:
        import httpx

        self._httpx = httpx
        self._spec = spec
        self._fields = fields_of(spec.parameters)
        self._client = httpx.AsyncClient(
            headers={**access.headers, "Accept": "application/json", "Accept-Encoding": "identity"},
            timeout=spec.limits.timeout_seconds,
            verify=tls(),
            follow_redirects=True,
            event_hooks={"response": [stay_on_host]},
            limits=httpx.Limits(max_connections=None),
        )
        keep_no_cookies(self._client)

    async def ask(self, request: Request) -> Reply:
        """Return the service's answer.

        Raises:
            LaneError: the service answered with an error, without JSON or without the answer's field, or did not
                answer.
        """
        found = await self._posted(self._spec.model, self._sent(asked_of_system(self._spec, request)))
        answer = _field(found, self._fields["answer"])
        if answer is None:
            held = ", ".join(found)[:SHOWN] if isinstance(found, dict) else type(found).__name__
            raise unreadable(self._spec, f"JSON without '{self._fields['answer']}' (it has {held or 'nothing'})")
        return reply_of_system(self._spec, answer, {name: _field(found, self._fields[name]) for name in REFERENCES})

    def _sent(self, asked: SystemQuestion) -> dict[str, JsonValue]:
        if CHAT in self._fields:
            said = "\n\n".join([*(f"[{n}] {text}" for n, text in enumerate(asked.passages, start=1)), asked.question])
            messages: JsonValue = [{"role": "user", "content": said}]
            view: dict[str, JsonValue] = {} if asked.view is None else {"metadata": dict[str, JsonValue](asked.view)}
            return {"model": self._fields[CHAT], "messages": messages, "stream": False, **view}
        question: dict[str, JsonValue] = {self._fields["question"]: asked.question}
        if asked.view is not None:
            return question | asked.view
        return question | {self._fields["passages"]: list[JsonValue](asked.passages)}

    async def index(self, passages: Sequence[Mapping[str, JsonValue]]) -> None:
        """Post all passages to the service's address, with `index` in place of the last part of its path.

        Raises:
            ProgramError: the service does not accept them.
        """
        address = f"{self._spec.model.rstrip('/').rpartition('/')[0]}/index"
        try:
            async with asyncio.timeout(INDEX_SECONDS):
                await self._posted(address, {"passages": [dict(passage) for passage in passages]}, INDEX_SECONDS)
        except (LaneError, TimeoutError) as exc:
            said = str(exc) or f"takes more than {INDEX_SECONDS:,} s"
            raise ProgramError(f"system '{self._spec.name}': {address} did not accept the passages: {said}") from exc

    async def _posted(self, address: str, sent: dict[str, JsonValue], seconds: float | None = None) -> Any:
        async with self._explained():
            content = json.dumps(sent, ensure_ascii=False).encode("utf-8", "replace")
            headers = {"Content-Type": "application/json"}
            limit = seconds or self._spec.limits.timeout_seconds
            async with self._client.stream("POST", address, content=content, headers=headers, timeout=limit) as answer:
                body = await _whole(answer, self._spec)
        text = whole(body.decode("utf-8", "replace"))
        kind = answer.headers.get("content-type", "").partition(";")[0].strip() or "no content type"
        try:
            found = json.loads(text)
        except (ValueError, RecursionError):
            found = None
            if answer.status_code < 400:
                raise LaneError(
                    f"HTTP {answer.status_code} with {kind} instead of JSON: {text.strip()[:SHOWN]!r}",
                    kind=ErrorKind.PROTOCOL,
                    retryable=False,
                ) from None
        if answer.status_code >= 400:
            raise status_error(
                answer.status_code, provider_words(found, text.strip() or "nothing else"), answer.headers, body=found
            )
        return found

    @asynccontextmanager
    async def _explained(self) -> AsyncIterator[None]:
        try:
            yield
        except self._httpx.HTTPError as exc:
            raise connection_error(exc) from exc
        except Exception as exc:
            if (refused := redirect_error(exc)) is not None:
                raise refused from exc
            raise

    async def aclose(self) -> None:
        """Close connections, within a second."""
        try:
            async with asyncio.timeout(1):
                await self._client.aclose()
        except TimeoutError:
            pass


async def _whole(answer: Any, spec: ModelSpec) -> bytes:
    if answer.headers.get("content-type", "").startswith("text/event-stream"):
        raise unreadable(spec, "a stream of events, and one JSON object is needed. Turn streaming off")
    body = bytearray()
    async for block in answer.aiter_bytes():
        body += block
        if len(body) > LARGEST_ANSWER:
            raise unreadable(spec, f"more than {LARGEST_ANSWER:,} bytes, which are the most that are read")
    return bytes(body)


def _field(found: object, path: str) -> object:
    """Return the value at `path`, with dots between its names, in JSON data; None if there is no such value."""
    for name in path.split("."):
        if isinstance(found, dict):
            found = found.get(name)
        elif isinstance(found, list) and name.isdigit() and int(name) < len(found):
            found = found[int(name)]
        else:
            return None
    return found
