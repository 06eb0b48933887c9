"""The explorer's server: on this machine, or for other machines with a token."""

import secrets
import socket
import threading
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from urllib.parse import quote

from demur.configuration.web_access import is_loopback
from demur.errors import FlowError
from demur.reports.explorer.app import Explorer
from demur.reports.pages.links import to

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
    """Serve until Ctrl-C; `started` is called with the address, which contains the token if there is one.

    Raises:
        FlowError: the token is too short, or the port is taken.
    """
    import uvicorn

    if token is not None and len(token) < LEAST_TOKEN:
        raise FlowError(
            f"the token has {len(token)} characters; give at least {LEAST_TOKEN}, or no token for a random one"
        )
    if not is_loopback(host) and token is None:
        token = secrets.token_urlsafe(24)
    with listening_at(host, port) as (listening, place):
        start = to("rounds") if explorer.only is None else to("round", round=explorer.only)
        address = f"http://{place}{start}"
        if token is not None:
            address += f"?token={quote(token)}"
        config = uvicorn.Config(
            explorer.application(token),
            log_level="warning",
            access_log=False,
            lifespan="off",
            ws="none",
            timeout_graceful_shutdown=GRACE_SECONDS,
        )
        server = uvicorn.Server(config)

        def announce() -> None:
            while not server.started and not server.should_exit:
                threading.Event().wait(0.01)
            started(address)
            if open_browser:
                webbrowser.open(address)

        threading.Thread(target=announce, daemon=True).start()
        try:
            server.run(sockets=[listening])
        finally:
            explorer.close()


@contextmanager
def listening_at(host: str, port: int) -> Iterator[tuple[socket.socket, str]]:
    """Yield a bound socket, and `host:port` as in a URL.

    Raises:
        FlowError: the port is taken, or the host is no address of this machine.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((host, port))
        except OSError as exc:
            raise FlowError(
                f"{host}:{port} cannot be used ({exc.strerror or exc}): give another --host or --port; port 0 "
                "takes a free one"
            ) from exc
        shown = f"[{host}]" if ":" in host else host
        yield listening, f"{shown}:{listening.getsockname()[1]}"
