"""A small release made by hand: what exports read of one, with its manifest, and responses to its items."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

from demur.levers.vocabulary import STRATA, expected_code
from demur.warehouse.arrow_rows import write_table
from demur.warehouse.releases.manifest import MANIFEST, File, canonical, identity_digest, sha256

REPLIES = ("Forty metres.", "I do not think so.", "{}", "REFUSE_OTHER", "I must say {}.", "", "REFUSE_AMBIGUOUS_QUERY")
"""What respondents say, in turn; the braces stand for the code that is expected."""


def item(number: int, source: int, lever_class: str | None, intensity: str | None, expected: str) -> dict[str, Any]:
    """Return one row; every third item has two passages, of which the second is noise."""
    passages = [f"The crane of house {source} is forty metres high."]
    if number % 3 == 0:
        passages.append("Bread keeps for a week.")
    layout = "single" if len(passages) == 1 else "multi"
    return {
        "id": f"i{number:03}",
        "source_id": f"q{source}",
        "generator_model": "generator",
        "perturbation_class": lever_class,
        "intensity": intensity,
        "expected_rag_behavior": expected,
        "lever_selected": "A Lever" if lever_class else None,
        "original_query": "How high is the crane?",
        "original_context": passages[0] if layout == "single" else None,
        "original_answers": ["forty metres", "40 m"],
        "perturbed_query": f"How high is the crane of house {source}?",
        "perturbed_context": passages[0] if layout == "single" else None,
        "implementation_reasoning": "because",
        "verifier_votes": [{"verifier": "v", "vote": "PASS"}] if lever_class else [],
        "original_grounding": passages,
        "grounding": passages,
        "signal_indices": [0],
        "noise_indices": list(range(1, len(passages))),
        "kind": "perturbed" if lever_class else "control",
        "base_id": f"b{source}",
        "lever_id": "a.lever" if lever_class else None,
        "layout": layout,
        "domain": None,
        "title": None,
    }


def items(sources: int = 4) -> list[dict[str, Any]]:
    """Return an item of every stratum for each source question, and its control."""
    found: list[dict[str, Any]] = []
    for source in range(sources):
        for lever_class, intensity in STRATA:
            expected = expected_code(lever_class, intensity).value
            found.append(item(len(found), source, lever_class.value, intensity.value, expected))
        found.append(item(len(found), source, None, None, "ANSWER_CORRECTLY"))
    return found


def replies(rows: list[dict[str, Any]]) -> Iterator[str]:
    """Yield a response for each item."""
    for number, row in enumerate(rows):
        yield REPLIES[number % len(REPLIES)].format(row["expected_rag_behavior"])


def write_release(
    folder: Path, name: str = "handmade", version: str = "1", rows: list[dict[str, Any]] | None = None
) -> Path:
    """Write a release into a new folder and return the folder; its items are those above where none are given."""
    rows = rows or items()
    folder.mkdir(parents=True)
    lines = (json.dumps(row, ensure_ascii=False) for row in rows)
    (folder / "items.jsonl").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    write_table(pa.Table.from_pylist(rows), folder / "items.parquet")
    responses = [
        {"response_id": row["id"], "item_id": row["id"], "response": said}
        for row, said in zip(rows, replies(rows), strict=True)
    ]
    write_table(pa.Table.from_pylist(responses), folder / "responses.parquet")
    write_table(pa.Table.from_pylist([{"metric": "refusal_accuracy", "value": 0.5}]), folder / "scores.parquet")
    (folder / "README.md").write_text(f"# {name}\n", encoding="utf-8")
    files = {
        path.name: File(sha256=sha256(path), bytes=path.stat().st_size, identity=path.name != "README.md")
        for path in sorted(folder.iterdir())
    }
    manifest = {
        "name": name,
        "version": version,
        "round_id": name,
        "digest": identity_digest(files),
        "items": len(rows),
        "files": {path: file.model_dump(exclude_unset=True) for path, file in files.items()},
    }
    (folder / MANIFEST).write_bytes(canonical(manifest))
    return folder
