"""The end of a process that a signal has ended."""

import signal
import subprocess
import sys

import pytest

from demur import cli
from demur.cli.terminal.process_exit import explaining_interruption
from demur.configuration.settings import home_at
from demur.errors import CapReachedError, ConfigError
from tests.flows.rounds import ROOT

WAITS_FOR_WHAT_IT_INTERRUPTED = """
import signal, threading, time
signal.signal(signal.SIGINT, signal.default_int_handler)
from demur.cli.terminal import process_exit
process_exit.LONGEST_ENDING_SECONDS = 0.5
held = threading.Lock()
process_exit.end_on_signals(held.acquire)
signal.pthread_sigmask(signal.SIG_BLOCK, BLOCKED)
with held:
    print("ready", flush=True)
    time.sleep(600)
"""


@pytest.mark.parametrize(
    ("blocked", "number"),
    [("()", signal.SIGINT), ("(signal.SIGINT, signal.SIGTERM)", signal.SIGTERM)],
    ids=["handler", "thread"],
)
def test_process_ends_in_time_whose_handler_or_thread_waits_for_a_lock_of_the_interrupted_code(
    blocked: str, number: signal.Signals
) -> None:
    code = WAITS_FOR_WHAT_IT_INTERRUPTED.replace("BLOCKED", blocked)
    process = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    process.send_signal(number)
    assert process.wait(timeout=120) == 128 + number


HELP = [sys.executable, "-c", "from demur.cli import main; main()", "--help"]


def test_command_whose_output_nobody_reads_ends_as_if_it_were_read() -> None:
    closed = subprocess.run(["sh", "-c", 'exec "$@" >&- <&-', "sh", *HELP], cwd=ROOT, capture_output=True, text=True)
    assert (closed.returncode, closed.stderr) == (0, "")
    process = subprocess.Popen(HELP, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stderr is not None
    process.stdout.close()
    assert (process.stderr.read(), process.wait(timeout=60)) == ("", 0)


@pytest.mark.parametrize(
    "error", [MemoryError(), ImportError("x.so: failed to map segment from shared object")], ids=["own", "library"]
)
def test_command_without_memory_says_so(error: Exception, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli._explain(error) == cli.BAD_INPUT
    assert "out of memory" in capsys.readouterr().err


def test_command_that_a_cap_stops_ends_with_status_3(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli._explain(CapReachedError("the cap is reached", 0.01)) == 3
    assert capsys.readouterr().err == "demur: the cap is reached\n"


@pytest.mark.parametrize(
    ("home", "remedy"),
    [("/srv/what?", "with '\\?': rename"), ("/srv/a\\b", "rename"), ("/srv/\udce6\udcbc", "LC_ALL=C.UTF-8")],
)
def test_home_that_duckdb_cannot_open_is_refused_before_anything_is_bought(home: str, remedy: str) -> None:
    with pytest.raises(ConfigError, match=f"DEMUR_HOME '/srv/.*{remedy}"):
        home_at(home)


def test_statement_of_duckdb_that_ctrl_c_meets_counts_as_the_interruption() -> None:
    with pytest.raises(KeyboardInterrupt), explaining_interruption():
        raise RuntimeError("Query interrupted")  # as its client raises it
    with pytest.raises(RuntimeError, match="else"), explaining_interruption():
        raise RuntimeError("something else")
