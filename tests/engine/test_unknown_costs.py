"""Costs of models without prices are not known: null in data, in words on pages, and never $0.00."""

from pathlib import Path

import pytest

from demur.engine.state.shared import shared_state
from demur.reports.tables.named import named_table, text_of
from demur.warehouse.connection import reading, writing
from demur.warehouse.home import Home
from demur.warehouse.publication import publish
from tests.engine.test_calls import put
from tests.engine.test_spending import fold
from tests.warehouse.examples import call

NONE = dict.fromkeys(("input_usd_per_million", "output_usd_per_million", "cost_usd", "reserved_usd", "charged_usd"))
FREE = {"cost_usd": 0.0, "reserved_usd": 0.0, "charged_usd": 0.0, "role": "judge", "model": "patterns"}
PAID = {"cost_usd": 2.0, "reserved_usd": 3.0, "charged_usd": 2.0, "model": "dear"}
UNCOUNTED = {"cost_usd": None, "input_tokens": None, "output_tokens": None, "reserved_usd": 3.0, "charged_usd": 3.0}
SUMS = ("cost_usd", "unsure_usd", "counted_usd")


def costs(tmp_path: Path, *calls: dict[str, object]) -> dict[str, str]:
    """The texts of all tables of costs of a round with these calls, and the sums under `sums`."""
    home = Home(tmp_path)
    put(shared_state(home), *calls)
    with writing(home, wait_seconds=0) as con:
        fold(con, home, shared_state(home))
    publish(home)
    names = ("costs_total", "costs_by_stage", "costs_by_model", "costs_per_item")
    with reading(home) as con:
        tables = {name: named_table(name).read(con, round="r1") for name in names}
        [sums] = con.execute(f"SELECT {', '.join(SUMS)} FROM round_spending WHERE round_id = 'r1'").fetchall()
    return {name: text_of(table, 200) for name, table in tables.items()} | {"sums": repr(sums)}


def test_cost_without_a_price_is_not_known_beside_free_models(tmp_path: Path) -> None:
    found = costs(tmp_path, call(1, **NONE), call(2, **FREE))
    assert found["sums"] == "(None, None, None)"
    assert "$0.00" not in found["costs_total"], found["costs_total"]
    assert "$0.00" not in found["costs_by_stage"], found["costs_by_stage"]
    assert "price not known" in found["costs_total"] and "price not known" in found["costs_by_stage"]
    assert "price not known" in found["costs_by_model"]


def test_cost_without_a_price_leaves_what_is_known_and_the_sum_unknown(tmp_path: Path) -> None:
    found = costs(tmp_path, call(1, **NONE), call(2, **PAID))
    assert found["sums"] == "(2.0, None, None)"
    assert "$2.00" in found["costs_by_model"] and "price not known" in found["costs_by_model"]


def test_cost_without_tokens_says_so_and_counts_its_bound(tmp_path: Path) -> None:
    found = costs(tmp_path, call(1, **UNCOUNTED))
    assert found["sums"] == "(0.0, 3.0, 3.0)"
    assert "tokens not counted" in found["costs_by_model"] and "price not known" not in found["costs_by_model"]


@pytest.mark.parametrize("calls", [[FREE], [FREE, PAID]])
def test_cost_of_models_with_prices_is_their_sum(calls: list[dict[str, object]], tmp_path: Path) -> None:
    found = costs(tmp_path, *(call(number, **one) for number, one in enumerate(calls)))
    assert found["sums"] == repr((2.0 * (len(calls) - 1), 0.0, 2.0 * (len(calls) - 1)))
