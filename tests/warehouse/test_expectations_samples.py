import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from demur.warehouse.gates import ExpectationResult, Gate, GateBounds, run_gate
from demur.warehouse.gates.results import clopper_pearson
from demur.warehouse.home import Home
from tests.warehouse.gate_round import ROUND, changed
from tests.warehouse.gates import GATES

STRICT = GateBounds(screening=0.9, acceptance=0.9, coverage=1, balance=1, invalid=0.01, near_copies=1)


def samples(home: Home, stage: str, bounds: GateBounds = STRICT) -> dict[tuple[str, str], ExpectationResult]:
    results = run_gate(home, ROUND, GATES[stage], bounds)
    return {(result.expectation, result.subject): result for result in results if result.gate is Gate.SAMPLE}


@given(st.integers(1, 400), st.data())
def test_interval_ends_are_where_the_tails_hold_a_fortieth(trials: int, data: st.DataObject) -> None:
    successes = data.draw(st.integers(0, trials))
    [low], [high] = clopper_pearson(np.array([successes]), np.array([trials]))
    assert 0 <= low <= successes / trials <= high <= 1
    if successes:
        assert binom.sf(successes - 1, trials, low) == pytest.approx(0.025, rel=1e-6)
    if successes < trials:
        assert binom.cdf(successes, trials, high) == pytest.approx(0.025, rel=1e-6)


@pytest.mark.parametrize("stage", ["screen", "verify", "assemble"])
def test_small_honest_sample_passes_bounds_that_it_misses_by_chance(gate_home: Home, stage: str) -> None:
    """13 of 14 accepted, 3 of 8 items from one of two generators: no proof against 0.95, nor against one half."""
    bounds = GateBounds(screening=1, acceptance=0.95, coverage=1, balance=1, invalid=0, near_copies=1)
    assert [result for result in samples(gate_home, stage, bounds).values() if not result.success] == []


def test_acceptance_below_the_bound_with_certainty_fails(gate_home: Home) -> None:
    changed(
        gate_home, "UPDATE verdicts SET outcome = 'fail', overall = false, lever_fidelity = false WHERE verifier = 'v2'"
    )
    result = samples(gate_home, "verify", GateBounds(0, 0.3, 0, 0, 1, 1))["acceptance", "candidates"]
    assert (result.success, result.observed) == (False, "0 of 14 (0; 95 % interval 0 to 0.232)")
    assert result.bound == "at least 0.3"
    assert samples(gate_home, "verify", GateBounds(0, 0.23, 0, 0, 1, 1))["acceptance", "candidates"].success


def test_screening_counts_base_instances_that_every_screener_solved(gate_home: Home) -> None:
    changed(gate_home, "UPDATE screenings SET correct = false WHERE base_id = 'b2'")
    result = samples(gate_home, "screen")["screening", "base instances"]
    assert result.observed.startswith("1 of 2 (0.5; ")
    assert result.success


def test_coverage_fails_only_for_the_stratum_that_is_empty(gate_home: Home) -> None:
    changed(
        gate_home,
        "UPDATE rounds SET config = json_merge_patch(config, '{\"items_per_stratum\": 12}')",
        "DELETE FROM items WHERE class = 'P-Ambiguity' AND intensity = 'LOW'",
    )
    found = samples(gate_home, "assemble", GateBounds(0, 0, 0.3, 0, 1, 1))
    failed = {subject: result.observed for (_, subject), result in found.items() if not result.success}
    assert failed == {"P-Ambiguity LOW": "0 of 12 (0; 95 % interval 0 to 0.265)"}
    assert found["coverage", "P-MissingInfo HIGH"].observed.startswith("2 of 12 (0.167; ")


def test_balance_fails_for_the_generator_that_gave_nothing(gate_home: Home) -> None:
    changed(gate_home, "UPDATE items SET generator = 'g1' WHERE kind = 'perturbed'")
    found = samples(gate_home, "assemble", GateBounds(0, 0, 0, 0.8, 1, 1))
    assert {subject: result.success for (measure, subject), result in found.items() if measure == "balance"} == {
        "g1": True,
        "g2": False,
    }
    assert found["balance", "g2"].bound == "at least 0.8 of an even share"


def test_invalid_counts_responses_that_failed_were_not_judged_or_judged_so(gate_home: Home) -> None:
    lost = "respondent = 'a1' AND item_id IN ('i-b1', 'i-b2')"
    unjudged = "response_id = 'i-p-b1-P-Ambiguity-LOW-g1-a1'"
    failing = (
        "INSERT INTO failures SELECT 'r1', '{}', unit_id, stamp, NULL, NULL, 'server', '', NULL, now(), json_object({})"
    )
    of_judgement = "'response_id', response_id, 'judge', judge"
    of_response = "'item_id', item_id, 'respondent', respondent, 'replicate', replicate"
    changed(
        gate_home,
        f"{failing.format('respond', of_response)} FROM responses WHERE {lost}",
        f"{failing.format('judge', of_judgement)} FROM judgements WHERE {unjudged}",
        f"DELETE FROM judgements WHERE {lost} OR {unjudged}",
        f"DELETE FROM responses WHERE {lost}",
        "UPDATE judgements SET predicted = 'INVALID', quality = NULL, correct = NULL "
        "WHERE respondent = 'a1' AND class = 'P-MissingInfo'",
    )
    found = samples(gate_home, "judge", GateBounds(0, 0, 0, 0, 0.3, 1))
    first, second = found["invalid", "a1, judged by j1"], found["invalid", "a2, judged by j1"]
    assert (first.success, first.observed) == (False, "7 of 10 (0.7; 95 % interval 0.348 to 0.933)")
    assert first.bound == "at most 0.3"
    assert (second.success, second.observed) == (True, "0 of 10 (0; 95 % interval 0 to 0.308)")


def test_measures_without_trials_pass_and_say_so(gate_home: Home) -> None:
    changed(gate_home, "DELETE FROM perturbations", "DELETE FROM verdicts", "DELETE FROM items")
    assert samples(gate_home, "verify")["acceptance", "candidates"].observed == "0 of 0"
    found = samples(gate_home, "assemble", GateBounds(0, 0, 0, 1, 1, 1))
    assert (found["balance", "g1"].success, found["balance", "g1"].observed) == (True, "0 of 0")


def test_near_copies_are_items_that_share_half_of_a_frame(gate_home: Home) -> None:
    changed(
        gate_home,
        "UPDATE items SET frame_grams = CASE "
        "WHEN item_id = 'i-p-b1-P-Ambiguity-LOW-g1' THEN ['by the survey', 'survey of _', 'the survey of'] "
        "WHEN item_id = 'i-p-b2-P-Ambiguity-LOW-g1' THEN ['a survey of', 'survey of _', 'the survey of'] "
        "WHEN item_id = 'i-p-b1-P-Ambiguity-LOW-g2' THEN ['survey of _', 'never had a', 'once was _'] "
        "ELSE ['alone here ' || item_id, 'alone there ' || item_id] END WHERE kind = 'perturbed'",
    )
    found = samples(gate_home, "assemble", GateBounds(0, 0, 0, 0, 1, 0))
    observed = found["near_copies", "items"]
    assert observed.observed.startswith("2 of ") and not observed.success
    assert samples(gate_home, "assemble", GateBounds(0, 0, 0, 0, 1, 1))["near_copies", "items"].success
