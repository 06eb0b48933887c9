"""A round's levers, with look-ups by stratum, id and name, their loading from YAML, and readings by blind readers."""

import hashlib
import json
import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from difflib import get_close_matches
from enum import StrEnum
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Final, Self

from pydantic import Field, RootModel, ValidationError

from demur.levers.explain import LeverError, Problem, explain, field_name
from demur.levers.lever_models import CatalogueFile, Lever, LeverId
from demur.levers.vocabulary import STRATA, Intensity, LeverClass, Origin
from demur.levers.yaml_file import Source, plain_data, read_source, read_yaml, yaml_files

# What blind readers said of texts that a lever made: hardness, naturalness, share of passes. Figures, no texts.


READINGS: Final = Path(__file__).with_name("readings.yaml")
TELLING_FROM: Final = 2.8
"""The lowest mean hardness, from 1 to 5, of a telling lever."""
NATURAL_FROM: Final = 3.1
"""The lowest mean naturalness; at 3.2 Contradiction HIGH would keep only levers that few base instances fit."""
PASSED_FROM: Final = 0.8
"""A lever whose texts read as made up, or fail, is hard for the wrong reason and therefore not telling."""
JUDGED_FROM: Final = 4
"""Levers that were chosen by fewer judgements, one text, fell back by about one grade when they were read again."""
OFFERED: Final = 2
"""The fewest telling levers of a stratum: with one lever on offer, careful writers declined every third request."""
NEAR: Final = 0.5

Grade = Annotated[float, Field(ge=1, le=5)]


class WrittenBy(StrEnum):
    """Writers of the texts that were read: a language model by the lever's instruction, or the lever's recipe."""

    MODEL = "model"
    RULES = "rules"


@dataclass(frozen=True, slots=True)
class LeverReading:
    """The judgements of one lever's texts in the readings of one day; several readers judge the same text."""

    day: date
    written_by: WrittenBy
    judgements: int
    hard: float
    natural: float
    passed: float
    """The share of judgements that passed the text, in [0, 1]."""

    @property
    def is_telling(self) -> bool:
        """True if enough judgements found the lever's texts hard to see through, natural and valid."""
        good = self.hard >= TELLING_FROM and self.natural >= NATURAL_FROM and self.passed >= PASSED_FROM
        return good and self.judgements >= JUDGED_FROM

    @property
    def short(self) -> float:
        """How much hardness and naturalness together fall short of their bounds; infinite for a lever that fails."""
        if self.passed < PASSED_FROM:
            return math.inf
        return max(TELLING_FROM - self.hard, 0) + max(NATURAL_FROM - self.natural, 0)


_Row = tuple[date, WrittenBy, Annotated[int, Field(ge=1)], Grade, Grade, Annotated[float, Field(ge=0, le=1)]]


class LeverReadings(RootModel[dict[LeverId, tuple[_Row, ...]]]):
    """All readings, by lever."""


@cache
def _load() -> LeverReadings:
    return read_yaml(READINGS, LeverReadings)


def readings_of(lever_id: str) -> tuple[LeverReading, ...]:
    """Return all readings of a lever, the oldest first."""
    rows = (LeverReading(*row) for row in _load().root.get(lever_id, ()))
    return tuple(sorted(rows, key=lambda row: row.day))


def measured(lever_id: str) -> LeverReading | None:
    """Return the reading that counts for a lever, or None if its texts were never read.

    The newest reading of what a model wrote counts, since instructions change between readings. If models' texts were
    never read, the newest reading of the recipe's texts counts.
    """
    rows = readings_of(lever_id)
    by_model = [row for row in rows if row.written_by is WrittenBy.MODEL]
    return next(reversed(by_model or rows), None)


def telling(stratum: Iterable[Lever]) -> tuple[Lever, ...]:
    """Return the telling levers among those of one stratum, in their order.

    If there are fewer than OFFERED, the nearest of those that fall short by NEAR at most join them. If there are none,
    the nearest one is returned; if none of the levers was ever read, all are.
    """
    levers = tuple(stratum)
    found = {lever.id: row for lever in levers if (row := measured(lever.id)) is not None}
    if not found:
        return levers
    nearest = sorted(found, key=lambda lever_id: (not found[lever_id].is_telling, found[lever_id].short))
    near = [lever_id for lever_id in nearest if found[lever_id].short <= NEAR][:OFFERED]
    chosen = {*nearest[:1], *near, *(lever_id for lever_id, row in found.items() if row.is_telling)}
    return tuple(lever for lever in levers if lever.id in chosen)


# A round's levers, with look-ups by stratum, id and name.


_ORDER = {stratum: number for number, stratum in enumerate(STRATA)}


@dataclass(frozen=True, slots=True)
class Catalogue:
    """Levers with unique ids and names, sorted by stratum and id."""

    levers: tuple[Lever, ...]
    _by_stratum: Mapping[tuple[LeverClass, Intensity], tuple[Lever, ...]]
    _by_id: Mapping[str, Lever]
    _by_name: Mapping[str, Lever]

    @classmethod
    def of(cls, levers: Iterable[Lever]) -> Self:
        """Return the catalogue of levers.

        Raises:
            LeverError: ids or names are not unique.
        """
        ordered = tuple(sorted(levers, key=lambda lever: (_ORDER[lever.lever_class, lever.intensity], lever.id)))
        by_id = {lever.id: lever for lever in ordered}
        by_name = {lever.name.casefold(): lever for lever in ordered}
        if not len(ordered) == len(by_id) == len(by_name):
            raise LeverError(
                f"{len(ordered)} levers have {len(by_id)} ids and {len(by_name)} names. Make ids and names unique"
            )
        by_stratum: dict[tuple[LeverClass, Intensity], tuple[Lever, ...]] = dict.fromkeys(STRATA, ())
        for lever in ordered:
            by_stratum[lever.lever_class, lever.intensity] += (lever,)
        return cls(ordered, MappingProxyType(by_stratum), MappingProxyType(by_id), MappingProxyType(by_name))

    def __len__(self) -> int:
        return len(self.levers)

    def __iter__(self) -> Iterator[Lever]:
        return iter(self.levers)

    def stratum(self, lever_class: LeverClass, intensity: Intensity) -> tuple[Lever, ...]:
        """Return the levers of one stratum; an empty tuple if there are none."""
        return self._by_stratum[lever_class, intensity]

    def of_origins(self, origins: Collection[Origin]) -> Self:
        """Return a catalogue of the levers with one of the origins. If `origins` is empty, return this catalogue."""
        return type(self).of(lever for lever in self.levers if lever.origin in origins) if origins else self

    def telling(self) -> Self:
        """Return a catalogue of the levers of each stratum whose texts blind readers found hard to see through."""
        return type(self).of(lever for levers in self._by_stratum.values() for lever in telling(levers))

    def lever(self, lever_id: str) -> Lever:
        """Return the lever with an id.

        Raises:
            LeverError: there is none; the message gives the closest ids.
        """
        if lever_id not in self._by_id:
            raise LeverError(f"lever id '{lever_id}' is not in the catalogue{_closest(lever_id, self._by_id)}")
        return self._by_id[lever_id]

    def named(self, name: str) -> Lever | None:
        """Return the lever with a name; None if there is no such lever. Upper and lower case are not distinguished."""
        return self._by_name.get(name.strip().casefold())

    @property
    def fingerprint(self) -> str:
        """SHA-256 of all levers; comments, order and layout of the files do not change it."""
        content = [lever.model_dump(mode="json") for lever in self.levers]
        return hashlib.sha256(json.dumps(content, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


def _closest(lever_id: str, known: Iterable[str]) -> str:
    close = get_close_matches(lever_id, list(known), n=3, cutoff=0.6)
    return f"; closest are {', '.join(close)}" if close else ". `demur levers list` shows all"


# Loading of lever catalogues from YAML: demur's, the user's, or both.


SHIPPED_LEVERS = Path(__file__).parent / "catalogues"

LeverCheck = Callable[[Lever], Iterable[Problem]]
"""Yields faults of a valid lever; their paths begin at the lever."""


def load_catalogue(*paths: Path | None, check: LeverCheck | None = None) -> Catalogue:
    """Return the levers of files and directories as one catalogue; without paths, demur's catalogue.

    A path that is None stands for demur's catalogue: `load_catalogue(None, mine)` adds the levers of `mine`, and
    `load_catalogue(mine)` has these levers only. `check` finds further faults of each lever.

    Raises:
        LeverError: a lever is faulty or a file cannot be read; the message has one line for each fault.
    """
    paths = paths or (None,)
    return _ours() if paths == (None,) and check is None else _read(paths, check)


@cache
def _ours() -> Catalogue:
    return _read((None,), None)


def _read(paths: tuple[Path | None, ...], check: LeverCheck | None) -> Catalogue:
    files = [file for path in paths for file in yaml_files(SHIPPED_LEVERS if path is None else path)]
    complaints: list[str] = []
    entries: list[tuple[Source, int, Lever]] = []
    for file in {file.resolve(): file for file in files}.values():
        try:
            source = read_source(file, "demur levers schema")
            entries += [(source, number, lever) for number, lever in enumerate(_levers(source, check))]
        except LeverError as exc:
            complaints.append(str(exc))
    complaints += _repeated(entries)
    if complaints:
        raise LeverError("\n".join(complaints))
    return Catalogue.of(lever for _, _, lever in entries)


def catalogue_schema() -> dict[str, object]:
    """Return the JSON Schema of a catalogue file, for editors."""
    schema: dict[str, object] = CatalogueFile.model_json_schema(by_alias=True)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "title": "demur lever catalogue"}


def _levers(source: Source, check: LeverCheck | None) -> tuple[Lever, ...]:
    data = plain_data(source)
    problems: list[Problem] = []
    try:
        CatalogueFile.model_validate(data)
    except ValidationError as exc:
        problems += explain(exc, CatalogueFile)
    lever_class = data.get("class")
    rows = data.get("levers")
    if lever_class not in list(LeverClass) or not isinstance(rows, list):
        raise source.error(problems)
    faulty = {problem.path[1] for problem in problems if problem.path[0] == "levers" and len(problem.path) > 1}
    levers = []
    for number, row in enumerate(rows):
        if number in faulty:
            continue
        try:
            levers.append(Lever.model_validate({**row, "lever_class": lever_class}))
        except ValidationError as exc:
            problems += explain(exc, Lever, at=("levers", number))
        else:
            problems += _beyond_shape(levers[-1], number, check)
    if problems:
        raise source.error(problems)
    return tuple(levers)


def _beyond_shape(lever: Lever, number: int, check: LeverCheck | None) -> Iterator[Problem]:
    for problem in check(lever) if check else ():
        path = ("levers", number, *problem.path)
        yield Problem(path, f"{field_name(path)} {problem.message}")


def _repeated(entries: Iterable[tuple[Source, int, Lever]]) -> Iterator[str]:
    first: dict[tuple[str, str], tuple[Source, int]] = {}
    for source, number, lever in entries:
        for field, value in (("id", lever.id), ("name", lever.name)):
            key = (field, value.casefold())
            if key in first:
                other, at = first[key]
                place = f"{other.name}:{other.line(('levers', at, field))}"
                message = f"levers[{number}].{field} '{value}' is also at {place}. Rename one of the two"
                yield str(source.error([Problem(("levers", number, field), message)]))
            else:
                first[key] = (source, number)
