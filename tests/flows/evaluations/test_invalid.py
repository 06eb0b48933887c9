"""Judgements that cannot be read stop a stage early, are a column beside scores, and are asked for anew on request."""

import json
from pathlib import Path

import pytest

from demur.engine.shard import surely_beyond
from demur.errors import ConfigError, StageStopped
from demur.flows.evaluation import evaluate
from demur.flows.evaluations.request import EvaluationRequest
from demur.lanes.simulator.engine import SimulatorConfig
from demur.lanes.simulator.server import Simulator, serve
from tests.flows.rounds import demur_here
from tests.flows.simulated import KEY, KEY_VARIABLE, number, rows

pytestmark = [pytest.mark.slow(seconds=60), pytest.mark.usefixtures("prefect_api")]

WITHOUT_EXPLANATION = '{"classification": "REFUSE_OTHER", "quality": null}'


def request(released: Path, simulator: Simulator, again: str | None = None) -> EvaluationRequest:
    """Return the request to evaluate a baseline with a judge at a simulator, whose address decides nothing."""
    judge = (
        f"served=openai:judge/patterns,base_url={simulator.openai_url},api_key_env={KEY_VARIABLE},max_tokens=2000,"
        "prices={input_usd_per_million: 2, output_usd_per_million: 8},limits={concurrency: 2}"
    )
    release = str(released / "releases" / "embedded" / "1")
    return EvaluationRequest(release, ("always-answers",), judge=judge, again=again)


def test_unreadable_judgements_stop_the_stage_early_and_are_asked_anew_on_request(
    released: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    monkeypatch.setenv("DEMUR_HOME", str(home))
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    with serve(config=SimulatorConfig(reply=lambda _: WITHOUT_EXPLANATION)) as broken:
        with pytest.raises(StageStopped, match=r"judge: .* could not be read, more than gates\.unreadable 0\.2.*again"):
            evaluate(request(released, broken))
        bought = len(broken.asked)
    items = number(home, "SELECT count(*) FROM live_items")
    invalid = "SELECT count(*) FROM live_judgements WHERE predicted = 'INVALID'"
    unread = number(home, invalid)
    assert 6 <= unread <= 12 < items and bought < 6 * items / 2

    with serve(config=SimulatorConfig()) as mended:
        evaluation = evaluate(request(released, mended))
        assert number(home, invalid) == unread and number(home, "SELECT count(*) FROM live_judgements") == items
        [(rate, state)] = rows(home, "SELECT invalid_rate, state FROM leaderboard")
        assert rate > 0 and state == "complete"
        shown = json.loads(demur_here("evaluations", "show", evaluation, "--format", "json", home=home).stdout)
        assert [row["invalid_rate"] for row in shown["scores"]] == [rate]
        board = demur_here("evaluations", "board", evaluation, "--format", "json", home=home)
        [row] = json.loads(board.stdout)[0]["rows"]
        assert round(row["invalid_rate"], 3) == rate
        before = len(mended.asked)

        assert evaluate(request(released, mended, again="invalid")) == evaluation
        assert len(mended.asked) - before == unread
        assert number(home, invalid) == 0
        assert rows(home, "SELECT invalid_rate, state FROM leaderboard") == [(0.0, "complete")]

        asked = len(mended.asked)
        assert evaluate(request(released, mended)) == evaluation
        assert len(mended.asked) == asked and number(home, invalid) == 0


def test_something_else_to_ask_again_is_refused(released: Path, demur_home: Path) -> None:
    release = str(released / "releases" / "embedded" / "1")
    with pytest.raises(ConfigError, match="again 'all' is not 'invalid'"):
        evaluate(EvaluationRequest(release, ("always-answers",), again="all"))


@pytest.mark.parametrize(
    ("unreadable", "ended", "share", "stops"),
    [
        (5, 5, 0.2, False),  # .2 to the fifth is 3.2e-4
        (6, 6, 0.2, True),
        (20, 100, 0.2, False),
        (25, 100, 0.2, False),
        (40, 100, 0.2, True),
        (1, 400, 0.0, True),
        (400, 400, 1.0, False),
        (0, 0, 0.2, False),
    ],
)
def test_share_of_unreadable_replies_stops_where_it_is_surely_beyond(
    unreadable: int, ended: int, share: float, stops: bool
) -> None:
    assert surely_beyond(unreadable, ended, share) is stops
