"""A home whose rounds were made in SQL, and the explorer over it as browsers meet it."""

from pathlib import Path

import pytest
from starlette.testclient import TestClient

from demur.reports.explorer.app import Explorer
from demur.warehouse.connection import writing
from demur.warehouse.home import Home
from demur.warehouse.publish import publish
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
