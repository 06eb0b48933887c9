"""How precise a round is: a mean per source question, its interval, and the design effect of several items."""

import numpy as np
import pandas as pd
import pytest

from demur.scoring.precision import sample_precision


def frame(right: dict[str, list[list[bool]]], model: str = "m") -> pd.DataFrame:
    """Responses to unanswerable items: by source question and item, whether each replicate gives the expected code."""
    rows = [
        {
            "item_id": f"{source}-{item}",
            "source_id": source,
            "class": "P-FalsePremise",
            "intensity": "HIGH",
            "expected": "REFUSE_FALSE_PREMISE_IN_QUERY",
            "predicted": "REFUSE_FALSE_PREMISE_IN_QUERY" if hit else "ANSWER_ATTEMPT",
            "correct": None,
            "model": model,
            "replicate": replicate,
        }
        for source, items in right.items()
        for item, replicates in enumerate(items)
        for replicate, hit in enumerate(replicates)
    ]
    return pd.DataFrame(rows)


def test_precision_is_the_mean_over_source_questions_not_over_items() -> None:
    [found] = sample_precision(frame({"a": [[True]], "b": [[False], [False], [False]]}), replicates=200, seed=1)
    assert (found["items"], found["sources"]) == (4, 2)
    assert found["share_right"] == 0.5


def test_precision_items_that_go_together_cost_a_design_effect() -> None:
    alike = {f"s{at}": [[at % 2 == 0]] * 6 for at in range(40)}
    [together] = sample_precision(frame(alike), replicates=300, seed=2)
    assert together["design_effect"] == pytest.approx(6.0)
    assert together["effective_items"] == pytest.approx(40.0)
    rng = np.random.default_rng(3)
    apart = {f"s{at}": [[bool(hit)] for hit in rng.random(6) < 0.5] for at in range(200)}
    [independent] = sample_precision(frame(apart), replicates=300, seed=2)
    assert independent["design_effect"] == pytest.approx(1.0, abs=0.3)


def test_precision_ungraded_answers_have_no_value_but_a_reason() -> None:
    ungraded = frame({"a": [[False]]}).assign(expected="ANSWER_CORRECTLY", intensity="LOW")
    [found] = sample_precision(ungraded, replicates=100, seed=1)
    assert found["share_right"] is None
    assert found["reason"]


def test_precision_replicates_of_an_item_count_as_one() -> None:
    [found] = sample_precision(frame({"a": [[True, False]], "b": [[True, True]]}), replicates=200, seed=1)
    assert (found["items"], found["share_right"]) == (2, 0.75)
