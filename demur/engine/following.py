"""The loader's file, brought to what other machines have put into the home's store, changed, and published."""

from collections.abc import Iterator
from contextlib import contextmanager

from demur.engine.context import LOADER_WAIT_SECONDS, RoundContext, loader_writing
from demur.engine.progress import observer
from demur.warehouse.connection import Connection, writing
from demur.warehouse.home import Home
from demur.warehouse.publish import publish
from demur.warehouse.replay import follow_store


def follow(home: Home) -> None:
    """Take in what landed in the home's store and is not here yet; the file is made where it is missing.

    Raises:
        StoreError: the store does not answer.
    """
    found = follow_store(home, wait_seconds=LOADER_WAIT_SECONDS, on_wait=observer().notice)
    for damaged in found.damaged:
        observer().notice(f"{damaged}; what it held is worked on again by the next run of its round")


def make_loader(context: RoundContext) -> None:
    """Make the loader's file of a new home, or migrate an old file."""
    with loader_writing(context):
        pass


def publish_home(home: Home) -> None:
    """Replace the copy of the warehouse that people read."""
    publish(home, wait_seconds=LOADER_WAIT_SECONDS, on_wait=observer().notice)


@contextmanager
def published_change(home: Home) -> Iterator[Connection]:
    """Yield the loader's file to write, as it is with all that landed elsewhere; what was written is published then."""
    follow(home)
    with writing(home, wait_seconds=LOADER_WAIT_SECONDS, on_wait=observer().notice) as con:
        yield con
    publish_home(home)
