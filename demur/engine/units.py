"""Units of work: as a stage plans them, and as a shard works on them."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Any, TypeAlias

from demur.engine.context import RoundContext, digest_of
from demur.programs.journal import CallScope
from demur.warehouse.connection import Connection

Row: TypeAlias = Mapping[str, object]
Rows: TypeAlias = Mapping[str, Sequence[Row]]
"""Rows by table."""


@dataclass(frozen=True, slots=True)
class PlannedUnit:
    """A unit of work: `unit_id` is a hash of the deciding inputs, the payload is the JSON text of all inputs."""

    unit_id: str
    payload: str
    lever_class: str | None = None
    intensity: str | None = None


def inputs_of(planned: PlannedUnit) -> dict[str, Any]:
    """Return the inputs of a planned unit."""
    return dict(json.loads(planned.payload))


@dataclass(frozen=True, slots=True)
class Unit:
    """One unit of work: its id, the inputs that were planned for it, and the stratum it belongs to."""

    unit_id: str
    inputs: dict[str, Any]
    lever_class: str | None
    intensity: str | None
    scope: CallScope

    def key(self, round_id: str) -> dict[str, object]:
        """Return the first columns of every row of this unit."""
        return {"round_id": round_id, "unit_id": self.unit_id}

    def row(self, round_id: str, *inputs: str) -> dict[str, object]:
        """Return its key, the call behind its newest answer, and the inputs of these names, as columns of a row."""
        named = {name: self.inputs[name] for name in inputs}
        return {**self.key(round_id), "call_id": self.scope.last_call_id, **named}


Plan: TypeAlias = Callable[[RoundContext, Connection], Iterator[PlannedUnit]]
"""Yields the units that a round wants now, in a fixed order."""

UnitWork: TypeAlias = Callable[[Unit], Awaitable[Rows]]
"""Does one unit: returns its rows, or raises ProgramError where it ends without a result."""

OpenWork: TypeAlias = Callable[[RoundContext], AbstractAsyncContextManager[UnitWork]]
"""Opens what a stage's units need (models, programs) for the running event loop."""


@dataclass(frozen=True, slots=True)
class WithoutModels:
    """Opens the work of a stage that asks no model: `do` returns the rows of a unit."""

    do: Callable[[RoundContext, Unit], Rows]

    @asynccontextmanager
    async def __call__(self, context: RoundContext) -> AsyncIterator[UnitWork]:
        """Yield the function that does one unit."""

        async def work(unit: Unit) -> Rows:
            return self.do(context, unit)

        yield work


def planned_unit(
    context: RoundContext,
    stage: str,
    inputs: Mapping[str, Any],
    *decisive: str,
    stratum: Mapping[str, Any] | None = None,
    scope: str | None = None,
) -> PlannedUnit:
    """Return the unit whose id is the hash of all that decides its result.

    `decisive` are the fingerprints of program and model; `stratum` has class and intensity where the inputs do not;
    `scope` is the round, unless results outlive rounds.
    """
    payload = json.dumps(inputs, ensure_ascii=False, separators=(",", ":"))
    unit_id = digest_of(scope or context.round_id, stage, payload, *decisive)
    of = inputs if stratum is None else stratum
    return PlannedUnit(unit_id, payload, of.get("class"), of.get("intensity"))
