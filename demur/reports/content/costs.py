"""Costs of a round as tables."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from demur.warehouse.connection import reading
from demur.warehouse.home import Home
from demur.warehouse.records import table_of
from demur.warehouse.rounds import chosen_round

_COUNTED: Final = ("calls", "input_tokens", "output_tokens")


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


def estimate_overview(table: CostTable) -> CostTable:
    """Return the breakdown by estimate for a terminal: 'actual / estimated' in one cell, tokens shortened."""
    rows = [
        (
            *(one[name] for name in ("stage", "role", "model")),
            *(f"{short_count(one[name])} / {short_count(one[f'estimated_{name}'])}" for name in _COUNTED),
            f"{dollars(one['counted_usd'])} / {dollars(one['estimated_usd'])}",
            one["ratio"],
        )
        for one in table.objects()
    ]
    return CostTable(("stage", "role", "model", *_COUNTED, "usd", "ratio"), rows)


def short_count(count: object) -> str:
    """Return a count in three digits: 1250 as 1.25k, null where it is unknown."""
    if not isinstance(count, int | float):
        return "null"
    for unit, size in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if count >= size * 0.9995:
            return f"{float(f'{count / size:.3g}'):g}{unit}"
    return f"{count:.3g}"


def dollars(usd: object) -> str:
    """Return US dollars to the cent, small amounts in two digits."""
    if not isinstance(usd, int | float):
        return "null"
    return f"{usd:.2f}" if usd >= 0.1 or usd == 0 else f"{usd:.2g}"


def breakdowns(home: Home, round_id: str | None, kinds: Sequence[str]) -> Costs:
    """Return breakdowns (total, stage, model, stratum, item, estimate) of a round, by default the newest run here.

    Raises:
        FlowError: there is no such round, or none at all.
        WarehouseMissingError: nothing was published yet.
    """
    with reading(home) as con:
        chosen = chosen_round(con, round_id)
        return Costs(chosen, {kind: CostTable(*table_of(con, f"costs_{kind}", [chosen])) for kind in kinds})
