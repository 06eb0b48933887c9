"""The first requests of a shard: until one reply can be read, at most one wave of requests goes out.

A wave is as many requests as the models' limits allow at a time. Without this bound, every unit would repeat its
request several times before the first unit shows that no reply can be read.
"""

import asyncio
import threading
from functools import lru_cache
from typing import Final

from demur.programs.errors import Halted

POLL_SECONDS: Final = 0.05
DOUBT: Final = 1e-4
"""Significance level at which the share of unreadable replies counts as too large."""


def surely_beyond(unreadable: int, ended: int, share: float) -> bool:
    """Return True if the share of unreadable units is above `share` by a binomial test.

    The ended units are treated as a random sample, because the content of a unit does not decide when the unit ends.
    """
    if unreadable <= share * ended:
        return False
    from scipy.special import betainc  # binomial tail

    return bool(betainc(unreadable, ended - unreadable + 1, share) < DOUBT)


def unreadable_message(problem: str, unreadable: int, ended: int, share: float, what: str = "units") -> str:
    """Return the message for a stage with too many unreadable replies; `problem` is the newest fault."""
    return (
        f"replies to {unreadable} of {ended} {what} could not be read, more than gates.unreadable {share:g} allows: "
        f"{problem[:200].rstrip('.')}. Change the model's settings (max_tokens, structured_output), or raise "
        "gates.unreadable; --again invalid asks again for unreadable judgements"
    )


class FirstWave:
    """Holds back a model's requests of a task after the first wave until a reply to the task could be read.

    If no reply of the wave could be read, no further request is sent, provided that so many unreadable replies surely
    exceed the allowed share. If the wave is too small to tell, the next wave is sent. The shards of one run of a stage
    share an instance, in several threads.
    """

    def __init__(self, size: int, most_unreadable: float) -> None:
        self._size = size
        self._most = most_unreadable
        self._lock = threading.Lock()
        self._sent = 0
        self._outstanding = 0
        self._read = 0
        self._problems: list[str] = []

    async def enter(self) -> None:
        """Wait until a request may be sent.

        Raises:
            Halted: none of the replies so far could be read, and these are too many.
        """
        while not self._enters():
            await asyncio.sleep(POLL_SECONDS)

    def leave(self) -> None:
        """Note that a request ended without a reply."""
        with self._lock:
            self._outstanding -= 1

    def note(self, problem: str | None) -> None:
        """Note a reply: None for a reply that could be read, else the reason why it could not."""
        with self._lock:
            self._outstanding -= 1
            if problem is None:
                self._read += 1
            else:
                self._problems.append(problem)

    def retract(self, problem: str) -> None:
        """Note that a reply that could be read cannot be used."""
        with self._lock:
            self._read -= 1
            self._problems.append(problem)

    def _enters(self) -> bool:
        with self._lock:
            if self._read <= 0:
                number = len(self._problems)
                if surely_beyond(number, number, self._most):
                    raise Halted(unreadable_message(self._problems[-1], number, number, self._most, "requests"))
                if self._sent >= self._size and self._outstanding > 0:
                    return False
                if self._sent >= self._size:
                    self._sent = 0
            self._sent += 1
            self._outstanding += 1
            return True


class FirstWaves:
    """The first waves of the models that a stage asks. `most_unreadable` is the allowed share of unreadable replies.

    Each task has waves of its own, since a model may answer in plain text and never give the JSON of another task.
    """

    def __init__(self, most_unreadable: float) -> None:
        self._most = most_unreadable
        self._waves: dict[tuple[str, str], FirstWave] = {}

    def of(self, model: str, task: str, size: int) -> FirstWave:
        """Return the first wave of a model and task; `size` is how many requests the model's limits allow at a time."""
        return self._waves.setdefault((model, task), FirstWave(size, self._most))


@lru_cache(maxsize=8)
def first_waves(run: str, most_unreadable: float) -> FirstWaves:
    """Return the first waves of one run of a stage in this process."""
    return FirstWaves(most_unreadable)
