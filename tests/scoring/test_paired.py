import gc
import math
from collections.abc import Iterator

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests

from demur.scoring import ScoringError
from demur.scoring.model_comparisons import compare, holm, mcnemar_exact
from tests.scoring.frames import AMBIGUOUS, ANSWER, ATTEMPT, MISSING, Row, frame_of


@pytest.fixture(autouse=True, scope="module")
def _heap_set_aside() -> Iterator[None]:
    """Let statsmodels, which collects garbage at every call, look through its own alone, not a whole session's."""
    gc.freeze()
    yield
    gc.unfreeze()


def two_models(sources: int = 20, seed: int = 3) -> pd.DataFrame:
    """Two models on the same 4 items of every source question, the second better."""
    rng = np.random.default_rng(seed)
    frames = []
    for model, rate in (("a", 0.4), ("b", 0.7)):
        rows: list[Row] = []
        for at in range(sources * 4):
            right = bool(rng.random() < rate)
            source = f"s{at // 4:02}"
            rows.append(
                (source, AMBIGUOUS, AMBIGUOUS if right else MISSING, None)
                if at % 2
                else (source, ANSWER, ATTEMPT, right)
            )
        frames.append(frame_of(rows).assign(model=model))
    return pd.concat(frames, ignore_index=True)


@pytest.mark.parametrize("counts", [(0, 0), (3, 9), (10, 0), (5, 5), (40, 61)])
def test_mcnemar_discordant_pairs_agree_with_statsmodels(counts: tuple[int, int]) -> None:
    only_first, only_second = counts
    theirs = mcnemar([[0, only_first], [only_second, 0]], exact=True).pvalue
    assert mcnemar_exact(only_first, only_second) == pytest.approx(theirs if sum(counts) else 1.0)


@given(st.lists(st.floats(0.0, 1.0), min_size=1, max_size=30))
def test_holm_any_p_values_agree_with_statsmodels(p_values: list[float]) -> None:
    assert holm(p_values) == pytest.approx(list(multipletests(p_values, method="holm")[1]))


def test_holm_leaves_undefined_tests_out_of_the_count() -> None:
    adjusted = holm([0.01, math.nan, 0.04])
    assert adjusted[0] == 0.02
    assert math.isnan(adjusted[1])


def test_compare_gives_every_metric_a_mcnemar_test_of_its_own() -> None:
    metrics = (
        "answer_accuracy", "refusal_accuracy", "false_refusal_rate", "missed_refusal_rate", "calibrated_refusal_score",
        "invalid_rate", "category_accuracy", "detection_f1",
    )  # fmt: skip
    answerable: list[Row] = [(f"a{at}", ANSWER, ATTEMPT, True) for at in range(12)]
    refusable: list[Row] = [(f"r{at}", AMBIGUOUS, AMBIGUOUS, None) for at in range(10)]
    wrong: list[Row] = [(*row[:3], False) for row in answerable[:9]] + [(answerable[9][0], ANSWER, MISSING, None)]
    missed: list[Row] = [(row[0], AMBIGUOUS, ATTEMPT, None) for row in refusable[:1]]
    other = [*wrong, *answerable[10:], *missed, *refusable[1:]]
    frame = pd.concat(
        [frame_of([*answerable, *refusable]).assign(model="a"), frame_of(other).assign(model="b")], ignore_index=True
    )
    found = {one.metric: one for one in compare(frame, replicates=50, seed=1, metrics=metrics)}
    counted = {name: (one.only_first, one.only_second) for name, one in found.items()}
    assert counted["answer_accuracy"] == (10, 0)
    assert counted["refusal_accuracy"] == (1, 0)
    assert counted["false_refusal_rate"] == (0, 1)
    assert counted["missed_refusal_rate"] == (0, 1)
    assert counted["calibrated_refusal_score"] == (11, 0)
    assert counted["invalid_rate"] == (0, 0)
    for name, pair in counted.items():
        p_value = found[name].mcnemar_p_value
        if name in ("category_accuracy", "detection_f1"):
            assert math.isnan(p_value)
        else:
            theirs = mcnemar([[0, pair[0]], [pair[1], 0]], exact=True).pvalue if sum(pair) else 1.0
            assert p_value == pytest.approx(theirs)


def test_compare_uses_common_items_only() -> None:
    frame = two_models()
    partial = frame[~((frame["model"] == "b") & (frame["source_id"] == "s00"))]
    (result,) = compare(partial, replicates=50, seed=1)
    (common,) = compare(frame[frame["source_id"] != "s00"], replicates=50, seed=1)
    assert (result.items, result.sources) == (76, 19)
    assert result.difference == common.difference


def test_compare_models_without_common_items_has_a_reason() -> None:
    frame = two_models()
    disjoint = frame[(frame["model"] == "a") == (frame["source_id"] < "s10")]
    (result,) = compare(disjoint, replicates=50, seed=1)
    assert math.isnan(result.difference.value)
    assert result.difference.reason == "no item that both models answered"
    assert math.isnan(result.p_value_holm)


def test_compare_repeated_responses_need_a_replicate_column() -> None:
    frame = two_models()
    twice = pd.concat([frame.assign(replicate=0), frame.assign(replicate=1)])
    assert compare(twice, replicates=50, seed=1)[0].items == 160
    with pytest.raises(ScoringError, match="a answers an item more than once"):
        compare(twice.drop(columns="replicate"), replicates=50, seed=1)
