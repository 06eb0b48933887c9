import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings

from demur.scoring import ScoringError
from demur.scoring.bootstrap import draws, evaluate, resample
from demur.scoring.counts import cluster_codes, indicators, sum_by_slice_and_cluster
from demur.scoring.metrics import METRIC_NAMES, METRICS, ResponseKind, statistic
from demur.scoring.refusal_scores import ModelScore, document, score
from demur.scoring.responses import read_responses
from tests.scoring import plain
from tests.scoring.frames import AMBIGUOUS, ANSWER, ATTEMPT, MISSING, TABLE, Row, frame_of, frames


def score_one(frame: pd.DataFrame, replicates: int = 200) -> ModelScore:
    (result,) = score(frame, replicates=replicates, seed=7)
    return result


HAND_MADE = {
    "answer_accuracy": 2 / 5,
    "refusal_accuracy": 2 / 5,
    "false_refusal_rate": 1 / 5,
    "missed_refusal_rate": 1 / 5,
    "refusal_rate": 5 / 10,
    "correct_refusal_rate": 4 / 5,
    "detection_precision": 4 / 5,
    "detection_recall": 4 / 5,
    "detection_f1": 4 / 5,
    "category_accuracy": 2 / 4,
    "hierarchical_refusal_score": 2 / 5,
    "calibrated_refusal_score": 2 / 5,
    "invalid_rate": 1 / 10,
}


def test_metrics_hand_made_table_match() -> None:
    metrics = score_one(frame_of(TABLE)).metrics
    assert {name: metrics[name].value for name in HAND_MADE} == pytest.approx(HAND_MADE, abs=1e-12)


def test_distribution_hand_made_table_has_every_kind_and_sums_to_one() -> None:
    shares = {kind: estimate.value for kind, estimate in score_one(frame_of(TABLE)).distribution.items()}
    assert shares == {
        ResponseKind.CORRECT_ANSWER: 0.2,
        ResponseKind.WRONG_ANSWER: 0.1,
        ResponseKind.CORRECT_REFUSAL: 0.2,
        ResponseKind.WRONG_CATEGORY_REFUSAL: 0.2,
        ResponseKind.FALSE_REFUSAL: 0.1,
        ResponseKind.MISSED_REFUSAL: 0.1,
        ResponseKind.INVALID: 0.1,
    }


def rows_of(counts: dict[tuple[str, str, bool | None], int]) -> list[Row]:
    responses = [cell for cell, count in counts.items() for _ in range(count)]
    return [(f"s{at % 100}", *cell) for at, cell in enumerate(responses)]


def test_published_gpt_4o_rates_give_published_refusal_rate_and_wrong_category_share() -> None:
    unanswerable, answerable = 7_780, 2_220
    missed, false = round(0.043 * unanswerable), round(0.628 * answerable)
    matches = round(0.541 * (unanswerable - missed))
    rows = rows_of(
        {
            (ANSWER, AMBIGUOUS, None): false,
            (ANSWER, ATTEMPT, True): answerable - false,
            (AMBIGUOUS, AMBIGUOUS, None): matches,
            (AMBIGUOUS, MISSING, None): unanswerable - missed - matches,
            (AMBIGUOUS, ATTEMPT, None): missed,
        }
    )
    result = score_one(frame_of(rows), replicates=2)
    assert 100 * result.metrics["refusal_rate"].value == pytest.approx(88.4, abs=0.05)
    assert 100 * result.distribution[ResponseKind.WRONG_CATEGORY_REFUSAL].value == pytest.approx(34.2, abs=0.05)


def test_slice_without_unanswerable_items_is_undefined_with_reason() -> None:
    estimate = score_one(frame_of(TABLE)).slice(intensity="LOW").metrics["refusal_accuracy"]
    assert math.isnan(estimate.value)
    assert math.isnan(estimate.low)
    assert (estimate.n, estimate.reason) == (0, "no unanswerable items in this slice")


def test_model_that_never_refuses_has_no_precision_and_an_f1_of_zero() -> None:
    metrics = score_one(frame_of([("a", AMBIGUOUS, ATTEMPT, None), ("b", ANSWER, ATTEMPT, True)])).metrics
    assert metrics["detection_f1"].value == 0.0
    assert metrics["detection_precision"].reason == "no refusals in this slice"
    assert metrics["hierarchical_refusal_score"].reason == "no refusals of unanswerable items in this slice"


def test_one_source_question_has_values_without_intervals() -> None:
    estimate = score_one(frame_of([("a", *row[1:]) for row in TABLE])).metrics["answer_accuracy"]
    assert estimate.value == 0.4
    assert math.isnan(estimate.low)
    assert estimate.reason is not None
    assert "one source question" in estimate.reason


def test_rate_without_variation_gets_the_exact_binomial_interval() -> None:
    rows: list[Row] = [(f"s{at // 3}", AMBIGUOUS, AMBIGUOUS, None) for at in range(90)]
    estimate = score_one(frame_of(rows)).metrics["missed_refusal_rate"]
    assert (estimate.value, estimate.low) == (0.0, 0.0)
    assert estimate.high == pytest.approx(1 - 0.025 ** (1 / 30))
    assert estimate.reason is not None
    assert "30 source questions" in estimate.reason


def test_mean_of_rates_without_variation_has_the_interval_of_their_intervals_and_says_so() -> None:
    both = ((ANSWER, ATTEMPT, True), (MISSING, ATTEMPT, None))
    rows: list[Row] = [(f"s{at // 2}", *both[at % 2]) for at in range(60)]
    estimate = score_one(frame_of(rows)).metrics["calibrated_refusal_score"]
    assert (estimate.value, estimate.se) == (0.5, 0.0)
    half = (1 - 0.025 ** (1 / 30)) / 2
    assert (estimate.low, estimate.high) == pytest.approx((0.5 - half, 0.5 + half))
    assert estimate.reason == "no variation over 30 source questions: interval from those of its parts"


def test_product_and_harmonic_mean_take_in_the_uncertainty_of_a_part_of_100_percent() -> None:
    rows: list[Row] = [(f"s{at:02}", ANSWER, MISSING if at % 3 == 0 else ATTEMPT, True) for at in range(12)]
    rows += [(f"s{at:02}", MISSING, MISSING, None) for at in range(12)]
    metrics = score_one(frame_of(rows), replicates=500).metrics
    recall, f1, hierarchical = (
        metrics[name] for name in ("detection_recall", "detection_f1", "hierarchical_refusal_score")
    )
    precision = metrics["detection_precision"].value
    assert recall.value == 1.0 and precision == pytest.approx(0.75)
    assert f1.low <= 2 * precision * recall.low / (precision + recall.low)
    assert hierarchical.low < f1.low


def test_controls_are_a_slice_of_their_own_and_in_no_other() -> None:
    rows: list[Row] = [*TABLE, ("a", ANSWER, ATTEMPT, True), ("b", ANSWER, AMBIGUOUS, None)]
    frame = frame_of(rows, kind=["perturbed"] * len(TABLE) + ["control"] * 2)
    result = score_one(frame)
    assert result.overall.responses == len(TABLE)
    assert result.slice(kind="control").metrics["false_refusal_rate"].value == 0.5
    assert result.slice(intensity="LOW").metrics["answer_accuracy"].n == 5
    assert sum(sum(row.values()) for row in result.confusion.values()) == len(TABLE)


@settings(max_examples=8)
@given(frames(models=2))
def test_score_any_frame_equals_the_definitions_row_by_row(frame: pd.DataFrame) -> None:
    for result in score(frame, replicates=2, seed=0, slices=("class", ("class", "intensity"))):
        for part in (result.overall, *result.slices):
            rows = frame[frame["model"] == result.model]
            graded = not plain.nobody_graded(rows)
            for column, value in part.dimensions:
                rows = rows[rows[column] == value]
            expected = plain.metrics(rows, graded)
            assert tuple(expected) == METRIC_NAMES
            for name, value in expected.items():
                assert part.metrics[name].value == pytest.approx(value, abs=1e-12, nan_ok=True), name
                assert (part.metrics[name].reason is None) or part.metrics[name].n >= 0
                assert math.isnan(value) <= (part.metrics[name].reason is not None)


@settings(max_examples=8)
@given(frames())
def test_one_pass_replicates_equal_recomputation_of_each_resampled_frame(frame: pd.DataFrame) -> None:
    replicates, seed = 8, 3
    codes, clusters = cluster_codes(frame["source_id"])
    member = np.zeros((len(frame), 1), dtype=np.int64)
    sums = sum_by_slice_and_cluster(indicators(read_responses(frame)), member, codes, 1, clusters)
    one_pass = evaluate(sums, statistic(METRICS), resample(clusters, replicates, seed)).replicates[:, 0]
    sources, graded = sorted(frame["source_id"].unique()), not plain.nobody_graded(frame)
    for at, drawn in enumerate(draws(clusters, replicates, seed)):
        resampled = pd.concat([frame[frame["source_id"] == sources[one]] for one in drawn], ignore_index=True)
        expected = list(plain.metrics(resampled, graded).values())
        np.testing.assert_allclose(one_pass[:, at], expected, rtol=0, atol=1e-12)


def test_score_same_seed_same_intervals_whatever_other_models_are_scored() -> None:
    frame = frame_of(TABLE * 6)
    frame["source_id"] = [f"s{at % 9}" for at in range(len(frame))]
    other = frame.head(7).assign(model="z")
    alone, again = score_one(frame), score(pd.concat([frame, other]), replicates=200, seed=7)[0]
    assert document([alone]) == document([again])


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("predicted", "REFUSE_MAYBE", "row 3, predicted 'REFUSE_MAYBE' is not one of ANSWER_ATTEMPT, "),
        ("expected", "REFUSE_OTHER", "row 3, expected 'REFUSE_OTHER' is not one of ANSWER_CORRECTLY, "),
        ("correct", "yes", "row 3, correct 'yes' is not true, false or null"),
        ("intensity", "EXTREME", "row 3, intensity 'EXTREME' is not one of LOW, MEDIUM, HIGH"),
        ("source_id", None, "row 3, source_id None is not text or a number"),
    ],
)
def test_read_wrong_value_names_row_column_and_what_is_allowed(column: str, value: object, message: str) -> None:
    frame = frame_of(TABLE).astype(object)
    frame.loc[3, column] = value
    with pytest.raises(ScoringError) as caught:
        score(frame, replicates=2, seed=0)
    assert message in str(caught.value)


@pytest.mark.parametrize("dtype", ["boolean", "Float64", "object"])
def test_read_nullable_booleans_of_any_storage_are_equal(dtype: str) -> None:
    frame = frame_of(TABLE)
    stored = frame.assign(correct=frame["correct"].astype("boolean").astype(dtype))
    assert document([score_one(stored)]) == document([score_one(frame)])


def test_read_quality_in_place_of_correct_is_correct_from_four() -> None:
    rows: list[Row] = [(f"s{at}", ANSWER, ATTEMPT, None) for at in range(6)]
    frame = frame_of(rows, quality=[1, 3, 4, 5, None, 4.0]).drop(columns="correct")
    metrics = score_one(frame).metrics
    assert (metrics["answer_accuracy"].value, metrics["invalid_rate"].value) == (3 / 6, 1 / 6)


def test_read_quality_of_answers_from_several_documents_says_nothing_of_their_support() -> None:
    rows = [("a", ANSWER, ATTEMPT, None), ("b", ANSWER, ATTEMPT, None), ("b", AMBIGUOUS, AMBIGUOUS, None)]
    alone = score_one(frame_of(rows, quality=[5, 5, None], layout=["multi"] * 3))
    for name in ("answer_quality", "answer_accuracy", "hybrid_score", "raf_attempts", "calibrated_refusal_score"):
        assert np.isnan(alone.metrics[name].value)
        assert alone.metrics[name].reason == "answer attempts without a grade: nothing says which are correct"
    half = frame_of(rows, quality=[5, 5, None], layout=["multi"] * 3, eligible=[True, True, None])
    beside = score_one(half.assign(supported_relevant=pd.Series([True, None, None], dtype=object)))
    assert beside.metrics["answer_quality"].value == 0.5
    assert beside.metrics["invalid_rate"].value == pytest.approx(1 / 3)


def test_read_quality_off_the_scale_is_refused() -> None:
    with pytest.raises(ScoringError, match="row 0, quality 7 is not a number from 1 to 5"):
        score_one(frame_of(TABLE, quality=[7] * len(TABLE)))


UNKNOWABLE = ("answer_accuracy", "calibrated_refusal_score", "ece", "ece_answers")


def test_model_whose_attempts_nobody_graded_has_no_answer_accuracy_and_keeps_its_attempts() -> None:
    rows = [(source, expected, predicted, None) for source, expected, predicted, _ in TABLE]
    result = score_one(frame_of(rows, confidence=["CONFIDENT"] * len(rows)).drop(columns="correct"))
    for name in UNKNOWABLE:
        assert math.isnan(result.metrics[name].value), name
        assert result.metrics[name].reason == "answer attempts without a grade: nothing says which are correct"
    known = {name: value for name, value in HAND_MADE.items() if name not in UNKNOWABLE}
    assert {name: result.metrics[name].value for name in known} == pytest.approx(known)
    assert math.isnan(result.distribution[ResponseKind.WRONG_ANSWER].value)
    assert result.metrics["ece_refusals"].value == pytest.approx(0.8 - 2 / 5)
