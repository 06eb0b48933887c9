"""What an installation without extras can do, and what it says of the rest: here their packages cannot be imported."""

import json
import subprocess
import sys
from importlib.metadata import requires
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

from demur.programs.installation import OTHER_NAMES, RUN, extra_of, install_command, missing_extra
from tests.flows.finished_rounds import FinishedRound
from tests.flows.response_rows import hand_made, write_rows
from tests.flows.rounds import ROOT, environment

MODULES = {distribution: module for module, distribution in OTHER_NAMES.items()} | {"google-auth": "google.auth"}
ALSO_OF_OTHERS = {
    "aiohttp",
    "fastapi",
    "fsspec",
    "huggingface-hub",
    "huggingface_hub",
    "markdown-it-py",
    "sqlalchemy",
    "python-dateutil",
}
"""Packages that a package without an extra needs itself."""


def of_extras() -> list[str]:
    """The modules that an installation without extras lacks."""
    needed = [Requirement(text) for text in requires("demur") or () if extra_of(text) not in (None, "dev")]
    names = {one.name for one in needed} - ALSO_OF_OTHERS - {"demur"}
    return sorted(MODULES.get(name, name.replace("-", "_")) for name in names)


BLOCKED = f"import sys; sys.modules.update(dict.fromkeys({of_extras()!r}))"
COMMANDS = """
import contextlib, io, json
from demur import cli
cli.exit_process = sys.exit  # leaves the process where it stands
for arguments in json.loads(sys.argv[1]):
    sys.argv = ["demur", *arguments]
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            cli.main()
        except SystemExit as ended:
            status = int(ended.code or 0)
    print(json.dumps([status, out.getvalue(), err.getvalue()]))
"""
API = """
import demur
try:
    demur.score, demur.open, demur.run_round()
except Exception as error:
    print(json.dumps([type(error).__name__, str(error), ""]))
"""


def without_extras(*commands: tuple[str, ...], home: Path, then: str = "") -> list[tuple[Any, str, str]]:
    """Run commands one after the other in one process that has no extras; return status, output and errors of each."""
    done = subprocess.run(
        [sys.executable, "-c", f"{BLOCKED}\n{COMMANDS}{then}", json.dumps(commands)],
        env=environment(home), cwd=ROOT, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return [tuple(json.loads(line)) for line in done.stdout.splitlines()]


def test_base_installation_reads_the_results_of_a_round_and_scores_responses(
    rules_round: FinishedRound, tmp_path: Path
) -> None:
    home = rules_round.home.root
    done = without_extras(
        ("--help",),
        ("score", str(write_rows(tmp_path / "rows.jsonl", hand_made()))),
        ("sql", "SELECT count(*) AS n FROM rounds", "--format", "csv"),
        ("rounds", "embedded"),
        ("release", "verify", "embedded/1"),
        ("evaluations", "board"),
        ("explore", "--release", "embedded", "--export", str(tmp_path / "pages")),
        home=home,
    )
    assert [status for status, _, _ in done] == [0] * 7, done
    for said, (_, out, _) in zip(("release", "Refusal accuracy", "n\n1\n"), done, strict=False):
        assert said in out


def test_base_installation_names_the_extra_that_a_command_and_the_python_api_need(tmp_path: Path) -> None:
    evaluate = ("evaluate", "embedded/1", "--model", "always-answers")
    started, unknown, doctor, of_round, (raised, said, _) = without_extras(
        ("round",), evaluate, ("doctor",), ("doctor", "embedded"), home=tmp_path, then=API
    )
    line = started[2].splitlines()[-1]
    assert started[0] == 2 and line.startswith("demur: this needs ") and line.endswith(install_command(RUN))
    assert unknown[0] == 2 and "release 'embedded/1' does not exist" in unknown[2], "told before packages are needed"
    assert doctor[0] == 0 and f"for rounds and evaluations: {install_command(RUN)}" in doctor[1], doctor
    assert of_round[0] == 1
    assert raised == "MissingPackageError" and said.startswith("this needs ") and said.endswith(install_command(RUN))


@pytest.mark.parametrize(
    ("module", "extra"),
    [("text_to_num", "run"), ("sklearn.linear_model", "rewards"), ("nothing_of_ours", None)],
)
def test_extra_of_a_missing_module_is_found(module: str, extra: str | None) -> None:
    assert missing_extra(module) == extra
