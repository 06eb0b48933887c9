"""The score stage: one unit of all judged responses, with the tags that models are compared by."""

from pathlib import Path

from demur.configuration.round_config import SHIPPED
from demur.engine.context import RoundContext
from demur.flows.rounds.request import read_round_config
from demur.flows.stages.responses.score import SCORE, respondent_tags
from demur.warehouse.connection import reading, writing
from demur.warehouse.home import Home

TAGS = {
    "always-answers": {"family": "floor", "parameters_billion": 0.5},
    "always-refuses": {"family": "floor", "by": "us"},
}


def context(home: Home, tagged: bool) -> RoundContext:
    path = SHIPPED / "rules.yaml"
    config = read_round_config(path)
    models = tuple(
        spec.model_copy(update={"tags": TAGS.get(spec.name, {}) if tagged else {}}) for spec in config.models
    )
    return RoundContext(home, config.model_copy(update={"models": models}), path.parent, "r", 1)


def test_respondent_tags_are_by_tag_and_respondent_and_only_those_compared(tmp_path: Path) -> None:
    assert respondent_tags(context(Home(tmp_path), tagged=True)) == {
        "family": {"always-answers": "floor", "always-refuses": "floor"},
        "parameters_billion": {"always-answers": 0.5},
    }
    assert respondent_tags(context(Home(tmp_path), tagged=False)) == {}


def test_round_without_items_plans_no_score(tmp_path: Path) -> None:
    home = Home(tmp_path)
    with writing(home, wait_seconds=0):
        pass
    with reading(home, "loader") as con:
        assert list(SCORE.plan(context(home, tagged=True), con)) == []
