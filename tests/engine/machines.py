"""Processes that share a state: within one process of tests, each with connections and locks of its own."""

import asyncio
from collections.abc import Callable

from demur.engine.state.home_state import postgres_database
from demur.engine.state.shared import SharedState
from demur.engine.state.sqlite import SqliteDatabase
from demur.warehouse.home import Home


class Machine:
    """A process with connections of its own."""

    def __init__(self, home: Home, address: str | None) -> None:
        self.database = SqliteDatabase(home.state) if address is None else postgres_database(address)
        self.state = SharedState(home, self.database)

    def close(self) -> None:
        """Give back what it took."""
        self.database.close()


async def until(condition: Callable[[], bool]) -> None:
    """Wait until something holds, for half a minute at most."""
    async with asyncio.timeout(30):
        while not condition():
            await asyncio.sleep(0.05)
