"""Faults of a provider, and plans that choose the requests with faults."""

import hashlib
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from enum import StrEnum, auto
from typing import Any, Final

from demur.programs.errors import ProgramError


class SimulatorFault(StrEnum):
    """Faults: a request gets no answer, an error, or an answer that is incomplete or not as asked."""

    RATE_LIMITED = auto()
    SERVER_ERROR = auto()
    UNAVAILABLE = auto()
    OVERLOADED = auto()
    DROPPED = auto()
    HANGING = auto()
    TRUNCATED = auto()
    NOT_JSON = auto()
    NOT_THE_INTERFACE = auto()
    EMPTY = auto()
    PROSE = auto()
    CUT = auto()
    WRONG_TYPES = auto()
    MISSING_FIELDS = auto()
    EXTRA_TEXT = auto()
    REFUSAL = auto()
    CONTENT_FILTER = auto()
    UNAUTHORISED = auto()
    FORBIDDEN = auto()
    NOT_FOUND = auto()
    BAD_REQUEST = auto()
    TOO_LONG = auto()
    NO_MONEY = auto()
    BAD_LINE = auto()
    """In results of batches: the line of an answer is not JSON."""
    NESTED_LINE = auto()
    """In results of batches: the line of an answer is nested 100,000 deep."""
    LINES_MISSING = auto()
    """In requests about batches: results end early, at a line's end."""
    FORGOTTEN = auto()
    """In requests about batches: from now on the batch is neither found nor listed, though work on it continues."""
    NO_RESOURCES = auto()
    FINISH_ERROR = auto()
    ABORTED = auto()
    PAUSED = auto()
    NESTED = auto()
    REFUSAL_NO_TEXT = auto()
    NESTED_ERROR = auto()
    CODE_NO_TEXT = auto()
    NO_USAGE = auto()
    HUGE_USAGE = auto()


STATUS: Final = {
    SimulatorFault.RATE_LIMITED: 429,
    SimulatorFault.SERVER_ERROR: 500,
    SimulatorFault.UNAVAILABLE: 503,
    SimulatorFault.OVERLOADED: 529,
    SimulatorFault.UNAUTHORISED: 401,
    SimulatorFault.FORBIDDEN: 403,
    SimulatorFault.NOT_FOUND: 404,
    SimulatorFault.BAD_REQUEST: 400,
    SimulatorFault.TOO_LONG: 400,
    SimulatorFault.NO_MONEY: 429,
    SimulatorFault.NESTED_ERROR: 503,
    SimulatorFault.CODE_NO_TEXT: 503,
}
"""Faults with an HTTP status."""

BROKEN: Final = frozenset(
    {
        *(
            SimulatorFault.DROPPED,
            SimulatorFault.HANGING,
            SimulatorFault.TRUNCATED,
            SimulatorFault.NOT_JSON,
            SimulatorFault.NOT_THE_INTERFACE,
        ),
        *(SimulatorFault.NESTED, SimulatorFault.REFUSAL_NO_TEXT),
    }
)
"""Faults without a readable answer."""

UNFINISHED: Final[dict[SimulatorFault, str]] = {
    SimulatorFault.NO_RESOURCES: "insufficient_system_resource",
    SimulatorFault.FINISH_ERROR: "error",
    SimulatorFault.ABORTED: "abort",
    SimulatorFault.PAUSED: "pause_turn",
}
"""Faults with half an answer, and their finish reasons."""

TRANSIENT: Final = frozenset(
    {
        *(
            *BROKEN,
            *UNFINISHED,
            SimulatorFault.RATE_LIMITED,
            SimulatorFault.SERVER_ERROR,
            SimulatorFault.UNAVAILABLE,
            SimulatorFault.OVERLOADED,
        ),
        *(SimulatorFault.NESTED_ERROR, SimulatorFault.CODE_NO_TEXT),
    }
)
"""Faults that a repeated request mends."""

SPOILT: Final = frozenset(
    {
        SimulatorFault.EMPTY,
        SimulatorFault.PROSE,
        SimulatorFault.CUT,
        SimulatorFault.WRONG_TYPES,
        SimulatorFault.MISSING_FIELDS,
        SimulatorFault.EXTRA_TEXT,
    }
)
"""Answers in bad shape, which a model may correct if it is shown the error."""

PERMANENT: Final = frozenset({SimulatorFault.REFUSAL, SimulatorFault.CONTENT_FILTER})
"""Faults of the request itself: its unit ends without a result."""

UNCOUNTED: Final = frozenset({SimulatorFault.NO_USAGE, SimulatorFault.HUGE_USAGE})
"""Good answers without usable token counts."""

BATCH_FAULTS: Final = TRANSIENT | {SimulatorFault.NOT_FOUND, SimulatorFault.LINES_MISSING}
"""Faults of requests about batches that a repeated request mends."""

FAMILIES: Final = {
    "transient": TRANSIENT,
    "spoilt": SPOILT,
    "permanent": PERMANENT,
    "uncounted": UNCOUNTED,
    "all": TRANSIENT | SPOILT | PERMANENT | UNCOUNTED,
}


@dataclass(frozen=True, slots=True)
class SimulatedRequest:
    """A received request.

    `number` is the place of the request among all requests, from 1. `attempt` is its place among the requests with the
    same body, from 1.
    """

    number: int
    digest: str
    attempt: int
    task: str
    key: str
    body: dict[str, object]


@dataclass(frozen=True, slots=True)
class OddAnswer:
    """An answer of a server with ways of its own. `text` makes the content from the body of a good answer."""

    text: Callable[[dict[str, Any]], str]
    status: int = 200
    content_type: str = "application/json"


FaultPlan = Callable[[SimulatedRequest], SimulatorFault | OddAnswer | None]


def scripted(*faults: SimulatorFault | OddAnswer | None) -> FaultPlan:
    """Return a plan that gives the first of `faults` to the first request, the second to the second, and so on."""
    return lambda asked: faults[asked.number - 1] if asked.number <= len(faults) else None


def always(fault: SimulatorFault | OddAnswer) -> FaultPlan:
    """Return a plan that gives each request the same fault."""
    return lambda asked: fault


def seeded(seed: int, rate: float, faults: Collection[SimulatorFault]) -> FaultPlan:
    """Return a plan that gives faults to attempts at random; `rate` is the probability of a fault.

    A hash of the seed, the request and the number of the attempt decides whether there is a fault, and chooses one of
    `faults`.
    """
    choice = sorted(faults)

    def plan(asked: SimulatedRequest) -> SimulatorFault | None:
        digest = hashlib.sha256(f"{seed}|{asked.digest}|{asked.attempt}".encode()).digest()
        if int.from_bytes(digest[:8], "big") >= rate * 2**64:
            return None
        return choice[int.from_bytes(digest[8:12], "big") % len(choice)]

    return plan


def named_faults(names: Iterable[str]) -> frozenset[SimulatorFault]:
    """Return the faults with these names.

    A name is the name of one fault, or of a family (`transient`, `spoilt`, `permanent`, `uncounted`, `all`).

    Raises:
        ProgramError: a name is unknown.
    """
    found: set[SimulatorFault] = set()
    for name in names:
        if name in FAMILIES:
            found |= FAMILIES[name]
        elif name in set(SimulatorFault):
            found.add(SimulatorFault(name))
        else:
            raise ProgramError(f"faults '{name}' is not one of {', '.join([*FAMILIES, *sorted(SimulatorFault)])}")
    return frozenset(found)
