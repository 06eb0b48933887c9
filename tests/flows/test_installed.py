"""Homes of other versions are refused as a whole; wheels say their commit and take extras."""

import json
import re
import sqlite3
import subprocess
import sys
import zipfile
from contextlib import closing
from pathlib import Path

import pytest

from demur.warehouse.home import Home
from tests.flows.finished_rounds import FinishedRound
from tests.flows.rounds import ROOT, demur_here, environment

PIP = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]


def files(home: Home) -> dict[str, bytes]:
    found = (path for path in home.root.rglob("*") if path.is_file())
    return {home.key(path): path.read_bytes() for path in found if not path.name.startswith("state.db-")}


def test_home_of_an_older_version_is_refused_in_one_sentence_left_as_it_is_and_its_release_evaluated(
    rules_round: FinishedRound, tmp_path: Path
) -> None:
    copy = rules_round.copy(tmp_path / "copy")
    with closing(sqlite3.connect(copy.home.state)) as con:
        con.execute("PRAGMA user_version = 2")
    before = files(copy.home)
    for command in (("warehouse", "rebuild"), ("round", str(copy.config))):
        done = demur_here(*command, home=copy.home.root)
        assert done.returncode == 2 and done.stderr.count("\n") == 1, done.stderr
        assert "has a state of version 2" in done.stderr and "from the new one, by their path" in done.stderr
    assert files(copy.home) == before
    release = str(copy.home.releases / rules_round.round_id / "1")
    assert demur_here("release", "verify", release, home=tmp_path / "new").returncode == 0


def test_version_has_the_commit_of_the_checkout() -> None:
    done = demur_here("--version", home=ROOT)
    assert re.fullmatch(r"demur \d+\.\d+\.\d+( \([0-9a-f]{12}\+?\))?\n", done.stdout), done.stdout


def wheel_of(ref: str, folder: Path) -> Path:
    """Build the wheel of a commit, without a look at what is not committed."""
    subprocess.run(["git", "clone", "-q", "--no-checkout", str(ROOT), str(folder / "source")], check=True)
    subprocess.run(["git", "-C", str(folder / "source"), "checkout", "-q", ref], check=True)
    return built(folder / "source", folder / "wheels")


def built(source: Path, folder: Path) -> Path:
    build = [*PIP, "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder)]
    subprocess.run([*build, str(source)], check=True)
    [wheel] = folder.glob("*.whl")
    return wheel


def git(*arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(ROOT), *arguments], capture_output=True, text=True)
    if done.returncode:
        pytest.skip("this is no checkout of git")
    return done.stdout.strip()


@pytest.mark.slow
@pytest.mark.exhaustive
def test_wheel_installs_with_extras_and_says_its_commit(tmp_path: Path) -> None:
    commit = git("rev-parse", "--short=12", "HEAD")
    wheel = wheel_of("HEAD", tmp_path)
    with zipfile.ZipFile(wheel) as content:
        assert content.read("demur/COMMIT").decode().strip() == commit
        assert {"demur/deployments/grafana.json", "demur/engine/state/sql/tables.sql"} <= set(content.namelist())
    wanted = f"demur[all,state,metrics] @ {wheel.as_uri()}"
    report = tmp_path / "report.json"
    checked = [*PIP, "install", "--dry-run", "--no-index", "--ignore-installed", "--no-deps", "--report", str(report)]
    subprocess.run([*checked, wanted], check=True)
    [found] = json.loads(report.read_text("utf-8"))["install"]
    assert set(found["requested_extras"]) <= set(found["metadata"]["provides_extra"])
    subprocess.run([*PIP, "install", "--no-deps", "--target", str(tmp_path / "site"), str(wheel)], check=True)
    started = [sys.executable, "-c", "from demur.cli import main; main()", "--version"]
    shown = subprocess.run(
        started, env=environment(tmp_path) | {"PYTHONPATH": str(tmp_path / "site")}, cwd=tmp_path,
        capture_output=True, text=True,
    )  # fmt: skip
    assert shown.stdout == f"demur {found['metadata']['version']} ({commit})\n", shown.stderr
