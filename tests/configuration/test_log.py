"""Prefect's log: silent unless the user has set a level, with its handler of other libraries' records."""

import subprocess
import sys

SYSTEM = """
import logging
from demur.configuration.settings import silence_prefect_log

silence_prefect_log()
import prefect

library = logging.getLogger("library.of.a.system")
library.setLevel(logging.DEBUG)
library.debug("a detail")
library.warning("a warning")
"""


def test_details_of_a_systems_libraries_are_not_shown_and_warnings_are() -> None:
    ended = subprocess.run([sys.executable, "-c", SYSTEM], capture_output=True, text=True, timeout=120)
    assert ended.returncode == 0, ended.stderr
    assert "a warning" in ended.stderr and "a detail" not in ended.stderr
