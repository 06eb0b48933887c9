"""Units of work, as planned by a stage and worked on by a shard, and their conversion to objects of programs."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from demur.engine.context import RoundContext, digest_of
from demur.programs.call_scope import CallScope
from demur.warehouse.transactions import Connection

# Units of work: the units that a stage plans, and the units on which a shard works.


OPTIONAL: Final = frozenset({"asking", "repair"})
"""Names in `about` that inputs may lack: a first judgement and a first attempt have no number."""

Row: TypeAlias = Mapping[str, object]
Rows: TypeAlias = Mapping[str, Sequence[Row]]
"""Rows by table."""


@dataclass(frozen=True, slots=True)
class PlannedUnit:
    """A planned unit. `payload` is the JSON text of all inputs.

    `unit_id` is a hash of what the unit is about, and the same in every version of demur. `stamp` is a hash of all that
    decides the unit's rows: inputs, programs, models and code. Rows with another stamp are computed again, from the
    answers that the unit has already.
    """

    unit_id: str
    stamp: str
    payload: str
    lever_class: str | None = None
    intensity: str | None = None

    @property
    def key(self) -> tuple[str, str]:
        """Unit id and stamp, which its rows have."""
        return self.unit_id, self.stamp


@dataclass(frozen=True, slots=True)
class Unit:
    """One unit of work: its id and stamp, its planned inputs, its stratum, and the scope of its calls."""

    unit_id: str
    stamp: str
    inputs: dict[str, Any]
    lever_class: str | None
    intensity: str | None
    scope: CallScope

    def key(self, round_id: str) -> dict[str, object]:
        """Return the columns round_id, unit_id and stamp, which every row of the unit has."""
        return {"round_id": round_id, "unit_id": self.unit_id, "stamp": self.stamp}

    def made_id(self, about: Sequence[str], *texts: object, scope: str | None = None) -> str:
        """Return the id of what the unit made: a hash of the inputs named by `about`, and of the texts that were made.

        Unlike `unit_id`, it depends on no version of code, prompt or model. Draws go by the order of these ids and are
        therefore the same in every version that gets the same texts. `scope` is the round id if it is None.
        """
        named = {name: self.inputs[name] for name in about}
        return digest_of(scope or self.scope.round_id, self.scope.stage, named, *texts)

    def row(self, round_id: str, *inputs: str) -> dict[str, object]:
        """Return the columns of `key`, call_id (the newest call), and the inputs with the given names."""
        named = {name: self.inputs[name] for name in inputs}
        return {**self.key(round_id), "call_id": self.scope.last_call_id, **named}


Plan: TypeAlias = Callable[[RoundContext, Connection], Iterator[PlannedUnit]]
"""Yields the units that a round needs, in a fixed order."""

UnitWork: TypeAlias = Callable[[Unit], Awaitable[Rows]]
"""Works on one unit: returns its rows, or raises ProgramError if the unit fails."""

OpenWork: TypeAlias = Callable[[RoundContext], AbstractAsyncContextManager[UnitWork]]
"""Opens the models and programs of a stage for the running event loop, and yields the function for a unit."""


@dataclass(frozen=True, slots=True)
class WithoutModels:
    """Opens the work of a stage without models. `do` returns the rows of a unit."""

    do: Callable[[RoundContext, Unit], Rows]

    @asynccontextmanager
    async def __call__(self, context: RoundContext) -> AsyncIterator[UnitWork]:
        """Yield the function that works on a unit."""

        async def work(unit: Unit) -> Rows:
            return self.do(context, unit)

        yield work


def planned_unit(
    context: RoundContext,
    stage: str,
    about: Sequence[str],
    inputs: Mapping[str, Any],
    *decisive: str,
    stratum: Mapping[str, Any] | None = None,
    scope: str | None = None,
) -> PlannedUnit:
    """Return a planned unit.

    Args:
        context: The round.
        stage: The name of the stage.
        about: Names of the inputs that say what the unit is about. No two units of a plan have the same values. Only
            names in `OPTIONAL` may be missing in the inputs.
        inputs: The inputs of the unit.
        decisive: Fingerprints of program, model and code.
        stratum: A mapping with `class` and `intensity`. Default: `inputs`.
        scope: The scope of the id. Default: the round id. In the scope of a policy, later rounds use the results of
            earlier ones, so the stamp is a part of the id: no round changes the results of another.

    Raises:
        KeyError: the inputs have no value for a name in `about`.
    """
    payload = json.dumps(inputs, ensure_ascii=False, separators=(",", ":"))
    stamp = digest_of(payload, *decisive)
    named = {name: inputs[name] for name in about if name in inputs or name not in OPTIONAL}
    shared = () if scope in (None, context.round_id) else (stamp,)
    unit_id = digest_of(scope or context.round_id, stage, named, *shared)
    of = inputs if stratum is None else stratum
    return PlannedUnit(unit_id, stamp, payload, of.get("class"), of.get("intensity"))
