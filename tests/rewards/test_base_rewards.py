"""A round whose rewards are added to those of another reward model."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from demur.errors import ConfigError
from demur.flows.rounds.request import read_round_config
from demur.lanes.simulator.server import serve
from tests.flows.finished_rounds import FinishedRound
from tests.flows.rounds import small
from tests.flows.simulated import KEY, KEY_VARIABLE, LIMITS, number, rows

REWARDS = "SELECT response_id, reward FROM live_rewards ORDER BY ALL"


def part(made: FinishedRound, name: str, **changes: dict[str, Any]) -> object:
    """Run one part of a round after changes of its configuration; return what it returns."""
    from demur.flows import round as flows

    config = yaml.safe_load(made.config.read_text(encoding="utf-8"))
    for field, change in changes.items():
        config[field] = [*config[field], change] if isinstance(config[field], list) else config[field] | change
    made.config.write_text(yaml.safe_dump(config), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DEMUR_HOME", str(made.home.root))
        patch.setenv(KEY_VARIABLE, KEY)
        return getattr(flows, name)(config=str(made.config), probe=False)


RATER = {
    "name": "helpful",
    "provider": "openai",
    "model": "rater/patterns",
    "mode": "batch",
    "api_key_env": KEY_VARIABLE,
    "parameters": {"max_tokens": 500},
    "prices": {"input_usd_per_million": 2, "output_usd_per_million": 8},
    "limits": LIMITS,
}
BASE_REWARDS = "SELECT subject_id, base_reward FROM live_base_rewards"


@pytest.mark.exhaustive
@pytest.mark.slow
def test_rater_of_a_round_is_asked_once_and_rewards_are_added_to_what_it_says(
    rules_round: FinishedRound, tmp_path: Path
) -> None:
    made = rules_round.copy(tmp_path / "round")
    home = made.home.root
    with serve() as simulator:
        spec = RATER | {"base_url": simulator.openai_url}
        part(made, "grade", models=spec, roles={"rater": "helpful"})
        asked = number(home, "SELECT count(*) FROM calls WHERE stage = 'rate' AND cost_usd > 0")
        part(made, "grade")
        assert number(home, "SELECT count(*) FROM calls WHERE stage = 'rate'") == asked
    base = dict(rows(home, BASE_REWARDS))
    subjects = "SELECT subject_id FROM live_grades GROUP BY ALL"
    assert asked == len(base) and base.keys() == {subject for (subject,) in rows(home, subjects)}
    assert len(set(base.values())) > 2 and all(0 <= value <= 1 for value in base.values())
    plain = dict(rows(home, REWARDS))
    part(made, "finish")
    total, by_rules = dict(rows(home, REWARDS)), rewards_of_weights(home)
    assert total == {name: pytest.approx(by_rules[name] + base[name]) for name in plain} and total != plain
    release = home / "releases" / "embedded" / "2"
    assert "Centred rewards by label: base reward and rules" in (release / "report.html").read_text(encoding="utf-8")
    [file] = (release / "rewards").glob("selective_refusal@*.json")
    reward = json.loads(file.read_text(encoding="utf-8"))
    assert [rater["name"] for rater in reward["provenance"]["rater"]] == ["helpful"]
    part(made, "finish", fit={"policies": []})
    assert rows(home, REWARDS) == [] == rows(home, "FROM live_weights")


def test_base_rewards_of_a_model_and_of_a_file_are_refused_together(tmp_path: Path) -> None:
    rater = {"name": "helpful", "provider": "rules", "model": "rater/patterns"}
    path = small(tmp_path)
    config = yaml.safe_load(path.read_text(encoding="utf-8"))
    config["models"].append(rater)
    config["roles"]["rater"] = "helpful"
    path.write_text(yaml.safe_dump(config), encoding="utf-8")
    assert read_round_config(path).named()["rater"] == ("helpful",)
    config["fit"]["base_rewards"] = "base.jsonl"
    path.write_text(yaml.safe_dump(config), encoding="utf-8")
    with pytest.raises(ConfigError, match=r"base_rewards names base\.jsonl, and roles\.rater names 'helpful'"):
        read_round_config(path)


def rewards_of_weights(home: Path) -> dict[str, float]:
    """The rewards of responses by the fitted weights alone, from the rewards that the release holds as a file."""
    from demur.levers.policies import load_policy
    from demur.rewards.completions import class_probabilities

    policy = load_policy("selective_refusal")
    weights: dict[str, dict[str, float]] = {}
    for behaviour, feature, value in rows(home, "SELECT behaviour, feature, value FROM live_weights"):
        weights.setdefault(behaviour, {})[feature] = value
    graded: dict[tuple[str, str], dict[str, float]] = {}
    query = "SELECT subject_id, behaviour, proposition, probability FROM live_grades WHERE subject_kind = 'response'"
    for response, behaviour, proposition, probability in rows(home, query):
        graded.setdefault((response, behaviour), {})[proposition] = probability
    return {
        response: sum(
            weights[behaviour][name] * value
            for name, value in {**found, **class_probabilities(policy, behaviour, found, {})}.items()
        )
        for (response, behaviour), found in graded.items()
    }
