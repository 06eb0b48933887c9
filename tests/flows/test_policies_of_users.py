"""A user's policy and the rules models, said before anything is bought; faults that exclude each other."""

import random
from pathlib import Path
from typing import Any

import pytest

from flows.errors import ConfigError
from flows.opening import Wanted, check_round
from flows.stages.write import _compatible
from levers.policies import OURS, load_policy
from tests.flows.rounds import small


def fit_of(*policies: str, **changes: Any) -> dict[str, Any]:
    shared = {"items_for_comparisons": 4, "margin": 1.0, "l2": 0.01, "held_out": 0.3, "bootstrap": 0}
    return {"policies": list(policies), "safety_prompts": "prompts.jsonl", **shared, **changes}


def test_policy_of_a_user_needs_language_models_and_the_round_says_so_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEMUR_HOME", str(tmp_path / "home"))
    mine = (OURS / "safety.yaml").read_text(encoding="utf-8")
    mine = mine.replace("name: safety\n", "name: manners\n", 1).replace("third_person", "royal_plural")
    (tmp_path / "mine.yaml").write_text(mine, encoding="utf-8")
    (tmp_path / "prompts.jsonl").write_text("", encoding="utf-8")
    config = small(tmp_path, fit=fit_of("mine.yaml"))
    with pytest.raises(ConfigError) as caught:
        check_round(Wanted(str(config)))
    told = str(caught.value)
    assert "fit.policies[0] 'manners': roles.writer 'rules-writer' is a rules model, which has no phrases" in told
    assert "roles.grader 'rules-grader' is a rules model, which has no patterns for royal_plural" in told
    assert "Name a language model for that role" in told


def test_policies_of_ours_are_known_to_the_rules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEMUR_HOME", str(tmp_path / "home"))
    config = small(tmp_path, fit=fit_of("safety", "selective_refusal"))
    assert check_round(Wanted(str(config))).config.fit.policies == ("safety", "selective_refusal")


@pytest.mark.parametrize("name", ["answer", "refuse"])
def test_drawn_faults_never_exclude_each_other_and_each_is_drawn(name: str) -> None:
    behaviour = load_policy("selective_refusal").behaviour(name)
    seen = set()
    for seed in range(400):
        drawn = _compatible(behaviour, 1 + seed % 2, 1, random.Random(seed))
        assert 1 <= len(drawn) <= 1 + seed % 2
        assert all(behaviour.compatible(one, two) for one in drawn for two in drawn if one is not two)
        seen |= {fault.name for fault in drawn}
    assert seen == {fault.name for fault in behaviour.faults}


def test_drawn_faults_of_a_policy_without_exclusions_are_a_plain_sample() -> None:
    behaviour = load_policy("safety").behaviour("hard_refusal")
    for seed in range(50):
        plain = random.Random(seed).sample(list(behaviour.faults), k=2)
        assert _compatible(behaviour, 2, 1, random.Random(seed)) == plain
