"""The end of a process that a signal has ended."""

import signal
import subprocess
import sys
import time

import pytest

from tests.flows.rounds import ROOT

WAITS_FOR_WHAT_IT_INTERRUPTED = """
import threading, time
from demur.cli import process_exit
process_exit.LONGEST_ENDING_SECONDS = 0.5
held = threading.Lock()
process_exit.end_on_signals(held.acquire)
with held:
    print("ready", flush=True)
    time.sleep(60)
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_process_ends_in_time_whose_handler_waits_for_a_lock_of_the_interrupted_code(number: signal.Signals) -> None:
    begin = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    process = subprocess.Popen(
        [sys.executable, "-c", f"{begin}\n{WAITS_FOR_WHAT_IT_INTERRUPTED}"], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    asked = time.monotonic()
    process.send_signal(number)
    assert process.wait(timeout=30) == 128 + number
    assert time.monotonic() - asked < 10
