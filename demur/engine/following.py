"""Updates and publication of the loader's file, which is the unpublished warehouse of a home.

Updates are data from the home's store, and changes by callers.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress

from demur.engine.context import LOADER_WAIT_SECONDS, RoundContext, home_writing, loader_writing
from demur.engine.loading import load_round_calls
from demur.engine.progress import observer
from demur.engine.state.shared import shared_state
from demur.errors import ConfigError
from demur.warehouse.connection import Connection
from demur.warehouse.home import Home
from demur.warehouse.publish import publish
from demur.warehouse.replay import follow_store


def follow(home: Home) -> None:
    """Load all data of the home's store that the loader's file lacks. A home in a folder stays unchanged.

    Raises:
        StoreError: the store does not answer.
    """
    found = follow_store(home, wait_seconds=LOADER_WAIT_SECONDS, on_wait=observer().notice)
    with suppress(ConfigError):  # without DEMUR_STATE, a reader of a home in a store does without calls
        if found.rounds:
            state = shared_state(home)
            with home_writing(home) as con:
                for round_id in found.rounds:
                    load_round_calls(con, state, round_id)
    for damaged in found.damaged:
        observer().notice(f"{damaged}; its units are worked on again by the next run of the round")


def make_loader(context: RoundContext) -> None:
    """Create the loader's file of a new home, and the views of this version."""
    with loader_writing(context):
        pass


def publish_home(home: Home, *, midway: bool = False) -> None:
    """Replace the published warehouse by a copy of the loader's file; `midway` is True while a round continues."""
    publish(home, wait_seconds=LOADER_WAIT_SECONDS, on_wait=observer().notice, midway=midway)


@contextmanager
def published_change(home: Home) -> Iterator[Connection]:
    """Yield a connection that changes the loader's file, and publish the changed file after the block.

    All data of the home's store are loaded into the file first.
    """
    follow(home)
    with home_writing(home) as con:
        yield con
    publish_home(home)
