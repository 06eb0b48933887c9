"""Changes and publication of the loader's file, which is the unpublished warehouse of a home."""

from collections.abc import Iterator
from contextlib import contextmanager

from demur.engine.context import LOADER_WAIT_SECONDS, RoundContext, home_writing, loader_writing
from demur.engine.progress import observer
from demur.warehouse.connection import Connection
from demur.warehouse.home import Home
from demur.warehouse.publish import publish


def make_loader(context: RoundContext) -> None:
    """Create the loader's file of a new home, and the views of this version."""
    with loader_writing(context):
        pass


def publish_home(home: Home, *, midway: bool = False) -> None:
    """Replace the published warehouse by a copy of the loader's file; `midway` is True while a round continues."""
    publish(home, wait_seconds=LOADER_WAIT_SECONDS, on_wait=observer().notice, midway=midway)


@contextmanager
def published_change(home: Home) -> Iterator[Connection]:
    """Yield a connection that changes the loader's file, and publish the changed file after the block."""
    with home_writing(home) as con:
        yield con
    publish_home(home)
