"""GaRAGe's filter and its normalisation to ten passages."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demur.corpora.corpus import CorpusFormat, read_corpus
from demur.corpora.corpus_rows import CorpusRow, OnBadRow
from demur.corpora.jsonl import Record
from demur.corpora.row_formats import FilterReason, parse_garage
from demur.errors import CorpusError
from tests.flows.corpus_files import garage, labels, write_rows


def test_garage_sound_record_becomes_a_row_of_ten_passages() -> None:
    row = parse_garage(garage())

    assert isinstance(row, CorpusRow)
    assert (row.source_id, row.domain, row.question) == ("g1", "Science", "How do grid batteries age?")
    assert len(row.passages) == 10
    assert [n for n, passage in enumerate(row.passages) if passage.relevant] == [2, 5]
    assert row.passages[2].text == "Passage 2 on batteries."


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"answer_validate": "NO"}, FilterReason.NOT_VALIDATED),
        ({"question_valid": "NO"}, FilterReason.NOT_ANSWERABLE),
        ({"question_false_premise": True}, FilterReason.NOT_ANSWERABLE),
        ({"evidence_correct": ["RELATED-INFORMATION"] * 12}, FilterReason.NOT_ANSWERABLE),
        ({"question_sensitive": "YES", "question_type": "FAST-CHANGING"}, FilterReason.NOT_STABLE),
        ({"question_sensitive": "YES"}, FilterReason.NOT_STABLE),
        ({"question_complexity": "Aggregation"}, FilterReason.TOO_COMPLEX),
        ({"question_complexity": "Post-processing heavy"}, FilterReason.TOO_COMPLEX),
    ],
)
def test_garage_filter_leaves_out_with_a_reason(changes: Record, reason: FilterReason) -> None:
    assert parse_garage(garage(changes)) is reason


@pytest.mark.parametrize(
    "changes",
    [
        {"question_sensitive": "YES", "question_type": "Slow-Changing"},
        {"question_sensitive": "yes", "question_type": "SLOW_CHANGING"},
        {"question_sensitive": False, "question_valid": True, "answer_validate": True},
        {"question_complexity": "simple"},
        {"question_complexity": "COMPARISON"},
    ],
)
def test_garage_filter_reads_labels_in_any_spelling(changes: Record) -> None:
    assert isinstance(parse_garage(garage(changes)), CorpusRow)


def test_garage_of_fewer_than_ten_passages_with_text_is_left_out() -> None:
    record = garage(count=10)
    assert isinstance(record["grounding"], list)
    record["grounding"][9] = {"cite_10": "  ", "provider": "web"}

    assert isinstance(parse_garage(garage(count=10)), CorpusRow)
    assert parse_garage(record) is FilterReason.TOO_FEW_PASSAGES
    assert parse_garage(garage(count=9)) is FilterReason.TOO_FEW_PASSAGES


def test_garage_cited_signal_and_relevant_noise_come_first() -> None:
    record = garage(
        {"evidence_cited": labels(16, (7, 9)), "evidence_relevant": labels(16, (14, 15))},
        count=16,
        signal=(0, 1, 2, 3, 7, 9),
    )

    row = parse_garage(record)

    assert isinstance(row, CorpusRow)
    kept = [int(passage.text.split()[1]) for passage in row.passages]
    assert [n for n, passage in zip(kept, row.passages, strict=True) if passage.relevant] == [0, 1, 2, 7, 9]
    assert kept == [0, 1, 2, 4, 5, 6, 7, 9, 14, 15]


@given(st.integers(10, 30), st.data())
def test_garage_normalisation_keeps_its_promises(count: int, data: st.DataObject) -> None:
    signal = data.draw(st.sets(st.integers(0, count - 1), min_size=1))
    cited = data.draw(st.sets(st.integers(0, count - 1)))
    row = parse_garage(garage({"evidence_cited": labels(count, cited)}, count=count, signal=signal))

    noise_count = count - len(signal)
    if noise_count < 10 - min(5, len(signal)):
        assert row is FilterReason.TOO_LITTLE_NOISE
        return
    assert isinstance(row, CorpusRow)
    kept = [int(passage.text.split()[1]) for passage in row.passages]
    kept_signal = {n for n, passage in zip(kept, row.passages, strict=True) if passage.relevant}
    assert len(kept) == 10
    assert kept == sorted(set(kept))
    assert kept_signal == signal & set(kept)
    assert len(kept_signal) == min(5, len(signal))
    assert not (signal - kept_signal) & cited or kept_signal <= cited


def test_garage_report_separates_filtered_rows_from_faulty_ones(tmp_path: Path) -> None:
    path = write_rows(
        tmp_path / "g.jsonl",
        garage(),
        garage({"sample_id": "g2", "question_complexity": "Multi-Hop", "answer_generate": ""}),
        garage({"sample_id": "g3", "question": "Why?", "evidence_cited": ["YES"]}),
    )

    reading = read_corpus(path, CorpusFormat.GARAGE, on_bad_row=OnBadRow.SKIP)

    assert [row.source_id for row in reading] == ["g1"]
    assert reading.report.filtered == {FilterReason.TOO_COMPLEX: 1}
    assert sum(reading.report.skipped.values()) == 1
    assert "evidence_cited has 1 labels; allowed: a list of 12 labels" in reading.report.messages[0]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"grounding": []}, "grounding is []"),
        ({"grounding": ["text"] * 12}, "grounding[0] is 'text'"),
        ({"grounding": [{"cite_1": 5}] * 12}, "grounding[0].cite_1 is 5"),
        ({"evidence_correct": None}, "evidence_correct is null"),
        ({"evidence_relevant": [1] * 12}, "evidence_relevant[0] is 1"),
        ({"answer_generate": ""}, "answer_generate is ''"),
        ({"answer_generate": "[1] [2]"}, "answer_generate is ''"),
        ({"question_valid": 1}, "question_valid is 1"),
        ({"sample_id": None}, "sample_id is null"),
    ],
)
def test_garage_record_with_a_fault_names_the_field(tmp_path: Path, changes: Record, expected: str) -> None:
    with pytest.raises(CorpusError) as caught:
        list(read_corpus(write_rows(tmp_path / "g.jsonl", garage(changes)), CorpusFormat.GARAGE))

    assert f"line 1: {expected}" in str(caught.value)
