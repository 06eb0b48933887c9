"""A home whose rounds were made in SQL, and the explorer over it as browsers meet it."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import uvicorn
from starlette.testclient import TestClient

from demur.reports.explorer.app import Explorer, RequestGuard
from demur.warehouse.connection import writing
from demur.warehouse.home import Home
from demur.warehouse.publication import publish
from tests.conftest import MadeOnce

HOSTILE = '<script>alert(1)</script><img src=x onerror=alert(2)>" onmouseover="x'


def _fill(folder: Path) -> None:
    home = Home(folder)
    with writing(home, wait_seconds=0) as con:
        con.execute((Path(__file__).parent / "made.sql").read_text(encoding="utf-8"))
    publish(home)


@pytest.fixture(scope="session")
def made_home(made_once: MadeOnce) -> Home:
    """Two rounds; nobody changes them."""
    return Home(made_once("explorer-rounds", _fill))


@pytest.fixture(scope="module")
def browser(made_home: Home) -> TestClient:
    """What asks the pages of these rounds."""
    return TestClient(Explorer(made_home).application(), base_url="http://127.0.0.1", raise_server_exceptions=False)


@contextmanager
def served(application: RequestGuard) -> Iterator[str]:
    """Serve an explorer until the end of the block, and yield where it answers."""
    config = uvicorn.Config(application, port=0, log_level="critical", lifespan="off", ws="none")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        threading.Event().wait(0.02)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    thread.join()
