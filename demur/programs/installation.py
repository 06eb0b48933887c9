"""What this installation lacks: the extra of demur that a package belongs to, and the command that adds it."""

import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, requires, version
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from demur.programs.errors import ProgramError

COMMIT: Final = "COMMIT"
"""The file of the package in which a wheel has the commit that it was built from."""


@dataclass(frozen=True, slots=True)
class Version:
    """The version of demur that runs, and its commit, None where neither wheel nor checkout says it."""

    version: str
    commit: str | None

    def __str__(self) -> str:
        """Return both, as people read them."""
        return self.version if self.commit is None else f"{self.version} ({self.commit})"


OF_DEVELOPERS: Final = frozenset({"dev", "tools"})


def package_versions() -> dict[str, str]:
    """Return the versions of demur, of what it always needs, and of what is installed of its extras; by name."""
    found = {"demur": version("demur")}
    for name, extra in requirements():
        if name == "demur" or extra in OF_DEVELOPERS:
            continue
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            if extra is None:
                found[name] = "not installed"
    return dict(sorted(found.items()))


OTHER_NAMES: Final = {
    "dateutil": "python-dateutil",
    "docx": "python-docx",
    "text_to_num": "text2num",
    "sklearn": "scikit-learn",
}
"""Distributions whose name is not that of their module."""
RUN: Final = "run"
"""The extra that every round and evaluation needs."""


class MissingPackageError(ProgramError):
    """A package of one of demur's extras is not installed; the message has the command that installs it."""


def installed_version() -> Version:
    """Return the version that runs: of a wheel with the commit that it was built from, of a checkout with its own.

    A checkout with changes that are not committed has `+` behind its commit.
    """
    package = Path(__file__).resolve().parents[1]
    if (built := package / COMMIT).is_file():
        return Version(version("demur"), built.read_text("ascii").strip() or None)
    if not (package.parent / ".git").exists():
        return Version(version("demur"), None)
    git = ["git", "-C", str(package.parent)]
    try:
        commit = subprocess.run([*git, "rev-parse", "--short=12", "HEAD"], capture_output=True, text=True, check=True)
        changed = subprocess.run(
            [*git, "status", "--porcelain", "--untracked-files=no"], capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return Version(version("demur"), None)
    return Version(version("demur"), commit.stdout.strip() + ("+" if changed.stdout.strip() else ""))


def install_command(extra: str) -> str:
    """Return the command that adds an extra to the installation that runs; a checkout takes the versions that it pins.

    pip and uv add what is missing and leave demur itself as it is, whether it came as a wheel or is a checkout.
    """
    python = shlex.quote(sys.executable)
    pip = f"{python} -m pip install" if find_spec("pip") else f"uv pip install --python {python}"
    package = find_spec("demur")
    pins = Path(package.origin or "").resolve().parents[1] / "constraints.txt" if package else Path()
    pinned = f" -c {shlex.quote(str(pins))}" if pins.is_file() else ""
    return f"{pip}{pinned} 'demur[{extra}]'"


@contextmanager
def missing_packages_named() -> Iterator[None]:
    """Name the extra, and the command, where a module inside the block is missing; also a decorator.

    Raises:
        MissingPackageError: in place of the ModuleNotFoundError of a package of an extra.
    """
    try:
        yield
    except ModuleNotFoundError as exc:
        extra = missing_extra(exc.name or "")
        if extra is None:
            raise
        raise MissingPackageError(f"this needs {exc.name}, which is not installed: {install_command(extra)}") from exc


def missing_extra(module: str) -> str | None:
    """Return the extra that brings a module, None where it is in none."""
    package = module.partition(".")[0]
    distribution = OTHER_NAMES.get(package, package).replace("_", "-")
    return next((extra for name, extra in requirements() if name == distribution and extra is not None), None)


def requirements() -> Iterator[tuple[str, str | None]]:
    """Yield the packages that demur needs, each with its extra, None for what every installation has."""
    from packaging.requirements import Requirement

    for text in requires("demur") or ():
        yield Requirement(text).name, extra_of(text)


def extra_of(requirement: str) -> str | None:
    """Return the extra that a requirement of demur's metadata stands in, None for what every installation has."""
    _, found, extra = requirement.partition("extra == ")
    return extra.strip("\"' )") if found else None
