"""One small round, run once: what it leaves behind."""

import json
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.parquet as pq
import pytest
from prefect.settings import PREFECT_API_URL, PREFECT_SERVER_ALLOW_EPHEMERAL_MODE, temporary_settings

from demur.errors import FlowError
from demur.flows.orchestration.temporary_api import START_TIMEOUT, run_with_api
from demur.flows.rounds.request import RoundRequest
from demur.flows.rounds.session import check_round
from demur.levers.policies import load_policy
from demur.reports.texts import counted
from demur.scoring.standalone.demur_reward import load_reward
from demur.warehouse.connection import reading, writing
from demur.warehouse.home import Home
from demur.warehouse.releases.freezing import freeze
from demur.warehouse.releases.manifest import manifest, releases
from demur.warehouse.releases.verifying import verify_release
from demur.warehouse.results.query import query
from demur.warehouse.tables import Table
from demur.warehouse.tables.models import references
from tests.flows.finished_rounds import HOSTILE, FinishedRound
from tests.flows.rounds import demur_here, whole_round

pytestmark = pytest.mark.slow(seconds=40)


@pytest.fixture(scope="module")
def finished(rules_round: FinishedRound) -> Home:
    """The home of the round, to look at."""
    return rules_round.home


@pytest.fixture(scope="module")
def changed(rules_round: FinishedRound, tmp_path_factory: pytest.TempPathFactory) -> FinishedRound:
    """A copy of the round that tests change, and put back what they break."""
    return rules_round.copy(tmp_path_factory.mktemp("changed") / "round")


def rows(home: Home, text: str) -> list[tuple[Any, ...]]:
    return query(home, text, limit=None).rows


def whole_tables(home: Home) -> dict[str, Any]:
    """All rows of every table of the published copy, sorted."""
    with reading(home) as con:
        return {table: con.sql(f"SELECT * FROM {table} ORDER BY ALL").to_arrow_table() for table in Table}


def test_lost_warehouse_made_again_from_the_published_copy_is_published_as_it_was(
    rules_round: FinishedRound, tmp_path: Path
) -> None:
    again = rules_round.copy(tmp_path / "round").home
    before, old_copy = whole_tables(again), again.published.stat().st_ino
    again.loader.unlink()
    done = demur_here("warehouse", "rebuild", home=again.root)
    assert (done.returncode, done.stderr) == (0, "")
    assert f"{again.loader}: 1 round, " in done.stdout
    assert again.published.stat().st_ino != old_copy
    assert whole_tables(again) == before
    assert before[Table.LOADS].num_rows > 15


def test_round_tells_every_stage_and_step_in_order(rules_round: FinishedRound) -> None:
    from demur.flows.stages.registry import STAGES
    from demur.flows.stages.release import RELEASE

    observed = rules_round.observed
    unasked = ("recall", "rate", "read_documents", "match", "ask", "prove")
    assert observed["stages"] == [*(stage.name for stage in STAGES if stage.name not in unasked), RELEASE]
    assert {"loading", "planning", "working", "checking", "publishing"} <= set(observed["steps"])
    assert set(observed["usd"]) == {0.0}


def test_round_summary_in_full_and_as_json_has_all_tables(finished: Home) -> None:
    told = demur_here("rounds", "embedded", "--full", home=finished.root).stdout
    found = json.loads(demur_here("rounds", "embedded", "--format", "json", home=finished.root).stdout)
    assert (found["round_id"], found["status"], found["release"]) == ("embedded", "finished", "embedded/1")
    assert len(found["tables"]["strata"]) == 18
    for title, table in (
        ("Items by stratum", "strata"),
        ("Leaderboard", "leaderboard"),
        ("Acceptance by ver", "verifiers"),
    ):
        assert f"\n{title}" in told and found["tables"][table]


def test_rounds_lists_what_each_came_to(finished: Home) -> None:
    [found] = json.loads(demur_here("rounds", "--format", "json", home=finished.root).stdout)
    assert (found["round_id"], found["bases"], found["release"]) == ("embedded", 3, "embedded/1")
    assert "embedded  finished  20" in demur_here("rounds", home=finished.root).stdout
    refused = demur_here("rounds", "absent", home=finished.root)
    assert refused.returncode == 2 and "round 'absent' is not one of embedded" in refused.stderr


def test_round_every_id_names_a_row_of_the_table_that_it_belongs_to(finished: Home) -> None:
    held = 0
    for table in Table:
        for column, other in references(table).items():
            [(named, lost)] = rows(
                finished,
                f"SELECT count({column}), count({column}) FILTER ({column} NOT IN (SELECT {column} FROM {other} "
                f"WHERE {column} IS NOT NULL)) FROM {table}",
            )
            assert lost == 0, (table, column)
            held += named > 0
    assert held > 40


def test_round_every_published_score_is_traced_to_calls(finished: Home) -> None:
    [(untraced,)] = rows(
        finished,
        "SELECT count(*) FROM live_judgements j JOIN live_responses r USING (round_id, response_id) "
        "WHERE j.call_id NOT IN (SELECT call_id FROM calls) OR r.call_id NOT IN (SELECT call_id FROM calls)",
    )
    assert untraced == 0


def test_round_reward_is_a_column_of_the_leaderboard(finished: Home) -> None:
    found = rows(finished, "SELECT respondent, mean_reward FROM leaderboard")
    assert len(found) == 4
    assert all(reward is not None for _, reward in found)


def test_round_hostile_text_stays_data(finished: Home) -> None:
    kept = rows(finished, "SELECT passages[1].text FROM live_base_instances")
    assert all(HOSTILE in text for (text,) in kept)
    assert rows(finished, "SELECT count(*) > 0 FROM live_items") == [(True,)]
    report = (releases(finished)[0].path / "report.html").read_text(encoding="utf-8")
    assert "<script>alert" not in report


def test_release_has_its_files_with_published_field_names(finished: Home) -> None:
    [release] = releases(finished)
    assert {path.name for path in release.path.iterdir()} == {
        "rewards", "README.md", "fits.parquet", "items.jsonl", "items.parquet", "manifest.json", "provenance.parquet",
        "report.html", "responses.parquet", "scores.parquet", "weights.parquet",
    }  # fmt: skip
    lines = (release.path / "items.jsonl").read_text(encoding="utf-8").splitlines()
    item = next(found for found in map(json.loads, lines) if found["kind"] == "perturbed")
    published = {
        "id", "source_id", "generator_model", "perturbation_class", "intensity", "expected_rag_behavior",
        "lever_selected", "original_query", "original_context", "original_answers", "perturbed_query",
        "perturbed_context", "implementation_reasoning", "verifier_votes",
    }  # fmt: skip
    assert published <= item.keys()
    assert set(item["verifier_votes"].values()) == {"PASS"}
    frame = pd.read_parquet(release.path / "items.parquet")
    assert list(frame["id"]) == sorted(frame["id"]) == [json.loads(line)["id"] for line in lines]


def test_release_manifest_names_what_made_it(finished: Home) -> None:
    told = manifest(finished, "embedded")
    assert {"configuration", "catalogue", "programs", "models", "seed", "packages", "files"} <= told.keys()
    assert told["files"]["provenance.parquet"]["identity"] is False
    assert told["files"]["items.parquet"]["rows"] == told["items"]


def test_release_is_read_only_and_verified(finished: Home) -> None:
    [release] = releases(finished)
    assert not (release.path / "items.parquet").stat().st_mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH)
    found = verify_release(finished, "embedded/1")
    assert (found.problems, found.held_against) == ((), (f"the warehouse {finished.published}",))
    report = (release.path / "report.html").read_text(encoding="utf-8")
    assert "Release embedded/1, " in report and "source questions from the collection ‘hostile.jsonl’" in report


def reward_files(home: Home) -> list[Path]:
    return sorted(releases(home)[0].path.glob("rewards/*.json"))


def test_release_rewards_score_as_the_round_did(finished: Home) -> None:
    [path] = reward_files(finished)
    assert path.name == f"selective_refusal@{load_policy('selective_refusal').version}.json"
    reward = load_reward(path)
    graded: dict[tuple[str, str, float], dict[str, float]] = {}
    for response, behaviour, total, proposition, probability in rows(
        finished,
        "SELECT r.response_id, r.behaviour, r.reward, g.proposition, g.probability FROM live_rewards r "
        "JOIN live_grades g ON g.subject_kind = 'response' AND g.subject_id = r.response_id",
    ):
        graded.setdefault((response, behaviour, total), {})[proposition] = probability
    assert len(graded) > 20
    for (_, behaviour, total), probabilities in graded.items():
        assert reward.score(behaviour, probabilities) == pytest.approx(total, abs=1e-12)
    told = manifest(finished, "embedded")["files"]
    assert told[f"rewards/{path.name}"]["identity"] is True
    assert told["rewards/demur_reward.py"]["identity"] is False


def test_release_altered_and_added_files_are_found(changed: FinishedRound) -> None:
    [reward] = reward_files(changed.home)
    scores, stranger = reward.parent.parent / "scores.parquet", reward.parent / "mine.json"
    before = {path: path.read_bytes() for path in (reward, scores)}
    reward.parent.chmod(0o755)
    try:
        for path, content in before.items():
            path.chmod(0o644)
            path.write_bytes(content + b" ")
        stranger.write_text("{}")
        problems = verify_release(changed.home, "embedded").problems
        assert len(problems) == 3
        for said in ("mine.json: not in the manifest", f"{reward.name}: sha256 is", "scores.parquet: sha256 is"):
            assert any(said in problem for problem in problems)
    finally:
        for path, content in before.items():
            path.write_bytes(content)
        stranger.unlink()


@pytest.mark.parametrize("conversational", [False, True])
def test_pairs_of_a_round_have_the_columns_that_preference_tuning_reads(
    finished: Home, tmp_path: Path, conversational: bool
) -> None:
    flags = ["--conversational"] if conversational else []
    out = tmp_path / "pairs.jsonl"
    done = demur_here("rbr", "pairs", "embedded", "--out", str(out), *flags, home=finished.root)
    assert done.returncode == 0, done.stderr
    told = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert f"{counted(len(told), 'pair')} written to {out}" in done.stdout
    order = {b.name: b.order for b in load_policy("selective_refusal").behaviours}
    for pair in told:
        assert (pair["chosen_label"], pair["rejected_label"]) in order[pair["behaviour"]] and pair["margin"] == 1.0
    completions = dict(rows(finished, "SELECT completion_id, completion FROM live_completions"))
    first = told[0]
    chosen, prompt = first["chosen"], first["prompt"]
    if conversational:
        assert [message["role"] for message in prompt] == ["system", "user"]
        assert [message["role"] for message in chosen] == ["assistant"]
        chosen, prompt = chosen[0]["content"], prompt[1]["content"]
    assert chosen == completions[first["chosen_id"]] and HOSTILE.split()[0] in prompt
    best = [pair["reward_difference"] for pair in told if pair["chosen_label"] == "perfect"]
    assert best and sum(difference > 0 for difference in best) > len(best) / 2
    parquet = tmp_path / "pairs.parquet"
    done = demur_here("rbr", "pairs", "--format", "parquet", "--out", str(parquet), *flags, home=finished.root)
    assert done.returncode == 0, done.stderr
    read = pq.read_table(parquet)
    assert read.column_names[:5] == ["prompt", "chosen", "rejected", "margin", "reward_difference"]
    assert read.to_pylist()[0]["chosen"] == first["chosen"] and read.num_rows == len(told)


def test_pairs_that_cannot_be_had_are_refused_with_the_remedy(finished: Home) -> None:
    for arguments, words in (
        (("nowhere",), "round 'nowhere' is not one of embedded"),
        (("--policy", "safety"), "has no comparisons for policy 'safety'; it has comparisons for selective_refusal"),
        (("--format", "parquet"), "name one"),
    ):
        done = demur_here("rbr", "pairs", *arguments, home=finished.root)
        assert done.returncode == 2 and words in done.stderr and "Traceback" not in done.stderr, done.stderr


def test_release_again_from_the_same_rows_is_the_same_release(changed: FinishedRound) -> None:
    with reading(changed.home, "loader") as con:
        rewards = {f"rewards/{path.name}": path.read_text(encoding="utf-8") for path in reward_files(changed.home)}
        again = freeze(con, changed.home, "embedded", "embedded", {}, lambda label: {}, rewards)
    assert (again.label, again.created) == ("embedded/1", False)
    assert [path.name for path in (changed.home.releases / "embedded").iterdir()] == ["1"]


@pytest.fixture
def no_api(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Prefect's API is at no address, and servers have no time to start."""
    monkeypatch.delenv("PREFECT_API_URL", raising=False)
    monkeypatch.setenv(START_TIMEOUT, "0")
    with temporary_settings(restore_defaults={PREFECT_API_URL}, updates={PREFECT_SERVER_ALLOW_EPHEMERAL_MODE: False}):
        yield


def run_again(finished: FinishedRound, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEMUR_HOME", str(finished.home.root))
    context = check_round(RoundRequest(str(finished.config), probe=False))
    run_with_api(context, lambda: whole_round(finished.config, finished.home.root))


def test_round_finished_runs_again_without_a_server_asks_nothing_and_makes_no_second_release(
    changed: FinishedRound, no_api: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    answered = "SELECT count(*), count(DISTINCT (stage, unit_id, role, request_digest)) FROM calls WHERE status = 'ok'"
    [(calls, asked)] = rows(changed.home, answered)
    assert calls == asked > 100
    before = [path.stat().st_mtime_ns for path in changed.home.gate_pages("embedded").rglob("*")]
    run_again(changed, monkeypatch)
    assert rows(changed.home, answered) == [(calls, asked)]
    assert [path.name for path in (changed.home.releases / "embedded").iterdir()] == ["1"]
    assert rows(changed.home, "SELECT status FROM rounds") == [("finished",)]
    assert [path.stat().st_mtime_ns for path in changed.home.gate_pages("embedded").rglob("*")] == before


def test_round_finished_with_units_to_do_again_starts_a_server(
    rules_round: FinishedRound, no_api: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    again = rules_round.copy(tmp_path / "round")
    with writing(again.home, wait_seconds=10) as con:
        con.execute("DELETE FROM base_instances")
    with pytest.raises(FlowError, match="server did not start"):
        run_again(again, monkeypatch)


def test_round_report_names_no_external_address(finished: Home) -> None:
    report = (releases(finished)[0].path / "report.html").read_text(encoding="utf-8")
    assert "http://" not in report
    assert "https://" not in report
