"""Why perturbations did not go on, counted by reason: codes of rules, words of models."""

from demur.reports.tables import named_table
from demur.warehouse.connection import writing
from demur.warehouse.home import Home
from tests.warehouse.gate_round import ROUND

TWICE = "Price Redacted: answer_type (the answer is no price; a: b); Table Gap: no_recipe; Undated Twin: no_recipe"
ONCE = "Table Gap: no_recipe (It needs a table (or two); a rule finds few.)"
WORDS = "The question: it names nothing that a lever could be pulled on; so I decline"


def test_declines_count_once_for_each_code_and_in_words_as_they_are(gate_home: Home) -> None:
    with writing(gate_home, wait_seconds=1) as con:
        ids = [row[0] for row in con.execute("SELECT unit_id FROM perturbations ORDER BY unit_id LIMIT 4").fetchall()]
        con.execute("UPDATE perturbations SET status = 'candidate'")
        for unit_id, reason in zip(ids, (TWICE, ONCE, WORDS, WORDS), strict=True):
            con.execute("UPDATE perturbations SET status = 'declined', reason = ? WHERE unit_id = ?", [reason, unit_id])
        declined = (
            "SELECT reason, sum(perturbations)::INT FROM rejection_reasons WHERE by_whom = 'declined' "
            "GROUP BY reason ORDER BY reason"
        )
        assert con.execute(declined).fetchall() == [(WORDS, 2), ("answer_type", 1), ("no_recipe", 2)]
        rows = named_table("rejection_reasons").read(con, round=ROUND).rows
    assert [row[1:] for row in rows if row[0] == "declined"] == [
        ("generators", "in a model's own words", 2),
        ("generators", "no_recipe", 2),
        ("generators", "answer_type", 1),
    ]
