"""The store of calls: each attempt at a request is kept for ever, and is durable before its answer is used."""

import asyncio
import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import orjson

from demur.engine.logs import observer
from demur.engine.state.database import Database, Transaction, Values
from demur.programs.call_scope import Answerer, CallRecord, Finish, KnownReply, Reply, SentCall, read_logprobs

_FIELDS = tuple(name for name in CallRecord.__slots__ if name != "prompt")


@dataclass(frozen=True, slots=True)
class SentPrompt:
    """The prompt of a call: instructions, turns as (role, text), and the required JSON shape of the reply, if any."""

    system: str
    turns: tuple[tuple[str, str], ...]
    wanted: str | None


class CallStoreError(OSError):
    """A call cannot be made durable, so its answer must not be used."""


class UnreachableCallStoreError(CallStoreError, ConnectionError):
    """A call cannot be made durable because the database does not answer."""


class ShardCalls:
    """Stores the calls of a shard in groups. A call is durable when `record` returns.

    New calls wait while a group is written; then they form the next group. After a failed write, further calls are
    refused.
    """

    def __init__(self, database: Database, values: Values) -> None:
        self.path = Path(str(database))
        self._database = database
        self._error = UnreachableCallStoreError if database.several_machines else CallStoreError
        self._values = values
        self._waiting: list[tuple[CallRecord, asyncio.Future[None]]] = []
        self._writing: asyncio.Task[None] | None = None
        self._refused: OSError | RuntimeError | None = None
        self._sent: dict[str, str] = {}
        self._closed = True

    async def __aenter__(self) -> Self:
        self._closed = False
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closed = True
        cancelled: asyncio.CancelledError | None = None
        while self._writing is not None and not self._writing.done():
            try:
                await asyncio.shield(self._writing)
            except asyncio.CancelledError as exc:
                cancelled = exc
        if cancelled is not None:
            raise cancelled

    async def send(self, call: CallRecord) -> bool:
        """Store a call before its request leaves, and take its worst cost from the budget of the stage.

        Return False, and store nothing, if the budget is too small. If the wait is cancelled, nothing stays stored.

        Raises:
            CallStoreError: the write failed.
        """
        row = {**self._values, **_row(call), "sent_usd": call.reserved_usd or 0.0}
        texts = self._texts([call])

        def send(transaction: Transaction) -> bool:
            if transaction.run("sent", row):  # stored by an attempt whose commit was not confirmed
                return True
            if not transaction.run("take", {**self._values, "usd": row["sent_usd"]}):
                return False
            transaction.run_each("keep_text", texts)
            transaction.run("record", row)
            return True

        submitted = self._database.submit(send)
        try:
            stored = await asyncio.shield(asyncio.wrap_future(submitted))
        except asyncio.CancelledError:
            submitted.add_done_callback(lambda _: self._database.submit(self._unsending(row)))
            raise
        except (OSError, RuntimeError) as exc:
            raise self._error(getattr(exc, "errno", None), f"{exc}; the request was not sent", str(self.path)) from exc
        if stored:
            self._sent[call.call_id] = str(self._values["shard"])
        return stored

    async def unsend(self, call: CallRecord) -> None:
        """Delete a call that `send` has stored, and whose request did not leave."""
        del self._sent[call.call_id]
        await asyncio.wrap_future(self._database.submit(self._unsending({**self._values, **_row(call)})))

    def adopt(self, sent: SentCall) -> None:
        """Let `record` store the outcome of a call that an earlier run has stored as sent."""
        self._sent[sent.call_id] = sent.shard

    async def record(self, call: CallRecord) -> None:
        """Store a call, and wait until it is durable. If the wait is cancelled, the call is stored nevertheless.

        Raises:
            CallStoreError: the write failed, or the store is closed.
        """
        if self._closed:
            raise self._error(f"{self.path}: the store of calls is closed")
        durable: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((call, durable))
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._write())
        await durable
        observer().paid(call.charged_usd or 0.0)

    async def _write(self) -> None:
        """Write groups until no call waits, and set the result or error of every call's future."""
        while self._waiting:
            group = self._waiting
            self._waiting = []
            if self._refused is None:
                try:
                    await asyncio.wrap_future(self._database.submit(self._putting([call for call, _ in group])))
                except (OSError, RuntimeError) as exc:  # RuntimeError: the interpreter starts no more threads
                    self._refused = exc
            for _, durable in group:
                if not durable.done():
                    self._settle(durable)

    def _putting(self, calls: Sequence[CallRecord]) -> Callable[[Transaction], None]:
        """Return the work that stores a group of calls, and those texts of their prompts that are new."""
        texts = self._texts(calls)
        new = [{**self._values, **_row(call), "sent_usd": None} for call in calls if call.call_id not in self._sent]
        sent = [
            ({**self._values, **_row(call), "shard": self._sent[call.call_id]}, _counted_usd(call))
            for call in calls
            if call.call_id in self._sent
        ]

        def put(transaction: Transaction) -> None:
            transaction.run_each("keep_text", texts)
            transaction.run_each("record", new)
            for row, usd in sent:
                for (sent_usd,) in transaction.run("sent", row):
                    if sent_usd is not None:
                        transaction.run("end_call", row)
                        transaction.run("give_back", {**self._values, "usd": sent_usd - usd})

        return put

    def _unsending(self, row: Values) -> Callable[[Transaction], None]:
        """Return the work that deletes a call whose request never left."""

        def unsend(transaction: Transaction) -> None:
            for (usd,) in transaction.run("unsend", row):
                transaction.run("give_back", {**self._values, "usd": usd})

        return unsend

    def _texts(self, calls: Sequence[CallRecord]) -> list[Values]:
        """Return the rows of the texts that come with calls: as JSON, since databases refuse some characters.

        They are sorted, lest two processes wait for each other.
        """
        shown = {digest: text for call in calls for digest, text in ((call.prompt or {}).get("texts") or {}).items()}
        return [{**self._values, "digest": digest, "content": json.dumps(shown[digest])} for digest in sorted(shown)]

    def _settle(self, durable: asyncio.Future[None]) -> None:
        if self._refused is None:
            durable.set_result(None)
        else:
            why = getattr(self._refused, "strerror", None) or self._refused
            number = getattr(self._refused, "errno", None)
            durable.set_exception(self._error(number, f"{why}; no more calls are stored", str(self.path)))


@dataclass(slots=True)
class KnownCalls:
    """The calls of a unit: its answers, oldest first, and calls whose outcome was never stored, oldest first."""

    answers: list[KnownReply] = field(default_factory=list)
    unanswered: list[SentCall] = field(default_factory=list)


def known_calls(database: Database, home: str, units: Sequence[str]) -> dict[str, KnownCalls]:
    """Return the calls of units, by unit. Units without such calls are left out."""
    found = database.read_each("calls_of_unit", [{"home": home, "unit_id": unit_id} for unit_id in units])
    known: defaultdict[str, KnownCalls] = defaultdict(KnownCalls)
    for unit_id, rows in zip(units, found, strict=True):
        for call, answered, shard in sorted(((_call(row), *row[1:]) for row in rows), key=lambda one: _age(one[0])):
            if answered:
                known[unit_id].answers.append(known_reply(call))
            else:
                sent = SentCall(call["call_id"], call["request_digest"], _answerer(call), shard)
                known[unit_id].unanswered.append(sent)
    return dict(known)


def calls_of(database: Database, values: Values) -> Iterator[dict[str, Any]]:
    """Yield the calls of a shard as rows of the table `calls`, without times as text."""
    for row in database.read("recorded", values):
        call = _call(row)
        yield {**call, "shard": values["shard"], "started_at": datetime.fromisoformat(call["started_at"])}


def prompt_of(database: Database, values: Values) -> SentPrompt | None:
    """Return the prompt of a call; None if it was not stored, or was pruned."""
    stored = [text for (text,) in database.read("prompt", values) if text is not None]
    if not stored:
        return None
    prompt = json.loads(stored[0])
    digests = [prompt["system"], *(digest for _, digest in prompt["turns"]), *filter(None, [prompt["wanted"]])]
    found = database.read_each("text", [{**values, "digest": digest} for digest in digests])
    texts = {digest: json.loads(rows[0][0]) for digest, rows in zip(digests, found, strict=True) if rows}
    if texts.keys() != set(digests):
        return None
    turns = tuple((role, texts[digest]) for role, digest in prompt["turns"])
    return SentPrompt(texts[prompt["system"]], turns, None if prompt["wanted"] is None else texts[prompt["wanted"]])


def known_reply(call: Mapping[str, Any]) -> KnownReply:
    """Return the answer of a successful call, for use in place of a new request."""
    reply = Reply(
        text=call["reply"] or "",
        finish_reason=call["finish_reason"] or Finish.STOP,
        input_tokens=call["input_tokens"],
        output_tokens=call["output_tokens"],
        cached_tokens=call["cached_tokens"],
        reasoning_tokens=call["reasoning_tokens"],
        logprobs=read_logprobs(call["logprobs"]),
        reasoning=call["reasoning"],
    )
    return KnownReply(call["call_id"], call["request_digest"], reply, _answerer(call), call["started_at"])


def _answerer(call: Mapping[str, Any]) -> Answerer:
    return call["role"], call["model"], call["fingerprint"]


def _row(call: CallRecord) -> dict[str, object]:
    prompt = None if call.prompt is None else {name: of for name, of in call.prompt.items() if name != "texts"}
    return {
        "call_id": call.call_id,
        "unit_id": call.unit_id,
        "answered": call.status == "ok",
        "record": orjson.dumps({name: getattr(call, name) for name in _FIELDS}).decode(),
        "prompt": None if prompt is None else orjson.dumps(prompt).decode(),
    }


def _counted_usd(call: CallRecord) -> float:
    """Return the dollars that a call counts in the budget once its outcome is stored."""
    known = (call.cost_usd, call.charged_usd, call.reserved_usd)
    return next((usd for usd in known if usd is not None), 0.0)


def _call(row: Sequence[Any]) -> dict[str, Any]:
    call: dict[str, Any] = orjson.loads(row[0])
    return call


def _age(call: Mapping[str, Any]) -> tuple[str, int, str]:
    return call["started_at"], call["attempt"], call["call_id"]
