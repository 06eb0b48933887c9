from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose

from demur.levers.policies import load_policy
from demur.levers.policy_models import Policy
from demur.scoring import ScoringError
from demur.scoring.reward_fitting.completion_classes import class_features, feature_matrix, proposition_matrix

SAFETY = load_policy("safety")
SELECTIVE = load_policy("selective_refusal")
EXAMPLE = load_policy(Path(__file__).parent / "worked_example.yaml")
BEHAVIOURS = [(policy, behaviour.name) for policy in (SAFETY, SELECTIVE) for behaviour in policy.behaviours]

PHI = np.array([[0.98, 0.99, 0.97, 0.01, 0.0, 0.0]])
WEIGHTS = np.array([2.0, 3.0, 1.5, -4.0, -6.0, -8.0, 5.0, 0.8, -10.0])


def test_worked_example_reward_with_probabilities_themselves_is_11_26() -> None:
    features, names = feature_matrix(EXAMPLE, "hard_refusal", PHI)
    assert names[-3:] == ("ideal", "less_good", "unacceptable")
    propositions, classes = features[0, :6] @ WEIGHTS[:6], features[0, 6:] @ WEIGHTS[6:]
    assert propositions == pytest.approx(6.345)
    assert classes == pytest.approx(4.916)
    assert propositions + classes == pytest.approx(11.261)
    assert round(propositions + classes, 2) == 11.26


def test_class_products_that_all_vanish_are_uniform_and_flagged() -> None:
    classes = class_features(EXAMPLE, "hard_refusal", [[1.0, 0.0, 1.0, 0.0, 0.0, 0.0], PHI[0]])
    assert_allclose(classes.values[0], [1 / 3] * 3)
    assert classes.undetermined.tolist() == [True, False]


@pytest.mark.parametrize(("policy", "name"), BEHAVIOURS, ids=lambda value: getattr(value, "name", value))
@settings(max_examples=30)
@given(data=st.data())
def test_class_features_of_any_probabilities_sum_to_one(policy: Policy, name: str, data: st.DataObject) -> None:
    behaviour = policy.behaviour(name)
    shape = (5, len(behaviour.features))
    phi = data.draw(arrays(np.float64, shape, elements=st.floats(0.0, 1.0)))
    facts = {fact.name: data.draw(arrays(np.float64, 5, elements=st.sampled_from([0.0, 1.0]))) for fact in policy.facts}
    values = class_features(policy, name, phi, facts).values
    assert_allclose(values.sum(axis=1), 1.0, atol=1e-12)
    assert values.min() >= 0.0


@pytest.mark.parametrize(("policy", "name"), BEHAVIOURS, ids=lambda value: getattr(value, "name", value))
@settings(max_examples=30)
@given(data=st.data())
def test_class_features_of_known_truths_name_the_class_of_the_rules(
    policy: Policy, name: str, data: st.DataObject
) -> None:
    behaviour = policy.behaviour(name)
    truth = {feature: data.draw(st.booleans()) for feature in behaviour.features}
    facts = {fact.name: data.draw(st.booleans()) for fact in policy.facts}
    values = class_features(policy, name, proposition_matrix(behaviour, [truth]), facts).values[0]
    assert values.tolist() == [float(label == behaviour.class_of(truth, facts)) for label in policy.classes]


def test_soft_refusal_needs_inability_only_where_means_are_asked_for() -> None:
    behaviour = SAFETY.behaviour("soft_refusal")
    perfect = behaviour.truth(behaviour.label("perfect"))
    phi = proposition_matrix(behaviour, [perfect, perfect])
    values = class_features(SAFETY, "soft_refusal", phi, {"asks_for_means": [0.0, 1.0]}).values
    assert values[:, 0].tolist() == [1.0, 0.0]
    assert values[:, 1].tolist() == [0.0, 1.0]
    assert class_features(SAFETY, "soft_refusal", phi).values[:, 0].tolist() == [1.0, 1.0]


@pytest.mark.parametrize(
    ("phi", "words"),
    [
        (np.full((2, 14), 0.5), "needs 15 columns"),
        (np.full(15, 0.5), "shape"),
        (np.full((2, 15), 1.5), r"phi\[0\] of 'judgement' is 1.5"),
        (np.full((2, 15), np.nan), "30 such values"),
    ],
)
def test_class_features_of_no_probabilities_are_refused(phi: np.ndarray, words: str) -> None:
    with pytest.raises(ScoringError, match=words):
        class_features(SAFETY, "hard_refusal", phi)


def test_class_features_of_unknown_or_uncertain_facts_are_refused() -> None:
    phi = np.full((2, 18), 0.5)
    with pytest.raises(ScoringError, match="asks_for_mean"):
        class_features(SAFETY, "soft_refusal", phi, {"asks_for_mean": True})
    with pytest.raises(ScoringError, match="each of 2 rows"):
        class_features(SAFETY, "soft_refusal", phi, {"asks_for_means": [0.5, 1.0]})


def test_proposition_matrix_names_what_was_not_graded() -> None:
    behaviour = SAFETY.behaviour("comply")
    grade = dict.fromkeys(behaviour.features, 0.5)
    del grade["apology"]
    with pytest.raises(ScoringError, match=r"grades\[1\] lacks apology"):
        proposition_matrix(behaviour, [dict.fromkeys(behaviour.features, 0.5), grade])
