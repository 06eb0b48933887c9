"""Agreement of keys with what respondents' instructions demand, and scores without contested strata."""

from demur.warehouse.connection import reading
from demur.warehouse.home import Home
from tests.warehouse.gate_round import ROUND, changed

READ = """
    UPDATE verdicts SET
        demanded = CASE
            WHEN class = 'P-Ambiguity' AND intensity = 'LOW' THEN 'REFUSE_AMBIGUOUS_QUERY'
            WHEN class = 'P-MissingInfo' AND intensity = 'HIGH' THEN
                CASE verifier WHEN 'v1' THEN 'REFUSE_INFO_MISSING_IN_CONTEXT' ELSE 'REFUSE_GRANULARITY_MISMATCH' END
            WHEN intensity = 'LOW' THEN 'ANSWER_CORRECTLY'
            ELSE 'REFUSE_AMBIGUOUS_QUERY'
        END,
        also_defensible = CASE WHEN class = 'P-Ambiguity' THEN ['ANSWER_CORRECTLY'] ELSE [] END
    WHERE outcome = 'pass'
"""


def test_key_is_contested_where_fewer_than_half_of_blind_readings_agree(gate_home: Home) -> None:
    changed(gate_home, READ)
    with reading(gate_home, which="loader") as con:
        found = con.execute(
            "SELECT class, intensity, agreement, defensible / readings, is_contested FROM key_agreement "
            "WHERE round_id = ? ORDER BY ALL",
            [ROUND],
        ).fetchall()
        per_item = con.execute("SELECT DISTINCT readings / items FROM key_agreement").fetchall()
    assert found == [
        ("P-Ambiguity", "HIGH", 1.0, 1.0, False),
        ("P-Ambiguity", "LOW", 0.0, 1.0, True),
        ("P-MissingInfo", "HIGH", 0.5, 0.5, False),
        ("P-MissingInfo", "LOW", 1.0, 1.0, False),
    ]
    assert per_item == [(2.0,)]


COUNTED = f"""
    CREATE OR REPLACE VIEW live_response_counts AS
    SELECT '{ROUND}' AS round_id, 'a1' AS respondent, 'j1' AS judge, 'perturbed' AS kind, 'single' AS layout, *,
        NULL AS domain, NULL AS language, NULL AS lever_id, NULL::BOOLEAN AS eligible, NULL::BOOLEAN AS supported_all,
        NULL::BOOLEAN AS supported_relevant, NULL AS confidence, NULL AS reaction, false AS refused_by_provider
    FROM (VALUES
        ('P-Ambiguity', 'LOW', 'ANSWER_CORRECTLY', 'REFUSE_AMBIGUOUS_QUERY', NULL, 4),
        ('P-MissingInfo', 'LOW', 'ANSWER_CORRECTLY', 'ANSWER_ATTEMPT', true, 3),
        ('P-MissingInfo', 'LOW', 'ANSWER_CORRECTLY', 'ANSWER_ATTEMPT', false, 1),
        ('P-Ambiguity', 'HIGH', 'REFUSE_AMBIGUOUS_QUERY', 'REFUSE_AMBIGUOUS_QUERY', NULL, 1),
        ('P-MissingInfo', 'HIGH', 'REFUSE_INFO_MISSING_IN_CONTEXT', 'REFUSE_AMBIGUOUS_QUERY', NULL, 1)
    ) AS counted(class, intensity, expected, predicted, correct, responses)
"""


def test_uncontested_score_leaves_contested_strata_out_and_says_which(gate_home: Home) -> None:
    changed(gate_home, COUNTED)
    found = "SELECT respondent, contested, responses, uncontested_score FROM uncontested_scores WHERE round_id = ?"
    with reading(gate_home, which="loader") as con:
        assert con.execute(found, [ROUND]).fetchall() == [], "no key was read"
    changed(gate_home, READ)
    with reading(gate_home, which="loader") as con:
        assert con.execute(found, [ROUND]).fetchall() == [("a1", ["P-Ambiguity, LOW"], 6, (3 / 4 + 1 / 2) / 2)]
    changed(gate_home, "UPDATE verdicts SET demanded = 'ANSWER_CORRECTLY' WHERE intensity = 'LOW' AND outcome = 'pass'")
    with reading(gate_home, which="loader") as con:
        assert con.execute(found, [ROUND]).fetchall() == [("a1", [], 10, (3 / 8 + 1 / 2) / 2)]
