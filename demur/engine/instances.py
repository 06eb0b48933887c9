"""Base instances, passages and perturbations: as records in payloads and tables, and typed as programs take them."""

from collections.abc import Iterable, Mapping
from typing import Any, cast

from demur.levers.instances import BaseInstance, ChangedPassage, Passage, Perturbation
from demur.levers.vocabulary import ENGLISH, Intensity, LeverClass

Record = Mapping[str, Any]


def base_of(record: Record) -> BaseInstance:
    """Return the base instance that a record with question, answers, passages and language describes."""
    return BaseInstance(
        question=record["question"],
        answers=tuple(record["answers"]),
        passages=passages_of(record["passages"]),
        language=language_of(record),
    )


def language_of(record: Record) -> str:
    """Return the language of a record; one that is not there, or not known, counts as English."""
    return record.get("language") or ENGLISH


def without_english(record: Record) -> dict[str, Any]:
    """Return a record as it stands in the inputs of a unit, which name a language only where it is not English.

    So units of English texts have the ids that they had before there were others.
    """
    english = language_of(record) == ENGLISH
    return {name: value for name, value in record.items() if not (english and name == "language")}


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
