"""The plan of a stage: a Parquet file of all units of the stage with their inputs.

Its units are also rows of `units`, without the inputs, which would fill the warehouse.
"""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

import pyarrow as pa
import pyarrow.parquet as pq

from demur.levers.vocabulary import Intensity, LeverClass
from demur.warehouse.connection import Connection
from demur.warehouse.errors import WarehouseError, disk_explained
from demur.warehouse.home import Home
from demur.warehouse.parquet import open_writer
from demur.warehouse.rows import utf8_text
from demur.warehouse.statements import statement
from demur.warehouse.tables import tables_of
from demur.warehouse.transaction import transaction

BATCH_ROWS = 1_000
_BATCH_CHARACTERS = 4_000_000
_SCHEMA = pa.schema(
    [
        ("unit_id", pa.string()),
        ("stamp", pa.string()),
        ("ordinal", pa.int64()),
        ("payload", pa.string()),
        ("class", pa.string()),
        ("intensity", pa.string()),
    ]
)
_ALLOWED = (("class", frozenset(LeverClass), LeverClass), ("intensity", frozenset(Intensity), Intensity))


@dataclass(frozen=True, slots=True)
class StagePlan:
    """The file of a stage's plan; `units` is the number of units."""

    round_id: str
    stage: str
    path: Path
    units: int


class PlanWriter:
    """A context manager that writes the plan of a stage; `plan` is available after the block.

    An error inside the block leaves the earlier plan unchanged.
    """

    def __init__(self, home: Home, round_id: str, stage: str) -> None:
        self._round_id = round_id
        self._stage = stage
        self._path = home.plan(round_id, stage)
        self._draft = self._path.with_name(f".{self._path.name}")
        self._writer: pq.ParquetWriter | None = None
        self._rows: list[dict[str, str | int | None]] = []
        self._characters = 0
        self._seen: set[bytes] = set()
        self._plan: StagePlan | None = None

    @property
    def plan(self) -> StagePlan:
        """The finished plan.

        Raises:
            WarehouseError: the block has not ended, or has ended with an error.
        """
        if self._plan is None:
            raise WarehouseError(f"{self._path}: the plan is not finished yet")
        return self._plan

    def __enter__(self) -> Self:
        with disk_explained(self._path):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._writer = open_writer(str(self._draft), _SCHEMA)
        return self

    def add(
        self,
        unit_id: str,
        payload: str,
        lever_class: str | None = None,
        intensity: str | None = None,
        *,
        stamp: str | None = None,
    ) -> None:
        """Append one unit; its ordinal is its position in the plan. `stamp` is None if the id is a hash of the rows.

        Raises:
            WarehouseError: the unit was added before, or class or intensity is unknown.
        """
        mark = hashlib.blake2b(unit_id.encode(), digest_size=16).digest()
        ordinal = len(self._seen)
        if mark in self._seen:
            raise WarehouseError(
                f"{self._round_id}/{self._stage}: unit '{unit_id}' is planned twice (again at {ordinal}); "
                f"units about different things need different ids"
            )
        for value, (column, allowed, vocabulary) in zip((lever_class, intensity), _ALLOWED, strict=True):
            if value is not None and value not in allowed:
                raise WarehouseError(
                    f"{self._round_id}/{self._stage}: unit '{unit_id}' has {column} '{value}', "
                    f"which is not one of {', '.join(vocabulary)}"
                )
        self._seen.add(mark)
        row: dict[str, str | int | None] = {"unit_id": unit_id, "stamp": stamp, "ordinal": ordinal}
        self._rows.append(row | {"payload": utf8_text(payload), "class": lever_class, "intensity": intensity})
        self._characters += len(payload)
        if len(self._rows) >= BATCH_ROWS or self._characters >= _BATCH_CHARACTERS:
            self._flush()

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._writer is not None
        with disk_explained(self._path):
            try:
                if kind is None:
                    self._flush()
                self._writer.close()
                if kind is None:
                    self._draft.replace(self._path)
                    self._plan = StagePlan(self._round_id, self._stage, self._path, len(self._seen))
            finally:
                self._draft.unlink(missing_ok=True)

    def _flush(self) -> None:
        assert self._writer is not None
        if self._rows:
            with disk_explained(self._path):
                self._writer.write_table(pa.Table.from_pylist(self._rows, schema=_SCHEMA))
        self._rows = []
        self._characters = 0


def register_plan(con: Connection, plan: StagePlan) -> None:
    """Replace the rows of `units` for the plan's round and stage by the units of the plan, in one transaction.

    Rows of these units that were made with another stamp are deleted: the units are pending again.
    """
    values = {"round_id": plan.round_id, "stage": plan.stage, "plan": str(plan.path)}
    with transaction(con):
        con.execute(statement("drop_unplanned_units"), values)
        con.execute(statement("insert_planned_units"), values)
        for table in tables_of(plan.stage):
            con.execute(statement("drop_replanned", table), {"round_id": plan.round_id, "stage": plan.stage})
