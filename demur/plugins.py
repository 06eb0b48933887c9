"""Extensions by other packages: an entry point group for each kind. Code is imported when its name is used.

A name may belong to one package only, and must not be a name of demur's own. A faulty extension is an error only of
commands that name it.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.metadata import EntryPoint, entry_points


class PluginError(Exception):
    """An extension that cannot be used. The message names its package and its entry point."""


class PluginKind(StrEnum):
    """A kind of extension. The value is its entry point group."""

    LANE = "demur.lanes"
    RESPONDENT = "demur.respondents"
    CORPUS = "demur.corpora"
    METRIC = "demur.metrics"
    EXPORTER = "demur.exporters"


@dataclass(frozen=True, slots=True)
class Plugin:
    """An installed extension that is not imported yet."""

    kind: PluginKind
    entry: EntryPoint

    @property
    def package(self) -> str:
        """Name and version of the package, such as `demur-echo 1.0`."""
        distribution = self.entry.dist
        return "a package without metadata" if distribution is None else f"{distribution.name} {distribution.version}"

    @property
    def place(self) -> str:
        """Entry point and package in words, for messages."""
        return f"entry point {self.entry.name} = {self.entry.value} of {self.kind} in {self.package}"

    def load(self, is_one: Callable[[object], bool], wanted: str) -> object:
        """Return the object of the entry point.

        `is_one` tells whether the object has the right type; `wanted` is this type in words.

        Raises:
            PluginError: the object cannot be imported, or is of another type.
        """
        try:
            found = self.entry.load()
        except (Exception, SystemExit) as exc:
            raise PluginError(
                f"{self.place}: cannot be imported ({type(exc).__name__}: {exc}). Repair or uninstall the package"
            ) from exc
        if not is_one(found):
            raise PluginError(f"{self.place}: is of type {type(found).__name__}, but must be {wanted}")
        return found


@cache
def _installed() -> Mapping[PluginKind, tuple[EntryPoint, ...]]:
    """Return the entry points of each kind. Only metadata are read; nothing is imported."""
    every = entry_points()
    return {kind: tuple(every.select(group=kind)) for kind in PluginKind}


def names(kind: PluginKind, ours: Collection[str] = ()) -> tuple[str, ...]:
    """Return demur's own names of a kind, then the names of extensions."""
    return (*ours, *sorted({entry.name for entry in _installed()[kind]} - set(ours)))


def plugin(kind: PluginKind, name: str, ours: Collection[str] = ()) -> Plugin | None:
    """Return the extension of a name; None if no package has one.

    Raises:
        PluginError: two packages have the name, or it is a name of demur's own.
    """
    found = [Plugin(kind, entry) for entry in _installed()[kind] if entry.name == name]
    if found and name in ours:
        raise PluginError(
            f"{found[0].place}: the name '{name}' is taken by demur. Uninstall the package, or rename the entry point"
        )
    if len({one.package for one in found}) > 1:
        places = "; ".join(sorted(one.place for one in found))
        raise PluginError(f"'{name}' is given by several packages: {places}. Uninstall all but one")
    return found[0] if found else None


def required(kind: PluginKind, name: str) -> Plugin:
    """Return the extension of a name.

    Raises:
        PluginError: no package or more than one package has the name.
    """
    found = plugin(kind, name)
    if found is None:
        there = ", ".join(names(kind)) or "no package has any"
        function = f", or write a function as {name}:FUNCTION" if kind is PluginKind.RESPONDENT else ""
        raise PluginError(
            f"'{name}' is not an entry point of {kind} ({there}). Install the package that has it{function}"
        )
    return found
