"""Scores stand under the name and the digest of the judge that really judged, and boards hold one judge's."""

from pathlib import Path

import pytest
import yaml

from demur.configuration.round_config import SHIPPED
from demur.engine.logs import observe, observer
from demur.engine.progress_events import Progress
from demur.errors import ConfigError
from demur.flows.evaluation import evaluate
from demur.flows.evaluations.evaluation_request import EvaluationRequest, check_evaluation, planned_evaluation
from tests.flows.finished_rounds import FinishedRound
from tests.flows.rounds import demur_here
from tests.flows.simulated import number, rows

pytestmark = [pytest.mark.slow(seconds=60), pytest.mark.usefixtures("prefect_api")]

JUDGED = (
    "SELECT DISTINCT j.respondent, j.judge, c.model FROM live_judgements j JOIN calls c USING (call_id) "
    "WHERE j.round_id = '{}' ORDER BY ALL"
)
RELEASE = "embedded-several/1"


class Notices(Progress):
    """Keeps what is said."""

    def __init__(self) -> None:
        self.said: list[str] = []

    def notice(self, text: str) -> None:
        self.said.append(text)


@pytest.fixture(scope="module")
def evaluated(several_round: FinishedRound, tmp_path_factory: pytest.TempPathFactory) -> tuple[FinishedRound, str, str]:
    """The round whose judge is a recording; a model that is new to it, evaluated as newcomers do, and what was said."""
    finished = several_round.copy(tmp_path_factory.mktemp("judges") / "round")
    before, notices = observer(), Notices()
    observe(notices)
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("DEMUR_HOME", str(finished.home.root))
            mine = evaluate(EvaluationRequest(RELEASE, ("mine=rules:respondent/lexical-overlap",)))
    finally:
        observe(before)
    return finished, mine, "\n".join(notices.said)


def test_judge_of_a_recording_judges_in_a_round_only_what_was_recorded_with_it(several_round: FinishedRound) -> None:
    judged = rows(several_round.home.root, JUDGED.format("embedded-several"))
    assert judged == sorted(
        [(name + prompts, "judge", "judge") for name in ("respondent-a", "respondent-b") for prompts in ("", " (ours)")]
        + [(name, "rules-judge", "rules-judge") for name in ("always-answers", "defect-spotter", "lexical-overlap")]
    )
    by_code = "SELECT count(*), count(call_id) FROM live_judgements WHERE judged_by = 'code'"
    [(codes, requests)] = rows(several_round.home.root, by_code)
    assert codes > 0 and requests == 0, "nobody is asked about codes, in a recording either"
    standing = "SELECT respondent, judge, state FROM leaderboard ORDER BY ALL"
    all_judged = sorted([*(of[:2] for of in judged), ("always-refuses", "rules-judge")])
    assert rows(several_round.home.root, standing) == [(*of, "complete") for of in all_judged]
    shown = demur_here("rounds", "embedded-several", home=several_round.home.root).stdout
    assert "rules-judge" in shown


def test_evaluation_of_a_new_model_says_who_judges_in_the_place_of_a_recording(
    evaluated: tuple[FinishedRound, str, str],
) -> None:
    finished, mine, said = evaluated
    home = finished.home.root
    assert rows(home, JUDGED.format(mine)) == [("mine", "rules-judge", "rules-judge")]
    of = f"WHERE round_id = '{mine}'"
    assert rows(home, f"SELECT judge, state FROM leaderboard {of}") == [("rules-judge", "complete")]
    assert "rules-judge judges mine" in said and "--judge" in said
    shown = demur_here("evaluations", "show", mine, home=home).stdout
    assert "rules-judge" in shown


def test_recorded_respondent_is_judged_by_the_recording_also_in_an_evaluation(
    several_round: FinishedRound, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEMUR_HOME", str(several_round.home.root))
    request = EvaluationRequest(RELEASE, ("respondent-a", "always-refuses"), max_usd=0)
    asked = {one.model: one.calls for one in planned_evaluation(request).rows if one.role == "judge"}
    assert asked.keys() == {"judge", "rules-judge"} and asked["judge"] == 2 * asked["rules-judge"]


def test_recorded_judge_without_a_stand_in_is_refused_for_new_models(
    several_round: FinishedRound, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("DEMUR_HOME", str(several_round.home.root))
    config = yaml.safe_load((SHIPPED / "embedded-several.yaml").read_text(encoding="utf-8"))
    for model in config["models"]:
        model.pop("fallback", None)
    path = tmp_path / "alone.yaml"
    path.write_text(yaml.safe_dump(config), encoding="utf-8")
    request = EvaluationRequest(RELEASE, ("mine=rules:respondent/lexical-overlap",), str(path))
    with pytest.raises(ConfigError, match="judge 'judge' answers from a recording.* of mine.*--judge"):
        check_evaluation(request)
    check_evaluation(EvaluationRequest(RELEASE, ("respondent-a",), str(path)))
    check_evaluation(EvaluationRequest(RELEASE, request.models, str(path), judge="rules-judge"))


def test_prompts_of_an_evaluation_may_be_one_set_of_those_of_the_release(
    several_round: FinishedRound, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEMUR_HOME", str(several_round.home.root))
    far = "far=openai:gpt,max_tokens=100,prices={input_usd_per_million: 1, output_usd_per_million: 1}"
    plans = {
        prompts: planned_evaluation(EvaluationRequest(RELEASE, (far,), prompts=prompts))
        for prompts in (None, "published", "ours")
    }
    asked = {prompts: {one.role: one.calls for one in plan.rows}["respondent"] for prompts, plan in plans.items()}
    items = number(several_round.home.root, "SELECT count(*) FROM live_items")
    assert asked == {None: 2 * items, "published": items, "ours": items}
    assert "--prompts" in " ".join(plans[None].notes) and "--prompts" not in " ".join(plans["ours"].notes)
    with pytest.raises(ConfigError, match="prompts 'theirs' is not one of published, ours"):
        check_evaluation(EvaluationRequest(RELEASE, (far,), prompts="theirs"))
