"""What a configuration may say of candidates and of choosing items by difficulty, and what is said where it may not."""

from pathlib import Path
from typing import Any

import pytest

from demur.configuration.round_config import SHIPPED, RoundConfig
from demur.engine.budget import check_prices
from demur.engine.context import RoundContext
from demur.errors import ConfigError
from demur.flows.rounds.config_files import read_round_config
from demur.flows.stages.adjudicate.stage import KEY as ADJUDICATE_KEY
from demur.flows.stages.pretest.stage import KEY as PRETEST_KEY
from demur.warehouse.home import Home
from tests.flows.rounds import write_config

PROBE = {"name": "probe", "provider": "openai", "model": "small", "parameters": {"max_tokens": 100}}
BASE = read_round_config(SHIPPED / "rules.yaml").model_dump(mode="json", exclude_defaults=True)
MODELS = [{"name": m["name"], "provider": m["provider"], "model": m["model"]} for m in BASE["models"]]


def read(folder: Path, difficulty: dict[str, Any], *more: dict[str, Any], **changes: Any) -> RoundConfig:
    given = {"target": 0.5, "probe": ["probe"], "max_share": 0.5} | difficulty
    models = [*MODELS, PROBE, *more]
    return read_round_config(write_config(folder, models=models, assemble={"difficulty": given}, **changes))


def test_difficulty_names_probes_and_lets_verifiers_adjudicate(tmp_path: Path) -> None:
    config = read(tmp_path, {})
    difficulty = config.assemble.difficulty
    assert difficulty is not None
    models = {model.name: model for model in config.models}
    assert difficulty.independent(models, config.roles.verifiers, "rules-terse") == config.roles.verifiers


@pytest.mark.parametrize(
    ("difficulty", "said"),
    [
        ({"target": 0.0}, "assemble.difficulty.target 0.0"),
        ({"target": 1}, "assemble.difficulty.target 1"),
        ({"max_share": 1.2}, "assemble.difficulty.max_share 1.2"),
        ({"max_share": -0.1}, "assemble.difficulty.max_share -0.1"),
        ({"probe": []}, "assemble.difficulty.probe"),
        ({"probe": ["probe", "probe"]}, "assemble.difficulty.probe names a model twice"),
        ({"probe": ["nobody"]}, r"assemble.difficulty.probe\[0\] 'nobody' is not one of the models always-answers"),
        ({"probe": ["rules-judge"]}, "'rules-judge' is judge/patterns, rules for another role than pretest"),
        ({"adjudicators": ["rules-judge"]}, "'rules-judge' is judge/patterns, rules for another role than adjudicator"),
        ({"probe": ["lexical-overlap"]}, "'lexical-overlap' is the respondent 'lexical-overlap' .* never scored"),
        ({"adjudicators": ["probe"]}, "adjudicators leaves nobody to look again at what rules-terse makes"),
    ],
)
def test_difficulty_that_cannot_be_is_one_error_that_says_where(
    tmp_path: Path, difficulty: dict[str, Any], said: str
) -> None:
    with pytest.raises(ConfigError, match=said) as caught:
        read(tmp_path, difficulty)
    assert len(str(caught.value).splitlines()) == 1


def test_probe_is_asked_before_the_round_and_needs_a_price_under_a_cap(tmp_path: Path) -> None:
    config = read(tmp_path, {}, budget={"max_usd": 1.0})
    assert config.named()["pretests"] == ("probe",) and config.named()["adjudicators"] == config.roles.verifiers
    with pytest.raises(ConfigError, match="probe"):
        check_prices(RoundContext(Home(tmp_path), config, tmp_path, "r", 1))
    assert "pretests" not in read_round_config(SHIPPED / "rules.yaml").named()


def test_probe_under_another_name_than_a_respondent_is_found_out(tmp_path: Path) -> None:
    alias = {"name": "alias", "provider": "openai", "model": "small", "parameters": {"max_tokens": 100}}
    roles = BASE["roles"] | {"respondents": ["always-answers", "alias"]}
    with pytest.raises(ConfigError, match="'probe' is the respondent 'alias'"):
        read(tmp_path, {}, alias, roles=roles)
    other = alias | {"parameters": {"max_tokens": 100, "temperature": 0}}
    assert read(tmp_path, {}, other, roles=roles).assemble.difficulty is not None


@pytest.mark.parametrize("number", [0, -1, 1.5])
def test_candidates_per_cell_is_a_whole_number_from_1(tmp_path: Path, number: float) -> None:
    generation = {"lever_choice": "assigned", "candidates_per_cell": number}
    with pytest.raises(ConfigError, match="generation.candidates_per_cell"):
        read_round_config(write_config(tmp_path, generation=generation))


@pytest.mark.parametrize("more", [{}, {"replicates": 1, "candidates_per_cell": 2}])
def test_replicates_or_candidates_per_cell_is_given(tmp_path: Path, more: dict[str, int]) -> None:
    with pytest.raises(ConfigError, match="generation: give replicates or candidates_per_cell, one of the two"):
        read_round_config(write_config(tmp_path, generation={"lever_choice": "assigned", **more}))


def test_candidates_per_cell_are_as_many_and_fall_on_generators_in_turn(tmp_path: Path) -> None:
    generation = {"lever_choice": "assigned", "candidates_per_cell": 3}
    config = read_round_config(write_config(tmp_path, generation=generation)).generation
    assert config.turns(("g", "h"), 0) == ((0, "g"), (0, "h"), (1, "g"))
    assert config.turns(("g", "h"), 1) == ((0, "h"), (0, "g"), (1, "h"))
    assert config.tries(2) == 2


def test_replies_of_probes_and_adjudicators_are_looked_up_by_what_they_were_shown() -> None:
    shown = {"question": "When?", "passages": [{"index": 0, "text": "At nine.", "relevant": True}]}
    probe = {**shown, "perturbation_id": "p1", "probe": "small", "answers": []}
    assert PRETEST_KEY.of(probe) == PRETEST_KEY.of({**probe, "perturbation_id": "p2", "probe": "recorded"})
    assert PRETEST_KEY.of(probe) != PRETEST_KEY.of({**probe, "question": "Where?"})
    missed = {
        **shown,
        "answers": ["nine"],
        "perturbed_question": "Why?",
        "responses": ["Nine."],
        "perturbation_id": "p1",
    }
    assert ADJUDICATE_KEY.of(missed) == ADJUDICATE_KEY.of({**missed, "perturbation_id": "p2", "adjudicator": "a"})
    assert ADJUDICATE_KEY.of(missed) != ADJUDICATE_KEY.of({**missed, "responses": ["Ten."]})
