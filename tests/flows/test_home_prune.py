"""Pruning of old rounds: texts go; releases, scores, costs and what later rounds go by stay."""

import json
from datetime import timedelta
from pathlib import Path

import pytest

from demur.engine.loading import rebuild_home
from demur.engine.state.shared import shared_state
from demur.engine.upkeep.backup import prune
from demur.flows.rounds.request import RoundRequest
from demur.flows.rounds.session import check_start
from demur.warehouse.connection import reading, writing
from demur.warehouse.errors import WarehouseError
from demur.warehouse.home import Home
from demur.warehouse.publication import DROPPED, prune_round
from tests.flows.finished_rounds import FinishedRound
from tests.flows.rounds import demur_here
from tests.flows.simulated import number, rows

STAYS = (
    "SELECT * FROM live_scores ORDER BY ALL",
    "SELECT * FROM spending ORDER BY ALL",
    "SELECT * FROM costs_by_model ORDER BY ALL",
    "SELECT * FROM round_bases ORDER BY ALL",
    "SELECT * FROM released_items ORDER BY ALL",
    "SELECT * FROM live_weights ORDER BY ALL",
    "SELECT * EXCLUDE (pruned_at) FROM rounds ORDER BY ALL",
)
AT_ONCE = timedelta(0)


def found(home: Home) -> list[list[tuple[object, ...]]]:
    """What has to stay; sums of dollars depend on the order in which they are added by their last digits."""
    return [
        [
            tuple(round(value, 9) if isinstance(value, float) else value for value in row)
            for row in rows(home.root, query)
        ]
        for query in STAYS
    ]


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_pruned_round_keeps_release_scores_costs_and_bases_also_where_the_prune_was_killed_before_files_went(
    simulated_round: FinishedRound, tmp_path: Path
) -> None:
    home = simulated_round.copy(tmp_path / "copy").home
    before, released = found(home), files(home.releases)
    [planned] = prune(home, None, AT_ONCE, dry_run=True).rounds
    assert planned.rows > 500
    assert found(home) == before and number(home.root, "SELECT count(*) FROM responses") > 0
    with writing(home, wait_seconds=5) as con:
        prune_round(con, simulated_round.round_id)
    rebuild_home(home)
    assert found(home) == before and number(home.root, "SELECT count(*) FROM responses") == 0
    pruned = prune(home, None, AT_ONCE, dry_run=False)
    assert [one.round_id for one in pruned.rounds] == [simulated_round.round_id] and pruned.freed > 100_000
    assert shared_state(home).rounds() == [] and not [*home.root.glob("plans/*")]
    assert found(home) == before and files(home.releases) == released
    for table in DROPPED:
        assert number(home.root, f"SELECT count(*) FROM {table}") == 0
    assert number(home.root, "SELECT count(reply) + count(error) FROM calls") == 0
    [shown] = json.loads(demur_here("rounds", "--format", "json", home=home.root).stdout)
    assert shown["status"] == "finished, pruned" and shown["asked"] is None and shown["items"] > 0
    assert demur_here("release", "verify", shown["release"], home=home.root).returncode == 0
    assert prune(home, None, AT_ONCE, dry_run=False).rounds == []
    rebuild_home(home)
    assert found(home) == before


def test_round_that_was_pruned_is_not_bought_again(
    rules_round: FinishedRound, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = rules_round.copy(tmp_path / "copy")
    prune(copy.home, None, AT_ONCE, dry_run=False)
    monkeypatch.setenv("DEMUR_HOME", str(copy.home.root))
    with pytest.raises(WarehouseError, match="was pruned on .* Start another round"):
        check_start(RoundRequest(str(copy.config)))
    with reading(copy.home) as con:
        assert con.execute("SELECT status FROM rounds").fetchall() == [("finished",)]


def test_rounds_that_are_new_or_have_nothing_that_stands_for_them_stay_and_bad_options_are_named(
    rules_round: FinishedRound, tmp_path: Path
) -> None:
    home = rules_round.copy(tmp_path / "copy").home
    assert prune(home, 1, None, dry_run=True).rounds == []
    assert prune(home, None, timedelta(days=1), dry_run=True).rounds == []
    shown = demur_here("home", "prune", "--older-than", "1h", "--dry-run", "--format", "json", home=home.root)
    assert json.loads(shown.stdout)["dry_run"] is True
    for arguments, said in (((), "--keep-rounds N"), (("--older-than", "soon"), "is not a duration")):
        done = demur_here("home", "prune", *arguments, home=home.root)
        assert done.returncode == 2 and said in done.stderr
    for change, why in (
        ("UPDATE releases SET manifest_digest = 'other'", "is not here as it was frozen"),
        ("DELETE FROM releases", "has no release"),
        ("UPDATE rounds SET status = 'open', finished_at = NULL", "is not finished"),
    ):
        with writing(home, wait_seconds=5) as con:
            con.execute(change)
        pruned = prune(home, None, AT_ONCE, dry_run=False)
        assert pruned.rounds == [] and why in pruned.kept[rules_round.round_id]
    assert number(home.root, "SELECT count(*) FROM responses") > 0
