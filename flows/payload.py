"""Units of work as JSON: inputs written down when they are planned, read back as typed values when they are done."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, cast

from demur.flows.context import RoundContext, digest_of
from demur.levers.vocabulary import Intensity, LeverClass
from demur.programs.instances import BaseInstance, ChangedPassage, Passage, Perturbation

Record = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class PlannedUnit:
    """A unit of work: its id is a hash of what decides its result, its payload the JSON text of its inputs."""

    unit_id: str
    payload: str
    lever_class: str | None = None
    intensity: str | None = None


def planned_unit(
    context: RoundContext,
    stage: str,
    inputs: Record,
    *decisive: str,
    lever_class: str | None = None,
    intensity: str | None = None,
    scope: str | None = None,
) -> PlannedUnit:
    """Return the unit whose id is the hash of all that decides its result.

    `decisive` are the fingerprints of program and model; `scope` is the round, unless results outlive rounds.
    """
    payload = json.dumps(inputs, ensure_ascii=False, separators=(",", ":"))
    unit_id = digest_of(scope or context.round_id, stage, payload, *decisive)
    return PlannedUnit(unit_id, payload, lever_class, intensity)


def base_of(record: Record) -> BaseInstance:
    """Return the base instance that a record with question, answers and passages describes."""
    return BaseInstance(
        question=record["question"], answers=tuple(record["answers"]), passages=passages_of(record["passages"])
    )


def passages_of(passages: Iterable[Record]) -> tuple[Passage, ...]:
    """Return passages as programs take them; labels of the corpus are left out."""
    return tuple(Passage(index=p["index"], text=p["text"], relevant=p["relevant"]) for p in passages)


def passage_records(passages: Iterable[Passage | Record]) -> list[dict[str, object]]:
    """Return passages as they stand in payloads and tables."""
    rows = (cast("Record", p.model_dump()) if isinstance(p, Passage) else p for p in passages)
    return [{"index": p["index"], "text": p["text"], "relevant": p["relevant"]} for p in rows]


def perturbation_of(question: str, changed: Iterable[Record], lever: str) -> Perturbation:
    """Return a perturbation from its columns."""
    return Perturbation(
        question=question,
        changed=tuple(ChangedPassage(index=c["index"], text=c["text"]) for c in changed),
        lever=lever,
    )


def stratum_of(record: Record) -> tuple[LeverClass, Intensity]:
    """Return class and intensity of a record."""
    return LeverClass(record["class"]), Intensity(record["intensity"])
