"""Faults of a provider and their times: by script, or by a hash of request and attempt."""

import hashlib
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from enum import StrEnum, auto
from typing import Final

from demur.programs.errors import ProgramError


class SimulatorFault(StrEnum):
    """One way in which a request gets no usable answer, or a usable one in bad shape."""

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
    """In a batch: the line of an answer among the results is no JSON."""
    NESTED_LINE = auto()
    """In a batch: the line of an answer is nested 100,000 deep."""
    LINES_MISSING = auto()
    """Where batches are handled: results that end, at a line's end, before all lines have come."""
    FORGOTTEN = auto()
    """Where batches are handled: a batch that is neither found nor listed from here on, though it is worked on."""
    MODEL_LENGTH = auto()
    NO_RESOURCES = auto()
    FINISH_ERROR = auto()
    ABORTED = auto()
    NO_FINISH = auto()
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
"""The faults that are an HTTP status."""

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
"""Faults after which no answer can be read off the wire."""

UNFINISHED: Final[dict[SimulatorFault, str | None]] = {
    SimulatorFault.MODEL_LENGTH: "model_length",
    SimulatorFault.NO_RESOURCES: "insufficient_system_resource",
    SimulatorFault.FINISH_ERROR: "error",
    SimulatorFault.ABORTED: "abort",
    SimulatorFault.NO_FINISH: None,
    SimulatorFault.PAUSED: "pause_turn",
}
"""The faults that are half an answer, with the finish reason by which providers say so."""

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
"""Faults that asking the same again mends."""

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
"""Answers in bad shape, which a model may mend when it is shown what is wrong."""

PERMANENT: Final = frozenset({SimulatorFault.REFUSAL, SimulatorFault.CONTENT_FILTER})
"""Faults of the request itself: its unit ends without a result."""

UNCOUNTED: Final = frozenset({SimulatorFault.NO_USAGE, SimulatorFault.HUGE_USAGE})
"""Good answers that do not tell how many tokens they took."""

ACCOUNT: Final = frozenset(SimulatorFault) - TRANSIENT - SPOILT - PERMANENT - UNCOUNTED
"""Faults that come only where they are named: of account or configuration, where going on helps nothing; of batches."""

BATCH_FAULTS: Final = TRANSIENT | {SimulatorFault.NOT_FOUND, SimulatorFault.LINES_MISSING}
"""Faults that mend themselves where batches are sent, looked at and fetched."""

FAMILIES: Final = {
    "transient": TRANSIENT,
    "spoilt": SPOILT,
    "permanent": PERMANENT,
    "uncounted": UNCOUNTED,
    "all": TRANSIENT | SPOILT | PERMANENT | UNCOUNTED,
}


@dataclass(frozen=True, slots=True)
class SimulatedRequest:
    """One received request: its number among all, and its attempt number for the same body, both from 1."""

    number: int
    digest: str
    attempt: int
    task: str
    key: str
    body: dict[str, object]


FaultPlan = Callable[[SimulatedRequest], SimulatorFault | None]


def scripted(*faults: SimulatorFault | None) -> FaultPlan:
    """Return a plan that gives the first requests these faults, in order of arrival."""
    return lambda asked: faults[asked.number - 1] if asked.number <= len(faults) else None


def always(fault: SimulatorFault) -> FaultPlan:
    """Return the plan by which every request meets one fault."""
    return lambda asked: fault


def seeded(seed: int, rate: float, faults: Collection[SimulatorFault]) -> FaultPlan:
    """Return the plan by which a share of requests meets one of the faults, decided by request and attempt alone."""
    choice = sorted(faults)

    def plan(asked: SimulatedRequest) -> SimulatorFault | None:
        digest = hashlib.sha256(f"{seed}|{asked.digest}|{asked.attempt}".encode()).digest()
        if int.from_bytes(digest[:8], "big") >= rate * 2**64:
            return None
        return choice[int.from_bytes(digest[8:12], "big") % len(choice)]

    return plan


def named_faults(names: Iterable[str]) -> frozenset[SimulatorFault]:
    """Return the faults of families (`transient`, `spoilt`, `permanent`, `uncounted`, `all`) and kinds, by name.

    Raises:
        ProgramError: a name is neither.
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
