"""How sure a model is of a yes: the log-probabilities of the first token that it replies with."""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Final

from dspy.lm15 import Response

from demur.programs.errors import ReplyError

ALTERNATIVES: Final = 5
"""How many first tokens are asked for: what yes and no may look like, and no more than any server gives."""

FirstToken = tuple[tuple[str, float], ...]
"""The likeliest first tokens of a reply with their natural log-probabilities, likeliest first."""


@dataclass(frozen=True, slots=True)
class YesNo:
    """The probability of yes, of what yes and no share; `mass` is that share of everything the model might say."""

    probability: float
    mass: float


@dataclass(slots=True)
class Listening:
    """Wants the log-probabilities of replies to be asked for, and keeps those of the last one."""

    alternatives: int
    heard: FirstToken | None = None
    reply: str = ""


_LISTENING: ContextVar[Listening | None] = ContextVar("demur_listening", default=None)


@contextmanager
def listening(alternatives: int = ALTERNATIVES) -> Iterator[Listening]:
    """Ask for the log-probabilities of first tokens inside the block."""
    ear = Listening(alternatives)
    token = _LISTENING.set(ear)
    try:
        yield ear
    finally:
        _LISTENING.reset(token)


def listener() -> Listening | None:
    """Return who wants log-probabilities here, or None."""
    return _LISTENING.get()


def tell_listener(response: Response, text: str) -> None:
    """Let who listens here hear a reply and its first token."""
    ear = listener()
    if ear is not None:
        first = response.logprobs[0] if response.logprobs else None
        ear.heard = None if first is None else tuple((option.token, option.logprob) for option in first.top)
        ear.reply = text


def yes_no(ear: Listening) -> YesNo:
    """Return the probability of yes that was heard.

    Raises:
        ReplyError: the provider sent no log-probabilities, or neither yes nor no is among the likeliest first tokens.
    """
    if ear.heard is None:
        raise ReplyError("the reply came without log-probabilities, though they were asked for", reply=ear.reply)
    shares = {"yes": 0.0, "no": 0.0}
    for token, logprob in ear.heard:
        said = token.strip().strip(".,'\"*").lower()
        if said in shares:
            shares[said] += math.exp(logprob)
    mass = shares["yes"] + shares["no"]
    if mass <= 0:
        likeliest = ", ".join(repr(token) for token, _ in ear.heard)
        raise ReplyError(f"neither yes nor no is among the likeliest first tokens {likeliest}", reply=ear.reply)
    return YesNo(shares["yes"] / mass, min(1.0, mass))
