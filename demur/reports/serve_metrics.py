"""HTTP server of a home's figures for Prometheus: on this machine, or for other machines with a key."""

import asyncio
import hmac
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from demur.configuration.web_access import is_loopback, names_this_machine
from demur.errors import FlowError

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry
    from starlette.requests import Request
    from starlette.responses import Response

PATH: Final = "/metrics"


def serve_metrics(
    registry: "CollectorRegistry", *, host: str, port: int, key: str | None, started: Callable[[str], None]
) -> None:
    """Serve until Ctrl-C; `started` is called with the address.

    Raises:
        FlowError: other machines can connect and there is no key, or the port is taken.
    """
    import uvicorn

    from demur.reports.explorer.serve import listening_at

    if key is None and not is_loopback(host):
        raise FlowError(f"--host {host}: other machines need a key; name the variable with the key (--key-env)")
    with listening_at(host, port) as (listening, place):
        config = uvicorn.Config(
            application(registry, key), log_level="warning", access_log=False, lifespan="off", ws="none"
        )
        started(f"http://{place}{PATH}")
        uvicorn.Server(config).run(sockets=[listening])


def application(registry: "CollectorRegistry", key: str | None) -> Callable[..., object]:
    """Return the ASGI application with GET /metrics in the text format of Prometheus."""
    from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
    from starlette.applications import Starlette
    from starlette.responses import PlainTextResponse, Response
    from starlette.routing import Route

    reading = asyncio.Lock()

    async def metrics(request: "Request") -> "Response":
        if key is None and not names_this_machine(request.headers.get("host")):
            return PlainTextResponse("These figures are for this machine alone.", 403)
        given = request.headers.get("authorization", "").removeprefix("Bearer ")
        if key is not None and not hmac.compare_digest(given.encode(), key.encode()):
            return PlainTextResponse("Send the key as `Authorization: Bearer KEY`.", 401)
        try:
            async with reading:
                text = await asyncio.to_thread(generate_latest, registry)
        except (FlowError, OSError) as exc:
            return PlainTextResponse(f"{exc}", 503)
        return Response(text, headers={"Content-Type": CONTENT_TYPE_LATEST, "X-Content-Type-Options": "nosniff"})

    return Starlette(routes=[Route(PATH, metrics, methods=["GET"])])
