"""Files of responses for tests: rows by hand, and simulated ones."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

Row = Mapping[str, object]

EXPECTED = {"P-Ambiguity": "REFUSE_AMBIGUOUS_QUERY", "P-MissingInfo": "REFUSE_INFO_MISSING_IN_CONTEXT"}


def row(item: str, lever_class: str, intensity: str, predicted: str | None, **more: object) -> dict[str, object]:
    """One row, its source question named by the first letter of the item."""
    expected = "ANSWER_CORRECTLY" if intensity == "LOW" else EXPECTED[lever_class]
    return {
        "item_id": item,
        "source_id": item[0],
        "class": lever_class,
        "intensity": intensity,
        "expected": expected,
        "predicted": predicted,
        **more,
    }


def hand_made(**more: object) -> list[dict[str, object]]:
    """The ten responses whose metrics tests/scoring has by hand: A = 5, U = 5."""
    rows = [
        row("a1", "P-Ambiguity", "LOW", "ANSWER_ATTEMPT", quality=4),
        row("a2", "P-Ambiguity", "LOW", "ANSWER_ATTEMPT", quality=3),
        row("a3", "P-Ambiguity", "LOW", "REFUSE_AMBIGUOUS_QUERY"),
        row("b1", "P-Ambiguity", "LOW", "ANSWER_ATTEMPT", quality=5),
        row("b2", "P-MissingInfo", "LOW", "INVALID"),
        row("b3", "P-Ambiguity", "HIGH", "REFUSE_AMBIGUOUS_QUERY"),
        row("b4", "P-Ambiguity", "MEDIUM", "REFUSE_INFO_MISSING_IN_CONTEXT"),
        row("c1", "P-Ambiguity", "HIGH", "ANSWER_ATTEMPT"),
        row("c2", "P-MissingInfo", "HIGH", "REFUSE_INFO_MISSING_IN_CONTEXT"),
        row("c3", "P-MissingInfo", "HIGH", "REFUSE_OTHER"),
    ]
    return [{**one, **more} for one in rows]


def several_documents(**more: object) -> list[dict[str, object]]:
    """Six responses to items of several documents: RAF 1, 0, 0, a false refusal, a match, a missed refusal."""
    rows = [
        row("a1", "P-Ambiguity", "LOW", "ANSWER_ATTEMPT", eligible=True, supported_all=True, supported_relevant=True),
        row("a2", "P-Ambiguity", "LOW", "ANSWER_ATTEMPT", eligible=True, supported_all=True, supported_relevant=False),
        row("b1", "P-Ambiguity", "LOW", "ANSWER_ATTEMPT", eligible=False, supported_all=True, supported_relevant=True),
        row("b2", "P-Ambiguity", "LOW", "REFUSE_OTHER"),
        row("c1", "P-Ambiguity", "HIGH", "REFUSE_AMBIGUOUS_QUERY"),
        row("c2", "P-Ambiguity", "HIGH", "ANSWER_ATTEMPT"),
    ]
    return [{**one, **more} for one in rows]


def write_rows(path: Path, rows: Iterable[Row | str]) -> Path:
    """Write rows as JSON lines; a text is written as it stands."""
    lines = [line if isinstance(line, str) else json.dumps(line, ensure_ascii=False) for line in rows]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path
