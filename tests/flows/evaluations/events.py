"""The events that flows of this process emit, taken in place of being sent to Prefect's API."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

Emitted = Callable[[], list[tuple[str, str, str]]]


@contextmanager
def emitted() -> Iterator[Emitted]:
    """Yield what returns the events of rounds so far: which, of which round, and the message."""
    from prefect.events.clients import AssertingEventsClient
    from prefect.events.worker import EventsWorker

    AssertingEventsClient.reset()
    EventsWorker.set_client_override(AssertingEventsClient)

    def found() -> list[tuple[str, str, str]]:
        EventsWorker.instance().drain()  # ours alone: others wait for what an API without services acknowledges
        events = [event for client in AssertingEventsClient.all for event in client.events]
        return [
            (event.event, event.resource["prefect.resource.name"], str(event.payload["message"]))
            for event in events
            if event.event.startswith("demur.")
        ]

    try:
        yield found
    finally:
        EventsWorker.instance().drain()
        EventsWorker.set_client_override(None)
