"""The explorer's web server. Other machines need a token."""

import secrets
import socket
import threading
import webbrowser
from collections.abc import Callable
from typing import TYPE_CHECKING
from urllib.parse import quote

from demur.configuration.web_access import is_loopback
from demur.errors import FlowError
from demur.reports.explorer.app import Explorer
from demur.reports.pages.links import to

if TYPE_CHECKING:
    from starlette.types import ASGIApp

LEAST_TOKEN = 16
GRACE_SECONDS = 1
"""Time for open requests to finish when the explorer ends."""


def serve(
    explorer: Explorer,
    *,
    host: str,
    port: int,
    token: str | None,
    open_browser: bool,
    started: Callable[[str], None],
) -> None:
    """Serve until Ctrl-C, and call `started` with the address.

    The address contains the token if requests need a token. If `token` is None and other machines can connect, the
    token is random.

    Raises:
        FlowError: the token is too short, or the port is taken.
    """
    if token is not None and len(token) < LEAST_TOKEN:
        raise FlowError(
            f"the token has {len(token)} characters; give at least {LEAST_TOKEN}, or no token for a random one"
        )
    if not is_loopback(host) and token is None:
        token = secrets.token_urlsafe(24)
    start = to("rounds") if explorer.only is None else to("round", round=explorer.only)

    def announce(server: str) -> None:
        address = f"{server}{start}" + ("" if token is None else f"?token={quote(token)}")
        started(address)
        if open_browser:
            threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()

    try:
        serve_application(explorer.application(token), host, port, announce)
    finally:
        explorer.close()


def serve_application(application: "ASGIApp", host: str, port: int, started: Callable[[str], None]) -> None:
    """Serve an ASGI application until Ctrl-C. Call `started` with `http://host:port` when the port is open.

    Raises:
        FlowError: the port is taken, or the host is no address of this machine.
    """
    import uvicorn

    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((host, port))
            listening.listen()
        except OSError as exc:
            raise FlowError(
                f"{host}:{port} cannot be used ({exc.strerror or exc}): give another --host or --port; port 0 takes a "
                "free one"
            ) from exc
        started(f"http://{f'[{host}]' if ':' in host else host}:{listening.getsockname()[1]}")
        config = uvicorn.Config(
            application,
            log_level="warning",
            access_log=False,
            lifespan="off",
            ws="none",
            timeout_graceful_shutdown=GRACE_SECONDS,
        )
        uvicorn.Server(config).run(sockets=[listening])
