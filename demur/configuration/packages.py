"""The packages that demur depends on directly, by its own metadata: no other list of them is kept."""

from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, requires, version
from typing import Final

OF_DEVELOPERS: Final = frozenset({"dev", "tools"})


def package_versions() -> dict[str, str]:
    """Return the versions of demur, of what it always needs, and of what is installed of its extras; by name."""
    found = {"demur": version("demur")}
    for name, needed in _requirements():
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            if needed:
                found[name] = "not installed"
    return dict(sorted(found.items()))


def _requirements() -> Iterator[tuple[str, bool]]:
    """Yield the packages of every extra but those for developers, and whether every installation needs them."""
    from packaging.requirements import Requirement

    for text in requires("demur") or ():
        requirement = Requirement(text)
        marker = requirement.marker
        always = marker is None or marker.evaluate({"extra": ""})
        of_developers = marker is not None and any(marker.evaluate({"extra": each}) for each in OF_DEVELOPERS)
        if requirement.name != "demur" and (always or not of_developers):
            yield requirement.name, always
