"""The state of rounds in both databases: a test that takes `machine` or `address` runs on each of them."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from demur.warehouse.connection import writing
from demur.warehouse.home import Home
from tests.engine.machines import Machine
from tests.engine.postgres_server import Server, started


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """A PostgreSQL server for all tests of a process; those that stop one have their own."""
    pytest.importorskip("demur.engine.state.postgres", reason="needs the extra state")
    with started() as one:
        yield one


@pytest.fixture(params=["SQLite", "PostgreSQL"])
def address(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str | None:
    """What DEMUR_STATE is set to: the address of a PostgreSQL database, or nothing, for a file in the home."""
    if request.param == "SQLite":
        monkeypatch.delenv("DEMUR_STATE", raising=False)
        return None
    found: str = request.getfixturevalue("server").address
    monkeypatch.setenv("DEMUR_STATE", found)
    return found


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A home with a warehouse."""
    made = Home(tmp_path / "home")
    with writing(made, wait_seconds=5):
        pass
    return made


@pytest.fixture
def machine(home: Home, address: str | None) -> Iterator[Callable[[], Machine]]:
    """Make machines that share the state of a home."""
    made: list[Machine] = []

    def make() -> Machine:
        made.append(Machine(home, address))
        return made[-1]

    yield make
    for one in made:
        one.close()
