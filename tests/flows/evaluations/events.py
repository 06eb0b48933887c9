"""The events that flows of this process emit about rounds, taken before Prefect's worker of events sends them."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

Emitted = list[tuple[str, str, str]]
"""Which event, of which round, and the message."""


@contextmanager
def emitted() -> Iterator[Emitted]:
    """Yield the list that events of rounds are appended to.

    Prefect makes and checks them; only its worker, which posts them from a thread, is not handed them. An override of
    its client would make a second worker, whose lifespan and drain wait for the API of the tests.
    """
    from prefect.events import utilities
    from prefect.events.clients import AssertingEventsClient
    from prefect.events.schemas.events import Event

    found: Emitted = []
    worker = utilities.EventsWorker

    class Taking:
        client_type = AssertingEventsClient

        @classmethod
        def instance(cls) -> Any:
            return cls

        @staticmethod
        def send(event: Event) -> None:
            if event.event.startswith("demur."):
                found.append((event.event, event.resource["prefect.resource.name"], str(event.payload["message"])))
            else:
                worker.instance().send(event)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(utilities, "EventsWorker", Taking)
        yield found
