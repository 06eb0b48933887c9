"""Corpus files and rows that the corpus tests write."""

import json
from collections.abc import Iterable
from pathlib import Path

from demur.corpora.jsonl import Json, Record


def single(**changes: Json) -> Record:
    """Return a sound single-document record with some fields changed."""
    row: Record = {
        "id": "lake",
        "domain": "science",
        "title": "Lake Orvane",
        "question": "How deep is Lake Orvane?",
        "answers": ["188 metres"],
        "context": "Lake Orvane is 188 metres deep and 9 kilometres wide.",
    }
    return row | changes


def multi(**changes: Json) -> Record:
    """Return a sound record of several documents, two of them signal, with some fields changed."""
    row: Record = {
        "id": "bridge",
        "question": "Who forged the chains of the bridge at Wick?",
        "answers": ["Greta Holm"],
        "passages": [
            {"text": "Wick has 12,000 inhabitants.", "relevant": False, "title": "Wick"},
            {"text": "The chains of the bridge came from the forge at Garland.", "relevant": True, "title": "Bridge"},
            {"text": "The forge at Garland belonged to Greta Holm.", "relevant": True},
        ],
    }
    return row | changes


def without(row: Record, *keys: str) -> Record:
    """Return the record without some keys."""
    return {key: value for key, value in row.items() if key not in keys}


def labels(count: int, positions: Iterable[int], there: str = "YES", elsewhere: str = "NO") -> Json:
    """Return one label per passage: `there` at the given positions, `elsewhere` at the others."""
    chosen = set(positions)
    return [there if n in chosen else elsewhere for n in range(count)]


def garage(changes: Record | None = None, *, count: int = 12, signal: Iterable[int] = (2, 5)) -> Record:
    """Return a record in GaRAGe's shape that its filter lets through, with signal passages at the given positions."""
    signal = set(signal)
    row: Record = {
        "sample_id": "g1",
        "question_date": "2024-05-01",
        "question": "How do grid batteries age?",
        "question_valid": "YES",
        "question_false_premise": "NO",
        "question_seeking": "YES",
        "question_sensitive": "NO",
        "question_type": None,
        "question_complexity": "Simple w. condition",
        "question_category": "Science",
        "answer_generate": "They lose capacity with each cycle [3] and faster in heat [3, 6].",
        "answer_validate": "YES",
        "grounding": [
            {f"cite_{n + 1}": f"Passage {n} on batteries.", "age": "1 year", "date": "2023-05-01", "provider": "web"}
            for n in range(count)
        ],
        "evidence_relevant": labels(count, signal),
        "evidence_correct": labels(count, signal, "ANSWER-THE-QUESTION", "UNKNOWN"),
        "evidence_cited": labels(count, signal),
    }
    return row | (changes or {})


def write_rows(path: Path, *rows: Record) -> Path:
    """Write records as JSONL and return the path."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path
