"""Items of a frozen release, read from its file `items.jsonl`."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, ValidationError

from demur.errors import ConfigError
from demur.levers.explain import first_fault
from demur.levers.instances import BaseInstance, Passage
from demur.levers.vocabulary import ENGLISH, Expectation, Intensity, ItemKind, Layout, LeverClass
from demur.warehouse.release import Release
from demur.warehouse.schemas import arrow_schema
from demur.warehouse.tables import Table

FILE: Final = "items.jsonl"


class ReleasedItem(BaseModel):
    """One item of a release, as a line of `items.jsonl`.

    Fields of the line that are not declared here are extra fields. They have the names of columns of the table `items`.
    """

    model_config = ConfigDict(frozen=True, extra="allow")

    id: str
    source_id: str
    base_id: str
    kind: ItemKind
    layout: Layout
    domain: str | None
    title: str | None
    generator_model: str | None
    perturbation_class: LeverClass | None
    intensity: Intensity | None
    expected_rag_behavior: Expectation
    lever_id: str | None
    lever_selected: str | None
    original_query: str | None
    original_answers: tuple[str, ...]
    original_grounding: tuple[str, ...]
    perturbed_query: str
    grounding: tuple[str, ...]
    signal_indices: tuple[int, ...]
    language: str | None = ENGLISH
    language_confidence: float | None = None

    def typical(self) -> BaseInstance:
        """Return question, passages and answers as shown to models, to measure the length of prompts."""
        return BaseInstance(
            question=self.perturbed_query,
            answers=self.original_answers or ("",),
            passages=self.passages(),
            language=self.language or ENGLISH,
        )

    def passages(self) -> tuple[Passage, ...]:
        """Return the passages that respondents are shown."""
        return tuple(Passage.model_validate(one) for one in self._passages(self.grounding))

    def base_row(self, place: int) -> dict[str, Any]:
        """Return the item's base instance as a row; `place` is the number of the base instance, from 0."""
        return {
            "base_id": self.base_id,
            "source_id": self.source_id,
            "draw": place,
            "layout": self.layout.value,
            "domain": self.domain,
            "title": self.title,
            "question": self.original_query,
            "answers": list(self.original_answers),
            "passages": [{**one, "title": None} for one in self._passages(self.original_grounding)],
            "language": self.language,
            "language_confidence": self.language_confidence,
        }

    def row(self) -> dict[str, Any]:
        """Return the item as a row of the table `items`. A column is None if the line has no such field."""
        named = {
            "item_id": self.id,
            "kind": self.kind.value,
            "base_id": self.base_id,
            "perturbation_id": None if self.kind is ItemKind.CONTROL else self.id,
            "class": self.perturbation_class,
            "intensity": self.intensity,
            "lever_id": self.lever_id,
            "lever": self.lever_selected,
            "generator": self.generator_model,
            "expected": self.expected_rag_behavior.value,
            "question": self.perturbed_query,
            "answers": list(self.original_answers),
            "passages": self._passages(self.grounding),
            "language": self.language,
        }
        rest = [name for name in arrow_schema(Table.ITEMS).names if name not in {*named, "round_id", "unit_id"}]
        return {**named, **{name: (self.model_extra or {}).get(name) for name in rest}}

    def _passages(self, texts: Sequence[str]) -> list[Mapping[str, Any]]:
        return [
            {"index": index, "text": text, "relevant": index in self.signal_indices} for index, text in enumerate(texts)
        ]


def released_items(release: Release) -> Iterator[ReleasedItem]:
    """Yield the items of a release, in the order of their ids.

    Raises:
        ConfigError: the file is missing, or a line is no item of this version of demur.
    """
    path = release.path / FILE
    read = 0
    try:
        with path.open(encoding="utf-8") as lines:
            for line in lines:
                yield ReleasedItem.model_validate_json(line)
                read += 1
    except OSError as exc:
        raise ConfigError(f"{path}: cannot be read ({exc.strerror}). Restore it from a copy of the release") from exc
    except ValidationError as exc:
        raise ConfigError(
            f"{path}: line {read + 1}: {first_fault(exc)}. This version of demur cannot read such items; use "
            "the version that the release's manifest names under packages"
        ) from exc
