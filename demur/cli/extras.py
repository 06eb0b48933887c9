"""The extra of demur that a missing module belongs to, as pip installs it."""

from importlib.metadata import requires
from typing import Final

OTHER_NAMES: Final = {"dateutil": "python-dateutil", "text_to_num": "text2num", "sklearn": "scikit-learn"}
"""Distributions whose name is not that of their module."""
OF_EVERY_ROUND: Final = "rules"


def extra_of(requirement: str) -> str | None:
    """Return the extra that a requirement of demur's metadata stands in, None for what every installation has."""
    _, found, extra = requirement.partition("extra == ")
    return extra.strip("\"' )") if found else None


def missing_extra(module: str) -> str | None:
    """Return the extra that brings a module, None where it is in none."""
    from packaging.requirements import Requirement

    package = module.partition(".")[0]
    distribution = OTHER_NAMES.get(package, package).replace("_", "-")
    for text in requires("demur") or ():
        if Requirement(text).name == distribution and (extra := extra_of(text)) is not None:
            return extra
    return None
