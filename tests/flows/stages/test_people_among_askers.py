"""Questions of people beside those of an asker: their order, their counts, and what plans and later askers see."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from demur.configuration.round_config import SHIPPED
from demur.engine.context import RoundContext
from demur.engine.models import YieldRates
from demur.flows.rounds.request import read_round_config
from demur.flows.stages.questions.prove import FOLDER as PROVE
from demur.flows.stages.questions.sources import FOLDER as ASK
from demur.flows.stages.volumes import questions_proved
from demur.warehouse.connection import reading, writing
from demur.warehouse.home import Home
from demur.warehouse.round_rows import past_asking, record_question_marks
from demur.warehouse.statements import records
from demur.warehouse.tables import Table
from demur.warehouse.transactions import Connection
from tests.flows.stages.test_match import begin, insert


@pytest.fixture
def con(tmp_path: Path) -> Iterator[Connection]:
    """A home with a round of questions of an asker and of people, and a later round."""
    with writing(Home(tmp_path), wait_seconds=5) as con:
        begin(con, "r1")
        for unit, asker, status, reason in (
            ("q1", "k1", "candidate", None),
            ("q2", "people", "candidate", None),
            ("q3", "people", "rejected", "not_answered"),
            ("q4", "people", "rejected", "answer_in_proof"),
            ("q5", "people", "candidate", None),
        ):
            turn = "ff" if asker == "people" else "000000-0a"
            fields = {"asker": asker, "status": status, "reason": reason, "turn": turn, "question": f"{unit}?"}
            ids = {"question_id": unit, "passage_ids": ["p1"], "document_ids": ["r1-d"]}
            insert(con, Table.QUESTIONS, "r1", unit, **ids, **fields)
        for unit, duplicate in ("q1", None), ("q2", None), ("q5", "q2"):
            said = {"passed": duplicate is None, "reason": duplicate and "near_duplicate", "duplicate_of": duplicate}
            insert(con, Table.PROOFS, "r1", f"{unit}-proof", question_id=unit, given="all", **said)
        begin(con, "r2")
        con.execute("UPDATE rounds SET started_at = started_at + INTERVAL 1 HOUR WHERE round_id = 'r2'")
    with reading(Home(tmp_path), "loader") as con:
        yield con


def test_questions_of_people_are_proved_before_those_that_repeat_them(con: Connection) -> None:
    assert [row["asker"] for row in records(con, PROVE / "candidates.sql", ["r1"])] == ["people", "people", "k1"]


def test_repeated_questions_of_people_are_counted_apart_from_unanswered_ones(con: Connection) -> None:
    [counted] = records(con, ASK / "supply.sql", ["r1"])
    assert (counted["own"], counted["repeated"], counted["unanswered"]) == (4, 1, 2)


def test_counts_of_an_asker_leave_out_questions_of_people(con: Connection) -> None:
    assert past_asking(con, "r2")["accepted"] == 1
    for view in "asking_by_document", "asking_by_kind":
        assert con.execute(f"SELECT questions, accepted FROM {view}").fetchall() == [(1, 1)]


def test_decider_of_a_question_of_people_is_the_prover_or_code(con: Connection) -> None:
    found = con.execute("SELECT question_id, by_whom FROM question_outcomes WHERE outcome = 'rejected'").fetchall()
    assert dict(found) == {"q3": "prover", "q4": "code check", "q5": "code check"}


def test_later_askers_are_told_no_question_of_people_that_the_passage_may_not_answer(con: Connection) -> None:
    asked = {row["question"] for row in records(con, ASK / "asked_before.sql", ["r2"])}
    assert asked == {"q1?", "q2?", "q5?"}


def test_plan_without_an_asker_counts_a_proof_for_each_question_of_people(tmp_path: Path) -> None:
    (tmp_path / "asked.txt").write_text("Who?\nWhen?\n")
    config = read_round_config(SHIPPED / "documents.yaml")
    assert config.documents is not None
    corpus = config.documents.model_copy(update={"questions": Path("asked.txt")})
    roles = config.roles.model_copy(update={"asker": None})
    context = RoundContext(
        Home(tmp_path), config.model_copy(update={"corpus": corpus, "roles": roles}), tmp_path, "r", 1
    )
    assert questions_proved(context, YieldRates()) == 2


def marked(question_id: str, reader: str, keep: bool | None, answers: list[str] | None = None) -> dict[str, object]:
    return {
        "round_id": "r1", "question_id": question_id, "reader": reader, "seed": 1, "keep": keep, "answers": answers,
        "note": None, "imported_at": datetime(2026, 11, 29, 9, len(reader), tzinfo=UTC),
    }  # fmt: skip


def test_accepted_questions_are_those_that_most_readers_keep_with_the_newest_mended_answers(tmp_path: Path) -> None:
    home = Home(tmp_path)
    with writing(home, wait_seconds=5) as con:
        begin(con, "r1")
        for unit in ("kept", "dropped", "split", "unread", "noted"):
            fields = {"asker": "k1", "status": "candidate", "reason": None, "turn": "0", "question": f"{unit}?"}
            ids = {"question_id": unit, "passage_ids": ["p1"], "document_ids": ["r1-d"], "answers": ["a"]}
            insert(con, Table.QUESTIONS, "r1", unit, **ids, **fields)
            insert(con, Table.PROOFS, "r1", f"{unit}-proof", question_id=unit, given="all", passed=True, reason=None)
        record_question_marks(
            con,
            [
                marked("kept", "Ada", True, ["old"]), marked("kept", "Grace", True, ["new", "newer"]),
                marked("dropped", "Ada", False), marked("split", "Ada", True), marked("split", "Grace", False),
                marked("noted", "Ada", None),
            ],
        )  # fmt: skip
        found = con.execute("SELECT question_id, answers, readers FROM accepted_questions ORDER BY ALL").fetchall()
        assert found == [("kept", ["new", "newer"], 2), ("noted", ["a"], 0), ("unread", ["a"], 0)]
        why = con.execute(
            "SELECT question_id, by_whom FROM question_outcomes WHERE reason = 'dropped' ORDER BY 1"
        ).fetchall()
        assert why == [("dropped", "people"), ("split", "people")]
        record_question_marks(con, [marked("dropped", "Ada", True)])
        assert con.execute("SELECT count(*) FROM accepted_questions").fetchall() == [(4,)]
        shown = {row["question_id"]: row["answers"] for row in records(con, "questions_to_read", ["r1"])}
        assert len(shown) == 5 and shown["kept"] == ["a"], "the page begins with the answers of the asker"
