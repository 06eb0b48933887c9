"""Puts the commit of the checkout into what is built; everything else stands in pyproject.toml."""

import os
import subprocess
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py


class BuildWithCommit(build_py):
    """Writes demur/COMMIT, from which `demur --version` reads the commit."""

    def run(self) -> None:
        """Build, and write the commit that DEMUR_COMMIT names, else the one that git knows."""
        super().run()
        commit = os.environ.get("DEMUR_COMMIT") or _commit_of_checkout()
        if commit and not self.editable_mode:
            (Path(self.build_lib) / "demur" / "COMMIT").write_text(f"{commit}\n", encoding="ascii")


def _commit_of_checkout() -> str | None:
    asked = ["git", "-C", str(Path(__file__).parent), "rev-parse", "--short=12", "HEAD"]
    try:
        return subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None


setup(cmdclass={"build_py": BuildWithCommit})
