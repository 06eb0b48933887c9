"""What a code check answers."""

from dataclasses import dataclass
from enum import StrEnum


class CheckName(StrEnum):
    """The code checks, in the order in which they are made."""

    LEVER_IN_STRATUM = "lever_in_stratum"
    SOMETHING_CHANGED = "something_changed"
    TARGET_ONLY = "target_only"
    PASSAGES_UNTOUCHED = "passages_untouched"
    ANSWER_KEPT = "answer_kept"
    ANSWER_REMOVED = "answer_removed"
    BOTH_SIDES_PRESENT = "both_sides_present"
    NO_LEAK = "no_leak"
    LENGTH_AND_LANGUAGE = "length_and_language"
    NO_DUPLICATE = "no_duplicate"


class Outcome(StrEnum):
    """UNDECIDABLE says that code cannot tell; it is neither a pass nor a fail."""

    PASS = "pass"
    FAIL = "fail"
    UNDECIDABLE = "undecidable"


@dataclass(frozen=True, slots=True)
class Evidence:
    """A piece of the perturbed text that a result rests on; `passage` is None for the question."""

    passage: int | None
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The outcome of one check on one perturbation; `evidence` says why in one line."""

    name: CheckName
    outcome: Outcome
    evidence: str
    spans: tuple[Evidence, ...] = ()


def passed(name: CheckName, evidence: str, spans: tuple[Evidence, ...] = ()) -> CheckResult:
    """Return a pass."""
    return CheckResult(name, Outcome.PASS, evidence, spans)


def failed(name: CheckName, evidence: str, spans: tuple[Evidence, ...] = ()) -> CheckResult:
    """Return a fail."""
    return CheckResult(name, Outcome.FAIL, evidence, spans)


def undecidable(name: CheckName, evidence: str, spans: tuple[Evidence, ...] = ()) -> CheckResult:
    """Return an undecidable."""
    return CheckResult(name, Outcome.UNDECIDABLE, evidence, spans)
