"""A disk that fills while answers are written down: one message, nothing lost, and the round goes on after that."""

import asyncio
import resource
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from demur.engine.context import RoundContext
from demur.engine.shard import work_shard
from demur.engine.stage import Stage
from demur.engine.state.shared import shared_state
from demur.warehouse.connection import reading, writing
from demur.warehouse.errors import LandingError
from demur.warehouse.journals import fold_journals
from demur.warehouse.load import load_landed
from demur.warehouse.plans import PlanWriter, register_plan
from demur.warehouse.units import Order, pending
from tests.engine.test_stage import context as context  # noqa: PLC0414  (a fixture)
from tests.engine.test_stage import the_stage
from tests.flows.rounds import ROOT, environment, small

UNITS = 40
LEFT_BYTES = 120_000
"""Room for some calls of the journal, not for all."""

ROUND_ON_A_SMALL_DISK = r"""
set -u
mount -t tmpfs -o size=60m tmpfs "$DEMUR_HOME"
"$1" -c 'from demur.cli import main; main()' round "$2" 2> "$3/first" &
round=$!
until grep -q '"stage":"generate"' "$DEMUR_HOME"/state.db-wal 2> /dev/null; do
    kill -0 $round || exit 9
    sleep 0.05
done
dd if=/dev/zero of="$DEMUR_HOME/filler" bs=4k 2> /dev/null
wait $round
echo "first: $?"
rm "$DEMUR_HOME/filler"
cp -a "$DEMUR_HOME" "$3/kept"
"""
"""Ends with what stood on the small disk copied to a large one."""


def order(context: RoundContext, stage: Stage) -> Order:
    """What is pending of a stage, as one order."""
    folding = shared_state(context.home).folding("test", stage.name)
    with writing(context.home, wait_seconds=1) as con, folding:
        load_landed(con, context.home, "test", stage.name)
        fold_journals(con, context.home, "test", stage.name)
    with PlanWriter(context.home, "test", stage.name) as writer, reading(context.home, "loader") as con:
        for unit in stage.plan(context, con):
            writer.add(unit.unit_id, unit.payload)
    with writing(context.home, wait_seconds=1) as con:
        register_plan(con, writer.plan)
        [found] = pending(con, writer.plan, stage.table, UNITS)
    return found


def test_journal_on_a_full_disk_ends_its_shard_with_one_message_and_keeps_what_was_durable(
    context: RoundContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # a cut-off cache of a module would outlive the limit
    stage = the_stage(UNITS)
    first = order(context, stage)
    log = context.home.state.with_name("state.db-wal")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (log.stat().st_size + LEFT_BYTES, hard))
    try:
        with pytest.raises(LandingError) as raised:
            asyncio.run(work_shard(context, stage.name, stage.open_work, first, 8))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    message = str(raised.value)
    assert "File too large; the journal takes no more" in message
    assert "free some space, then run the same command again" in message
    assert "\n" not in message
    again = order(context, stage)
    with reading(context.home, "loader") as con:
        [(durable,)] = con.execute("SELECT count(*) FROM calls").fetchall()
    assert 0 < durable < UNITS
    report = asyncio.run(work_shard(context, stage.name, stage.open_work, again, 8))
    assert report.landed == UNITS
    folding = shared_state(context.home).folding("test", stage.name)
    with writing(context.home, wait_seconds=1) as con, folding:
        fold_journals(con, context.home, "test", stage.name)
        assert con.execute("SELECT count(*) FROM calls").fetchall() == [(UNITS,)], "nothing durable is asked again"


def can_mount() -> bool:
    """Whether this user may mount a file system where nobody else sees it."""
    if shutil.which("unshare") is None:
        return False
    return (
        subprocess.run(["unshare", "-rm", "mount", "-t", "tmpfs", "tmpfs", "/mnt"], capture_output=True).returncode == 0
    )


@pytest.mark.repeated
@pytest.mark.skipif(not can_mount(), reason="needs a file system of its own")
def test_round_on_a_full_disk_ends_with_one_message_and_goes_on_when_there_is_space(
    tmp_path: Path, prefect_api: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from demur.flows.round import generate

    (tmp_path / "home").mkdir()
    config = small(tmp_path, shards_at_once=2)
    ran = subprocess.run(
        ["unshare", "-rm", "sh", "-c", ROUND_ON_A_SMALL_DISK, "sh", sys.executable, str(config), str(tmp_path)],
        env=environment(tmp_path / "home"),
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=900,
    )
    said = (tmp_path / "first").read_text(encoding="utf-8")
    assert ran.stdout == "first: 2\n", said + ran.stderr
    [message] = [line for line in said.splitlines() if "No space left on device" in line]
    assert message.startswith("demur: ")
    assert "free some space, then run the same command again" in message
    assert "Traceback" not in said
    assert "leaked" not in said
    monkeypatch.setenv("DEMUR_HOME", str(tmp_path / "kept"))
    generated, _ = generate(config=str(config))
    assert generated.landed == generated.planned > 0
