"""Results of code checks."""

from dataclasses import dataclass
from enum import StrEnum


class CheckName(StrEnum):
    """The code checks, in their order."""

    LEVER_IN_STRATUM = "lever_in_stratum"
    SOMETHING_CHANGED = "something_changed"
    TARGET_ONLY = "target_only"
    PASSAGES_UNTOUCHED = "passages_untouched"
    NO_LEAK = "no_leak"
    LENGTH_AND_LANGUAGE = "length_and_language"
    NO_DUPLICATE = "no_duplicate"


class Outcome(StrEnum):
    """Outcomes of a check."""

    PASS = "pass"
    FAIL = "fail"


@dataclass(frozen=True, slots=True)
class Evidence:
    """A piece of text that decided a check. `passage` is the index of its passage, or None for the question."""

    passage: int | None
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The result of one check of one perturbation; `evidence` gives the reason in one line."""

    name: CheckName
    outcome: Outcome
    evidence: str
    spans: tuple[Evidence, ...] = ()


def passed(name: CheckName, evidence: str, spans: tuple[Evidence, ...] = ()) -> CheckResult:
    """Return the result of a passed check."""
    return CheckResult(name, Outcome.PASS, evidence, spans)


def failed(name: CheckName, evidence: str, spans: tuple[Evidence, ...] = ()) -> CheckResult:
    """Return the result of a failed check."""
    return CheckResult(name, Outcome.FAIL, evidence, spans)
