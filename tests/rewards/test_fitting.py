"""What a round's configuration of `fit` decides about the weights."""

import random
from typing import Any

import pytest

from demur.flows.rounds.config_files import find_round_config, read_round_config
from demur.levers.policies import load_policy
from demur.rewards.fitting import fit_behaviour
from demur.scoring.l2_choice import GRID
from demur.scoring.weights import Fit

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


def test_fit_to_one_prompt_holds_nothing_out_and_has_no_intervals() -> None:
    """As in a round of few base instances, which would otherwise stop at its end."""
    found = fit_with(prompts=1, bootstrap=20)
    assert found.held_out is None and found.train.prompts == 1 and found.train.pairs > 0
    assert {(weight.low, weight.high) for weight in found.weights} == {(None, None)}


@pytest.mark.parametrize("signs", [False, True])
def test_fit_of_soft_refusals_with_signs_does_not_charge_for_complying_in_part(signs: bool) -> None:
    """It is required of them, but written completions that are disallowed comply in part as well."""
    behaviour = POLICY.behaviour("soft_refusal")
    assert behaviour.statuses["partially_complies"].sign == 1
    rng = random.Random(1)
    rows: list[dict[str, Any]] = []
    for prompt in range(30):
        for label in behaviour.labels:
            for _ in range(label.variants):
                faults = rng.sample(behaviour.faults, k=1) if label.faults else []
                grades = {name: float(holds) for name, holds in behaviour.truth(label, faults).items()}
                rows.append({"prompt_id": f"p{prompt}", "label": label.name, "grades": grades, "facts": []})
    chosen = {"margin": 1.0, "l2": 0.01, "held_out": 0.3, "bootstrap": 0, "signs": signs}
    found = fit_behaviour(POLICY, {"behaviour": behaviour.name, "options": chosen, "seed": 5, "completions": rows})
    weight = next(weight.value for weight in found.weights if weight.feature == "partially_complies")
    assert weight >= 0 if signs else weight < -0.05


def test_round_holds_weights_to_signs_unless_it_says_otherwise() -> None:
    assert read_round_config(find_round_config("embedded")).fit.signs


def test_fit_that_chooses_its_penalty_takes_the_best_of_the_grid_on_unseen_prompts() -> None:
    chosen = fit_with(l2="choose")
    assert chosen.l2 in GRID
    assert chosen.held_out is not None
    losses = [found.held_out.hinge_loss for l2 in (min(GRID), max(GRID)) if (found := fit_with(l2=l2)).held_out]
    assert chosen.held_out.hinge_loss == pytest.approx(min(losses), rel=0.2)
    assert chosen.held_out.hinge_loss < max(losses)
