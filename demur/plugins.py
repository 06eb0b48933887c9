"""Extensions by other packages: an entry point group for each kind, whose code is imported when its name is used.

A name may be given by one package alone, and by none where demur has it itself. What is wrong with an extension is an
error of the command that names it, and of no other.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.metadata import EntryPoint, entry_points


class PluginError(Exception):
    """An extension that cannot be used; the message names its package and its entry point."""


class PluginKind(StrEnum):
    """What another package may add, by its entry point group."""

    LANE = "demur.lanes"
    RESPONDENT = "demur.respondents"
    CORPUS = "demur.corpora"
    METRIC = "demur.metrics"
    EXPORTER = "demur.exporters"


@dataclass(frozen=True, slots=True)
class Plugin:
    """An extension that is installed, and not imported yet."""

    kind: PluginKind
    entry: EntryPoint

    @property
    def package(self) -> str:
        """Name and version of the package, as in `demur-echo 1.0`."""
        distribution = self.entry.dist
        return "a package without metadata" if distribution is None else f"{distribution.name} {distribution.version}"

    @property
    def place(self) -> str:
        """What it is, in words: entry point and package."""
        return f"entry point {self.entry.name} = {self.entry.value} of {self.kind} in {self.package}"

    def load(self, is_one: Callable[[object], bool], wanted: str) -> object:
        """Return the object that the entry point names; `wanted` says in words what it must be.

        Raises:
            PluginError: it cannot be imported, or is of another type.
        """
        try:
            found = self.entry.load()
        except (Exception, SystemExit) as exc:
            raise PluginError(
                f"{self.place}: cannot be imported ({type(exc).__name__}: {exc}). Repair or uninstall the package"
            ) from exc
        if not is_one(found):
            raise PluginError(f"{self.place}: is of type {type(found).__name__}, and {wanted} is needed")
        return found


@cache
def _installed() -> Mapping[PluginKind, tuple[EntryPoint, ...]]:
    """Return the entry points of each kind; that reads metadata and imports nothing."""
    every = entry_points()
    return {kind: tuple(every.select(group=kind)) for kind in PluginKind}


def names(kind: PluginKind, ours: Collection[str] = ()) -> tuple[str, ...]:
    """Return demur's own names of a kind, then those that packages add."""
    return (*ours, *sorted({entry.name for entry in _installed()[kind]} - set(ours)))


def plugin(kind: PluginKind, name: str, ours: Collection[str] = ()) -> Plugin | None:
    """Return the extension of that name, None where no package has one.

    Raises:
        PluginError: two packages give the name, or one gives a name that demur has itself.
    """
    found = [Plugin(kind, entry) for entry in _installed()[kind] if entry.name == name]
    if found and name in ours:
        raise PluginError(f"{found[0].place}: '{name}' is a name of demur's own. Uninstall the package, or rename it")
    if len({one.package for one in found}) > 1:
        places = "; ".join(sorted(one.place for one in found))
        raise PluginError(f"'{name}' is given by several packages: {places}. Uninstall all but one")
    return found[0] if found else None


def required(kind: PluginKind, name: str) -> Plugin:
    """Return the extension of that name.

    Raises:
        PluginError: no package has one, or several have.
    """
    found = plugin(kind, name)
    if found is None:
        there = ", ".join(names(kind)) or "no package has any"
        function = f", or write a function as {name}:FUNCTION" if kind is PluginKind.RESPONDENT else ""
        raise PluginError(f"'{name}' is no entry point of {kind} ({there}). Install the package that has it{function}")
    return found
