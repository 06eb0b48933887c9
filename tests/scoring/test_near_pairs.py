"""Near pairs: who gets both right, and that who always does one thing gets none."""

import math

import pandas as pd
import pytest

from demur.levers.vocabulary import Code
from demur.scoring.difficulty import pair_scores

ANSWERED, REFUSED = "ANSWER_ATTEMPT", Code.AMBIGUOUS.value


def paired(control: str, item: str, bases: int = 10, correct: bool | None = True, **more: object) -> pd.DataFrame:
    rows = []
    for base in range(bases):
        stratum = {"class": "P-Ambiguity", "intensity": "HIGH", "expected": REFUSED, "kind": "perturbed"}
        plain = {"class": None, "intensity": None, "expected": Code.ANSWER_CORRECTLY.value, "kind": "control"}
        shared = {"source_id": f"b{base}", "replicate": 0, "model": "m", "correct": correct, "in_pair": True, **more}
        rows.append({"item_id": f"c{base}", "predicted": control, **plain, **shared})
        rows.append({"item_id": f"i{base}", "predicted": item, **stratum, **shared})
        rows.append({"item_id": f"x{base}", "predicted": ANSWERED, **stratum, **shared, "in_pair": False})
    return pd.DataFrame(rows)


@pytest.mark.parametrize(
    ("control", "item", "share"),
    [(ANSWERED, REFUSED, 1.0), (ANSWERED, ANSWERED, 0.0), (REFUSED, REFUSED, 0.0), (REFUSED, ANSWERED, 0.0)],
)
def test_pair_counts_only_where_both_are_right(control: str, item: str, share: float) -> None:
    found = pair_scores(paired(control, item), replicates=100, seed=1)["m"]
    assert (found.value, found.n, found.sources) == (share, 10, 10)


def test_pair_scores_have_an_interval_over_source_questions() -> None:
    frame = pd.concat([paired(ANSWERED, REFUSED, 6), paired(ANSWERED, ANSWERED, 4).replace(r"^b", "z", regex=True)])
    found = pair_scores(frame, replicates=500, seed=1)["m"]
    assert found.value == pytest.approx(0.6) and 0.25 < found.low < 0.45 and 0.75 < found.high < 0.95


def test_pairs_of_which_one_response_each_is_judged_have_no_score_but_a_reason() -> None:
    controls = paired(ANSWERED, REFUSED).query("kind == 'control'")
    found = pair_scores(controls, replicates=100, seed=1)["m"]
    assert (found.n, found.reason) == (0, "no near pair has two judged responses") and math.isnan(found.value)
