"""Interface of the throttle to the registry of processes that ask a model."""

from typing import Protocol

from demur.lanes.throttle.circuit_breaker import Finding


class Lapsed(OSError):
    """A registration was not renewed for so long that other processes may ignore it; its process must stop asking."""


class Registration(Protocol):
    """One registered process that asks a model; `finding` tells the others that the model does not answer."""

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
    """A registry of processes; its text is its name in messages."""

    @property
    def remedy(self) -> str:
        """The remedy for an unusable registry."""

    def register(self, model: str) -> Registration:
        """Register this process for a model; raises OSError, as a ConnectionError if the registry may recover soon."""
