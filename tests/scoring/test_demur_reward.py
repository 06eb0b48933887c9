"""Reward files: what the loader makes of graded features, far from our package, and what it refuses."""

import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demur.levers.policies import load_policy
from demur.levers.policy_models import Policy
from demur.rewards.reward_file import _described, loader_text, reward_file_text
from demur.scoring.reward_fitting.completion_classes import class_features, feature_matrix, proposition_matrix
from demur.scoring.standalone import demur_reward
from demur.scoring.standalone.demur_reward import FittedReward, RewardError, load_reward

EXAMPLE = Path(__file__).parent / "worked_example.yaml"
POLICIES = [load_policy("safety"), load_policy("selective_refusal"), load_policy(EXAMPLE)]
SOURCE = Path(demur_reward.__file__)


def reward_text(policy: Policy, seed: int = 0) -> str:
    rng = random.Random(seed)
    behaviours = {
        b.name: {
            **_described(b),
            "weights": {name: rng.uniform(-8, 8) for name in policy.feature_names(b.name)},
            "scaling": {"mean": 1.5, "standard_deviation": 2.0, "completions": 10},
        }
        for b in policy.behaviours
    }
    return reward_file_text(policy, behaviours, {"grader": []})


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "safety@1.json"
    path.write_text(reward_text(POLICIES[0]), encoding="utf-8")
    return path


def graded(behaviour: str = "hard_refusal", **changes: Any) -> dict[str, Any]:
    features = POLICIES[0].behaviour(behaviour).features
    return {**dict.fromkeys(features, 0.25), **changes}


@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: policy.name)
@settings(max_examples=30)
@given(data=st.data())
def test_reward_from_a_file_is_the_one_that_scoring_computes(policy: Policy, data: st.DataObject) -> None:
    reward = FittedReward(json.loads(reward_text(policy)))
    behaviour = data.draw(st.sampled_from(policy.behaviours))
    chance = st.one_of(st.sampled_from([0.0, 1.0]), st.floats(0, 1))
    phi = data.draw(st.fixed_dictionaries(dict.fromkeys(behaviour.features, chance)))
    facts = {name: data.draw(st.booleans()) for name in policy.default_facts}
    base = data.draw(st.floats(-10, 10))
    matrix = proposition_matrix(behaviour, [phi])
    values, names = feature_matrix(policy, behaviour.name, matrix, facts)
    weights = reward.content["behaviours"][behaviour.name]["weights"]
    expected = base + float(values[0] @ np.array([weights[name] for name in names]))
    scored = reward.explain(behaviour.name, phi, facts, base)
    assert scored.total == pytest.approx(expected, abs=1e-12)
    assert reward.score(behaviour.name, phi, facts, base) == scored.total
    classes = class_features(policy, behaviour.name, matrix, facts)
    assert list(scored.classes) == list(classes.names) and scored.undetermined == bool(classes.undetermined[0])
    assert list(scored.classes.values()) == pytest.approx(classes.values[0].tolist(), abs=1e-12)
    assert sum(scored.classes.values()) == pytest.approx(1.0, abs=1e-12)
    assert scored.standardised == pytest.approx((scored.rules - 1.5) / 2)


def test_loader_needs_the_standard_library_only(file: Path, tmp_path: Path) -> None:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    loader = folder / SOURCE.name
    loader.write_text(loader_text(), encoding="utf-8")
    line = json.dumps({"id": 7, "behaviour": "hard_refusal", "probabilities": graded(), "base_reward": 0.5})
    ran = subprocess.run(
        [sys.executable, "-I", "-S", str(loader), str(file)],
        input=line + "\n\n",
        capture_output=True,
        text=True,
        cwd=folder,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    [found] = map(json.loads, ran.stdout.splitlines())
    assert found["id"] == 7
    assert found["reward"] == load_reward(file).score("hard_refusal", graded(), base_reward=0.5)
    assert found["reward"] == found["rules_reward"] + 0.5


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("{", "line 1: is not an object with behaviour and probabilities"),
        ('{"behaviour": "hard_refusal"}', "line 1: is not an object with behaviour and probabilities"),
        ('{"behaviour": "rude", "probabilities": {}}', "line 1: behaviour 'rude' is not one of hard_refusal"),
    ],
)
def test_loader_as_a_program_names_the_line_that_it_cannot_score(
    file: Path, tmp_path: Path, line: str, told: str
) -> None:
    loader = tmp_path / SOURCE.name
    loader.write_text(loader_text(), encoding="utf-8")
    command = [sys.executable, "-I", "-S", str(loader), str(file)]
    ran = subprocess.run(command, input=line + "\n", capture_output=True, text=True, check=False)
    assert ran.returncode == 2 and told in ran.stderr and "Traceback" not in ran.stderr


@pytest.mark.parametrize(
    ("probabilities", "told"),
    [
        (graded(apology=1.2), "apology: 1.2 is not a probability within"),
        (graded(apology=-1e-9), "apology: -1e-09 is not a probability within"),
        (graded(apology=float("nan")), "apology: nan is not a finite number"),
        (graded(apology=None), "apology: None is not a finite number"),
        (graded(apology="0.9"), "apology: '0.9' is not a finite number"),
        (graded(apologie=0.5), "apologie: not propositions of policy 'safety'"),
        ({"apology": 0.5}, "no probability is given for these features of behaviour 'hard_refusal'"),
    ],
)
def test_graded_features_that_do_not_fit_are_refused(file: Path, probabilities: dict[str, Any], told: str) -> None:
    with pytest.raises(RewardError, match=told):
        load_reward(file).score("hard_refusal", probabilities)


def test_facts_and_base_reward_that_do_not_fit_are_refused(file: Path) -> None:
    reward = load_reward(file)
    with pytest.raises(RewardError, match="fact 'asks_for_mean' is not one of asks_for_means"):
        reward.score("hard_refusal", graded(), {"asks_for_mean": True})
    with pytest.raises(RewardError, match="fact 'asks_for_means' is 2"):
        reward.score("hard_refusal", graded(), {"asks_for_means": 2})  # type: ignore[dict-item]
    with pytest.raises(RewardError, match="base_reward: inf is not a finite number"):
        reward.score("hard_refusal", graded(), base_reward=float("inf"))


def test_altered_file_is_refused_and_a_file_in_another_layout_is_not(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    file.write_text(json.dumps(json.loads(text), sort_keys=True), encoding="utf-8")
    load_reward(file)
    changed = json.loads(text)
    changed["behaviours"]["comply"]["weights"]["ideal"] += 1e-9
    file.write_text(json.dumps(changed), encoding="utf-8")
    with pytest.raises(RewardError, match="was altered: .* Copy the file from the release again"):
        load_reward(file)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[]", "has format None, but this loader reads 'demur-reward/1'"),
        ('{"format": "demur-reward/2"}', "has format 'demur-reward/2'"),
        ("weights", "is not JSON"),
    ],
)
def test_file_that_is_no_reward_is_refused(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "reward.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(RewardError, match=told):
        load_reward(path)
    with pytest.raises(RewardError, match=r"missing.json: cannot be read \(No such file"):
        load_reward(tmp_path / "missing.json")
