"""What can go wrong at a provider, and when: by script, or by a hash of request and attempt."""

import hashlib
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from enum import StrEnum, auto
from typing import Final

from demur.programs.errors import ProgramError


class Fault(StrEnum):
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
    Fault.RATE_LIMITED: 429,
    Fault.SERVER_ERROR: 500,
    Fault.UNAVAILABLE: 503,
    Fault.OVERLOADED: 529,
    Fault.UNAUTHORISED: 401,
    Fault.FORBIDDEN: 403,
    Fault.NOT_FOUND: 404,
    Fault.BAD_REQUEST: 400,
    Fault.TOO_LONG: 400,
    Fault.NO_MONEY: 429,
    Fault.NESTED_ERROR: 503,
    Fault.CODE_NO_TEXT: 503,
}
"""The faults that are an HTTP status."""

BROKEN: Final = frozenset(
    {
        *(Fault.DROPPED, Fault.HANGING, Fault.TRUNCATED, Fault.NOT_JSON, Fault.NOT_THE_INTERFACE),
        *(Fault.NESTED, Fault.REFUSAL_NO_TEXT),
    }
)
"""Faults after which no answer can be read off the wire."""

UNFINISHED: Final[dict[Fault, str | None]] = {
    Fault.MODEL_LENGTH: "model_length",
    Fault.NO_RESOURCES: "insufficient_system_resource",
    Fault.FINISH_ERROR: "error",
    Fault.ABORTED: "abort",
    Fault.NO_FINISH: None,
    Fault.PAUSED: "pause_turn",
}
"""The faults that are half an answer, with the finish reason by which providers say so."""

TRANSIENT: Final = frozenset(
    {
        *(*BROKEN, *UNFINISHED, Fault.RATE_LIMITED, Fault.SERVER_ERROR, Fault.UNAVAILABLE, Fault.OVERLOADED),
        *(Fault.NESTED_ERROR, Fault.CODE_NO_TEXT),
    }
)
"""Faults that asking the same again mends."""

SPOILT: Final = frozenset(
    {Fault.EMPTY, Fault.PROSE, Fault.CUT, Fault.WRONG_TYPES, Fault.MISSING_FIELDS, Fault.EXTRA_TEXT}
)
"""Answers in bad shape, which a model may mend when it is shown what is wrong."""

PERMANENT: Final = frozenset({Fault.REFUSAL, Fault.CONTENT_FILTER})
"""Faults of the request itself: its unit ends without a result."""

UNCOUNTED: Final = frozenset({Fault.NO_USAGE, Fault.HUGE_USAGE})
"""Good answers that do not tell how many tokens they took."""

ACCOUNT: Final = frozenset(Fault) - TRANSIENT - SPOILT - PERMANENT - UNCOUNTED
"""Faults that come only where they are named: of account or configuration, where going on helps nothing; of batches."""

BATCH_FAULTS: Final = TRANSIENT | {Fault.NOT_FOUND, Fault.LINES_MISSING}
"""Faults that mend themselves where batches are sent, looked at and fetched."""

FAMILIES: Final = {
    "transient": TRANSIENT,
    "spoilt": SPOILT,
    "permanent": PERMANENT,
    "uncounted": UNCOUNTED,
    "all": TRANSIENT | SPOILT | PERMANENT | UNCOUNTED,
}


@dataclass(frozen=True, slots=True)
class Asked:
    """One request that came in: its place among all, and which attempt at the same body it is, both from 1."""

    number: int
    digest: str
    attempt: int
    task: str
    key: str
    body: dict[str, object]


Plan = Callable[[Asked], Fault | None]


def scripted(*faults: Fault | None) -> Plan:
    """Return the plan by which the first requests meet these faults, in the order in which they come."""
    return lambda asked: faults[asked.number - 1] if asked.number <= len(faults) else None


def always(fault: Fault) -> Plan:
    """Return the plan by which every request meets one fault."""
    return lambda asked: fault


def seeded(seed: int, rate: float, faults: Collection[Fault]) -> Plan:
    """Return the plan by which a share of requests meets one of the faults, decided by request and attempt alone."""
    choice = sorted(faults)

    def plan(asked: Asked) -> Fault | None:
        digest = hashlib.sha256(f"{seed}|{asked.digest}|{asked.attempt}".encode()).digest()
        if int.from_bytes(digest[:8], "big") >= rate * 2**64:
            return None
        return choice[int.from_bytes(digest[8:12], "big") % len(choice)]

    return plan


def named_faults(names: Iterable[str]) -> frozenset[Fault]:
    """Return the faults of families (`transient`, `spoilt`, `permanent`, `uncounted`, `all`) and kinds, by name.

    Raises:
        ProgramError: a name is neither.
    """
    found: set[Fault] = set()
    for name in names:
        if name in FAMILIES:
            found |= FAMILIES[name]
        elif name in set(Fault):
            found.add(Fault(name))
        else:
            raise ProgramError(f"faults '{name}' is not one of {', '.join([*FAMILIES, *sorted(Fault)])}")
    return frozenset(found)
