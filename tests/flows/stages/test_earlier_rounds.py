"""Drift between rounds: against the round before and the first one, for models that are the same in both."""

import json
from collections.abc import Mapping
from pathlib import Path

import pandas as pd
import pytest

from demur.configuration.round_config import SHIPPED, RoundConfig
from demur.engine.context import RoundContext
from demur.flows.rounds.request import read_round_config
from demur.flows.stages.responses.score import FOLDER, SCORE, earlier_responses
from demur.levers.vocabulary import Layout
from demur.scoring import VERSION
from demur.scoring.model_comparisons import drift
from demur.scoring.precision import half_width
from demur.scoring.table_rows import Bootstrap, drift_rows, scored_rows
from demur.warehouse.arrow_rows import to_arrow
from demur.warehouse.connection import writing
from demur.warehouse.home import Home
from demur.warehouse.round_rows import RoundRow, open_round
from demur.warehouse.statements import named_frame, row_set
from demur.warehouse.tables import Table
from demur.warehouse.transactions import Connection
from tests.warehouse.examples import ROWS

CODE = "REFUSE_FALSE_PREMISE_IN_QUERY"
STARTS = {"first": "2026-01-01", "second": "2026-01-08", "third": "2026-01-15", "now": "2026-01-22"}


def changed(config: RoundConfig, name: str) -> RoundConfig:
    """The configuration with another way of asking one of its models."""
    models = tuple(
        spec.model_copy(update={"model": "respondent/always-refuses"}) if spec.name == name else spec
        for spec in config.models
    )
    return config.model_copy(update={"models": models})


def with_round(
    con: Connection,
    round_id: str,
    config: RoundConfig,
    hits: int,
    name: str = "weekly",
    asked_as: Mapping[str, str | None] | None = None,
    version: int | None = VERSION,
) -> None:
    """Write down a scored round of ten items on ten source questions, so many of them refused rightly by everybody.

    `asked_as` are fingerprints of models, where they are not those that the configuration gives. `version` is the
    scoring version of its scores.
    """
    recorded = config.recorded()
    roles = config.roles
    [judge] = roles.judges
    open_round(
        con,
        RoundRow(
            round_id, name, 1, Layout.SINGLE.value, 10, (), (), (), roles.respondents, roles.judges, recorded, "d", "c"
        ),
    )
    con.execute("UPDATE rounds SET started_at = ? WHERE round_id = ?", [STARTS[round_id], round_id])
    for unit, stage in (("i", "assemble"), ("r", "respond"), ("j", "judge"), ("s", "score")):
        con.execute(
            "INSERT INTO units (round_id, stage, unit_id, ordinal) VALUES (?, ?, ?, 0)",
            [round_id, stage, f"{round_id}-{unit}"],
        )
    fingerprints = {spec.name: spec.fingerprint for spec in config.models} | dict(asked_as or {})
    rows: dict[Table, list[dict[str, object]]] = {
        Table.ITEMS: [],
        Table.RESPONSES: [],
        Table.JUDGEMENTS: [],
        Table.CALLS: [],
    }
    for at in range(10):
        item = f"{round_id}-{at}"
        stratum = {"round_id": round_id, "class": "P-FalsePremise", "intensity": "HIGH", "item_id": item}
        rows[Table.ITEMS].append(
            ROWS[Table.ITEMS] | stratum | {"unit_id": f"{round_id}-i", "base_id": item, "expected": CODE}
        )
        for respondent in roles.respondents:
            answer = stratum | {"response_id": f"{item}-{respondent}", "respondent": respondent}
            calls = {
                name: {"call_id": f"{answer['response_id']}-{name}", "round_id": round_id, "model": name}
                for name in (respondent, judge)
            }
            rows[Table.CALLS] += [
                ROWS[Table.CALLS] | call | {"fingerprint": fingerprints[name]} for name, call in calls.items()
            ]
            rows[Table.RESPONSES].append(
                ROWS[Table.RESPONSES]
                | answer
                | {"unit_id": f"{round_id}-r", "base_id": item, "call_id": calls[respondent]["call_id"]}
            )
            judged = {"predicted": CODE if at < hits else "ANSWER_ATTEMPT", "quality": None, "correct": None}
            rows[Table.JUDGEMENTS].append(
                ROWS[Table.JUDGEMENTS]
                | answer
                | judged
                | {"unit_id": f"{round_id}-j", "judge": judge, "call_id": calls[judge]["call_id"]}
            )
    for table, found in rows.items():
        con.from_arrow(to_arrow(table, found, table)).insert_into(table)
    con.execute(
        "INSERT INTO scores BY NAME SELECT $r AS round_id, $r || '-s' AS unit_id, 'x' AS respondent, 'j' AS judge, "
        "'overall' AS slice, 'overall' AS slice_value, 'm' AS metric, 0 AS n, $version AS scoring_version",
        {"r": round_id, "version": version},
    )


@pytest.fixture
def config() -> RoundConfig:
    return read_round_config(SHIPPED / "rules.yaml")


def judged(con: Connection, round_id: str) -> pd.DataFrame:
    values = [round_id, None, None]
    return named_frame(con, FOLDER / "plan.sql", values, row_set(con, FOLDER / "plan.sql", values))


def context(home: Home, config: RoundConfig) -> RoundContext:
    return RoundContext(home, config, SHIPPED, "now", 1)


def test_earlier_rounds_are_the_one_before_and_the_first_of_the_configuration(
    tmp_path: Path, config: RoundConfig
) -> None:
    home = Home(tmp_path)
    with writing(home, wait_seconds=0) as con:
        for round_id, hits in (("first", 2), ("second", 4), ("third", 6), ("now", 8)):
            with_round(con, round_id, config, hits)
        found = earlier_responses(context(home, config), con)
        [unit] = SCORE.plan(context(home, config), con)
    assert list(found) == ["third", "first"]
    assert {of["judged"]["rows"] for of in found.values()} == {10 * len(config.roles.respondents)}
    assert list(json.loads(unit.payload)["earlier"]) == ["third", "first"]


def test_earlier_rounds_of_other_models_or_configurations_do_not_count(tmp_path: Path, config: RoundConfig) -> None:
    home = Home(tmp_path)
    with writing(home, wait_seconds=0) as con:
        with_round(con, "first", config, 2, name="other")
        with_round(con, "second", changed(config, "always-answers"), 4)
        with_round(con, "now", config, 8)
        found = earlier_responses(context(home, config), con)
    assert list(found) == ["second"]
    assert set(found["second"]["respondents"]) == set(config.roles.respondents) - {"always-answers"}
    assert found["second"]["judged"]["rows"] == 10 * len(found["second"]["respondents"])


def test_earlier_rounds_of_rules_that_have_changed_since_do_not_count(tmp_path: Path, config: RoundConfig) -> None:
    """What counts is the fingerprint that was written down with each call: names and configuration tell nothing."""
    home, other = Home(tmp_path), {"always-answers": "0123456789abcdef", "always-refuses": "fedcba9876543210"}
    with writing(home, wait_seconds=0) as con:
        with_round(con, "third", config, 4, asked_as=other)
        with_round(con, "now", config, 8)
        found = earlier_responses(context(home, config), con)
    assert set(found["third"]["respondents"]) == set(config.roles.respondents) - set(other)


@pytest.mark.parametrize("version", [None, VERSION - 1, VERSION + 1])
def test_earlier_rounds_of_other_scoring_versions_do_not_count(
    tmp_path: Path, config: RoundConfig, version: int | None
) -> None:
    home = Home(tmp_path)
    with writing(home, wait_seconds=0) as con:
        with_round(con, "second", config, 4)
        with_round(con, "third", config, 4, version=version)
        with_round(con, "now", config, 8)
        found = earlier_responses(context(home, config), con)
    assert list(found) == ["second"]


def test_first_round_has_no_drift(tmp_path: Path, config: RoundConfig) -> None:
    home = Home(tmp_path)
    with writing(home, wait_seconds=0) as con:
        with_round(con, "now", config, 8)
        assert earlier_responses(context(home, config), con) == {}


@pytest.mark.parametrize("those", ["predicted <> 'ANSWER_ATTEMPT'", "true"])
def test_codes_that_no_judge_was_asked_about_leave_judge_and_round_comparable(
    tmp_path: Path, config: RoundConfig, those: str
) -> None:
    home = Home(tmp_path)
    with writing(home, wait_seconds=5) as con:
        with_round(con, "third", config, 6)
        with_round(con, "now", config, 8)
        con.execute(f"UPDATE judgements SET judged_by = 'code', call_id = NULL WHERE {those}")
        found = earlier_responses(context(home, config), con)
    assert found["third"]["judges"] == list(config.roles.judges)


def test_drift_of_the_view_is_that_of_scoring_and_of_the_scores(tmp_path: Path, config: RoundConfig) -> None:
    home, how = Home(tmp_path), Bootstrap(200, 7)
    with writing(home, wait_seconds=0) as con:
        with_round(con, "third", config, 6)
        with_round(con, "now", config, 8)
        sides = {round_id: judged(con, round_id) for round_id in ("third", "now")}
        assert earlier_responses(context(home, config), con)["third"]["judged"]["rows"] == len(sides["third"])
        earlier = {"third": sides["third"]}
        con.execute("DELETE FROM scores")
        for round_id, frame in sides.items():
            tables = scored_rows(frame, how, {})
            if round_id == "now":
                tables["drifts"] = list(drift_rows(frame, earlier, how))
            for table in ("scores", "sample_precision", "drifts"):
                given = [{"round_id": round_id, "unit_id": f"{round_id}-s", **row} for row in tables.get(table, [])]
                con.from_arrow(to_arrow(Table(table), given, table)).insert_into(table)
        seen = con.execute("SELECT * FROM score_drift WHERE metric = 'refusal_accuracy' ORDER BY respondent").df()
        reach = con.execute("SELECT * FROM round_precision WHERE round_id = 'now'").df()
    wanted = list(drift(sides["third"], sides["now"], replicates=200, seed=7, metrics=["refusal_accuracy"]))
    assert list(seen["respondent"]) == [one["respondent"] for one in wanted]
    assert seen["difference"].tolist() == pytest.approx([0.2] * 4)
    assert (seen["value"] - seen["earlier_value"]).tolist() == pytest.approx([0.2] * 4)
    assert seen["low"].tolist() == pytest.approx([one["low"] for one in wanted])
    assert set(seen["sources_shared"]) == {0}
    assert reach["half_width"].tolist() == pytest.approx([half_width(10, 0.05, 1)] * 4)
    assert reach["half_width_all_rounds"].tolist() == pytest.approx([half_width(10, 0.05, 2)] * 4)
