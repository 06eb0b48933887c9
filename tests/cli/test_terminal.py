"""Commands at a terminal: what acts on it, Ctrl-C, and what is read from files and pipes."""

import os
import signal
import subprocess
import time
from pathlib import Path

import psutil
import pytest

from demur.warehouse.connection import writing
from demur.warehouse.home import Home
from demur.warehouse.publication import publish
from tests.flows.rounds import ROOT, command, demur_here, environment

HOSTILE = "SELECT 'a' || chr(27) || '[2Jb' || chr(155) || '31m' || chr(13) AS t"


@pytest.fixture
def published(tmp_path: Path) -> Home:
    """A warehouse without rows."""
    home = Home(tmp_path / "home")
    with writing(home, wait_seconds=0):
        pass
    publish(home)
    return home


def at_a_terminal(*arguments: str, home: Path) -> str:
    """Run a command whose output is a terminal, and return what that was sent."""
    ours, theirs = os.openpty()
    with os.fdopen(ours, "rb", closefd=True) as screen:
        process = subprocess.Popen(command(*arguments), env=environment(home), cwd=ROOT, stdout=theirs, stderr=theirs)
        os.close(theirs)
        shown = b""
        try:
            while piece := os.read(screen.fileno(), 4096):
                shown += piece
        except OSError:  # a terminal that nobody writes to any more
            pass
        process.wait(timeout=60)
    return shown.decode()


def test_sql_at_a_terminal_sends_no_control_characters_of_its_data(published: Home) -> None:
    """As CSV; the other formats hold none anywhere (tests/warehouse/test_formats.py)."""
    shown = at_a_terminal("sql", HOSTILE, "--format", "csv", home=published.root).replace("\r\n", "\n")
    assert "[2Jb" in shown
    assert [sign for sign in shown if not sign.isprintable() and sign != "\n"] == []


def test_sql_at_a_terminal_shows_rows_that_do_not_fit_it_as_blocks(
    published: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    wide = ", ".join(f"{number} AS a_column_of_a_name_{number}" for number in range(20))
    shown = at_a_terminal("sql", f"SELECT {wide}", home=published.root).replace("\r\n", "\n")
    assert shown.startswith("- 1 -\na_column_of_a_name_0   0\na_column_of_a_name_1   1\n")
    assert demur_here("sql", f"SELECT {wide}", home=published.root).stdout.count("\n") == 3


def test_errors_at_a_terminal_send_no_control_characters_of_what_they_quote(published: Home) -> None:
    shown = at_a_terminal("sql", f"SELECT error(t) FROM ({HOSTILE})", home=published.root).replace("\r\n", "\n")
    assert "[2Jb" in shown
    assert "\x1b" not in shown and "\x9b" not in shown


def test_sql_csv_in_a_pipe_is_the_data_as_it_is(published: Home) -> None:
    done = demur_here("sql", HOSTILE, "--format", "csv", home=published.root)
    assert done.stdout == 't\n"a\x1b[2Jb\x9b31m\r"\n'


def test_sql_reads_a_statement_from_a_file_and_from_standard_input(published: Home, tmp_path: Path) -> None:
    file = tmp_path / "question.sql"
    file.write_text("-- how many\nSELECT count(*) AS n FROM units;\n", encoding="utf-8")
    assert demur_here("sql", "--file", str(file), "--format", "csv", home=published.root).stdout == "n\n0\n"
    done = subprocess.run(
        command("sql", "-", "--format", "csv"),
        env=environment(published.root),
        input=file.read_text(encoding="utf-8"),
        capture_output=True,
        text=True,
    )
    assert done.stdout == "n\n0\n"


def test_sql_interrupted_says_so_and_ends_with_130(published: Home) -> None:
    process = subprocess.Popen(
        command("sql", "SELECT count(*) FROM range(100000000000) a, range(1000) b"),
        env=environment(published.root),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    watched = psutil.Process(process.pid)
    while not any(Path(file.path) == published.published for file in watched.open_files()):
        assert process.poll() is None
        time.sleep(0.05)
    time.sleep(0.5)  # the query runs by then; if not, Ctrl-C comes before it, and the end is the same
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=60) == ("", "\ndemur: interrupted, stopping\n")
    assert process.returncode == 130


def test_console_that_lacks_a_character_prints_a_replacement(published: Home) -> None:
    done = subprocess.run(
        command("sql", "SELECT 'Mod\u00e8le \u6a21' AS t"),
        env={**environment(published.root), "PYTHONIOENCODING": "cp1252"},
        cwd=ROOT,
        capture_output=True,
    )
    assert (done.returncode, "Mod\u00e8le ?" in done.stdout.decode("cp1252")) == (0, True), done.stderr
