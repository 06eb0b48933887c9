"""Calls as lines of a journal, and the answers in them."""

import os

import orjson

from demur.programs.journal import CallRecord, KnownReply, Reply, read_logprobs
from demur.warehouse.units import KnownCall

_FIELDS = tuple(CallRecord.__slots__)


def known_reply(call: CallRecord | KnownCall) -> KnownReply:
    """Return the answer of a successful call, to be used instead of asking again."""
    counts = call.input_tokens, call.output_tokens, call.cached_tokens, call.reasoning_tokens
    reply = Reply(call.reply or "", call.finish_reason or "stop", *counts, logprobs=read_logprobs(call.logprobs))
    answerer = (call.role, call.model, call.fingerprint)
    return KnownReply(call.call_id, call.request_digest, call.attempt, reply, answerer)


def call_line(call: CallRecord) -> bytes:
    """Return a call as a line of a journal."""
    return orjson.dumps({name: getattr(call, name) for name in _FIELDS}, option=orjson.OPT_APPEND_NEWLINE)


class JournalError(OSError):
    """A call cannot be made durable, so its answer must not be used."""


def write_all(descriptor: int, data: bytes) -> None:
    """Write everything, in as many parts as the system wants."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def cut_torn_line(descriptor: int) -> None:
    """Cut off what follows the last line break: its answer was never used, and the next line must begin afresh."""
    end = os.fstat(descriptor).st_size
    at = end
    while at > 0:
        start = max(0, at - 65_536)
        found = os.pread(descriptor, at - start, start).rfind(b"\n")
        if found >= 0:
            at = start + found + 1
            break
        at = start
    if at < end:
        os.ftruncate(descriptor, at)
