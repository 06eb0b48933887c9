"""What the throttle needs of the place where the processes that ask a model are registered."""

from typing import Protocol, runtime_checkable

from demur.lanes.throttle.circuit_breaker import Finding


class Lapsed(OSError):
    """A registration could not be renewed for so long that others may not count on it: nothing is to be asked."""


class Registration(Protocol):
    """One process among those that ask a model."""

    def active(self) -> int:
        """Return how many processes are registered, this one included; raises OSError, or Lapsed, if it cannot."""

    def unregister(self) -> None:
        """End the registration."""


@runtime_checkable
class Leasing(Protocol):
    """A registration over which rates are shared: one allowance for all processes, taken in portions."""

    def take(self, rate: str, amount: float, per_minute: float) -> float:
        """Return how much of an amount there was to take; a negative one is given back; raises OSError."""


@runtime_checkable
class FindingExchange(Protocol):
    """A registration over which processes tell each other that a model does not answer, whenever they renew."""

    finding: Finding | None
    heard: Finding | None


class Registry(Protocol):
    """Where processes are registered; as text, what a message calls it."""

    @property
    def remedy(self) -> str:
        """What to do where it cannot be used."""

    def register(self, model: str) -> Registration:
        """Count this process among those that ask a model; raises OSError: ConnectionError if it can be soon."""
