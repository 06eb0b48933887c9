"""HTTP server of a home's figures for Prometheus. Other machines need a key."""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from demur.configuration.web_access import is_loopback, is_secret, names_this_machine
from demur.errors import FlowError

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response

PATH: Final = "/metrics"


def serve_metrics(
    registry: "CollectorRegistry", *, host: str, port: int, key: str | None, started: Callable[[str], None]
) -> None:
    """Serve until Ctrl-C. Call `started` with the address when the port is open.

    Raises:
        FlowError: other machines can connect and there is no key, or the port is taken.
    """
    from demur.reports.explorer.serve import serve_application

    if key is None and not is_loopback(host):
        raise FlowError(f"--host {host}: other machines need a key; name the variable with the key (--key-env)")
    serve_application(application(registry, key), host, port, lambda address: started(f"{address}{PATH}"))


def application(registry: "CollectorRegistry", key: str | None) -> "Starlette":
    """Return the ASGI application with GET /metrics in the text format of Prometheus."""
    from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
    from starlette.applications import Starlette
    from starlette.responses import PlainTextResponse, Response
    from starlette.routing import Route

    reading = asyncio.Lock()

    async def metrics(request: "Request") -> "Response":
        if key is None and not names_this_machine(request.headers.get("host")):
            return PlainTextResponse("These figures are for this machine alone.", 403)
        given = (
            request.headers.get("authorization", "").removeprefix("Bearer ").encode("latin-1")
        )  # as Starlette decodes
        if key is not None and not is_secret(given.removeprefix(b"Bearer "), key):
            return PlainTextResponse("Send the key as `Authorization: Bearer KEY`.", 401)
        try:
            async with reading:
                text = await asyncio.to_thread(generate_latest, registry)
        except (FlowError, OSError) as exc:
            return PlainTextResponse(f"{exc}", 503)
        return Response(text, headers={"Content-Type": CONTENT_TYPE_LATEST, "X-Content-Type-Options": "nosniff"})

    return Starlette(routes=[Route(PATH, metrics, methods=["GET"])])
