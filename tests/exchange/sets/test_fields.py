"""Rows of sets as items: both published layouts, older dumps, anybody's fields, and what is wrong with a row."""

from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pytest

from demur.corpora.corpus_rows import FaultReason, RowFault
from demur.corpora.record_files import parse_map
from demur.exchange.sets.set_fields import FIELDS, SetFormat, SetRow, WithoutAnswers, format_of, parser
from demur.levers.vocabulary import STRATA, AnyReason, Code, Layout
from tests.exchange.sets.published_rows import LEVERS, garage_rows, nq_rows

ITEM: dict[str, Any] = {"id": "1", "question": "Who built it?", "context": "Ada built it.", "answers": ["Ada"]}


def published(**changes: object) -> SetRow:
    return parser(SetFormat.REFUSALBENCH, {})({**next(nq_rows()), **changes})


def item(mapping: str = "", without: WithoutAnswers = WithoutAnswers.FAIL, **changes: object) -> SetRow:
    paths = parse_map(mapping, FIELDS[SetFormat.ITEMS]) if mapping else {}
    return parser(SetFormat.ITEMS, paths, without)({**ITEM, **changes})


def test_published_row_of_one_passage_is_read_whole() -> None:
    row = published()
    assert (row.expected, row.layout, row.generator, row.lever) == (
        Code.ANSWER_CORRECTLY,
        Layout.SINGLE,
        "claude",
        LEVERS[STRATA[0]],
    )
    assert row.question.endswith("(note 0 of claude)") and row.original_question == "when was lighthouse number 0 built"
    assert row.passages[0].text.endswith("day 0.") and not row.original_passages[0].endswith("day 0.")
    assert row.votes == (("claude", "PASS"), ("deepseek", "PASS"), ("gpt", "PASS"), ("nova", "PASS"))


def test_published_row_of_several_passages_leaves_out_those_without_text() -> None:
    row = parser(SetFormat.REFUSALBENCH, {})(next(garage_rows()))
    assert (len(row.passages), row.textless, row.layout) == (10, 1, Layout.MULTI)
    assert [one.relevant for one in row.passages] == [True] + [False] * 9
    assert row.answers == ("Line 0 runs 4 trams, two of them at night.",)
    assert row.original_question is None and row.domain == "Business & Industrial"


def test_signal_positions_are_those_of_the_file_where_passages_have_no_text() -> None:
    found = next(garage_rows()) | {"signal_indices": [6]}
    relevant = [one.text for one in parser(SetFormat.REFUSALBENCH, {})(found).passages if one.relevant]
    assert relevant == [found["grounding"][6]["cite_7"]]


def test_older_dump_has_other_names() -> None:
    old = next(nq_rows())
    instance = {"query": old.pop("perturbed_query"), "context": old.pop("perturbed_context")}
    row = parser(SetFormat.REFUSALBENCH, {})({**old, "unique_id": old.pop("id"), "perturbed_instance": instance})
    assert row == published()
    assert format_of({"perturbed_instance": instance}) is SetFormat.REFUSALBENCH


@pytest.mark.parametrize(
    "spelled", ["REFUSE_INFO_MISSING_IN CONTEXT", "refuse_info_missing_in_context", "REFUSE_MISSING"]
)
def test_mistyped_code_is_read(spelled: str) -> None:
    row = published(perturbation_class="P-MissingInfo", intensity="HIGH", expected_rag_behavior=spelled)
    assert row.expected is Code.MISSING


def test_item_says_what_is_expected_in_words_or_by_its_answers() -> None:
    assert item().expected is Code.ANSWER_CORRECTLY
    assert item(expected="refuse").expected is AnyReason.REFUSE
    assert item(expected="REFUSE_OTHER_REASON"[:6]).expected is AnyReason.REFUSE
    assert item(expected="REFUSE_FALSE_PREMISE_IN_QUERY").expected is Code.FALSE_PREMISE
    assert item(answers=[], without=WithoutAnswers.REFUSE).expected is AnyReason.REFUSE
    assert item("expected=label", label=False).expected is AnyReason.REFUSE
    assert item(**{"class": "MissingInfo"}, expected="REFUSE_MISSING", answers=[]).intensity is None


def test_item_of_squad_expects_a_refusal_where_it_is_impossible() -> None:
    impossible = {"answers": [], "plausible_answers": [{"text": "Ada"}], "is_impossible": True}
    assert item(**impossible).expected is AnyReason.REFUSE
    assert item(answers=[{"text": "Ada"}, {"text": "Ada"}], is_impossible=False).answers == ("Ada",)
    assert item(answers={"text": ["Ada"], "answer_start": [0]}).answers == ("Ada",)


def test_item_is_mapped_by_paths() -> None:
    row = item(
        "question=q.text,context=docs[].body,answers=gold,source_id=topic",
        q={"text": "Where?"},
        docs=[{"body": "Here."}, {"body": "There."}],
        gold="here",
        topic=7,
    )
    assert (row.question, [one.text for one in row.passages]) == ("Where?", ["Here.", "There."])
    assert (row.answers, row.source_id) == (("here",), "7")


def test_item_without_an_id_has_one_of_its_texts() -> None:
    bare = {name: value for name, value in ITEM.items() if name != "id"}
    parse = parser(SetFormat.ITEMS, {})
    assert parse(bare).id == parse(bare).id != parse({**bare, "question": "Who else?"}).id


@pytest.mark.parametrize(
    ("changes", "reason", "said"),
    [
        ({"question": None}, FaultReason.BAD_QUESTION, "question is missing"),
        ({"question": float("nan")}, FaultReason.BAD_QUESTION, "is missing; the row has ['id', 'context', 'answers']"),
        ({"context": None}, FaultReason.BAD_CONTEXT, "passages is missing; the row has ['id', 'question', 'answers']"),
        ({"passages": [{"body": "x"}]}, FaultReason.BAD_CONTEXT, "has no text: [{'body': 'x'}]"),
        ({"context": "[]"}, FaultReason.BAD_CONTEXT, "has no text: '[]'"),
        ({"answers": [float("nan")]}, FaultReason.BAD_ANSWERS, "answers[0] is nan"),
        ({"id": 1.5}, FaultReason.BAD_ID, "id is 1.5"),
        ({"expected": "REFUSE_BECAUSE"}, FaultReason.BAD_EXPECTED, "'REFUSE_BECAUSE' is not answer, refuse"),
        ({"expected": "answer", "answers": []}, FaultReason.BAD_ANSWERS, "but the row expects an answer"),
        ({"answers": []}, FaultReason.BAD_EXPECTED, "--without-answers refuse"),
        ({"class": "P-Vague"}, FaultReason.BAD_STRATUM, "'P-Vague' is not one of P-Ambiguity"),
        (
            {"class": "P-Ambiguity", "intensity": "HIGH", "expected": "answer"},
            FaultReason.BAD_EXPECTED,
            "P-Ambiguity at HIGH expects REFUSE_AMBIGUOUS_QUERY",
        ),
    ],
)
def test_item_that_cannot_be_used_is_named_with_a_remedy(
    changes: dict[str, Any], reason: FaultReason, said: str
) -> None:
    with pytest.raises(RowFault, match="remedy: ") as refused:
        item(**changes)
    assert refused.value.reason is reason
    assert said in str(refused.value)


def test_values_of_tables_are_read_as_what_they_stand_for() -> None:
    nothing = float("nan")
    row = item(id=7.0, title=nothing, context='["One.", "Two."]', answers=[date(2020, 1, 2), Decimal("2.50"), 3])
    assert (row.id, row.title, row.answers) == ("7", None, ("2020-01-02", "2.50", "3"))
    assert [one.text for one in row.passages] == ["One.", "Two."]
    row = item(answers=[1945.0, 2.5, *map(datetime.fromisoformat, ("2020-05-01", "2020-05-01 09:30"))])
    assert row.answers == ("1945", "2.5", "2020-05-01", "2020-05-01 09:30:00")


def test_object_around_the_rows_is_named_with_its_list() -> None:
    with pytest.raises(RowFault, match=r"the list 'data' alone; with jq -c '\.data\[\]' its entries become rows"):
        parser(SetFormat.ITEMS, {})({"data": [ITEM]})


def test_signals_that_no_passage_with_text_has_are_refused() -> None:
    with pytest.raises(RowFault, match=r"signal_indices is \[99\].*positions from 0 to 10"):
        parser(SetFormat.REFUSALBENCH, {})(next(garage_rows()) | {"signal_indices": [99]})
