"""Models evaluated on a frozen release: in an empty home, stopped by a cap or by judgements that cannot be read."""

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from demur.errors import CapReachedError, ConfigError
from demur.flows.evaluation import evaluate
from demur.flows.evaluations.evaluation_request import EvaluationRequest, check_evaluation
from demur.lanes.simulator.faults import SimulatedRequest, SimulatorFault
from demur.lanes.simulator.server import Simulator, serve
from demur.warehouse.home import Home
from tests.flows.masters import check_master
from tests.flows.rounds import demur_here
from tests.flows.simulated import KEY, KEY_VARIABLE, number, rows
from tests.reports.explorer.test_prompts import kept

pytestmark = [pytest.mark.slow(seconds=60), pytest.mark.usefixtures("prefect_api")]

BASELINES = ("lexical-overlap", "spotter=rules:respondent/defect-spotter")
SCORES = (
    "SELECT respondent, metric, slice, slice_value, value, low, high, n FROM live_scores WHERE round_id = '{}' "
    "AND respondent = 'lexical-overlap' ORDER BY ALL"
)


@pytest.fixture(scope="module")
def evaluated(released: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A home that held nothing before, and the evaluation that was made in it."""
    home = tmp_path_factory.mktemp("evaluated") / "home"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DEMUR_HOME", str(home))
        return home, evaluate(EvaluationRequest(str(released / "releases" / "embedded" / "1"), BASELINES))


def test_evaluation_in_an_empty_home_scores_as_the_round_did(evaluated: tuple[Path, str], released: Path) -> None:
    home, evaluation = evaluated
    there = rows(home, SCORES.format(evaluation))
    assert there
    assert there == rows(released, SCORES.format("embedded"))
    assert {row[0] for row in rows(home, "SELECT respondent FROM leaderboard")} == {"lexical-overlap", "spotter"}
    assert rows(home, "SELECT DISTINCT state FROM leaderboard") == [("complete",)]


def test_evaluation_is_what_its_master_says(evaluated: tuple[Path, str]) -> None:
    check_master("evaluation", Home(evaluated[0]), evaluated[1])


def test_evaluation_keeps_the_prompts_that_were_sent(evaluated: tuple[Path, str]) -> None:
    assert set(kept(Home(evaluated[0]), f"round_id = '{evaluated[1]}'")) == {"respondent", "judge"}


def test_evaluation_is_bound_to_release_prompts_judge_and_metrics(evaluated: tuple[Path, str], released: Path) -> None:
    bound = (
        "SELECT release_name, release_version, release_digest, prompts, prompts_digest, judge_digest, metrics_version "
        "FROM evaluations WHERE respondent = 'lexical-overlap'"
    )
    assert rows(evaluated[0], bound) == rows(released, bound)
    boards = "SELECT DISTINCT board_id FROM evaluation_boards"
    assert rows(evaluated[0], boards) == rows(released, boards)


def test_evaluation_leaves_rounds_their_bases_and_stays_out_of_their_yield(evaluated: tuple[Path, str]) -> None:
    home, evaluation = evaluated
    assert rows(home, "SELECT round_id FROM yield_by_stratum") == []
    assert rows(home, "SELECT release_evaluated FROM round_origins") == [("embedded/1",)]
    from demur.warehouse.connection import reading
    from demur.warehouse.round_rows import used_bases

    with reading(Home(home), "loader") as con:
        assert used_bases(con, "another", None) == set()
    listed = demur_here("evaluations", "list", "--format", "json", home=home)
    assert [row["evaluation"] for row in json.loads(listed.stdout)] == [evaluation]
    shown = json.loads(demur_here("evaluations", "show", evaluation, "--format", "json", home=home).stdout)
    assert shown["release"] == "embedded/1" and len(shown["scores"]) == 2
    kinds = dict(rows(home, "SELECT kind, count(*) FROM live_items GROUP BY kind"))
    assert (shown["items"], shown["controls"]) == (kinds["perturbed"], kinds["control"])
    refused = demur_here("evaluations", "show", "nothing", home=home)
    assert refused.returncode == 2 and f"'nothing' is not one of {evaluation}" in refused.stderr


def served_request(
    release: str, asked: Simulator, judging: Simulator, concurrency: int = 2, **changes: Any
) -> EvaluationRequest:
    """Return the request to evaluate a baseline with a judge, each at a simulator, whose address decides nothing."""
    at = f",api_key_env={KEY_VARIABLE},max_tokens=2000,prices={{input_usd_per_million: 2, output_usd_per_million: 8}}"
    at += f",limits={{concurrency: {concurrency}}}"
    far = f"far=openai:respondent/lexical-overlap,base_url={asked.openai_url}{at}"
    judge = f"served=openai:judge/patterns,base_url={judging.openai_url}{at}"
    return EvaluationRequest(release, (far,), judge=judge, **changes)


def spoilt_for_some(asked: SimulatedRequest) -> SimulatorFault | None:
    """Spoil every reply about some responses."""
    messages: Any = asked.body["messages"]
    spoils = len(messages) > 1 and hashlib.sha256(messages[1]["content"].encode()).digest()[0] % 9 == 0
    return SimulatorFault.PROSE if spoils else None


def test_evaluation_stopped_by_its_cap_scores_what_is_judged_and_goes_on_with_a_higher_one(
    released: Path, demur_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, release = demur_home, str(released / "releases" / "embedded" / "1")
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    with serve() as asked, serve() as judging:
        with pytest.raises(CapReachedError, match=r"budget\.max_usd \$0\.12 .* the rest is kept for the stage judge"):
            evaluate(served_request(release, asked, judging, max_usd=0.12))
        first, items = (
            number(home, "SELECT count(*) FROM live_responses"),
            number(home, "SELECT count(*) FROM live_items"),
        )
        judged = number(home, "SELECT count(*) FROM live_judgements")
        assert 1 < judged <= first < items
        [(state, invalid)] = rows(home, "SELECT state, invalid_rate FROM leaderboard")
        assert state == f"INCOMPLETE, {judged} of {items}" and invalid == 0
        scored = "SELECT sum(responses) FROM live_response_counts"
        assert number(home, scored) == judged

        evaluate(served_request(release, asked, judging, max_usd=5))
        assert rows(home, "SELECT state, invalid_rate FROM leaderboard") == [("complete", 0.0)]
        assert number(home, scored) == items
    assert number(home, "SELECT count(*) FROM calls WHERE stage = 'respond' AND status = 'ok'") == items
    scores = "SELECT metric, value FROM live_scores WHERE slice = 'overall' AND respondent = '{}' ORDER BY metric"
    assert rows(home, scores.format("far")) == rows(released, scores.format("lexical-overlap"))


def test_unreadable_judgements_are_invalid_and_asked_for_again_on_request(
    released: Path, demur_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, release = demur_home, str(released / "releases" / "embedded" / "1")
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    invalid = "SELECT count(*) FROM live_judgements WHERE predicted = 'INVALID'"
    with serve() as asked, serve() as mended, serve(spoilt_for_some) as broken:
        evaluation = evaluate(served_request(release, asked, broken))
        unread, items = number(home, invalid), number(home, "SELECT count(*) FROM live_items")
        assert 0 < unread < items / 5 and number(home, "SELECT count(*) FROM live_judgements") == items
        [(rate, state)] = rows(home, "SELECT invalid_rate, state FROM leaderboard")
        assert rate > 0 and state == "complete"
        shown = json.loads(demur_here("evaluations", "show", evaluation, "--format", "json", home=home).stdout)
        assert [row["invalid_rate"] for row in shown["scores"]] == [rate]
        board = demur_here("evaluations", "board", evaluation, "--format", "json", home=home)
        [row] = json.loads(board.stdout)[0]["rows"]
        assert round(row["invalid_rate"], 3) == rate

        assert evaluate(served_request(release, asked, mended, again="invalid")) == evaluation
        assert len(mended.asked) == unread and number(home, invalid) == 0
    assert rows(home, "SELECT invalid_rate, state FROM leaderboard") == [(0.0, "complete")]


@pytest.mark.parametrize(
    ("models", "judge", "complaint"),
    [
        ((), None, "there is no respondent: name models with --model"),
        (
            ("nothing",),
            None,
            r"--model 'nothing' is neither a model of the configuration \(.*nor of the form \[NAME=\]",
        ),
        (("opnai:gpt,max_tokens=10",), None, "with one of the providers openai, anthropic"),
        (("openai:gpt",), None, r"parameters\.max_tokens is missing"),
        (("rules:judge/patterns",), None, "rules are for another role than respondent"),
        (("lexical-overlap", "lexical-overlap=rules:respondent/always-refuses"), None, "is given more than once"),
        (("lexical-overlap",), "rules:respondent/always-refuses", "rules are for another role than judge"),
        (("far=openai:gpt,max_tokens=10",), None, "OPENAI_API_KEY is not set"),
    ],
)
def test_models_that_cannot_be_evaluated_are_refused_before_anything_starts(
    released: Path,
    demur_home: Path,
    monkeypatch: pytest.MonkeyPatch,
    models: tuple[str, ...],
    judge: str | None,
    complaint: str,
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    release = str(released / "releases" / "embedded" / "1")
    with pytest.raises(ConfigError, match=complaint):
        check_evaluation(EvaluationRequest(release, models, judge=judge))


def test_release_of_a_version_that_cannot_be_read_asks_for_a_configuration(
    released: Path, demur_home: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "later"
    shutil.copytree(released / "releases" / "embedded" / "1", folder, copy_function=shutil.copyfile)
    folder.chmod(0o755)
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    manifest["configuration"]["invented"] = 1
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    with pytest.raises(ConfigError, match=r"configuration\.invented: .*name a configuration with --round-config FILE"):
        check_evaluation(EvaluationRequest(str(folder), ("always-refuses",)))
    assert check_evaluation(EvaluationRequest(str(folder), (), round_config="rules")).config.roles.respondents


def test_something_else_to_ask_again_is_refused(released: Path, demur_home: Path) -> None:
    release = str(released / "releases" / "embedded" / "1")
    with pytest.raises(ConfigError, match="again 'all' is not 'invalid'"):
        evaluate(EvaluationRequest(release, ("always-answers",), again="all"))
