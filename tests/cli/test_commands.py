"""The command line as a user meets it: help without heavy imports, errors without tracebacks, readable tables."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from demur.cli import app
from demur.programs.installation import install_command
from tests.flows.response_rows import hand_made, write_rows
from tests.flows.rounds import ROOT, command, demur_here, environment, write_config


def test_every_command_shows_its_help() -> None:
    def paths(one: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
        yield path
        for name, below in getattr(one, "commands", {}).items():
            yield from paths(below, (*path, name))

    for path in paths(get_command(app)):
        shown = CliRunner().invoke(app, [*path, "--help"])
        assert shown.exit_code == 0, (path, shown.exception)


def test_help_lists_the_commands_and_imports_nothing_heavy(tmp_path: Path) -> None:
    looked_at = "prefect", "litellm", "great_expectations", "dspy", "pandera"
    code = (
        "import sys\n"
        "from demur.cli import app\n"
        "try: app(['--help'], standalone_mode=False)\n"
        "except SystemExit: pass\n"
        f"print([name for name in {looked_at!r} if name in sys.modules])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=environment(tmp_path), capture_output=True, text=True
    )
    assert done.stdout.splitlines()[-1] == "[]"
    for name in ("round", "plan", "sql", "levers", "release", "doctor"):
        assert name in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("round", "absent.yaml"), "demur: round configuration 'absent.yaml' is neither a file nor one of ours"),
        (("round", "--corpus", "README.md"), "README.md: line 1: the line is not JSON"),
        (("round", "--bases", "0"), "bases 0 must be at least 1"),
        (("round", "--bases", "5000"), "base instances to give; bases: 5000 are wanted"),
        (("sql", "SELECT 1"), "there is no warehouse yet"),
        (("sql",), "give one SQL statement, or --file FILE, or - for standard input"),
        (("sql", "SELECT 1", "--file", "query.sql"), "give one SQL statement, or --file FILE"),
        (("sql", "--file", "absent.sql"), "demur: absent.sql: No such file or directory; check the path"),
        (("release", "show", "embedded"), "release 'embedded' does not exist; there are: none yet"),
        (("levers", "show", "ambiguity.none"), "'ambiguity.none' is not in the catalogue"),
        (("round", "--nope"), "No such option"),
    ],
)
def test_command_bad_input_is_one_message_and_exit_status_2(
    tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    done = demur_here(*arguments, home=tmp_path / "home")
    assert done.returncode == 2, done.stderr
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert "starting Prefect" not in done.stderr


UNUSABLE = {
    "a file": ("a file is where a directory is needed", lambda folder: folder / "file"),
    "below a file": ("a file is where a directory is needed", lambda folder: folder / "file" / "home"),
    "forbidden": ("no permission: give this user the right to write there", lambda folder: Path("/sys/demur")),
}


@pytest.mark.parametrize(
    ("arguments", "home"),
    [
        *(("round", home) for home in UNUSABLE),
        ("doctor", "forbidden"),
        ("import responses {rows} --round r", "below a file"),
    ],
)
def test_command_with_a_home_that_takes_no_file_says_so_in_one_line(tmp_path: Path, arguments: str, home: str) -> None:
    remedy, place = UNUSABLE[home]
    (tmp_path / "file").write_text("")
    rows = write_rows(tmp_path / "rows.jsonl", hand_made())
    done = demur_here(*arguments.format(rows=rows).split(), home=place(tmp_path))
    assert done.returncode == (1 if arguments == "doctor" else 2)
    [line] = [line for line in (done.stdout + done.stderr).splitlines() if str(place(tmp_path)) in line]
    assert remedy in line
    assert arguments == "doctor" or done.stderr == line + "\n"


def test_round_whose_prefect_home_takes_no_file_says_so_before_prefect_starts(tmp_path: Path) -> None:
    kept = {name: value for name, value in environment(tmp_path / "home").items() if not name.startswith("PREFECT_")}
    env = kept | {"PREFECT_HOME": "/sys/prefect"}
    done = subprocess.run(command("round"), cwd=ROOT, env=env, capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr.startswith("demur: /sys/prefect: ")
    assert len(done.stderr.splitlines()) == 1


def test_command_whose_output_cannot_be_written_says_so_in_one_line(tmp_path: Path) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            command("levers", "list"), env=environment(tmp_path), stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert done.returncode == 2
    assert "No space left on device" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_levers_list_writes_json(tmp_path: Path) -> None:
    rows = json.loads(demur_here("levers", "list", "--format", "json", home=tmp_path).stdout)
    assert len([row for row in rows if (row["class"], row["intensity"]) == ("P-Ambiguity", "LOW")]) >= 10


def test_levers_validate_ours_finds_no_problem(tmp_path: Path) -> None:
    done = demur_here("levers", "validate", home=tmp_path)
    assert done.returncode == 0
    assert "no problem found" in done.stdout


def test_doctor_names_missing_keys_and_exits_1(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    done = demur_here("doctor", "frontier", home=tmp_path)
    assert done.returncode == 1
    assert "MISSING  OPENAI_API_KEY      not set, needed by gpt" in done.stdout


def test_doctor_names_a_package_whose_version_demur_does_not_bear(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    metadata = tmp_path / "sqlalchemy-2.1.9.dist-info" / "METADATA"
    metadata.parent.mkdir()
    metadata.write_text("Metadata-Version: 2.1\nName: SQLAlchemy\nVersion: 2.1.9\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    done = demur_here("doctor", home=tmp_path / "home")
    assert done.returncode == 1
    assert "MISSING  sqlalchemy          2.1.9, but demur needs <2.1,>=2.0: " in done.stdout
    assert install_command("deployments") in done.stdout


def test_doctor_without_configuration_is_content_and_leaves_no_file_behind(tmp_path: Path) -> None:
    done = demur_here("doctor", home=tmp_path)
    assert done.returncode == 0, done.stdout
    assert "Next: demur round" in done.stdout
    found = json.loads(demur_here("doctor", "--format", "json", home=tmp_path).stdout)
    assert {"ok": True, "what": "DEMUR_HOME", "found": str(tmp_path)} in found
    assert not list(tmp_path.iterdir())


def test_plan_writes_a_table_and_what_it_can_cost(tmp_path: Path) -> None:
    done = demur_here("plan", str(write_config(tmp_path, bases=2)), home=tmp_path / "home")
    assert done.returncode == 0, done.stderr
    assert "generate  generator   rules-terse" in done.stdout
    assert "at most $0.00" in done.stdout


def test_doctor_says_what_the_engine_lacks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def found() -> list[str]:
        return [line for line in demur_here("doctor", home=tmp_path).stdout.splitlines() if "  engine  " in line]

    assert found() == [f"ok       {'engine':18}  threads, on this machine"]
    monkeypatch.setenv("DEMUR_ENGINE", "dask:tcp://127.0.0.1:9")
    [refused] = found()
    assert refused.startswith("MISSING") and "dask at tcp://127.0.0.1:9" in refused
    monkeypatch.setenv("DEMUR_ENGINE", "dusk")
    assert "DEMUR_ENGINE 'dusk' is not one of threads" in found()[0]


def test_doctor_says_that_the_database_of_limits_cannot_be_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("psycopg", reason="needs the extra state")
    monkeypatch.setenv("DEMUR_STATE", "postgresql://demur:secret-word@127.0.0.1:9/state")
    [line] = [line for line in demur_here("doctor", home=tmp_path).stdout.splitlines() if "DEMUR_STATE" in line]
    assert line.startswith("MISSING") and "postgresql://127.0.0.1:9/state" in line and "secret-word" not in line
