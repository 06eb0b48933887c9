"""A round whose rewards are added to those of another reward model."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from demur.flows.errors import FlowError
from tests.flows.finished_rounds import FinishedRound
from tests.flows.gold_files import write_rows
from tests.flows.rounds import demur_here, whole_round
from tests.flows.simulated import rows

REWARDS = "SELECT response_id, reward FROM live_rewards ORDER BY ALL"


@pytest.mark.slow(seconds=40)
def test_round_adds_weights_to_base_rewards_and_asks_nothing_for_it(rules_round: FinishedRound, tmp_path: Path) -> None:
    made = rules_round.copy(tmp_path / "round")
    home = made.home.root
    written = demur_here("rbr", "subjects", "embedded", home=home)
    subjects: list[dict[str, Any]] = [json.loads(line) for line in written.stdout.splitlines()]
    assert {subject["kind"] for subject in subjects} == {"completion", "response"}
    assert all(subject["prompt"][-1]["role"] == "user" for subject in subjects)
    config = yaml.safe_load(made.config.read_text(encoding="utf-8"))
    config["fit"]["base_rewards"] = "base.jsonl"
    made.config.write_text(yaml.safe_dump(config), encoding="utf-8")
    base = {subject["id"]: round(len(subject["completion"]) / 100, 3) for subject in subjects}

    lines = [{"id": name, "base_reward": number} for name, number in base.items()]
    file = write_rows(made.folder / "base.jsonl", lines[1:])
    with pytest.raises(FlowError, match="lacks 1 of .* completions of selective_refusal"):
        whole_round(made.config, home)
    write_rows(file, lines)
    calls, plain = rows(home, "SELECT count(*) FROM calls"), dict(rows(home, REWARDS))
    assert whole_round(made.config, home) == "embedded/2"
    assert rows(home, "SELECT count(*) FROM calls") == calls
    total = dict(rows(home, REWARDS))
    assert total.keys() == plain.keys()
    by_rules = rewards_of_weights(home)
    assert total == {name: pytest.approx(by_rules[name] + base[name]) for name in total}
    assert total != plain


def rewards_of_weights(home: Path) -> dict[str, float]:
    """The rewards of responses by the fitted weights alone, from the rewards that the release holds as a file."""
    from demur.flows.rewards.completions import class_probabilities
    from demur.levers.policies import load_policy

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
