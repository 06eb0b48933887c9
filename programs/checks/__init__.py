"""Checks in code on what any generator made, before a verifier is asked."""

from programs.checks.duplicates import Seen, item_key
from programs.checks.examples import check_example, example_as_instance
from programs.checks.results import CheckName, CheckResult, Evidence, Outcome
from programs.checks.run import check, failures

__all__ = [
    "CheckName",
    "CheckResult",
    "Evidence",
    "Outcome",
    "Seen",
    "check",
    "check_example",
    "example_as_instance",
    "failures",
    "item_key",
]
