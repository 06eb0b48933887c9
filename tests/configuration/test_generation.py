"""What a configuration may say of candidates and of probes, and what is said where it may not."""

from pathlib import Path
from typing import Any

import pytest

from demur.configuration.round_config import SHIPPED, Reuse, RoundConfig
from demur.engine.budget import check_prices
from demur.engine.context import RoundContext
from demur.errors import ConfigError
from demur.flows.rounds.request import read_round_config
from demur.levers.catalogue import load_catalogue
from demur.warehouse.home import Home
from tests.flows.rounds import ROOT, write_config

PROBE = {"name": "probe", "provider": "openai", "model": "small", "parameters": {"max_tokens": 100}}
BASE = read_round_config(SHIPPED / "rules.yaml").model_dump(mode="json", exclude_defaults=True)
MODELS = [{"name": m["name"], "provider": m["provider"], "model": m["model"]} for m in BASE["models"]]


def read(folder: Path, *more: dict[str, Any], **changes: Any) -> RoundConfig:
    known = {"probe": ["probe"], "min_share": 0.5, "asked": 10}
    generation = {"known": known}
    return read_round_config(write_config(folder, models=[*MODELS, PROBE, *more], generation=generation, **changes))


def test_probe_is_asked_before_the_round_and_needs_a_price_under_a_cap(tmp_path: Path) -> None:
    config = read(tmp_path, budget={"max_usd": 1.0})
    assert config.named()["recalls"] == ("probe",)
    with pytest.raises(ConfigError, match="probe"):
        check_prices(RoundContext(Home(tmp_path), config, tmp_path, "r", 1))
    assert "recalls" not in read_round_config(SHIPPED / "rules.yaml").named()


def test_telling_levers_are_all_that_a_round_offers(tmp_path: Path) -> None:
    everything = read_round_config(SHIPPED / "rules.yaml")
    config = read_round_config(write_config(tmp_path, generation={"levers": "telling"}))
    telling = RoundContext(Home(tmp_path), config, tmp_path, "r", 1).catalogue
    assert telling.fingerprint == load_catalogue().telling().fingerprint != load_catalogue().fingerprint
    assert "levers" not in everything.model_dump(mode="json")["generation"], "the default changes no digest"
    with pytest.raises(ConfigError, match="all, telling|'all' or 'telling'"):
        read_round_config(write_config(tmp_path, generation={"levers": "hard"}))


def test_probe_under_another_name_than_a_respondent_is_found_out(tmp_path: Path) -> None:
    alias = {"name": "alias", "provider": "openai", "model": "small", "parameters": {"max_tokens": 100}}
    roles = BASE["roles"] | {"respondents": ["always-answers", "alias"]}
    with pytest.raises(ConfigError, match="'probe' is the respondent 'alias'"):
        read(tmp_path, alias, roles=roles)
    other = alias | {"parameters": {"max_tokens": 100, "temperature": 0}}
    assert read(tmp_path, other, roles=roles).generation.known is not None


@pytest.mark.parametrize("number", [0, -1, 1.5])
def test_candidates_per_cell_is_a_whole_number_from_1(tmp_path: Path, number: float) -> None:
    generation = {"lever_choice": "assigned", "candidates_per_cell": number}
    with pytest.raises(ConfigError, match="generation.candidates_per_cell"):
        read_round_config(write_config(tmp_path, generation=generation))


def test_replicates_and_candidates_per_cell_are_not_both_given(tmp_path: Path) -> None:
    both = {"lever_choice": "assigned", "replicates": 1, "candidates_per_cell": 2}
    with pytest.raises(ConfigError, match="generation: give exactly one of replicates and candidates_per_cell"):
        read_round_config(write_config(tmp_path, generation=both))


def test_configuration_by_hand_may_leave_out_what_has_a_usual_value(tmp_path: Path) -> None:
    shortest = (ROOT / "docs" / "models.md").read_text(encoding="utf-8").split("```yaml\n")[1].partition("```")[0]
    path = tmp_path / "mine.yaml"
    path.write_text(shortest, encoding="utf-8")
    config = read_round_config(path)
    assert (config.round_id, config.base_reuse.policy, config.roles.screeners) == ("mine", Reuse.NEVER, ())
    assert (config.generation.replicates, config.generation.lever_choice) == (1, "generator")
    assert (config.gates.failure_rate, config.gates.coverage, config.score_replicates) == (0.02, 0.5, 1000)
    path.write_text(shortest + "seed: fresh\n", encoding="utf-8")
    assert read_round_config(path).round_id == "mine-{started}"
    path.write_text(shortest.replace("name: mine\n", ""), encoding="utf-8")
    with pytest.raises(ConfigError, match="name is missing") as refused:
        read_round_config(path)
    assert "round_id" not in str(refused.value), "a default made from the missing name is no second fault"


def test_candidates_per_cell_are_as_many_and_fall_on_generators_in_turn(tmp_path: Path) -> None:
    generation = {"lever_choice": "assigned", "candidates_per_cell": 3}
    config = read_round_config(write_config(tmp_path, generation=generation)).generation
    assert config.turns(("g", "h"), 0) == ((0, "g"), (0, "h"), (1, "g"))
    assert config.turns(("g", "h"), 1) == ((0, "h"), (0, "g"), (1, "h"))
    assert config.tries(2) == 2
