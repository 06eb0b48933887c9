"""Answers that do not match a provider's interface, as faulty proxies, servers and models send them."""

import asyncio
import json
from typing import Final

from aiohttp import web

from demur.lanes.simulator.faults import SimulatorFault
from demur.lanes.simulator.wire import Body

TOO_DEEP: Final = '{"error": ' + "[" * 20_000 + "]" * 20_000 + "}"
"""JSON nested deeper than parsers accept."""
_TOO_MANY_TOKENS: Final = 2**70


def misshapen(body: Body, fault: SimulatorFault | None) -> str:
    """Return an answer as JSON text, spoiled in the way that `fault` names."""
    if fault is SimulatorFault.NESTED:
        return TOO_DEEP
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
