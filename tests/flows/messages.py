"""What a round says to people while it runs, kept for a test."""

from collections.abc import Iterator
from contextlib import contextmanager

from demur.engine.logs import observe, observer
from demur.engine.progress_events import Progress


class _Messages(Progress):
    def __init__(self) -> None:
        self.shown: list[str] = []

    def notice(self, message: str) -> None:
        self.shown.append(message)


@contextmanager
def messages() -> Iterator[list[str]]:
    """Yield the messages that are shown from now on, in their order."""
    before, kept = observer(), _Messages()
    observe(kept)
    try:
        yield kept.shown
    finally:
        observe(before)
