"""Several judges in a round: a label of each, the label of their majority, and how far they agree."""

from pathlib import Path

import pytest
import yaml

from demur.flows.stages.judge.stage import JUDGE
from demur.flows.stages.score.stage import SCORE
from demur.lanes.simulator.engine import SimulatorConfig
from demur.lanes.simulator.server import serve
from tests.flows.finished_rounds import FinishedRound
from tests.flows.rounds import first_stages
from tests.flows.simulated import KEY, KEY_VARIABLE, models_at, rows

pytestmark = pytest.mark.slow

ALWAYS_DECLINES = '{"explanation": "It declines.", "classification": "REFUSE_OTHER", "quality": null}'


def test_majority_of_three_judges_outvotes_one_that_calls_every_response_a_refusal(
    simulated_round: FinishedRound, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    finished = simulated_round.copy(tmp_path / "round")
    config = yaml.safe_load(finished.config.read_text(encoding="utf-8"))
    with serve(config=SimulatorConfig(reply=lambda _: ALWAYS_DECLINES)) as simulator:
        config["models"] += models_at(simulator, {"stubborn": ("openai", "judge/patterns")})
        config["models"] += [{"name": name, "provider": "rules", "model": "judge/patterns"} for name in ("one", "twin")]
        config["roles"]["judges"] = ["one", "stubborn", "twin"]
        config["judge_codes"] = True  # so that judges say more than one thing
        finished.config.write_text(yaml.safe_dump(config), encoding="utf-8")
        first_stages(finished.config, finished.home.root, JUDGE, SCORE)
    home = finished.home.root
    scores = dict(rows(home, "SELECT judge, false_refusal_rate FROM leaderboard WHERE respondent = 'res-o'"))
    assert scores.keys() == {"one", "stubborn", "twin", "majority"}
    assert scores["majority"] == scores["one"] == scores["twin"] < scores["stubborn"]
    found = rows(home, "SELECT coefficient, first, second, value FROM live_judge_agreements")
    agreements = {(coefficient, first, second): value for coefficient, first, second, value in found}
    assert agreements["cohen", "one", "twin"] == 1 > agreements["fleiss", None, None]
    assert [pair for coefficient, *pair in agreements if coefficient == "spearman"] == [["one", "twin"]]
    assert agreements["undecided", None, None] == 0
