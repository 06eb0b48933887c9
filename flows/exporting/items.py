"""The items of a frozen release as tasks of other tools hold them, and what their scorers need as data."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from demur.flows.errors import FlowError
from demur.levers.vocabulary import ATTEMPT, CORRECT_FROM, REFUSALS, Code, Layout
from demur.programs.instances import Passage, cited
from demur.programs.judge import judge_instructions
from demur.programs.options import Prompts
from demur.programs.refusal_codes import OF_CLASS, SPELLED
from demur.programs.respondent import asked_messages
from demur.warehouse.home import Home
from demur.warehouse.release import Release, release_at
from demur.warehouse.verifying import verify_release

ITEMS: Final = "items.jsonl"
CONTROL: Final = "control"
Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class ReleaseItems:
    """A release whose files are as they were frozen, and its items as rows of `items.jsonl`."""

    release: Release
    rows: tuple[Row, ...]


def release_items(home: Home, label: str) -> ReleaseItems:
    """Return the items of a release, which was compared with its manifest before.

    Raises:
        WarehouseError: there is no such release.
        FlowError: it is not as it was frozen, or holds no items as this version knows them.
    """
    if problems := verify_release(home, label).problems:
        raise FlowError(
            f"release '{label}' is not as it was frozen: {problems[0]} ({len(problems)} in all). Restore it from a copy"
        )
    release = release_at(home, label)
    lines = (release.path / ITEMS).read_text(encoding="utf-8").split("\n")
    rows = tuple(json.loads(line) for line in lines if line)
    return ReleaseItems(release, rows)


def task_row(row: Mapping[str, Any], prompts: Prompts, digest: str) -> Row:
    """Return an item as a sample of a task: id, input (messages), target (expected code) and metadata."""
    relevant = set(row["signal_indices"])
    passages = [Passage(index=at, text=text, relevant=at in relevant) for at, text in enumerate(row["grounding"])]
    expected = row["expected_rag_behavior"]
    return {
        "id": row["id"],
        "input": asked_messages(row["perturbed_query"], passages, prompts),
        "target": expected,
        "metadata": {
            "release": digest,
            "kind": row["kind"],
            "class": row["perturbation_class"],
            "intensity": row["intensity"],
            "layout": (Layout.SINGLE if len(passages) == 1 else Layout.MULTI).value,
            "source_id": row["source_id"],
            "lever": row["lever_selected"],
            "question": row["perturbed_query"],
            "passages": [passage.model_dump() for passage in cited(passages)],
            "reference_answers": list(row["original_answers"]) if expected == Code.ANSWER_CORRECTLY else [],
        },
    }


def scoring_content(found: ReleaseItems, prompts: Prompts) -> dict[str, Any]:
    """Return what exported scorers need: where the items come from, how codes are spelled, what a judge is asked."""
    release = found.release
    return {
        "release": {"name": release.name, "version": release.version, "digest": release.digest},
        "prompts": prompts.value,
        "codes": {
            "spelled": {name: code.value for name, code in SPELLED.items()},
            "of_class": {name: code.value for name, code in OF_CLASS.items()},
            "other": Code.OTHER.value,
        },
        "judge": {layout.value: judge_instructions(layout) for layout in Layout},
        "classifications": [ATTEMPT, *REFUSALS],
        "correct_from": CORRECT_FROM,
    }


def write_folder(folder: Path, files: Mapping[str, str | bytes]) -> None:
    """Write files into a new folder.

    Raises:
        FlowError: something is in the folder already, or it cannot be written.
    """
    try:
        if folder.exists() and any(folder.iterdir()):
            raise FlowError(f"{folder}: is not empty. Name a new folder")
        for name, content in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
    except OSError as exc:
        raise FlowError(f"{exc.filename or folder}: cannot be written ({exc.strerror}). Name another folder") from exc
