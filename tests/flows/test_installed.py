"""Homes of other versions are refused as a whole; wheels say their commit and take extras."""

import json
import re
import sqlite3
import subprocess
import sys
import tarfile
import zipfile
from contextlib import closing
from pathlib import Path

import pytest

from demur.errors import FlowError
from demur.warehouse.errors import WarehouseError
from demur.warehouse.home import Home
from tests.flows.finished_rounds import FinishedRound
from tests.flows.rounds import NO_POLICY, ONE_CLASS, ROOT, demur_here, environment, small, whole_round

HANGS_SECONDS = 3600
"""After so long a command hangs, on the slowest machine too."""
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


@pytest.mark.slow
@pytest.mark.exhaustive
def test_package_built_without_git_says_the_commit_that_the_build_was_told(tmp_path: Path) -> None:
    """As the image's build does, whose context has no history."""
    source = exported("HEAD", tmp_path, "setup.py", "pyproject.toml", "README.md", "LICENSE", "demur")
    build = [sys.executable, "setup.py", "--quiet", "build_py", "--build-lib", str(tmp_path / "built")]
    subprocess.run(build, cwd=source, env=environment(tmp_path) | {"DEMUR_COMMIT": "0123456789ab"}, check=True)
    assert (tmp_path / "built" / "demur" / "COMMIT").read_bytes() == b"0123456789ab\n"


def exported(ref: str, folder: Path, *paths: str) -> Path:
    """Write files of a commit into a folder without history, and return it."""
    git("archive", "--output", str(folder / "export.tar"), ref, *paths)
    with tarfile.open(folder / "export.tar") as content:
        content.extractall(folder / "source", filter="data")
    return folder / "source"


@pytest.mark.slow
@pytest.mark.repeated
def test_wheel_in_an_environment_of_its_own_brings_what_its_extras_need(tmp_path: Path) -> None:
    """Installed from the package index that uv is set up for, in the versions that are pinned."""
    wheel, site = wheel_of("HEAD", tmp_path), tmp_path / "environment"
    uv = str(Path(sys.executable).with_name("uv"))
    python, pins = str(site / "bin" / "python"), str(ROOT / "constraints.txt")
    subprocess.run([uv, "venv", "--quiet", "--python", sys.executable, str(site)], check=True)
    wanted = f"demur[run,state,metrics] @ {wheel.as_uri()}"
    subprocess.run([uv, "pip", "install", "--quiet", "--python", python, "-c", pins, wanted], check=True)
    subprocess.run([uv, "pip", "check", "--quiet", "--python", python], check=True)
    env = environment(tmp_path / "home")
    for arguments, said in (
        (("--version",), f"({git('rev-parse', '--short=12', 'HEAD')})"),
        (("round", str(small(tmp_path))), "embedded/1"),
        (("health", "--format", "json"), '"healthy": true'),
    ):
        started = [str(site / "bin" / "demur"), *arguments]
        done = subprocess.run(started, env=env, cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0 and said in done.stdout, done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.exhaustive
@pytest.mark.usefixtures("prefect_api")
def test_round_that_the_last_tagged_version_left_in_the_middle_goes_on_or_is_refused(tmp_path: Path) -> None:
    tag = git("tag", "--list", "[0-9v]*", "--sort=-version:refname").partition("\n")[0]
    if not tag:
        pytest.skip("no version was tagged yet")
    in_the_middle(tag, tmp_path)


def in_the_middle(ref: str, folder: Path) -> None:
    """Leave a round of another version after its first stages, in a configuration that it ships, and go on with it."""
    site, home = exported(ref, folder, "demur"), folder / "home"
    config = small(folder, shipped=site / "demur/deployments/rounds", generation=ONE_CLASS, fit=NO_POLICY)
    script = f"from demur.flows.round import ingest, generate; ingest({str(config)!r}); generate({str(config)!r})"
    old = environment(home) | {"PYTHONPATH": str(site)}
    begun = subprocess.run([sys.executable, "-c", script], env=old, cwd=folder, capture_output=True, text=True)
    assert begun.returncode == 0, begun.stderr
    said = refusal(config, home)
    if said is None:
        assert demur_here("release", "verify", "embedded/1", home=home).returncode == 0


def refusal(config: Path, home: Path) -> str | None:
    """Run a round; return the error that it was refused with, which leaves the home as it was, or None."""
    before = files(Home(home))
    try:
        whole_round(config, home)
    except (FlowError, WarehouseError) as refused:
        assert files(Home(home)) == before
        return str(refused)
    return None
