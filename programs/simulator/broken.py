"""Answers that cannot be read off the wire."""

import asyncio

from aiohttp import web

from demur.programs.simulator.faults import SimulatorFault


async def broken_answer(request: web.Request, text: str, fault: SimulatorFault | None) -> web.StreamResponse | None:
    """Answer so that nothing can be read off the wire, None where no such fault is due."""
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
    """Send half of an answer, then close the connection."""
    data = answer.body if isinstance(answer.body, bytes) else b""
    response = web.StreamResponse(headers={"Content-Length": str(len(data)), "Content-Type": answer.content_type})
    await response.prepare(request)
    await response.write(data[: len(data) // 2])
    if request.transport:
        request.transport.close()
    return response
