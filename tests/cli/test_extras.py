"""What an installation without extras can do, and what it says of the rest: here their packages cannot be imported."""

import subprocess
import sys
from importlib.metadata import requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from demur.programs.installation import OTHER_NAMES, RUN, extra_of, install_command, missing_extra
from demur.warehouse.connection import writing
from demur.warehouse.home import Home
from demur.warehouse.publish import publish
from tests.flows.finished_rounds import FinishedRound
from tests.flows.response_rows import hand_made, write_rows
from tests.flows.rounds import ROOT, environment

MODULES = {distribution: module for module, distribution in OTHER_NAMES.items()} | {"google-auth": "google.auth"}
ALSO_OF_OTHERS = {"aiohttp", "fastapi", "fsspec", "huggingface-hub", "huggingface_hub", "sqlalchemy", "python-dateutil"}
"""Packages that a package without an extra needs itself."""


def of_extras() -> list[str]:
    """The modules that an installation without extras lacks."""
    needed = [Requirement(text) for text in requires("demur") or () if extra_of(text) not in (None, "dev")]
    names = {one.name for one in needed} - ALSO_OF_OTHERS - {"demur"}
    return sorted(MODULES.get(name, name.replace("-", "_")) for name in names)


BLOCKED = f"import sys; sys.modules.update(dict.fromkeys({of_extras()!r}))"


def without_extras(*arguments: str, home: Path) -> subprocess.CompletedProcess[str]:
    started = f"{BLOCKED}; sys.argv = ['demur', *sys.argv[1:]]; from demur.cli import main; main()"
    return subprocess.run(
        [sys.executable, "-c", started, *arguments], env=environment(home), cwd=ROOT, capture_output=True, text=True
    )


def test_base_installation_has_at_most_twenty_packages_of_its_own() -> None:
    assert len([text for text in requires("demur") or () if extra_of(text) is None]) <= 20


def test_base_installation_imports_demur_and_shows_its_help(tmp_path: Path) -> None:
    done = without_extras("--help", home=tmp_path)
    assert done.returncode == 0 and "release" in done.stdout, done.stderr
    script = f"{BLOCKED}; import demur; demur.score; demur.open"
    subprocess.run([sys.executable, "-c", script], cwd=ROOT, check=True)


def test_base_installation_answers_sql(tmp_path: Path) -> None:
    home = Home(tmp_path)
    with writing(home, wait_seconds=1):
        pass
    publish(home)
    done = without_extras("sql", "SELECT count(*) AS n FROM rounds", "--format", "csv", home=tmp_path)
    assert (done.returncode, done.stdout) == (0, "n\n0\n"), done.stderr


def test_base_installation_scores_responses(tmp_path: Path) -> None:
    done = without_extras("score", str(write_rows(tmp_path / "rows.jsonl", hand_made())), home=tmp_path)
    assert done.returncode == 0 and "Refusal accuracy" in done.stdout, done.stderr


@pytest.mark.parametrize(
    "arguments",
    [("round",), ("evaluate", "embedded/1", "--model", "always-answers")],
    ids=lambda arguments: arguments[0],
)
def test_base_installation_names_the_extra_that_a_command_needs(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    done = without_extras(*arguments, home=tmp_path)
    assert done.returncode == 2, done.stderr
    line = done.stderr.splitlines()[-1]
    assert line.startswith("demur: this needs ") and line.endswith(install_command(RUN))


def test_doctor_of_a_base_installation_says_that_it_reads_results(tmp_path: Path) -> None:
    done = without_extras("doctor", home=tmp_path)
    assert done.returncode == 0 and f"for rounds and evaluations: {install_command(RUN)}" in done.stdout, done.stderr
    assert without_extras("doctor", "embedded", home=tmp_path).returncode == 1


@pytest.mark.slow
def test_base_installation_reads_the_results_of_a_round(rules_round: FinishedRound, tmp_path: Path) -> None:
    home = rules_round.home.root
    pages = str(tmp_path / "pages")
    for arguments in (
        ("rounds", "embedded"),
        ("release", "verify", "embedded/1"),
        ("evaluations", "board"),
        ("explore", "--release", "embedded", "--export", pages),
    ):
        done = without_extras(*arguments, home=home)
        assert done.returncode == 0, done.stderr


def test_python_api_of_a_base_installation_names_the_extra_that_a_round_needs(tmp_path: Path) -> None:
    run = "import demur; demur.run_round()"
    done = subprocess.run(
        [sys.executable, "-c", f"{BLOCKED}; {run}"], env=environment(tmp_path), cwd=ROOT, capture_output=True, text=True
    )
    line = done.stderr.splitlines()[-1]
    assert line.startswith("demur.programs.installation.MissingPackageError: this needs ")
    assert line.endswith(install_command(RUN))


def test_install_command_names_this_python_and_the_pins_of_this_checkout() -> None:
    assert install_command(RUN) == f"{sys.executable} -m pip install -c {ROOT}/constraints.txt 'demur[run]'"


def test_install_command_without_pip_is_uvs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pip", None)
    assert install_command(RUN).startswith(f"uv pip install --python {sys.executable} ")


@pytest.mark.parametrize(
    ("module", "extra"),
    [("text_to_num", "run"), ("sklearn.linear_model", "rewards"), ("nothing_of_ours", None)],
)
def test_extra_of_a_missing_module_is_found(module: str, extra: str | None) -> None:
    assert missing_extra(module) == extra
