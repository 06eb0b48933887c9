"""Versions of the code that makes rows without a model's help; part of the ids of the units that it decides."""

from typing import Final

from demur.programs.code_version import code_version

SCORING: Final = (
    "demur.scoring",
    "demur.scoring.rows",
    "demur.rewards.fitting",
    "demur.flows.stages.fit",
    "demur.flows.stages.reward",
)
SCORING_LIBRARIES: Final = ("numpy", "pandas", "scipy")


def scoring_version() -> str:
    """Return the version of all that scores, agreements and fits are counted by."""
    return code_version(SCORING, SCORING_LIBRARIES)
