from pathlib import Path

import pytest

from demur.engine.context import RoundContext
from demur.engine.loading import enforce_gate
from demur.errors import StageStopped
from demur.flows.rounds.request import read_round_config
from demur.warehouse.connection import close_kept, writing
from demur.warehouse.home import Home
from demur.warehouse.publication import publish
from demur.warehouse.results.query import query
from tests.flows.messages import messages
from tests.flows.rounds import holding
from tests.warehouse.gate_round import ROUND, whole_round
from tests.warehouse.gates import GATES

EMBEDDED = Path(__file__).parents[2] / "deployments" / "rounds" / "rules.yaml"
FAIL_ALL = "UPDATE verdicts SET outcome = 'fail', overall = false, lever_fidelity = false WHERE verifier = 'v2'"


@pytest.fixture
def context(tmp_path: Path) -> RoundContext:
    home = Home(tmp_path / "home")
    whole_round(home)
    return RoundContext(home, read_round_config(EMBEDDED), EMBEDDED.parent, ROUND, 7)


def stopping(context: RoundContext) -> RoundContext:
    gates = context.config.gates.model_copy(update={"stop_on_sample": True})
    config = context.config.model_copy(update={"gates": gates})
    return RoundContext(context.home, config, context.folder, context.round_id, context.seed)


def change(context: RoundContext, *statements: str) -> None:
    with writing(context.home, wait_seconds=1) as con:
        for sql in statements:
            con.execute(sql)


def test_integrity_gate_stops_with_a_query_that_shows_the_rows(context: RoundContext) -> None:
    change(
        context,
        "UPDATE verdicts SET verifier = 'v9' WHERE unit_id = 'verify-p-b1-P-Ambiguity-HIGH-g1-v1'",
        "UPDATE verdicts SET outcome = 'maybe' WHERE unit_id = 'verify-p-b1-P-Ambiguity-HIGH-g1-v2'",
        "DELETE FROM responses WHERE item_id = 'i-b1'",
    )
    with pytest.raises(StageStopped) as stopped:
        enforce_gate(context, GATES["verify"])
    message = str(stopped.value)
    assert message.startswith("verify: the integrity gate stops the round. Every outcome is one of pass, fail,")
    assert "outcome_in_vocabulary (verdicts: outcome): observed 1 row; the first: unit_id verify-p-b1" in message
    assert "unknown_outcome maybe, allowed 0 rows." in message
    assert "verifiers_unknown failed too" in message
    sql = message.split('demur sql "')[1].split('"')[0]
    publish(context.home)
    [row] = query(context.home, sql, limit=None).rows
    assert row[0] == "verify-p-b1-P-Ambiguity-HIGH-g1-v2"
    assert row[-1] == "maybe"
    lost = r"units_accounted \(responses\): observed 2 rows; .*works on the missing units$"
    with pytest.raises(StageStopped, match=lost):
        enforce_gate(context, GATES["respond"])


def test_sample_gate_warns_with_bound_and_query_or_stops_where_it_is_configured_to(context: RoundContext) -> None:
    change(context, FAIL_ALL)
    with messages() as told:
        assert enforce_gate(context, GATES["verify"])
        assert not enforce_gate(context, GATES["verify"], changed=False), "the stage had no work: as it stands"
    message, again = told
    assert message == again, "what was to be minded then is still to be minded"
    assert message.startswith("verify: the sample gate warns: acceptance is 0 of 14 (0; 95 % interval 0 to 0.232) for")
    assert "gates.acceptance wants at least 0.3. `demur sql \"SELECT 'candidates' AS subject," in message
    for changed in (True, False):  # the results that stand stop the round just as well
        with pytest.raises(StageStopped, match=r"acceptance is 0 of 14 .* gates.stop_on_sample is set"):
            enforce_gate(stopping(context), GATES["verify"], changed=changed)


def test_sample_gate_warns_once_for_all_subjects_of_a_measure(context: RoundContext) -> None:
    change(
        context,
        "UPDATE rounds SET config = json_merge_patch(config, '{\"items_per_stratum\": 8}')",
        "DELETE FROM units WHERE stage = 'assemble' AND unit_id LIKE '%LOW%'",
    )
    with messages() as told:
        enforce_gate(context, GATES["assemble"])
    [message] = told
    assert "coverage is 0 of 8 (0; 95 % interval 0 to 0.369) for P-Ambiguity LOW and for 1 more" in message


def test_gate_that_is_met_says_nothing_and_waits_for_the_warehouse_as_all_else_does(context: RoundContext) -> None:
    with messages() as told:
        assert enforce_gate(context, GATES["verify"])
        assert told == []
        close_kept()
        with holding(context.home.loader, seconds=2) as holder:
            assert not enforce_gate(context, GATES["verify"], changed=False)
    assert any(f"PID {holder.pid}" in message for message in told)
