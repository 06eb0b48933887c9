"""Rows of the table `checks`."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from demur.programs.checks.results import CheckResult


def check_row(
    key: Mapping[str, object], perturbation_id: str, stratum: Mapping[str, Any], result: CheckResult
) -> dict[str, object]:
    """Return the row of one code check.

    Args:
        key: The columns round_id and unit_id.
        perturbation_id: The checked perturbation.
        stratum: A mapping with `class` and `intensity`.
        result: The result of the check.
    """
    return {
        **key,
        "perturbation_id": perturbation_id,
        "class": stratum["class"],
        "intensity": stratum["intensity"],
        "check_name": result.name.value,
        "outcome": result.outcome.value,
        "evidence": result.evidence,
        "spans": [asdict(span) for span in result.spans],
    }
