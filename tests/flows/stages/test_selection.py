"""Items chosen by what probes get right, in a round of the rules lane: who was asked, what counts, how it was drawn."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from demur.errors import ConfigError
from demur.flows.evaluations.request import EvaluationRequest, evaluation_context
from demur.flows.planning.round_plan import plan_of
from demur.flows.round import assemble, evaluate, finish, grade
from demur.flows.rounds.request import RoundRequest
from demur.flows.rounds.session import check_round
from demur.warehouse.connection import writing
from demur.warehouse.release import release_at
from tests.flows.finished_rounds import FinishedRound
from tests.flows.rounds import demur_here
from tests.flows.simulated import number, rows

pytestmark = [pytest.mark.slow(seconds=20), pytest.mark.usefixtures("prefect_api")]

DIFFICULTY = {"target": 0.5, "probe": ["lexical-overlap", "defect-spotter"], "max_share": 0.5}
STANDING = "FROM pretested_perturbations WHERE may_count"


def choosing(made: FinishedRound, **changes: Any) -> str:
    """Let a finished round choose its items by difficulty, and return its configuration."""
    config = yaml.safe_load(made.config.read_text(encoding="utf-8"))
    config["assemble"] = {"difficulty": DIFFICULTY | changes}
    config["roles"]["respondents"] = ["always-answers", "always-refuses"]
    made.config.write_text(yaml.safe_dump(config), encoding="utf-8")
    return str(made.config)


@pytest.mark.exhaustive
def test_round_chooses_items_by_what_probes_get_right(
    rules_round: FinishedRound, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = rules_round.copy(tmp_path / "round")
    home = made.home.root
    monkeypatch.setenv("DEMUR_HOME", str(home))
    config = choosing(made)
    planned = {(load.stage, load.role) for load in plan_of(check_round(RoundRequest(config))).rows}
    assert {("pretest", "pretest"), ("pretest", "judge"), ("adjudicate", "adjudicator")} <= planned
    assemble(config=config)

    accepted = number(home, "SELECT count(*) FROM accepted_perturbations")
    assert number(home, "SELECT count(*) FROM live_pretests") == 2 * accepted
    missed = number(home, "SELECT count(*) FROM pretested_perturbations WHERE missed_by_all")
    assert 0 < missed == number(home, "SELECT count(*) FROM live_adjudications")
    assert (
        number(
            home,
            "SELECT count(*) FROM pretested_perturbations WHERE may_count <> (adjudication = 'stands') "
            "AND missed_by_all",
        )
        == 0
    )
    by_stratum = rows(
        home,
        "SELECT count(*), count(item_id), count(*) FILTER (drawn_by = 'difficulty'), min(inclusion), max(inclusion), "
        f"count(inclusion) = count(weight) {STANDING} GROUP BY class, intensity",
    )
    for candidates, items, hard, least, most, whole in by_stratum:
        assert items == min(2, candidates) and whole
        assert (hard, least, most) == (0, 1.0, 1.0) if items == candidates else hard <= 1 and 0 < least <= most <= 1
    assert number(home, "SELECT count(*) FROM live_items WHERE kind = 'control' AND drawn_by IS NULL") == 3

    stood = number(home, "SELECT count(*) FROM live_adjudications WHERE outcome = 'stands'")
    with writing(made.home, wait_seconds=10) as con:
        con.execute("UPDATE adjudications SET outcome = 'faulty'")
    assemble(config=config)
    assert stood > 0
    assert number(home, "SELECT count(*) FROM pretested_perturbations WHERE missed_by_all AND item_id IS NOT NULL") == 0
    assert number(home, "SELECT count(*) FROM calls WHERE stage = 'adjudicate'") == missed, "nothing is asked again"

    evaluate(config=config)
    grade(config=config)
    finish(config=config)
    by_hand = rows(
        home,
        "SELECT respondent, (sum(weight * CAST(is_right AS INTEGER)) FILTER (i.expected = 'ANSWER_CORRECTLY') "
        "/ sum(weight) FILTER (i.expected = 'ANSWER_CORRECTLY') "
        "+ sum(weight * CAST(is_right AS INTEGER)) FILTER (i.expected <> 'ANSWER_CORRECTLY') "
        "/ sum(weight) FILTER (i.expected <> 'ANSWER_CORRECTLY')) / 2 "
        "FROM item_responses r JOIN live_items i USING (round_id, item_id) WHERE i.kind = 'perturbed' GROUP BY ALL",
    )
    board = rows(home, "SELECT respondent, unselected_crs FROM leaderboard")
    assert dict(board) == pytest.approx(dict(by_hand), abs=0.001) and len(board) == 2
    ends = rows(home, "SELECT unselected_crs, unselected_low, unselected_high FROM leaderboard")
    assert any(low is not None and low <= score <= high for score, low, high in ends)
    assert number(home, "SELECT count(*) FROM near_pairs WHERE words_changed > 0") == 3
    nearest = (
        "SELECT count(*) FROM near_pairs p JOIN live_items i USING (round_id, base_id) "
        "WHERE i.expected <> 'ANSWER_CORRECTLY' AND i.words_changed < p.words_changed"
    )
    assert number(home, nearest) == 0
    by_hand = "SELECT respondent, avg(CAST(both_right AS DOUBLE)) FROM pair_responses GROUP BY ALL ORDER BY ALL"
    assert rows(home, by_hand) == rows(home, "SELECT respondent, pairs_right FROM leaderboard ORDER BY ALL")
    release = home / "releases" / "embedded" / "2"
    assert "| always-answers |" in (release / "README.md").read_text(encoding="utf-8")
    assert "Calibrated refusal score, unselected" in (release / "report.html").read_text(encoding="utf-8")
    items = [json.loads(line) for line in (release / "items.jsonl").read_text(encoding="utf-8").splitlines()]
    assert all((item["words_changed"] is None) == (item["kind"] == "control") for item in items)
    assert {item["drawn_by"] for item in items} == {"random", "difficulty", None}
    shown = demur_here("evaluations", "board", "--release", "embedded/2", home=home).stdout
    assert "Unselected" in shown and "Probes, never scored: lexical-overlap" in shown
    assert "Unselected" in demur_here("rounds", "embedded", home=home).stdout


def test_probe_of_a_release_is_no_respondent_of_it(
    rules_round: FinishedRound, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = rules_round.copy(tmp_path / "round")
    monkeypatch.setenv("DEMUR_HOME", str(made.home.root))
    release = release_at(made.home, "embedded/1")
    manifest = release.path / "manifest.json"
    said = yaml.safe_load(manifest.read_text(encoding="utf-8"))
    said["configuration"]["assemble"] = {"difficulty": DIFFICULTY | {"adjudicators": []}}
    said["configuration"]["roles"]["respondents"] = ["always-answers"]
    manifest.write_text(json.dumps(said), encoding="utf-8")
    mine = EvaluationRequest("embedded/1", models=("mine=rules:respondent/lexical-overlap",))
    with pytest.raises(ConfigError, match="respondent 'mine' is the probe 'lexical-overlap' of embedded/1"):
        evaluation_context(made.home, mine, release)
    evaluation_context(made.home, EvaluationRequest("embedded/1", models=("always-refuses",)), release)
    config = yaml.safe_load(made.config.read_text(encoding="utf-8")) | {"static_release": "embedded/1"}
    made.config.write_text(yaml.safe_dump(config), encoding="utf-8")
    with pytest.raises(ConfigError, match="static_release: respondent 'lexical-overlap' is the probe"):
        check_round(RoundRequest(str(made.config)))
