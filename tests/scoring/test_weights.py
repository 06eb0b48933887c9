from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from demur.levers.policies import load_policy
from demur.scoring import ScoringError
from demur.scoring.reward_fitting.cross_validation import choose_l2
from demur.scoring.reward_fitting.ordered_pairs import ComparisonData, evaluate, pairs_of, split_prompts
from demur.scoring.reward_fitting.weights import GAP, FitOptions, RewardConstraints, fit, reward_of, solve
from tests.scoring.comparison_draws import NAMES, ORDER, REWARD, draw_completions, draw_problem

OPTIONS = FitOptions(l2=0.01, margin=1.0, replicates=0, seed=1)


def two_prompts() -> ComparisonData:
    return ComparisonData.of(
        ("x",),
        [[0.9], [0.5], [0.4], [0.1], [0.2], [0.8]],
        ["b", "b", "b", "b", "a", "a"],
        ["perfect", "bad", "bad", "disallowed", "bad", "disallowed"],
        [0, 1, 2, 3, 4, 5],
    )


def test_pairs_are_all_ordered_completions_of_one_prompt() -> None:
    completions = two_prompts()
    pairs = pairs_of(completions, ORDER, 1.0, {("perfect", "disallowed"): 2.5})
    found = {(int(b), int(w)): float(m) for b, w, m in zip(pairs.better, pairs.worse, pairs.margin, strict=True)}
    assert found == {(0, 1): 1.0, (0, 2): 1.0, (0, 3): 2.5, (1, 3): 1.0, (2, 3): 1.0, (4, 5): 1.0}
    assert completions.prompt_ids[pairs.prompt].tolist() == ["b" if b < 4 else "a" for b in pairs.better]


@settings(max_examples=30)
@given(
    rows=st.lists(st.tuples(st.integers(0, 4), st.sampled_from(["perfect", "bad", "disallowed"])), max_size=25),
)
def test_pairs_of_any_completions_equal_the_double_loop(rows: list[tuple[int, str]]) -> None:
    completions = ComparisonData.of(("x",), np.zeros((len(rows), 1)), [p for p, _ in rows], [name for _, name in rows])
    pairs = pairs_of(completions, ORDER, 1.0)
    expected = {(i, j) for i, (p, a) in enumerate(rows) for j, (q, b) in enumerate(rows) if p == q and (a, b) in ORDER}
    assert sorted(zip(pairs.better.tolist(), pairs.worse.tolist(), strict=True)) == sorted(expected)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"labels": ["perfect", "good", "bad", "bad", "bad", "bad"]}, "labels good are in no comparison"),
        ({"margins": {("bad", "perfect"): 1.0}}, "bad > perfect"),
    ],
)
def test_pairs_of_unknown_labels_or_margins_are_refused(change: dict[str, object], words: str) -> None:
    completions = two_prompts()
    if "labels" in change:
        completions = replace(completions, labels=np.array(change["labels"]))
    with pytest.raises(ScoringError, match=words):
        pairs_of(completions, ORDER, 1.0, change.get("margins"))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("features", "base", "words"),
    [
        ([[1.0, 2.0]], None, "do not fit"),
        ([[np.nan]], None, "features of completion 0 are not finite"),
        ([[1.0]], [np.inf], "base rewards of completion 0"),
    ],
)
def test_completions_that_do_not_fit_are_refused(features: object, base: object, words: str) -> None:
    with pytest.raises(ScoringError, match=words):
        ComparisonData.of(("x",), features, ["p"], ["bad"], base)  # type: ignore[arg-type]


@settings(max_examples=20)
@given(seed=st.integers(0, 10_000), prompts=st.integers(1, 40), exponent=st.floats(-5, 1))
def test_solution_of_any_problem_carries_its_certificate(seed: int, prompts: int, exponent: float) -> None:
    problem = draw_problem(prompts, seed, 10**exponent)
    solution = solve(problem)
    assert 0.0 <= solution.gap <= GAP
    assert solution.objective == pytest.approx(problem.objective(solution.weights), rel=1e-12)
    rng = np.random.default_rng(seed)
    for scale in (1e-3, 1e-1, 1.0):
        near = solution.weights + scale * rng.normal(size=len(solution.weights))
        assert problem.objective(near) >= solution.objective * (1 - GAP)


@settings(max_examples=15)
@given(seed=st.integers(0, 10_000), exponent=st.floats(-4, 0))
def test_solution_keeps_sign_constraints_and_pays_for_them(seed: int, exponent: float) -> None:
    free = draw_problem(20, seed, 10**exponent)
    signed = replace(free, signs=np.array([-1.0, 1.0, 1.0, 0.0, 0.0, 0.0]))
    solution = solve(signed)
    assert (solution.weights * signed.signs >= 0).all()
    assert solution.gap <= GAP
    assert solution.objective >= solve(free).objective * (1 - 2 * GAP)


@pytest.mark.parametrize("l2", [0.0, -1.0, float("nan"), float("inf")])
def test_solution_without_a_penalty_is_refused(l2: float) -> None:
    with pytest.raises(ScoringError, match="must be a positive number"):
        solve(draw_problem(3, 1, l2))


def test_fit_twice_gives_the_same_numbers_whatever_the_order_of_rows() -> None:
    completions = draw_completions(40, 5)
    options = replace(OPTIONS, replicates=30)
    first, again = fit(completions, REWARD, options), fit(completions, REWARD, options)
    assert first == again
    mixed = np.random.default_rng(0).permutation(len(completions))
    shuffled = ComparisonData.of(
        NAMES,
        completions.features[mixed],
        completions.prompt_ids[completions.prompts[mixed]],
        completions.labels[mixed],
        completions.base[mixed],
    )
    other = fit(shuffled, REWARD, options)
    assert_allclose(other.values, first.values, atol=1e-3)
    assert_allclose([w.low for w in other.weights], [w.low for w in first.weights], atol=2e-2)


def test_fit_of_a_policy_keeps_propositions_to_the_signs_of_their_statuses() -> None:
    policy = load_policy("safety")
    reward = reward_of(policy, "hard_refusal", signed=True)
    assert reward.signs["additional_content"] == reward.signs["judgement"] == -1
    assert reward.signs["apology"] == reward.signs["inability_to_comply"] == 1
    assert "partially_complies" not in reward.signs
    assert not reward_of(policy, "hard_refusal", signed=False).signs
    backwards = RewardConstraints(
        frozenset((worse, better) for better, worse in ORDER), REWARD.classes, {"judgement": -1}
    )
    found = {weight.feature: weight.value for weight in fit(draw_completions(60, 3), backwards, OPTIONS).weights}
    assert found["judgement"] == 0.0
    assert found["apology"] < 0.0


@pytest.mark.parametrize(
    ("reward", "words"),
    [
        (RewardConstraints(ORDER, REWARD.classes, {"ideal": 1}), "signs are given for ideal"),
        (RewardConstraints(ORDER, REWARD.classes, {"unheard": 1}), "signs are given for unheard"),
        (RewardConstraints(ORDER, ("apology", "judgement")), "sum to .*, not 1"),
    ],
)
def test_fit_told_what_is_not_so_is_refused(reward: RewardConstraints, words: str) -> None:
    with pytest.raises(ScoringError, match=words):
        fit(draw_completions(5, 1), reward, OPTIONS)


def test_fit_without_ordered_completions_is_refused() -> None:
    lonely = ComparisonData.of(("x",), [[1.0], [2.0]], ["a", "b"], ["perfect", "bad"])
    with pytest.raises(ScoringError, match="no two completions of one prompt"):
        fit(lonely, RewardConstraints(ORDER), OPTIONS)


def test_evaluation_counts_errors_and_first_places_by_hand() -> None:
    completions = two_prompts()
    pairs = pairs_of(completions, ORDER, 1.0)
    result = evaluate(completions, pairs, ORDER, np.array([10.0]))
    # b: 9, 6, 6, 4, all in order; a: the worse one is ahead by 13 - 6
    assert result.total.pairwise_error == pytest.approx(1 / 6)
    assert result.base_only.pairwise_error == 1.0
    assert result.total.ideal_first == 1.0
    assert result.base_only.ideal_first == 0.0
    assert (result.prompts, result.completions, result.pairs, result.ideal_prompts) == (2, 6, 6, 1)
    assert result.hinge_loss == pytest.approx((13 - 6 + 1) / 6)


@settings(max_examples=30)
@given(
    prompts=st.integers(3, 200),
    shares=st.sampled_from([(0.8, 0.2), (0.7, 0.15, 0.15), (1 / 3, 1 / 3, 1 / 3), (0.98, 0.01, 0.01)]),
    seed=st.integers(0, 99),
)
def test_split_of_any_prompts_fills_every_part_in_proportion(
    prompts: int, shares: tuple[float, ...], seed: int
) -> None:
    parts = split_prompts(prompts, shares, seed)
    counts = np.bincount(parts, minlength=len(shares))
    assert counts.sum() == prompts
    assert counts.min() >= 1
    assert all(abs(count - share * prompts) <= len(shares) for count, share in zip(counts, shares, strict=True))
    assert (parts == split_prompts(prompts, shares, seed)).all()


@pytest.mark.parametrize(("prompts", "shares"), [(1, (0.5, 0.5)), (10, (0.5, 0.6)), (10, (1.2, -0.2)), (10, ())])
def test_split_that_cannot_be_made_is_refused(prompts: int, shares: tuple[float, ...]) -> None:
    with pytest.raises(ScoringError):
        split_prompts(prompts, shares, 1)


def test_l2_choice_takes_the_penalty_that_unseen_prompts_prefer() -> None:
    completions = draw_completions(30, 6)
    choice = choose_l2(completions, REWARD, OPTIONS, folds=5, grid=(0.001, 0.1, 1000.0))
    assert [score.l2 for score in choice.tried] == [1000.0, 0.1, 0.001]
    best = min(choice.tried, key=lambda score: score.hinge_loss)
    assert choice.l2 == best.l2 != 1000.0
    assert choice == choose_l2(completions, REWARD, OPTIONS, folds=5, grid=(1000.0, 0.1, 0.001))


@pytest.mark.parametrize(("folds", "grid"), [(1, (0.1,)), (5, ()), (50, (0.1,))])
def test_l2_choice_that_cannot_be_made_is_refused(folds: int, grid: tuple[float, ...]) -> None:
    with pytest.raises(ScoringError):
        choose_l2(draw_completions(12, 6), REWARD, OPTIONS, folds, grid)
