"""The installation of demur, the extras that missing packages belong to, and versions of code that decides results."""

import hashlib
import shlex
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, requires, version
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from demur.programs.errors import ProgramError
from demur.scoring import VERSION

# The installation of demur: versions, and the extras that missing packages belong to.


COMMIT: Final = "COMMIT"
"""The file in a wheel with the commit that the wheel was built from."""


@dataclass(frozen=True, slots=True)
class Version:
    """A version of demur and its commit. `commit` is None if neither wheel nor checkout gives a commit."""

    version: str
    commit: str | None

    def __str__(self) -> str:
        """Return version and commit as text."""
        return self.version if self.commit is None else f"{self.version} ({self.commit})"


OF_DEVELOPERS: Final = frozenset({"dev", "tools"})


def package_versions() -> dict[str, str]:
    """Return the versions of demur, of its required packages, and of the installed packages of its extras.

    The keys are names.
    """
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
    "markdown_it": "markdown-it-py",
    "text_to_num": "text2num",
    "sklearn": "scikit-learn",
}
"""Distributions whose name differs from their module's name, by module."""
RUN: Final = "run"
"""The extra that rounds and evaluations need."""


class MissingPackageError(ProgramError):
    """A package of an extra is not installed; the message gives the command that installs it."""


def installed_version() -> Version:
    """Return demur's installed version.

    The commit of a wheel is the commit that it was built from. The commit of a checkout with uncommitted changes ends
    in `+`.
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
    """Return the command that installs an extra's packages.

    In a checkout, the command pins their versions. pip and uv add missing packages and do not reinstall demur.
    """
    python = shlex.quote(sys.executable)
    pip = f"{python} -m pip install" if find_spec("pip") else f"uv pip install --python {python}"
    package = find_spec("demur")
    pins = Path(package.origin or "").resolve().parents[1] / "constraints.txt" if package else Path()
    pinned = f" -c {shlex.quote(str(pins))}" if pins.is_file() else ""
    return f"{pip}{pinned} 'demur[{extra}]'"


@contextmanager
def missing_packages_named() -> Iterator[None]:
    """Turn a missing module inside the block into an error that gives the install command.

    The function also works as a decorator.

    Raises:
        MissingPackageError: a package of an extra is missing.
    """
    try:
        yield
    except ModuleNotFoundError as exc:
        extra = missing_extra(exc.name or "")
        if extra is None:
            raise
        raise MissingPackageError(f"this needs {exc.name}, which is not installed: {install_command(extra)}") from exc


def missing_extra(module: str) -> str | None:
    """Return the extra that a module belongs to; None if no extra has the module."""
    package = module.partition(".")[0]
    distribution = OTHER_NAMES.get(package, package).replace("_", "-")
    return next((extra for name, extra in requirements() if name == distribution and extra is not None), None)


def requirements() -> Iterator[tuple[str, str | None]]:
    """Yield the name and the extra of each requirement of demur. The extra of a required package is None."""
    from packaging.requirements import Requirement

    for text in requires("demur") or ():
        yield Requirement(text).name, extra_of(text)


def extra_of(requirement: str) -> str | None:
    """Return the extra in a requirement of demur's metadata; None for a required package."""
    _, found, extra = requirement.partition("extra == ")
    return extra.strip("\"' )") if found else None


# Versions of the code that decides results. A version is a hash of sources, data files and versions of libraries.


_WORDS: Final = ("demur.levers.vocabulary", "demur.levers.taxonomy", "demur.levers.lever_models")
CHECKS: Final = (*_WORDS, "demur.levers.instances", "demur.programs.checks", "demur.text")
CODES: Final = (
    *_WORDS, "demur.programs.replies.refusal_codes", "demur.programs.replies.code_reader",
    "demur.programs.replies.declining", "demur.programs.replies.reply_reader", "demur.scoring.standalone.reply_text",
)  # fmt: skip
RECALL: Final = tuple(dict.fromkeys((*CHECKS, *CODES, "demur.rules.roles.judge")))
RULES: Final = tuple(dict.fromkeys((*CHECKS, *CODES, "demur.rules")))
"""Packages that decide results, beside inputs, prompts, levers and policies, which have digests of their own."""
SCORING: Final = (
    "demur.scoring",
    "demur.rewards.fits",
    "demur.flows.stages.rewards.fit",
    "demur.flows.stages.rewards.reward",
)
"""Packages that compute scores, agreements and fits."""
SCORING_LIBRARIES: Final = ("numpy", "pandas", "scipy")
SUFFIXES: Final = frozenset({".py", ".yaml", ".json", ".jsonl", ".csv", ".txt"})
"""Endings of the files that count."""
RULES_LIBRARIES: Final = (
    "babel", "faker", "inflect", "lemminflect", "num2words", "py3langid", "python-dateutil", "rapidfuzz", "sentencex",
    "text2num",
)  # fmt: skip


@cache
def code_version(modules: tuple[str, ...], libraries: tuple[str, ...] = ()) -> str:
    """Return the hash of modules and packages with their data files, and of library versions.

    The modules are not imported. Hashing 1.5 MB takes about 10 ms.
    """
    digest = hashlib.sha256()
    for name in modules:
        for path, shown in _files(name):
            data = path.read_bytes()
            digest.update(f"{shown}\0{len(data)}\0".encode() + data)
    for name in libraries:
        digest.update(f"{name} {version(name)}\0".encode())
    return digest.hexdigest()[:16]


def rules_version() -> str:
    """Return the version of the rules lane."""
    return code_version(RULES, RULES_LIBRARIES)


def checks_version() -> str:
    """Return the version of the code checks, which decide the status of perturbations."""
    return code_version(CHECKS, RULES_LIBRARIES)


def recall_version() -> str:
    """Return the version of the code that compares responses with accepted answers."""
    return code_version(RECALL, RULES_LIBRARIES)


def scoring_version() -> str:
    """Return the version of scores, agreements and fits: the number `demur.scoring.VERSION`, and the hash of the code.

    The stamps of units of scoring depend on this version.
    """
    return f"{VERSION}-{code_version(SCORING, SCORING_LIBRARIES)}"


def codes_version() -> str:
    """Return the version of the code that reads refusal codes. Stamps of units of judging depend on this version."""
    return code_version(CODES)


def _files(name: str) -> Iterable[tuple[Path, str]]:
    found = find_spec(name)
    if found is None or found.origin is None:
        raise ModuleNotFoundError(f"no module named {name!r}", name=name)
    origin = Path(found.origin)
    pattern = f"{origin.stem}.*" if found.submodule_search_locations is None else "**/*"
    for path in sorted(origin.parent.glob(pattern)):
        if path.suffix in SUFFIXES:
            yield path, f"{name}/{path.relative_to(origin.parent).as_posix()}"
