"""Views of a release's index: an original text is left out for all base instances that it gives away."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from demur.engine.context import RoundContext
from demur.flows.stages.responses.release_index import given_away, index_of

DUG = "The harbour of Tamsin was dug in 1871 by the engineer Aldo Brecht and his two sons."
MILL = "The mill of Ostby ground rye for the whole valley until the flood of the year 1902."


def item(name: str, base: str, original: str, answer: str, changed: str) -> dict[str, Any]:
    return {
        "id": name,
        "source_id": base,
        "base_id": base,
        "kind": "perturbed",
        "layout": "single",
        "domain": None,
        "title": None,
        "generator_model": "m",
        "perturbation_class": "P-MissingInfo",
        "intensity": "HIGH",
        "expected_rag_behavior": "REFUSE_INFO_MISSING_IN_CONTEXT",
        "lever_id": "l",
        "lever_selected": "L",
        "original_query": "?",
        "original_answers": [answer],
        "original_grounding": [original],
        "perturbed_query": "?",
        "grounding": [changed],
        "signal_indices": [0],
    }


def index(tmp_path: Path, *items: dict[str, Any]) -> list[dict[str, Any]]:
    (tmp_path / "items.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in items))
    return index_of(cast("RoundContext", SimpleNamespace(release=SimpleNamespace(path=tmp_path))))


def seen_by(passages: list[dict[str, Any]], item_id: str, base: str) -> set[str]:
    """The texts that a system with the published filter sees."""
    return {one["text"] for one in passages if one["item"] == item_id or (one["original"] and base not in one["bases"])}


def test_passage_of_two_questions_is_one_row_that_items_of_neither_see(tmp_path: Path) -> None:
    passages = index(
        tmp_path,
        item("i1", "b1", DUG, "1871", "The harbour of Tamsin was dug by Aldo Brecht."),
        item("i2", "b2", DUG.replace(" ", "  "), "Aldo Brecht", "The harbour of Tamsin was dug in 1871."),
        item("i3", "b3", MILL, "rye", "The mill of Ostby ground for the whole valley."),
    )
    originals = [one for one in passages if one["original"]]
    assert [(one["id"], one["bases"]) for one in originals] == [("b1:0", ["b1", "b2"]), ("b3:0", ["b3"])]
    assert all("base" not in one for one in passages), "a system with the filter of before fails"
    assert seen_by(passages, "i1", "b1") == {"The harbour of Tamsin was dug by Aldo Brecht.", MILL}
    assert seen_by(passages, "i2", "b2") == {"The harbour of Tamsin was dug in 1871.", MILL}
    assert DUG in seen_by(passages, "i3", "b3")


def test_copies_that_an_earlier_index_showed_are_counted_by_base() -> None:
    def base(name: str, text: str, answer: str) -> dict[str, Any]:
        return {"base_id": name, "answers": [answer], "passages": [{"index": 0, "text": text, "relevant": True}]}

    assert given_away([base("b1", DUG, "1871"), base("b2", f"Guide\n{DUG}", "Brecht"), base("b3", MILL, "rye")]) == {
        "b1",
        "b2",
    }
