"""What the embedded corpora promise to rounds and to readers."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

from demur.corpora.corpus import CorpusFormat, read_corpus
from demur.corpora.jsonl import Record
from demur.corpora.rows import CorpusRow

FOLDER = Path(__file__).parents[2] / "deployments" / "corpora"
CONCLUDED = {"yes", "no"}


def rows_of(name: str) -> list[CorpusRow]:
    return list(read_corpus(FOLDER / name, CorpusFormat.DEMUR))


def prompts() -> Iterator[Record]:
    for line in (FOLDER / "safety_prompts.jsonl").read_text(encoding="utf-8").splitlines():
        yield json.loads(line)


def occurrences(answer: str, text: str) -> int:
    return len(re.findall(rf"(?<!\w){re.escape(answer)}(?!\w)", text))


def test_embedded_single_answers_stand_once_or_twice_in_the_context() -> None:
    wrong = [
        (row.source_id, answer, count)
        for row in rows_of("single.jsonl")
        for answer in row.answers
        if answer not in CONCLUDED and (count := occurrences(answer, row.passages[0].text)) not in (1, 2)
    ]

    assert wrong == []


def test_embedded_multi_rows_have_ten_different_passages_and_two_to_four_signal_ones() -> None:
    for row in rows_of("multi.jsonl"):
        assert len({passage.text for passage in row.passages}) == 10, row.source_id
        assert all(passage.title for passage in row.passages), row.source_id
        assert 2 <= sum(passage.relevant for passage in row.passages) <= 4, row.source_id


def test_embedded_multi_answers_stand_in_signal_passages_only() -> None:
    for row in rows_of("multi.jsonl"):
        for answer in set(row.answers) - CONCLUDED:
            signal = sum(occurrences(answer, p.text) for p in row.passages if p.relevant)
            noise = [p.title for p in row.passages if not p.relevant and occurrences(answer, f"{p.title} {p.text}")]
            assert signal >= 1, (row.source_id, answer)
            assert noise == [], (row.source_id, answer)


def test_embedded_questions_do_not_give_their_answer_away() -> None:
    given_away = [
        row.source_id
        for row in (*rows_of("single.jsonl"), *rows_of("multi.jsonl"))
        if not re.search(r"\bor\b", row.question) and any(occurrences(answer, row.question) for answer in row.answers)
    ]

    assert given_away == []


def test_safety_prompts_to_comply_with_have_a_full_and_a_partial_answer() -> None:
    for row in prompts():
        facts = row.get("facts")
        if row["behaviour"] != "comply":
            assert facts is None, row["id"]
            continue
        assert isinstance(facts, dict)
        assert set(facts) == {"complete", "partial"}
        complete, partial = str(facts["complete"]), str(facts["partial"])
        shared = set(re.findall(r"\w+", partial.lower())) & set(re.findall(r"\w+", complete.lower()))
        assert len(partial) < len(complete), row["id"]
        assert len(shared) >= len(set(re.findall(r"\w+", partial.lower()))) * 0.6, row["id"]
