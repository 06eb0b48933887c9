"""A round that stops asking verifiers early, asks for confidence, judges twice, and has a judge that rambles."""

import hashlib
import io
import json
import re
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from demur.cli.terminal.options import Output
from demur.cli.terminal.summary import print_summary
from demur.errors import CapReachedError
from demur.lanes.simulator.behaviour import SimulatorConfig, answered
from demur.lanes.simulator.faults import SimulatedRequest, SimulatorFault
from demur.lanes.simulator.server import serve
from demur.lanes.simulator.wire import Turns
from demur.programs.adapter.json_adapter import task_of
from demur.warehouse.home import Home
from tests.flows.rounds import NO_POLICY, demur_here, whole_round
from tests.flows.simulated import KEY, KEY_VARIABLE, ROUND, number, rows, simulated

pytestmark = [pytest.mark.slow(seconds=80), pytest.mark.exhaustive, pytest.mark.usefixtures("prefect_api")]

OPTIONS: dict[str, Any] = {
    "bases": 6,
    "items_per_stratum": 2,
    "generation": {
        "lever_choice": "generator",
        "replicates": 1,
        "classes": ["P-Ambiguity", "P-MissingInfo", "P-Contradiction"],
    },
    "verification": {"short_circuit": True},
    "elicit_confidence": True,
    "response_prompts": ["published", "ours"],
    "judge_replicates": 2,
    "fit": NO_POLICY,
}


def unreadable_judge(asked: SimulatedRequest) -> SimulatorFault | None:
    """Never a judgement that can be read for some responses, and never a response to some items."""
    if not asked.task.startswith(("JudgeShort", "AnswerFromPassageSurely")):
        return None
    turns = json.dumps(asked.body["messages"], sort_keys=True)
    place = turns.find('\\"question')
    # up to its end: what follows differs when a reply goes back to be mended
    question = turns[max(0, place) :].split('\\", ')[0].split('\\"}')[0]
    drawn = hashlib.sha256(question.encode()).digest()
    if asked.task.startswith("Judge"):
        return SimulatorFault.PROSE if drawn[1] < 128 else None
    return SimulatorFault.REFUSAL if drawn[0] >= 150 else None


def strictly(model: str, system: str, turns: Turns) -> str:
    """Return the rules' answer, but for every fifth passing verdict, which fails the language of the text."""
    text = answered(model, system, turns)
    if task_of(system) != "VerifyPerturbation" or hashlib.sha256(turns[-1][1].encode()).digest()[0] % 5:
        return text
    return json.dumps({**json.loads(text), "implementation_quality": False, "overall": "FAIL"})


@dataclass(frozen=True)
class Ran:
    """The round's home, what its stop in the middle of judging left, and what is printed at its end."""

    home: Path
    stopped: list[tuple[object, ...]]
    complaint: str
    summary: str


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory, prefect_api: str) -> Ran:
    folder = tmp_path_factory.mktemp("options")
    home = folder / "home"
    with pytest.MonkeyPatch.context() as patch, serve(plan=unreadable_judge, config=SimulatorConfig()) as simulator:
        patch.setenv(KEY_VARIABLE, KEY)
        patch.setattr("demur.lanes.simulator.behaviour.answered", strictly)
        capped = simulated(folder, simulator, **OPTIONS, budget={"stages": {"judge": 0.05}})
        with pytest.raises(CapReachedError) as reached:
            whole_round(capped, home)
        board = "SELECT calibrated_refusal_score, judged < planned, state FROM leaderboard"
        stopped = rows(home, board)
        free = simulated(folder, simulator, **OPTIONS)
        whole_round(free, home)
    with redirect_stdout(io.StringIO()) as told:
        print_summary(Home(home), ROUND, full=False, output=Output.TABLE)
    return Ran(home, stopped, str(reached.value), told.getvalue())


def test_round_stopped_while_judging_says_incomplete(ran: Ran) -> None:
    assert "units are left to buy" in ran.complaint
    assert any(
        score is None and behind and str(state).startswith("INCOMPLETE, ") for score, behind, state in ran.stopped
    )


def test_response_that_the_provider_refused_is_kept_and_leaves_no_score_incomplete(ran: Ran) -> None:
    refused = rows(ran.home, "SELECT DISTINCT item_id, respondent FROM responses WHERE refused_by_provider")
    assert refused and len(refused) == 4 * len({item for item, _ in refused}), (
        "the same items of two models with two sets of prompts"
    )
    for view in ("leaderboard", "scores_by_stratum", "score_rollups", "scores_by_factor", "model_differences"):
        assert rows(ran.home, f"SELECT DISTINCT state FROM {view}") == [("complete",)], view
    assert "INCOMPLETE" not in ran.summary


def test_judgement_never_readable_is_invalid_neither_attempt_nor_wrong(ran: Ran) -> None:
    unread = rows(ran.home, "SELECT correct, quality, explanation FROM judgements WHERE predicted = 'INVALID'")
    assert unread
    assert all(correct is None and quality is None for correct, quality, _ in unread)
    asked = number(
        ran.home,
        "SELECT min(calls) FROM (SELECT count(*) AS calls FROM calls JOIN judgements USING (unit_id) "
        "WHERE stage = 'judge' AND predicted = 'INVALID' GROUP BY unit_id)",
    )
    assert asked == 6, "three times, each with one repair"
    kinds = rows(ran.home, "SELECT sum(responses) FROM response_kinds WHERE response_kind = 'invalid'")
    assert kinds[0][0] >= len(unread)


def test_short_circuit_asks_in_the_drawn_order_until_one_fails(ran: Ran) -> None:
    asked = rows(ran.home, "SELECT perturbation_id, list(outcome) FROM counting_verdicts GROUP BY ALL")
    assert any(outcomes == ["fail"] or outcomes == ["inconsistent"] for _, outcomes in asked)
    for _, outcomes in asked:
        assert len(outcomes) == 2 or outcomes[0] != "pass"
    full = number(ran.home, "SELECT count(*) FROM candidates")
    assert len(asked) == full
    [(cells, seen, remark)] = rows(ran.home, "SELECT cells, cells_seen, remark FROM verification_cost")
    assert cells < seen
    assert "asking ended at the first failing verdict" in remark


def test_confidence_is_stated_and_reaches_the_calibration(ran: Ran) -> None:
    stated_by_none = "SELECT count(*) FROM responses WHERE confidence IS NULL AND NOT refused_by_provider"
    assert number(ran.home, stated_by_none) == 0
    assert number(ran.home, "SELECT count(*) FROM responses WHERE response ILIKE '%confidence:%'") == 0
    assert number(ran.home, "SELECT count(*) FROM live_scores WHERE metric = 'ece' AND value IS NOT NULL") > 0
    assert number(ran.home, "SELECT count(*) FROM calibration_bins WHERE responses > 0") > 0


def test_both_sets_of_prompts_are_respondents_of_their_own_named_in_leaderboard_and_manifest(ran: Ran) -> None:
    board = rows(ran.home, "SELECT DISTINCT respondent, prompts FROM leaderboard ORDER BY 1")
    assert board == [
        ("res-a", "published"), ("res-a (ours)", "ours"), ("res-o", "published"), ("res-o (ours)", "ours")
    ]  # fmt: skip
    assert {model for (model,) in rows(ran.home, "SELECT model FROM respondent_prompts")} == {"res-a", "res-o"}
    manifest = json.loads(next((ran.home / "releases" / ROUND).glob("*/manifest.json")).read_text("utf-8"))
    assert manifest["configuration"]["response_prompts"] == ["published", "ours"]
    programs = manifest["programs"]
    assert programs["respondent (published)"] != programs["respondent (ours)"]
    assert "res-o (ours)" in demur_here("rounds", ROUND, "--full", home=ran.home).stdout


def test_judging_twice_gives_the_noise_floor_beside_the_scores(ran: Ran) -> None:
    labels = rows(ran.home, "SELECT DISTINCT judge FROM live_judgements ORDER BY 1")
    assert labels == [("judge",), ("judge#2",)]
    assert number(ran.home, "SELECT count(*) FROM leaderboard WHERE judge_noise IS NULL") == 0
    assert re.search(r"Judge.s\s[\s\S]*\bnoise\b", ran.summary)
