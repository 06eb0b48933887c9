"""Our weights beside those of the public algorithm, as the benchmark has it, on fewer completions."""

from importlib import import_module
from pathlib import Path

import pytest

from demur.levers.policies import load_policy

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
BEHAVIOURS = [behaviour.name for behaviour in load_policy("safety").behaviours]


@pytest.mark.parametrize("behaviour", BEHAVIOURS)
def test_fit_objective_is_never_above_that_of_the_public_algorithm(
    behaviour: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(BENCHMARKS)
    rbr_fit = import_module("rbr_fit")

    completions = rbr_fit.simulate("safety", behaviour, rbr_fit.sizes(240, 20), 1)
    order = rbr_fit.policy_named("safety").behaviour(behaviour).order
    decayed = rbr_fit.plain_fit(completions, order, within_prompts=True)
    assert rbr_fit.plain_fit(completions, order, within_prompts=False) == pytest.approx(decayed, abs=1e-9)
    for l2 in (0.2, *rbr_fit.PENALTIES):
        found, problem = rbr_fit.ours(completions, behaviour, l2), rbr_fit.problem_at(completions, behaviour, l2)
        penalised = rbr_fit.plain_fit(completions, order, within_prompts=True, l2=l2, decay=0.0)
        for theirs in (decayed, penalised):
            assert found.objective <= problem.objective(theirs) / (1 - found.gap), "up to the gap that is told"
        assert problem.objective(penalised) == pytest.approx(found.objective, rel=0.05), "they are steps to the optimum"
        assert found.gap <= 1e-6
