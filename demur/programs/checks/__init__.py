"""Checks in code on what any generator made, before a verifier is asked."""

from demur.programs.checks.duplicates import Made, distinct, duplicate_key, item_key
from demur.programs.checks.results import CheckName, CheckResult, Evidence, Outcome
from demur.programs.checks.run import check, check_example, example_as_instance, failures

__all__ = [
    "CheckName",
    "CheckResult",
    "Evidence",
    "Made",
    "Outcome",
    "check",
    "check_example",
    "distinct",
    "duplicate_key",
    "example_as_instance",
    "failures",
    "item_key",
]
