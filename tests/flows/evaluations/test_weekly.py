"""The scheduled life: a fresh round, its respondents on a static release too, one page with the history."""

from pathlib import Path

import pytest

from demur.flows.errors import ConfigError
from demur.flows.evaluations.static import static_drift
from demur.flows.rounds.request import RoundRequest
from demur.flows.rounds.session import check_round
from demur.warehouse.connection import reading
from demur.warehouse.home import Home
from tests.flows.rounds import small
from tests.flows.simulated import rows
from tests.reports.pages import Page

pytestmark = [pytest.mark.slow(seconds=60), pytest.mark.usefixtures("prefect_api")]


def test_fresh_rounds_answer_the_static_release_too_and_write_their_history(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from demur.flows.round import round_flow

    home = tmp_path / "home"
    monkeypatch.setenv("DEMUR_HOME", str(home))
    strata = {"lever_choice": "assigned", "replicates": 1, "classes": ["P-MissingInfo"]}
    settings = {"round_id": "weekly-{started}", "seed": "fresh", "generation": strata, "static_release": "weekly/1"}
    config = small(tmp_path, name="weekly", **settings)
    page = home / "boards" / "weekly.html"
    for week in ("weekly-1", "weekly-2"):
        round_flow(config=str(config), round_id=week, probe=False)
        assert page.is_file()
    assert rows(home, "SELECT round_id FROM rounds WHERE round_id LIKE 'weekly-1%' ORDER BY ALL")[0] == ("weekly-1",)
    [(evaluation, occasion)] = rows(home, "SELECT round_id, occasion FROM evaluation_rounds WHERE kind = 'evaluation'")
    assert occasion == "weekly-2"
    respondents = {name for (name,) in rows(home, "SELECT unnest(respondents) FROM rounds WHERE round_id = 'weekly-2'")}
    answered = rows(home, f"SELECT respondent FROM evaluations WHERE round_id = '{evaluation}'")
    assert {name for (name,) in answered} == respondents
    found = Page(page.read_text("utf-8"))
    assert not found.faults
    fresh = found.section("rounds")
    assert "weekly-1" in fresh and "weekly-2" in fresh
    with reading(Home(home), "loader") as con:
        drifts = list(static_drift(con, evaluation, "weekly-2"))
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
            assert row["difference"] == pytest.approx(scores[who, evaluation] - scores[who, "weekly-2"])
            assert (row["failure_at_most"] is None) == (abs(row["difference"]) >= row["tolerance"])


def test_static_release_that_is_not_there_is_refused_before_a_round_begins(tmp_path: Path, demur_home: Path) -> None:
    config = small(tmp_path, static_release="other/3")
    with pytest.raises(ConfigError, match="static_release: release 'other/3' does not exist"):
        check_round(RoundRequest(str(config)))
