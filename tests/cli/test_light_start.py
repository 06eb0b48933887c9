"""Bad input is refused before the libraries are imported that take seconds."""

import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = ("prefect", "dspy", "pandas", "scipy")
RUN = f"""
import sys
sys.modules.update(dict.fromkeys({HEAVY!r}))  # an import of them fails
from demur.cli import main
main()
"""


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["evaluate", "nowhere", "--model", "always-refuses", "--plan"], "release 'nowhere' does not exist"),
        (["round", "nowhere.yaml"], "round configuration 'nowhere.yaml' is neither"),
        (["round", "frontier"], "is not set"),
    ],
)
def test_command_bad_input_is_refused_without_heavy_imports(command: list[str], said: str, tmp_path: Path) -> None:
    env = {"DEMUR_HOME": str(tmp_path / "home"), "PATH": ""}
    ran = subprocess.run(
        [sys.executable, "-c", RUN, *command], capture_output=True, text=True, env=env, check=False, timeout=300
    )
    assert ran.returncode == 2, ran.stderr
    assert said in " ".join(ran.stderr.split())
