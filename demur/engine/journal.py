"""Calls as lines of a journal, and the answers in them."""

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
