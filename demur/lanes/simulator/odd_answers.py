"""Answers that do not match a provider's interface, as faulty proxies, servers and models send them."""

import asyncio
import json
from collections.abc import Callable, Mapping
from copy import deepcopy
from typing import Any, Final

from aiohttp import web

from demur.lanes.simulator.faults import SimulatorFault
from demur.lanes.simulator.wire import Body

TOO_DEEP: Final = '{"error": ' + "[" * 20_000 + "]" * 20_000 + "}"
"""JSON nested deeper than parsers accept."""
_TOO_MANY_TOKENS: Final = 2**70
_THOUGHT: Final = "Let me see, REFUSE_OTHER perhaps."
_UNCOUNTED: Final = 500
WEB_PAGE: Final = f"<html><head><title>Attention Required!</title></head><body>{'x' * 3_000}</body></html>"
_STREAM: Final = 'data: {"choices": [{"index": 0, "delta": {"content": "In"}}]}\n\ndata: [DONE]\n\n'


def _parts(text: Any) -> Any:
    thought = {"type": "thinking", "thinking": [{"type": "text", "text": _THOUGHT}]}
    return [thought, *({"type": "text", "text": half} for half in (text[:3], text[3:]))] if text else text


def _set(place: str, name: str, value: Any) -> Callable[[Body], None]:
    """Return a change of a field: `place` is the choice or its message, or the body itself."""

    def change(body: Body) -> None:
        choice: Body = body["choices"][0] if place != "body" else {}
        target: Any = {"body": body, "choice": choice, "message": choice.get("message")}[place]
        target[name] = value(target[name]) if callable(value) else value

    return change


_TOOL: Final = {"id": "call_1", "type": "function", "function": {"name": "search", "arguments": '{"q": "x"}'}}
_ERROR: Final = {"message": "Provider returned error", "code": 502}
_COMPLETIONS: Final[Mapping[SimulatorFault, tuple[Callable[[Body], None], ...]]] = {
    SimulatorFault.PARTS: (_set("message", "content", _parts),),
    SimulatorFault.REASONING_ASIDE: (_set("message", "reasoning_content", _THOUGHT),),
    SimulatorFault.EOS: (_set("choice", "finish_reason", "eos_token"),),
    SimulatorFault.NO_FINISH: (_set("choice", "finish_reason", None),),
    SimulatorFault.REASONING_UNCOUNTED: (
        _set("body", "usage", lambda usage: {**usage, "total_tokens": usage["total_tokens"] + _UNCOUNTED}),
    ),
    SimulatorFault.REASONING_ONLY: (_set("message", "content", None), _set("message", "reasoning", _THOUGHT)),
    SimulatorFault.TOOL_UNASKED: (_set("message", "content", None), _set("message", "tool_calls", [_TOOL])),
    SimulatorFault.ERROR_WITH_200: (_set("body", "error", _ERROR), _set("body", "choices", None)),
}
_MESSAGES: Final[Mapping[SimulatorFault, tuple[Callable[[Body], None], ...]]] = {
    SimulatorFault.PARTS: (_set("body", "content", lambda blocks: "".join(one.get("text", "") for one in blocks)),),
    SimulatorFault.REASONING_ASIDE: (
        _set("body", "content", lambda blocks: [{"type": "thinking", "thinking": _THOUGHT}, *blocks]),
    ),
    SimulatorFault.EOS: (_set("body", "stop_reason", "eos_token"),),
    SimulatorFault.NO_FINISH: (_set("body", "stop_reason", None),),
    SimulatorFault.REASONING_ONLY: (_set("body", "content", [{"type": "thinking", "thinking": _THOUGHT}]),),
    SimulatorFault.TOOL_UNASKED: (_set("body", "content", [{"type": "tool_use", "name": "search", "input": {}}]),),
    SimulatorFault.ERROR_WITH_200: (
        _set("body", "type", "error"),
        _set("body", "error", {"type": "overloaded_error", "message": "Overloaded"}),
        lambda body: body.pop("content"),
    ),
}
"""Changes of good answers, by fault, for each interface. A new oddity is a line here and a name in `faults`."""


def misshapen(body: Body, fault: SimulatorFault | None) -> str:
    """Return an answer as JSON text, spoiled in the way that `fault` names."""
    if fault is SimulatorFault.NESTED:
        return TOO_DEEP
    changes = (_COMPLETIONS if "choices" in body else _MESSAGES).get(fault, ()) if fault is not None else ()
    body = deepcopy(body) if changes else body
    for change in changes:
        change(body)
    if fault is SimulatorFault.NOT_THE_INTERFACE:
        body = {"choices": "none", "content": 7, "usage": "free"}
    if fault is SimulatorFault.NO_USAGE:
        body = {name: value for name, value in body.items() if name != "usage"}
    if fault is SimulatorFault.HUGE_USAGE:
        body = {**body, "usage": dict.fromkeys(body["usage"], _TOO_MANY_TOKENS)}
    if fault is SimulatorFault.REFUSAL_NO_TEXT and "choices" in body:
        message = {"role": "assistant", "content": None, "refusal": {"reasons": ["it depends"]}}
        body = {**body, "choices": [{**body["choices"][0], "message": message}]}
    elif fault is SimulatorFault.REFUSAL_NO_TEXT:
        body = {**body, "content": [{"type": "text", "text": {"parts": []}}], "stop_reason": "refusal"}
    return json.dumps(body)


async def broken_answer(request: web.Request, text: str, fault: SimulatorFault | None) -> web.StreamResponse | None:
    """Return a response that cannot be read; None if `fault` leaves the response readable."""
    if fault is SimulatorFault.HANGING:
        await asyncio.sleep(3600)
    if fault is SimulatorFault.NOT_JSON:
        return web.Response(text="<html><body>Bad gateway</body></html>", content_type="text/html")
    if fault is SimulatorFault.STREAM:
        return web.Response(text=_STREAM, content_type="text/event-stream")
    if fault in (SimulatorFault.NOT_THE_INTERFACE, SimulatorFault.NESTED, SimulatorFault.REFUSAL_NO_TEXT):
        return web.json_response(text=text)
    if fault is SimulatorFault.DROPPED and request.transport:
        request.transport.abort()
        return web.Response()
    if fault is SimulatorFault.TRUNCATED:
        return await torn(request, web.Response(text=text, content_type="application/json"))
    return None


async def torn(request: web.Request, answer: web.Response) -> web.StreamResponse:
    """Send half of a response, then close the connection."""
    data = answer.body if isinstance(answer.body, bytes) else b""
    response = web.StreamResponse(headers={"Content-Length": str(len(data)), "Content-Type": answer.content_type})
    await response.prepare(request)
    await response.write(data[: len(data) // 2])
    if request.transport:
        request.transport.close()
    return response
