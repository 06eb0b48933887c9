"""Answers of servers and models with ways of their own, which the simulator gives in place of good ones."""

import json
from collections.abc import Callable, Mapping
from typing import Any, Final

from demur.lanes.simulator.faults import OddAnswer, SimulatedRequest

Body = dict[str, Any]
THOUGHT: Final = "Let me see, REFUSE_OTHER perhaps."
UNCOUNTED: Final = 500
"""Tokens of reasoning that only the total counts."""


def edited(
    of_completion: Callable[[Body], object], of_message: Callable[[Body], object] = lambda body: None
) -> OddAnswer:
    """Return an answer that is a good one, changed in place: a chat completion, or a message of Anthropic."""

    def text(body: Body) -> str:
        (of_completion if "choices" in body else of_message)(body)
        return json.dumps(body)

    return OddAnswer(text)


def put(place: str, **fields: Any) -> Callable[[Body], object]:
    """Return a change of fields of the body, or of its choice or message; a function gets the field's old value."""

    def change(body: Body) -> None:
        choice: Body = body["choices"][0] if place != "body" else {}
        target: Any = {"body": body, "choice": choice, "message": choice.get("message")}[place]
        for name, value in fields.items():
            target[name] = value(target[name]) if callable(value) else value

    return change


def _parts(text: Any) -> Any:
    thought = {"type": "thinking", "thinking": [{"type": "text", "text": THOUGHT}]}
    return [thought, *({"type": "text", "text": half} for half in (text[:3], text[3:]))] if text else text


def refused(status: int, message: str) -> OddAnswer:
    """Return an error with a message."""
    error = {"message": message, "type": "server_error", "code": None}
    return OddAnswer(lambda body: json.dumps({"type": "error", "error": error}), status)


PARTS = edited(
    put("message", content=_parts),
    put("body", content=lambda blocks: "".join(one.get("text", "") for one in blocks)),
)
REASONING_ASIDE = edited(
    put("message", reasoning_content=THOUGHT),
    put("body", content=lambda blocks: [{"type": "thinking", "thinking": THOUGHT}, *blocks]),
)
EOS = edited(put("choice", finish_reason="eos_token"), put("body", stop_reason="eos_token"))
NO_FINISH = edited(put("choice", finish_reason=None), put("body", stop_reason=None))
REASONING_UNCOUNTED = edited(
    put("body", usage=lambda usage: {**usage, "total_tokens": usage["total_tokens"] + UNCOUNTED})
)
REASONING_ONLY = edited(
    put("message", content=None, reasoning=THOUGHT), put("body", content=[{"type": "thinking", "thinking": THOUGHT}])
)
STREAM = OddAnswer(
    lambda body: 'data: {"choices": [{"index": 0, "delta": {"content": "In"}}]}\n\ndata: [DONE]\n\n',
    content_type="text/event-stream",
)
WEB_PAGE = OddAnswer(
    lambda body: f"<html><head><title>Attention Required!</title></head><body>{'x' * 3_000}</body></html>",
    403,
    "text/html",
)
DAILY_QUOTA = refused(429, "Rate limit exceeded: free-models-per-day")
CONTEXT_SIZE = refused(400, "the request exceeds the available context size (4096 tokens), try increasing it")
_NO_SYSTEM_ROLE = refused(400, "System role not supported")
GOOD: Final[Mapping[str, OddAnswer]] = {
    "parts": PARTS,
    "reasoning aside": REASONING_ASIDE,
    "eos": EOS,
    "no finish": NO_FINISH,
    "reasoning uncounted": REASONING_UNCOUNTED,
}
"""Good answers in unusual shapes: the replies are the usual ones."""


def sends_system(body: Body) -> bool:
    """Return whether a request to the OpenAI interface has instructions in a role of their own."""
    return "system" not in body and body["messages"][0]["role"] in ("system", "developer")


def no_system_role(asked: SimulatedRequest) -> OddAnswer | None:
    """Refuse requests with the role system, as a plan of faults."""
    return _NO_SYSTEM_ROLE if sends_system(asked.body) else None
