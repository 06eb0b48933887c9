"""Seconds and dollars of an answer, as boards and reviews show them."""

import pytest

from demur.warehouse.connection import reading
from demur.warehouse.home import Home
from tests.warehouse.gate_round import ROUND, changed


@pytest.mark.parametrize(
    ("provider", "costs", "dollars"),
    [
        ("openai", "[0.5, 0.1, 0.3]", 0.3),
        ("openai", "[NULL, NULL, NULL]", None),
        ("rules", "[0.0, 0.0, 0.0]", 0.0),
        ("respondent", "[0.0, 0.0, 0.0]", None),
        ("service", "[0.0, 0.0, 0.0]", None),
    ],
)
def test_cost_of_an_answer_is_known_for_models_and_not_for_systems(
    gate_home: Home, provider: str, costs: str, dollars: float | None
) -> None:
    changed(
        gate_home,
        "CREATE OR REPLACE VIEW live_responses AS "
        f"SELECT '{ROUND}' AS round_id, 'a1' AS respondent, unnest([1, 2, 3]) AS call_id",
        "CREATE OR REPLACE TABLE calls AS "
        "SELECT unnest([1, 2, 3]) AS call_id, unnest([2.0, 4.0, 9.0]) AS latency_seconds, "
        f"'{provider}' AS provider, unnest({costs}::DOUBLE[]) AS cost_usd",
    )
    with reading(gate_home, which="loader") as con:
        found = con.execute("SELECT answers, seconds_median, seconds_p95, usd_median FROM answer_costs").fetchall()
    assert found == [(3, 4.0, pytest.approx(8.5), dollars)]
