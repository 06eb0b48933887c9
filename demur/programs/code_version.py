"""Versions of the code that decides results. A version is a hash of sources, data files and versions of libraries."""

import hashlib
from collections.abc import Iterable
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from demur.scoring.version import VERSION

_WORDS: Final = ("demur.levers.vocabulary", "demur.levers.taxonomy", "demur.levers.frames")
CHECKS: Final = (*_WORDS, "demur.levers.instances", "demur.programs.checks", "demur.text")
CODES: Final = (
    *_WORDS, "demur.programs.refusal_codes", "demur.programs.code_reader", "demur.programs.declining",
    "demur.programs.reply_reader", "demur.scoring.reply_text",
)  # fmt: skip
_MATCHING: Final = ("demur.rules.roles.judge", "demur.rules.roles.given_answer")
RECALL: Final = tuple(dict.fromkeys((*CHECKS, *CODES, *_MATCHING)))
RULES: Final = tuple(dict.fromkeys((*CHECKS, *CODES, "demur.rules")))
"""Packages that decide results, beside inputs, prompts, levers and policies, which have digests of their own."""
SCORING: Final = (
    "demur.scoring",
    "demur.rewards.fitting",
    "demur.flows.stages.fit",
    "demur.flows.stages.reward",
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
    """Return the version of scores, agreements and fits: the number of `scoring.version`, and the hash of the code.

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
