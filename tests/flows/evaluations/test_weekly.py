"""The scheduled life: a fresh round, its respondents on a static release too, one page with the history."""

from dataclasses import replace
from pathlib import Path

import pytest

from demur.errors import ConfigError
from demur.flows.evaluation import evaluate_static
from demur.flows.evaluations.history import static_drift
from demur.flows.rounds.request import RoundRequest
from demur.flows.rounds.session import check_round
from demur.warehouse.connection import reading
from demur.warehouse.home import Home
from tests.flows.finished_rounds import RULES_ROLES, FinishedRound
from tests.flows.rounds import small
from tests.flows.simulated import rows
from tests.reports.pages import Page

pytestmark = [pytest.mark.slow(seconds=60), pytest.mark.usefixtures("prefect_api")]


@pytest.mark.exhaustive
def test_fresh_round_answers_the_static_release_too_and_writes_the_history(
    rules_round: FinishedRound, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The static release is that of the first week, which answers nothing twice."""
    from demur.flows.round import round_flow

    week = rules_round.copy(tmp_path / "week")
    home = week.home.root
    monkeypatch.setenv("DEMUR_HOME", str(home))
    strata = {"lever_choice": "assigned", "replicates": 1, "classes": ["P-MissingInfo"]}
    fresh = {"round_id": "embedded-{started}", "seed": "fresh"}
    config = small(tmp_path, generation=strata, roles=RULES_ROLES, static_release="embedded/1", **fresh)
    first = replace(check_round(RoundRequest(str(config))), round_id="embedded")
    page = evaluate_static(first, str(config))
    assert page == home / "boards" / "embedded.html"
    assert rows(home, "SELECT count(*) FROM evaluation_rounds WHERE kind = 'evaluation'") == [(0,)]
    round_flow(config=str(config), round_id="embedded-2", probe=False)
    [(evaluation, occasion)] = rows(home, "SELECT round_id, occasion FROM evaluation_rounds WHERE kind = 'evaluation'")
    assert occasion == "embedded-2"
    respondents = {
        name for (name,) in rows(home, "SELECT unnest(respondents) FROM rounds WHERE round_id = 'embedded-2'")
    }
    answered = rows(home, f"SELECT respondent FROM evaluations WHERE round_id = '{evaluation}'")
    assert {name for (name,) in answered} == respondents
    found = Page(page.read_text("utf-8"))
    assert not found.faults
    fresh_rounds = found.section("rounds")
    assert "embedded" in fresh_rounds and "embedded-2" in fresh_rounds
    with reading(Home(home), "loader") as con:
        drifts = list(static_drift(con, evaluation, "embedded-2"))
        scores = {
            (who, round_id): value
            for who, round_id, value in con.execute(
                "SELECT respondent, round_id, value FROM live_scores "
                "WHERE metric = 'calibrated_refusal_score' AND slice = 'overall'"
            ).fetchall()
        }
    assert {row["respondent"] for row in drifts} == respondents
    for row in drifts:
        who = str(row["respondent"])
        if row["difference"] is not None:
            assert row["difference"] == pytest.approx(scores[who, evaluation] - scores[who, "embedded-2"])
            assert (row["failure_at_most"] is None) == (abs(row["difference"]) >= row["tolerance"])


def test_static_release_that_is_not_there_is_refused_before_a_round_begins(tmp_path: Path, demur_home: Path) -> None:
    config = small(tmp_path, static_release="other/3")
    with pytest.raises(ConfigError, match="static_release: release 'other/3' does not exist"):
        check_round(RoundRequest(str(config)))
