import math
from collections.abc import Sequence

import krippendorff
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import fleiss_kappa as statsmodels_fleiss

from demur.scoring import ScoringError
from demur.scoring.agreement import agreement_estimate, cohen_estimate, krippendorff_alpha, rating_counts
from demur.scoring.bootstrap import FloatArray

FLEISS_1971 = np.array(
    [
        [0, 0, 0, 0, 14],
        [0, 2, 6, 4, 2],
        [0, 0, 3, 5, 6],
        [0, 3, 9, 2, 0],
        [2, 2, 8, 1, 1],
        [7, 7, 0, 0, 0],
        [3, 2, 6, 3, 0],
        [2, 5, 3, 2, 2],
        [6, 5, 2, 1, 0],
        [0, 2, 2, 3, 7],
    ],
    dtype=float,
)


def cohen_kappa(first: Sequence[object], second: Sequence[object]) -> float:
    units = pd.Series(range(len(first)))
    labels = [[str(label) for label in labels] for labels in (first, second)]
    return cohen_estimate(labels[0], labels[1], units, replicates=2, seed=1).value


def fleiss_kappa(counts: FloatArray) -> float:
    return agreement_estimate(counts, pd.Series(range(len(counts))), coefficient="fleiss", replicates=2, seed=1).value


def test_fleiss_unequal_panels_are_refused_with_the_remedy() -> None:
    with pytest.raises(ScoringError, match="Krippendorff's alpha allows gaps"):
        fleiss_kappa(np.array([[2.0, 1.0], [1.0, 1.0]]))


def test_fleiss_of_one_category_only_is_undefined() -> None:
    assert math.isnan(fleiss_kappa(np.array([[3.0, 0.0], [3.0, 0.0]])))


labels = st.integers(0, 3)


@settings(max_examples=30)
@given(st.lists(st.tuples(labels, labels), min_size=2, max_size=30))
def test_cohen_any_ratings_agree_with_scikit_learn(pairs: list[tuple[int, int]]) -> None:
    first, second = zip(*pairs, strict=True)
    ours = cohen_kappa(first, second)
    assert math.isnan(ours) == (len(set(first)) == 1 or len(set(second)) == 1)
    if not math.isnan(ours):
        assert ours == pytest.approx(cohen_kappa_score(first, second), abs=1e-12)


@settings(max_examples=30)
@given(st.lists(st.lists(labels, min_size=4, max_size=4), min_size=2, max_size=20))
def test_fleiss_any_panel_agrees_with_statsmodels(rows: list[list[int]]) -> None:
    counts = rating_counts(pd.DataFrame(rows))
    ours = fleiss_kappa(counts)
    if not math.isnan(ours):
        assert ours == pytest.approx(statsmodels_fleiss(counts), abs=1e-12)


@settings(max_examples=30)
@given(st.lists(st.lists(st.one_of(labels, st.none()), min_size=3, max_size=3), min_size=2, max_size=20))
def test_alpha_any_ratings_with_gaps_agree_with_krippendorff(rows: list[list[int | None]]) -> None:
    ratings = pd.DataFrame(rows, dtype=object)
    pairable = ratings[ratings.notna().sum(axis=1) >= 2]
    if len({value for value in pairable.to_numpy().ravel() if value is not None}) < 2:
        return
    theirs = krippendorff.alpha(ratings.astype(float).to_numpy().T, level_of_measurement="nominal")
    assert krippendorff_alpha(rating_counts(ratings)) == pytest.approx(theirs, abs=1e-12)


def test_agreement_estimate_brackets_its_value() -> None:
    sources = pd.Series([f"s{at}" for at in range(len(FLEISS_1971))])
    estimate = agreement_estimate(FLEISS_1971, sources, coefficient="fleiss", replicates=500, seed=1)
    assert estimate.value == pytest.approx(fleiss_kappa(FLEISS_1971))
    assert estimate.low < estimate.value < estimate.high
