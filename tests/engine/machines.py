"""Processes that share a state: within one process of tests, each on a machine of its own as far as others can see."""

from itertools import count

from demur.engine.state.databases import postgres_database
from demur.engine.state.processes import Heartbeat, Timing, this_machine
from demur.engine.state.shared import SharedState
from demur.engine.state.sqlite import SqliteDatabase
from demur.warehouse.home import Home

QUICK = Timing(beat_seconds=0.1, stopping_seconds=0.6, lease_seconds=1.0)
PATIENT = Timing(stopping_seconds=600.0, lease_seconds=900.0)
"""Leases that outlive every restart of a server, however slow the machine is."""
_numbers = count(1)


class Machine:
    """A process with connections and a heartbeat of its own, which can be cut off as a killed one is."""

    def __init__(self, home: Home, address: str | None, timing: Timing = QUICK) -> None:
        self.database = SqliteDatabase(home.state) if address is None else postgres_database(address)
        self.heartbeat = Heartbeat(self.database, timing, f"{this_machine()}-{next(_numbers)}")
        self.state = SharedState(home, self.database, self.heartbeat)

    def die(self) -> None:
        """Renew no more, and know it."""
        session = self.heartbeat.session()
        self.heartbeat.end()
        session.stopping_seconds = 0.0

    def close(self) -> None:
        """Give back what it took."""
        self.heartbeat.end()
        self.database.close()
