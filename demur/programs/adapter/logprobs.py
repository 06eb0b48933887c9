"""Log-probabilities of replies' first tokens, and the probability of a yes."""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Final

from dspy.lm15 import Response

from demur.programs.errors import ReplyError

ALTERNATIVES: Final = 5
"""The number of requested first tokens; every server allows this many."""

FirstToken = tuple[tuple[str, float], ...]
"""The likeliest first tokens of a reply with natural log-probabilities, likeliest first."""


@dataclass(frozen=True, slots=True)
class YesNo:
    """The probability of yes in a reply of yes or no.

    `mass` is the probability that the reply is yes or no. `probability` is the share of yes in `mass`.
    """

    probability: float
    mass: float


@dataclass(slots=True)
class LogprobCapture:
    """The newest reply and its likeliest first tokens. While a capture is active, requests ask for these tokens."""

    alternatives: int
    first_token: FirstToken | None = None
    reply: str = ""


_CAPTURE: ContextVar[LogprobCapture | None] = ContextVar("demur_logprob_capture", default=None)


@contextmanager
def capture_logprobs(alternatives: int = ALTERNATIVES) -> Iterator[LogprobCapture]:
    """Request log-probabilities of first tokens inside the block."""
    capture = LogprobCapture(alternatives)
    token = _CAPTURE.set(capture)
    try:
        yield capture
    finally:
        _CAPTURE.reset(token)


def current_capture() -> LogprobCapture | None:
    """Return the active capture; None if no capture is active."""
    return _CAPTURE.get()


def record_logprobs(response: Response, text: str) -> None:
    """Store a reply and its first tokens in the active capture."""
    capture = current_capture()
    if capture is not None:
        first = response.logprobs[0] if response.logprobs else None
        capture.first_token = None if first is None else tuple((option.token, option.logprob) for option in first.top)
        capture.reply = text


def yes_no(capture: LogprobCapture) -> YesNo:
    """Return the probability of a yes in the newest reply.

    Raises:
        ReplyError: no log-probabilities came, or neither yes nor no is among the likeliest first tokens.
    """
    if capture.first_token is None:
        raise ReplyError("the reply came without log-probabilities, though they were asked for", reply=capture.reply)
    shares = {"yes": 0.0, "no": 0.0}
    for token, logprob in capture.first_token:
        said = token.strip().strip(".,'\"*").lower()
        if said in shares:
            shares[said] += math.exp(logprob)
    mass = shares["yes"] + shares["no"]
    if mass <= 0:
        likeliest = ", ".join(repr(token) for token, _ in capture.first_token)
        raise ReplyError(f"neither yes nor no is among the likeliest first tokens {likeliest}", reply=capture.reply)
    return YesNo(shares["yes"] / mass, min(1.0, mass))
