"""Questions of people: searched in all passages, and candidates only where a usable passage states the answer."""

import json
from pathlib import Path
from typing import Any

import pytest

from demur.configuration.corpus_section import Fresh
from demur.configuration.round_config import SHIPPED
from demur.engine.context import RoundContext
from demur.flows.rounds.request import read_round_config
from demur.flows.stages.questions.match import MATCH, outcome_of
from demur.levers.vocabulary import Layout
from demur.programs.document_questions import Proof
from demur.warehouse.connection import reading, writing
from demur.warehouse.home import Home
from demur.warehouse.round_rows import RoundRow, open_round
from demur.warehouse.tables import Table
from demur.warehouse.transactions import Connection
from tests.warehouse.examples import ROWS

FERRY = "The ferry lands at the north quay. There is no fee for dogs."


def insert(con: Connection, table: Table, round_id: str, unit: str, **changes: Any) -> None:
    """Write a row, and the unit that it is a row of."""
    unit = f"{round_id}-{unit}"
    row = ROWS[table] | {"round_id": round_id, "unit_id": unit} | changes
    con.execute(
        "INSERT INTO units (round_id, stage, unit_id, ordinal) VALUES (?, ?, ?, 0) ON CONFLICT DO NOTHING",
        [round_id, table.stages[0], unit],
    )
    marks = ", ".join("?" * len(row))
    con.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})", list(row.values()))


def begin(con: Connection, round_id: str) -> None:
    """Write a round that has read one document with one passage."""
    open_round(con, RoundRow(round_id, "n", 1, Layout.SINGLE.value, 1))
    insert(con, Table.DOCUMENTS, round_id, "d", document_id=f"{round_id}-d", digest="dd")
    insert(con, Table.PASSAGES, round_id, "p", passage_id="p1", document_id=f"{round_id}-d", digest="pp", text=FERRY)


def test_question_is_searched_in_passages_that_earlier_rounds_have_used(tmp_path: Path) -> None:
    (tmp_path / "asked.txt").write_text("Where does the ferry land?\n")
    config = read_round_config(SHIPPED / "documents.yaml")
    corpus = config.corpus.model_copy(update={"questions": Path("asked.txt"), "fresh": Fresh.SINCE_LAST_ROUND})
    context = RoundContext(Home(tmp_path), config.model_copy(update={"corpus": corpus}), tmp_path, "r2", 1)
    with writing(Home(tmp_path), wait_seconds=5) as con:
        begin(con, "r1")
        passages = [{"index": 0, "text": FERRY, "relevant": True, "title": None}]
        insert(con, Table.BASE_INSTANCES, "r1", "b", passages=passages, passage_ids=["p1"])
        begin(con, "r2")
    with reading(Home(tmp_path), "loader") as con:
        [unit] = MATCH.plan(context, con)
    inputs = json.loads(unit.payload)
    assert (inputs["passage_ids"], inputs["used"]) == (["p1"], ["p1"])


def inputs(*answers: str, used: tuple[str, ...] = (), question: str = "Where does the ferry land?") -> dict[str, Any]:
    return {
        "question": question,
        "answers": list(answers),
        "passage_ids": ["p0", "p1"],
        "document_ids": ["d0", "d1"],
        "languages": ["en", "en"],
        "passages": ["The harbour has a crane.", FERRY],
        "used": list(used),
    }


def proof(answer: str | None) -> Proof:
    return Proof(answer, (), stands_alone=True, natural=5, understanding="", reading="")


def test_question_about_a_used_passage_has_a_reason_of_its_own() -> None:
    found = outcome_of(inputs(), proof("north quay"))
    assert (found["status"], found["passage_ids"], found["kind"]) == ("candidate", ["p1"], "where")
    assert outcome_of(inputs(used=("p1",)), proof("north quay"))["reason"] == "used_passage"
    assert outcome_of(inputs(used=("p0",)), proof("north quay"))["status"] == "candidate"
    assert outcome_of(inputs(used=("p1",)), proof("south quay"))["reason"] == "answer_in_proof"


@pytest.mark.parametrize("answer", ["no", "No.", "nein", "いいえ。"])
def test_bare_yes_or_no_is_left_to_people_whatever_sentence_has_the_word(answer: str) -> None:
    for given in (inputs(question="Are dogs allowed?"), inputs(answer, question="Are dogs allowed?")):
        found = outcome_of(given, proof(answer))
        assert (found["status"], found["reason"], found["kind"]) == ("rejected", "yes_or_no", "yes or no")


def test_yes_or_no_with_telling_words_is_proved_by_the_sentence_with_these() -> None:
    found = outcome_of(inputs("no", "no fee for dogs", question="Do dogs pay?"), proof("no"))
    assert (found["status"], found["kind"]) == ("candidate", "yes or no")
    assert [span["text"] for span in found["proof"]] == ["There is no fee for dogs."]  # type: ignore[attr-defined]
