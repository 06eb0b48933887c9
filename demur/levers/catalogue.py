"""A round's levers, with look-ups by stratum, id and name."""

import hashlib
import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from types import MappingProxyType
from typing import Self

from demur.levers.errors import LeverError
from demur.levers.models import Lever
from demur.levers.readings import telling
from demur.levers.vocabulary import STRATA, Intensity, LeverClass, Origin

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
