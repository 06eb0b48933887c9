"""Conversions between records and the objects that programs take: base instances, passages, perturbations."""

from collections.abc import Iterable, Mapping
from typing import Any, cast

from demur.levers.instances import BaseInstance, ChangedPassage, Passage, Perturbation
from demur.levers.vocabulary import ENGLISH, Intensity, LeverClass

Record = Mapping[str, Any]


def base_of(record: Record) -> BaseInstance:
    """Return the base instance for a record with question, answers, passages and language."""
    return BaseInstance(
        question=record["question"],
        answers=tuple(record["answers"]),
        passages=passages_of(record["passages"]),
        language=language_of(record),
    )


def language_of(record: Record) -> str:
    """Return the language of a record. A missing or unknown language counts as English."""
    return record.get("language") or ENGLISH


def without_english(record: Record) -> dict[str, Any]:
    """Return a record without the key `language` if the language is English.

    English is the default of every reader, so payloads name a language only where it matters.
    """
    english = language_of(record) == ENGLISH
    return {name: value for name, value in record.items() if not (english and name == "language")}


def passages_of(passages: Iterable[Record]) -> tuple[Passage, ...]:
    """Return `Passage` objects with index, text and relevance; other fields of the corpus are dropped."""
    return tuple(Passage(index=p["index"], text=p["text"], relevant=p["relevant"]) for p in passages)


def passage_records(passages: Iterable[Passage | Record]) -> list[dict[str, object]]:
    """Return passages as records with index, text and relevant, for payloads and tables."""
    rows = (cast("Record", p.model_dump()) if isinstance(p, Passage) else p for p in passages)
    return [{"index": p["index"], "text": p["text"], "relevant": p["relevant"]} for p in rows]


def perturbation_of(question: str, changed: Iterable[Record], lever: str) -> Perturbation:
    """Return a perturbation from the values of its row in the table `perturbations`."""
    return Perturbation(
        question=question,
        changed=tuple(ChangedPassage(index=c["index"], text=c["text"]) for c in changed),
        lever=lever,
    )


def stratum_of(record: Record) -> tuple[LeverClass, Intensity]:
    """Return class and intensity of a record."""
    return LeverClass(record["class"]), Intensity(record["intensity"])
