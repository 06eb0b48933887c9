"""What the throttle needs of the place where the processes that ask a model are registered."""

from typing import Protocol

from demur.lanes.throttle.circuit_breaker import Finding


class Lapsed(OSError):
    """A registration could not be renewed for so long that others may not count on it: nothing is to be asked."""


class Registration(Protocol):
    """One process among those that ask a model, which tell each other in `finding` that it does not answer."""

    finding: Finding | None
    heard: Finding | None

    def active(self) -> int:
        """Return how many processes are registered, this one included; raises OSError, or Lapsed, if it cannot."""

    def take(self, rate: str, amount: float, per_minute: float) -> float:
        """Return how much of an amount, of which all processes share a rate, there was to take; raises OSError.

        A negative amount is given back.
        """

    def unregister(self) -> None:
        """End the registration."""


class Registry(Protocol):
    """Where processes are registered; as text, what a message calls it."""

    @property
    def remedy(self) -> str:
        """What to do where it cannot be used."""

    def register(self, model: str) -> Registration:
        """Count this process among those that ask a model; raises OSError: ConnectionError if it can be soon."""
