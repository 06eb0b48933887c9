"""What a round's configuration of `fit` decides about the weights."""

import random
from typing import Any

from demur.levers.policies import load_policy
from demur.rewards.fits import fit_behaviour
from demur.scoring.reward_fitting.weights import Fit

POLICY = load_policy("safety")
BEHAVIOUR = POLICY.behaviour("hard_refusal")


def fit_with(prompts: int = 40, **options: object) -> Fit:
    """Fit noisily graded completions, some faults of which seem to earn reward by accident."""
    rng = random.Random(3)
    rows: list[dict[str, Any]] = []
    for prompt in range(prompts):
        for label in BEHAVIOUR.labels:
            meant = {name: float(name in label.meant_true) for name in BEHAVIOUR.features}
            grades = {name: min(1.0, max(0.0, truth + rng.gauss(0, 0.5))) for name, truth in meant.items()}
            rows.append({"prompt_id": f"p{prompt}", "label": label.name, "grades": grades, "facts": []})
    chosen = {"margin": 1.0, "l2": 0.01, "held_out": 0.3, "bootstrap": 0, **options}
    return fit_behaviour(POLICY, {"behaviour": BEHAVIOUR.name, "options": chosen, "seed": 5, "completions": rows})


def faults_that_earn(found: Fit) -> list[str]:
    faults = {name for name in BEHAVIOUR.features if BEHAVIOUR.statuses[name].sign < 0}
    return [weight.feature for weight in found.weights if weight.feature in faults and weight.value > 1e-9]


def test_fit_with_signs_lets_no_fault_earn_reward() -> None:
    assert faults_that_earn(fit_with())
    assert not faults_that_earn(fit_with(signs=True))
