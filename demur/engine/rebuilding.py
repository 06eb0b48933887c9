"""The warehouse made again: rows from the old file, calls from the store of calls."""

from demur.engine.context import LOADER_WAIT_SECONDS
from demur.engine.loading import load_round_calls
from demur.engine.progress import observer
from demur.engine.state.shared import shared_state
from demur.warehouse.connection import Connection
from demur.warehouse.home import Home
from demur.warehouse.rebuild import Rebuilt, rebuild


def rebuild_home(home: Home) -> Rebuilt:
    """Replace the loader's file of a home. Arguments and errors are those of `warehouse.rebuild`."""
    state = shared_state(home)

    def load_calls(con: Connection) -> None:
        for round_id in state.rounds():
            load_round_calls(con, state, round_id)

    return rebuild(home, load_calls, wait_seconds=LOADER_WAIT_SECONDS, on_wait=observer().notice)
