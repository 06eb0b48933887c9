"""Inputs and outputs of programs (passages, base instances, perturbations), and their making from records.

They are frozen pydantic models, because language models receive and return them.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias, cast

from pydantic import BaseModel, ConfigDict, Field

from demur.levers.vocabulary import ENGLISH, Intensity, Layout, LeverClass, QuestionKind


class Frozen(BaseModel):
    """Base class: immutable, without unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Passage(Frozen):
    """One passage of a context, at its position from 0.

    `relevant` is True for a signal passage and False for a noise passage.
    """

    index: int = Field(ge=0)
    text: str
    relevant: bool


class CitedPassage(Frozen):
    """A passage for judges, writers and graders, with the number from 1 by which responses cite it."""

    number: int = Field(ge=1)
    text: str
    relevant: bool


def cited(passages: Sequence[Passage]) -> tuple[CitedPassage, ...]:
    """Return passages with the numbers that respondents see."""
    numbered = enumerate(passages, start=1)
    return tuple(CitedPassage(number=number, text=p.text, relevant=p.relevant) for number, p in numbered)


class ChangedPassage(Frozen):
    """The new text of the passage at `index`; unchanged passages are not listed."""

    index: int = Field(ge=0)
    text: str


class BaseInstance(Frozen):
    """An answerable question with its accepted answers and its passages, in corpus order.

    `language` is a code of ISO 639-1; texts in an unknown language count as English.
    """

    question: str
    answers: tuple[str, ...] = Field(min_length=1)
    passages: tuple[Passage, ...] = Field(min_length=1)
    language: str = ENGLISH

    @property
    def layout(self) -> Layout:
        """SINGLE for one passage, MULTI otherwise."""
        return Layout.SINGLE if len(self.passages) == 1 else Layout.MULTI


class Stratum(Frozen):
    """One of the 18 pairs of class and intensity."""

    lever_class: LeverClass
    intensity: Intensity


class Perturbation(Frozen):
    """A perturbed base instance, stored as its question and the passages that the lever changed."""

    question: str
    changed: tuple[ChangedPassage, ...] = ()
    lever: str = Field(description="exact name of the lever")

    def passages(self, base: BaseInstance) -> tuple[Passage, ...]:
        """Return all passages of the perturbed instance."""
        new = {change.index: change.text for change in self.changed}
        return tuple(Passage(index=p.index, text=new.get(p.index, p.text), relevant=p.relevant) for p in base.passages)


class UsedStatement(Frozen):
    """A place of the passages that a derivation rests on, and the figures or words that are taken from it."""

    taken: str
    quote: str


class AskedQuestion(Frozen):
    """A question with its accepted answers, the sentences that prove them, and its kind."""

    question: str
    answers: tuple[str, ...]
    proof: tuple[str, ...]
    kind: QuestionKind


Record: TypeAlias = Mapping[str, Any]
"""A row or payload with the fields of a base instance, a passage or a perturbation."""


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
