import math

import pytest

from demur.scoring.model_comparisons import drift
from demur.scoring.refusal_scores import score
from tests.scoring.test_paired import two_models


def test_drift_of_independent_rounds_has_the_variance_of_both() -> None:
    before, after = two_models(60, seed=1), two_models(60, seed=2)
    after["source_id"] = "new-" + after["source_id"]
    found = {result["respondent"]: result for result in drift(before, after, replicates=2000, seed=5)}
    earlier, later = (
        {s.model: s.metrics["calibrated_refusal_score"] for s in score(frame, replicates=2000, seed=6, slices=())}
        for frame in (before, after)
    )
    assert list(found) == ["a", "b"]
    for model, result in found.items():
        assert result["difference"] == pytest.approx(later[str(model)].value - earlier[str(model)].value)
        assert result["se"] == pytest.approx(math.hypot(later[str(model)].se, earlier[str(model)].se), rel=0.1)
        assert (result["sources_earlier"], result["sources"], result["sources_shared"]) == (60, 60, 0)


def test_drift_of_a_round_against_itself_is_zero_without_doubt() -> None:
    frame = two_models()
    (first, _) = drift(frame, frame, replicates=100, seed=5)
    assert (first["difference"], first["se"], first["p_value"], first["sources_shared"]) == (0.0, 0.0, 1.0, 20)
