"""The plan of a round: counts that follow from the configuration, costs from tokens and prices."""

import re
from pathlib import Path
from typing import Any

import pytest

from demur.configuration.round_config import SHIPPED
from demur.errors import ConfigError
from demur.flows.planning.round_plan import plan_round
from demur.flows.rounds.request import RoundRequest
from demur.programs.compiled import ProgramKind, program_of
from demur.programs.signatures.completions import Grade, PropositionQuestion
from demur.warehouse.arrow_rows import to_arrow
from demur.warehouse.connection import writing
from demur.warehouse.home import Home
from demur.warehouse.tables import Table
from tests.flows.rounds import write_config
from tests.flows.stages.test_draw import drawn, pretend_round
from tests.warehouse.examples import NOON, call_row, perturbation

pytestmark = pytest.mark.usefixtures("demur_home")


def test_plan_counts_follow_from_bases_strata_and_models(tmp_path: Path) -> None:
    planned = plan_round(RoundRequest(str(write_config(tmp_path, items_per_stratum=3)), bases=4))
    units = {(row.stage, row.model): row.units for row in planned.rows}
    assert units["generate", "rules-terse"] == 4 * 18
    assert units["verify", "rules-editor"] == 4 * 18 * 2
    assert units["respond", "always-answers"] == 3 * 18 + 4
    assert units["judge", "rules-judge"] == (3 * 18 + 4) * 4 / 2, "half of the responses are taken to be one code"


def test_plan_says_how_many_fresh_rounds_the_corpus_holds(tmp_path: Path) -> None:
    for policy, rounds in ("never", "3 rounds"), ("allow", "any number of rounds"):
        planned = plan_round(RoundRequest(str(write_config(tmp_path, bases=20, base_reuse={"policy": policy}))))
        [note] = [note for note in planned.notes if "69 base instances available" in note]
        assert f"enough for {rounds} of 20; " in note and note.endswith("69 kept (letters 66, yes_no 3), 0 left out")


def test_plan_where_every_base_rests_is_refused_with_the_remedy(tmp_path: Path, demur_home: Path) -> None:
    order = drawn(tmp_path, demur_home).order
    pretend_round(demur_home, tmp_path, "earlier", order)
    path = write_config(tmp_path, bases=4, base_reuse={"policy": "never"})
    with pytest.raises(
        ConfigError, match=rf"has 0 base instances to give, {len(order)} rest .* or use a larger corpus"
    ):
        plan_round(RoundRequest(str(path)))


def test_suggested_cap_of_frontier_holds_its_estimate() -> None:
    suggested = float(re.search(r"--max-usd (\d+)", (SHIPPED / "frontier.yaml").read_text("utf-8"))[1])  # type: ignore[index]
    estimate = sum(row.cost_usd or 0.0 for row in plan_round(RoundRequest("frontier")).rows)
    assert 0.6 * suggested < estimate < suggested


def test_plan_of_models_that_reason_takes_a_share_of_max_tokens(tmp_path: Path) -> None:
    thinking = {"model": {"parameters": {"max_tokens": 4000, "reasoning_effort": "high"}}}
    [row, *_] = [row for row in plan_round(RoundRequest(priced(tmp_path, **thinking))).rows if row.model == "priced"]
    assert row.basis == "25% of max_tokens" and row.output_tokens == row.calls * 1000


def priced(folder: Path, **changes: Any) -> str:
    """Write a round in which one model with prices generates and responds, and rules do the rest."""
    model = {
        "name": "priced",
        "provider": "openai",
        "model": "anything",
        "parameters": {"max_tokens": 100},
        "prices": {"input_usd_per_million": 2.0, "output_usd_per_million": 10.0},
        **changes.pop("model", {}),
    }
    rules = [
        {"name": "rules-editor", "provider": "rules", "model": "verifier/editor"},
        {"name": "rules-judge", "provider": "rules", "model": "judge/patterns"},
        {"name": "rules-writer", "provider": "rules", "model": "writer/phrases"},
        {"name": "rules-grader", "provider": "rules", "model": "grader/patterns"},
    ]
    roles = {
        "screeners": [],
        "generators": ["priced"],
        "verifiers": ["rules-editor"],
        "respondents": ["priced"],
        "judges": ["rules-judge"],
        "writer": "rules-writer",
        "grader": "rules-grader",
        **changes.pop("roles", {}),
    }
    return str(write_config(folder, bases=2, models=[model, *rules], roles=roles, **changes))


def test_plan_cost_is_tokens_times_price_and_needs_no_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    planned = plan_round(RoundRequest(priced(tmp_path)))
    [row] = [row for row in planned.rows if row.stage == "generate"]
    assert row.input_tokens is not None
    assert row.output_tokens == 2 * 18 * 100 and row.basis == "recorded replies"
    assert row.cost_usd == pytest.approx((row.input_tokens * 2 + row.output_tokens * 10) / 1e6, rel=1e-4)
    at_most = 2 * (row.input_tokens * 1.35 * 2 + 2 * 18 * 100 * 10) / 1e6  # every perturbation may go back once
    assert row.ceiling_usd == pytest.approx(at_most, rel=1e-4)
    assert any("not set: OPENAI_API_KEY" in note for note in planned.notes)


def test_plan_counts_what_is_verified_again_where_verdicts_are_repaired(tmp_path: Path) -> None:
    def verified(**generation: Any) -> tuple[int, int]:
        settings = {"lever_choice": "assigned", "replicates": 1, **generation}
        planned = plan_round(RoundRequest(priced(tmp_path, generation=settings)))
        [row] = [row for row in planned.rows if row.stage == "verify"]
        return row.units, row.most_units

    assert verified() == verified(repairs=2) == (36, 36)
    assert verified(repair_verdicts=True) == (36, 72)
    assert verified(repair_verdicts=True, repairs=2) == (36, 108)


def test_plan_counts_the_demonstrations_of_a_compiled_program(tmp_path: Path) -> None:
    def sizes(folder: str, **changes: Any) -> dict[str, float]:
        (tmp_path / folder).mkdir()
        found = plan_round(
            RoundRequest(priced(tmp_path / folder, roles={"verifiers": ["priced"], "grader": "priced"}, **changes))
        )
        return {row.stage: (row.input_tokens or 0) / row.calls for row in found.rows if row.model == "priced"}

    program = program_of(ProgramKind.GRADER)
    asked = {"question": "Does it apologise? " * 50, "definition": "It says sorry."}
    question = PropositionQuestion(name="apology", **asked, example_true="Sorry.", example_false="No.")
    shown = {
        "policy": "safety",
        "refusal_codes": (),
        "propositions": (question,),
        "prompt": "Hello",
        "grounding": None,
        "completion": "Hi",
    }
    program.grade.demos = [shown | {"grades": (Grade(proposition="apology", probability=0.0),)}] * 3
    program.save(tmp_path / "grader.json")
    plain, compiled = sizes("plain"), sizes("compiled", compiled={"grader": "../grader.json"})
    assert {stage for stage in plain if plain[stage] != compiled[stage]} == {"grade"}
    added = compiled["grade"] - plain["grade"]
    assert 3 * 50 * 4 < added < 3 * 50 * 8, "three questions of fifty times three words"


def test_plan_says_how_much_of_the_caps_it_takes_and_which_prices_are_missing(tmp_path: Path) -> None:
    planned = plan_round(RoundRequest(priced(tmp_path, budget={"max_usd": 50, "stages": {"generate": 0.01}})))
    notes = "\n".join(planned.notes)
    assert "budget.max_usd $50.00: the estimate takes" in notes
    assert "budget.stages.generate $0.01: the estimate takes" in notes and "the round will stop there" in notes
    unpriced = priced(tmp_path, model={"prices": None, "base_url": "http://127.0.0.1:9/v1"})
    notes = "\n".join(plan_round(RoundRequest(unpriced, max_usd=5.0)).notes)
    assert "calls, cost not known, without priced, whose prices are unknown" in notes and "$0.00" not in notes
    assert "does not start while the prices of priced are unknown" in notes


def test_plan_learns_from_replies_and_estimates_of_earlier_rounds(tmp_path: Path, demur_home: Path) -> None:
    """Thirty units took forty calls of 60 tokens each, and the provider counted half as many input tokens again."""
    first = next(row for row in plan_round(RoundRequest(priced(tmp_path))).rows if row.stage == "generate")
    said = {"provider": "openai", "provider_model": "anything", "model": "priced", "input_tokens": 1500}
    calls = [
        call_row(n, unit_id=f"u{n % 30}", cached_tokens=750, output_tokens=60, **said) | {"started_at": NOON}
        for n in range(40)
    ]
    estimate = {
        "round_id": "r1", "stage": "generate", "role": "generator", "model": "priced", "units": 30, "calls": 10,
        "input_tokens": 10_000, "basis": "b", "config_digest": "c", "planned_at": NOON,
    }  # fmt: skip
    _insert(demur_home, Table.CALLS, calls)
    _insert(demur_home, Table.ESTIMATES, [estimate])
    row = next(row for row in plan_round(RoundRequest(priced(tmp_path))).rows if row.stage == "generate")
    assert first.input_tokens is not None and row.input_tokens is not None and row.output_tokens is not None
    assert row.basis == "40 calls of earlier rounds"
    assert row.calls == 48 and row.output_tokens == 48 * 60
    assert row.input_tokens == pytest.approx(first.input_tokens * 40 / 30 * 1.5, rel=1e-3)


def test_plan_takes_yields_of_the_same_generators(tmp_path: Path, demur_home: Path) -> None:
    plan_round(RoundRequest(priced(tmp_path)))
    made = [
        perturbation(n, generator="priced", status="declined", reason="nothing fits", **_NOTHING) for n in range(60)
    ]
    _insert(demur_home, Table.PERTURBATIONS, made)
    units = [{"round_id": "r1", "stage": "generate", "unit_id": f"u{n}", "ordinal": n} for n in range(60)]
    _insert(demur_home, Table.UNITS, units)
    rows = {row.stage: row for row in plan_round(RoundRequest(priced(tmp_path))).rows}
    assert rows["verify"].units == 0 and rows["verify"].most_units == 36
    assert rows["respond"].units == 2 < rows["respond"].most_units


_NOTHING: dict[str, object] = {**dict.fromkeys(("lever_id", "lever", "question", "content_key")), "changed": []}


def _insert(home: Path, table: Table, rows: list[dict[str, object]]) -> None:
    with writing(Home(home), wait_seconds=5) as con:
        con.register("batch", to_arrow(table, rows, "test"))
        con.execute(f"INSERT INTO {table} BY NAME SELECT * FROM batch")
