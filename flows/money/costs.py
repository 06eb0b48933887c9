"""What a round cost, as tables."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from flows.errors import FlowError
from warehouse.connection import reading
from warehouse.home import Home
from warehouse.records import records, table_of


@dataclass(frozen=True, slots=True)
class CostTable:
    """One breakdown: column names and rows."""

    columns: tuple[str, ...]
    rows: Sequence[Sequence[object]]

    def objects(self) -> list[dict[str, object]]:
        """Return the rows as mappings."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]


@dataclass(frozen=True, slots=True)
class Costs:
    """Breakdowns of one round's costs, by name."""

    round_id: str
    tables: Mapping[str, CostTable]


def breakdowns(home: Home, round_id: str | None, kinds: Sequence[str]) -> Costs:
    """Return breakdowns (total, stage, model, stratum, item, estimate) of a round, the newest where none is named.

    Raises:
        FlowError: there is no such round, or none at all.
        WarehouseMissingError: nothing was published yet.
    """
    with reading(home) as con:
        rounds = [str(row["round_id"]) for row in records(con, "rounds_by_age")]
        if not rounds:
            raise FlowError("no round has begun here yet: `demur round` begins one")
        chosen = rounds[0] if round_id is None else round_id
        if chosen not in rounds:
            raise FlowError(f"round '{chosen}' is not one of {', '.join(rounds[:20])}")
        return Costs(chosen, {kind: CostTable(*table_of(con, f"costs_{kind}", [chosen])) for kind in kinds})
