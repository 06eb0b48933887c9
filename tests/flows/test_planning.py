"""The plan of a round: counts that follow from the configuration, costs from tokens and prices."""

from pathlib import Path

import pytest

from flows.planning import plan_round
from tests.flows.rounds import write_config

pytestmark = pytest.mark.usefixtures("demur_home")


def test_plan_counts_follow_from_bases_strata_and_models(tmp_path: Path) -> None:
    planned = plan_round(str(write_config(tmp_path, bases=4, items_per_stratum=3)), None, None)
    units = {(row.stage, row.model): row.units for row in planned.rows}
    assert units["generate", "rules-terse"] == 4 * 18
    assert units["verify", "rules-strict"] == 4 * 18 * 2
    assert units["respond", "always-answers"] == 3 * 18 + 4
    assert units["judge", "rules-judge"] == (3 * 18 + 4) * 4


def test_plan_bases_replaced_counts_change(tmp_path: Path) -> None:
    planned = plan_round(str(write_config(tmp_path, bases=4)), None, 2)
    assert next(row.units for row in planned.rows if row.stage == "generate") == 2 * 18


def test_plan_says_how_many_fresh_rounds_the_corpus_holds(tmp_path: Path) -> None:
    planned = plan_round(str(write_config(tmp_path, bases=20)), None, None)
    assert any("69 base instances available" in note and "enough for 3 rounds of 20" in note for note in planned.notes)


def test_plan_cost_is_tokens_times_price_and_needs_no_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    model = {
        "name": "priced",
        "provider": "openai",
        "model": "anything",
        "parameters": {"max_tokens": 100},
        "prices": {"input_usd_per_million": 2.0, "output_usd_per_million": 10.0},
    }
    rules = [
        {"name": "rules-strict", "provider": "rules", "model": "verifier/strict"},
        {"name": "rules-judge", "provider": "rules", "model": "judge/patterns"},
        {"name": "rules-writer", "provider": "rules", "model": "writer/phrases"},
        {"name": "rules-grader", "provider": "rules", "model": "grader/patterns"},
    ]
    roles = {
        "screeners": [],
        "generators": ["priced"],
        "verifiers": ["rules-strict"],
        "respondents": ["priced"],
        "judges": ["rules-judge"],
        "writer": "rules-writer",
        "grader": "rules-grader",
    }
    planned = plan_round(str(write_config(tmp_path, bases=2, models=[model, *rules], roles=roles)), None, None)
    [row] = [row for row in planned.rows if row.stage == "generate"]
    assert row.input_tokens is not None
    assert row.output_tokens == 2 * 18 * 100
    assert row.cost_usd == pytest.approx((row.input_tokens * 2 + row.output_tokens * 10) / 1e6)
    assert any("not set: OPENAI_API_KEY" in note for note in planned.notes)
