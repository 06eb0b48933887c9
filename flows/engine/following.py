"""The loader's file, brought to what other machines have put into the home's store."""

from demur.flows.engine.context import LOADER_WAIT_SECONDS
from demur.flows.progress import observer
from demur.warehouse.home import Home
from demur.warehouse.replay import follow_store


def follow(home: Home) -> None:
    """Take in what landed in the home's store and is not here yet; the file is made where it is missing.

    Raises:
        StoreError: the store does not answer.
    """
    found = follow_store(home, wait_seconds=LOADER_WAIT_SECONDS, on_wait=observer().notice)
    for damaged in found.damaged:
        observer().notice(f"{damaged}; what it held is worked on again by the next run of its round")
