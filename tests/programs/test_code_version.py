"""Fingerprints tell rules of one version from those of another."""

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from demur.programs.installation import code_version
from tests.flows.rounds import ROOT

FINGERPRINTS = """
from demur.lanes.registry import RULES_MODELS
from demur.lanes.spec import ModelSpec
from demur.programs.installation import checks_version
models = [f"{part}/{which}" for part, rules in RULES_MODELS.items() for which in rules]
for model in models:
    print(ModelSpec(name="m", provider="rules", model=model).fingerprint)
print(checks_version())
print(ModelSpec(name="m", provider="openai", model="m", parameters={"max_tokens": 1}).fingerprint)
"""


def appended(path: Path, text: str) -> None:
    path.write_text(path.read_text(encoding="utf-8") + text, encoding="utf-8")


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the package."""
    shutil.copytree(ROOT / "demur", tmp_path / "demur", ignore=shutil.ignore_patterns("__pycache__", "*.gz"))
    return tmp_path


def fingerprints(place: Path) -> list[str]:
    ran = subprocess.run(
        [sys.executable, "-c", FINGERPRINTS], cwd=place, capture_output=True, text=True, check=True, timeout=60
    )
    return ran.stdout.split()


def test_fingerprint_of_every_rules_model_and_version_of_checks_change_with_their_code(copy: Path) -> None:
    before = fingerprints(copy)
    appended(copy / "demur/text/lexicon.py", "# another word\n")
    after = fingerprints(copy)
    assert before[-1] == after[-1], "a model of a provider is as it was"
    assert not set(before[:-1]).intersection(after)


@pytest.mark.parametrize(
    "change",
    [
        lambda folder: appended(folder / "part" / "rules.py", "A = 2\n"),
        lambda folder: appended(folder / "part" / "words.txt", "another\n"),
        lambda folder: appended(folder / "lone.yaml", "b: 2\n"),
        lambda folder: (folder / "part" / "rules.py").rename(folder / "part" / "laws.py"),
    ],
    ids=["code", "data", "data-of-a-module", "name"],
)
def test_code_version_changes_with_whatever_a_package_holds(
    change: Callable[[Path], object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "part").mkdir()
    for name in ("__init__.py", "rules.py", "words.txt"):
        (tmp_path / "part" / name).write_text("")
    for name in ("lone.py", "lone.yaml"):
        (tmp_path / name).write_text("")
    monkeypatch.syspath_prepend(str(tmp_path))
    modules = ("part", "lone")
    before = code_version.__wrapped__(modules)
    (tmp_path / "part" / ".rules.py.swp").write_text("left by an editor")
    assert code_version.__wrapped__(modules) == before
    change(tmp_path)
    assert code_version.__wrapped__(modules) != before


def test_code_version_changes_with_a_library() -> None:
    assert (
        len({code_version(("demur.levers.vocabulary",), libraries) for libraries in ((), ("numpy",), ("pandas",))}) == 3
    )
