"""Items of a release as samples of other tools' tasks, and the data that exported scorers read."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from demur.errors import FlowError
from demur.flows.stages.responses.release_items import ReleasedItem, released_items
from demur.levers.instances import cited
from demur.levers.vocabulary import ATTEMPT, CORRECT_FROM, REFUSALS, Code, Layout
from demur.programs.judge import judge_instructions
from demur.programs.options import Prompts
from demur.programs.replies.refusal_codes import OF_CLASS, SPELLED, WORDS
from demur.programs.respondent import asked_messages
from demur.warehouse.home import Home
from demur.warehouse.releases.manifest import Release, read_manifest
from demur.warehouse.releases.verifying import unaltered_release

CONTROL: Final = "control"
Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class ReleaseItems:
    """A verified release and its items."""

    release: Release
    items: tuple[ReleasedItem, ...]


@dataclass(frozen=True, slots=True)
class ExportRequest:
    """Options of an export: the prompts for respondents, and the licence and language of the questions.

    If `licence` is None, it is the licence that an imported set was frozen with, or `other`.
    """

    prompts: Prompts
    licence: str | None
    language: str


@dataclass(frozen=True, slots=True)
class Exported:
    """Exported files, `{name: content}`, and the command that uses the files.

    In the command, `{folder}` stands for the folder of the files.
    """

    files: Mapping[str, str | bytes]
    use: str


Exporter = Callable[[ReleaseItems, ExportRequest], Exported]
"""Writes a release in the format of a tool; other packages add exporters (entry points `demur.exporters`)."""


def release_items(home: Home, label: str) -> ReleaseItems:
    """Verify a release against its manifest and return its items.

    Raises:
        WarehouseError: there is no such release, or the release was altered.
        ConfigError: this version cannot read the release's items.
    """
    release = unaltered_release(home, label)
    return ReleaseItems(release, tuple(released_items(release)))


def task_row(item: ReleasedItem, prompts: Prompts, digest: str) -> Row:
    """Return an item as a sample of a task: id, input (messages), target (expected code) and metadata."""
    passages = item.passages()
    expected = item.expected_rag_behavior
    return {
        "id": item.id,
        "input": asked_messages(item.perturbed_query, passages, prompts),
        "target": expected.value,
        "metadata": {
            "release": digest,
            "kind": item.kind,
            "class": item.perturbation_class,
            "intensity": item.intensity,
            "layout": item.layout.value,
            "source_id": item.source_id,
            "lever": item.lever_selected,
            "question": item.perturbed_query,
            "passages": [passage.model_dump() for passage in cited(passages)],
            "reference_answers": list(item.original_answers) if expected is Code.ANSWER_CORRECTLY else [],
        },
    }


def scoring_content(found: ReleaseItems, prompts: Prompts) -> dict[str, Any]:
    """Return the data that exported scorers read: the release, how replies are read, the judge's prompts."""
    release = found.release
    return {
        "release": {"name": release.name, "version": release.version, "digest": release.digest},
        "prompts": prompts.value,
        "codes": {
            "spelled": {name: code.value for name, code in SPELLED.items()},
            "of_class": {name: code.value for name, code in OF_CLASS.items()},
            "other": Code.OTHER.value,
        },
        "words": WORDS,
        "judge": {layout.value: judge_instructions(layout) for layout in Layout},
        "classifications": [ATTEMPT, *REFUSALS],
        "correct_from": CORRECT_FROM,
    }


def licence_of(release: Release, given: str | None) -> str:
    """Return the licence of a release's questions: the given one, or that of an imported set, or `other`."""
    return given or str((read_manifest(release.path).model_dump().get("imported") or {}).get("licence") or "other")


def write_folder(folder: Path, files: Mapping[str, str | bytes]) -> None:
    """Write files into a new folder.

    Raises:
        FlowError: the folder is not empty, or cannot be written.
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
