"""Column types, column declarations and base classes, from which the schemas of tables (pandera models) are made."""

from collections.abc import Sequence
from typing import Annotated, Any

import pandas as pd
import pandera.pandas as pandera
import pyarrow as pa
from pandera.pandas import DataFrameModel

from demur.warehouse.tables import CLASSES, INTENSITIES, Table

Text = Annotated[pd.ArrowDtype, pa.string()]
Whole = Annotated[pd.ArrowDtype, pa.int64()]
Real = Annotated[pd.ArrowDtype, pa.float64()]
Flag = Annotated[pd.ArrowDtype, pa.bool_()]
Instant = Annotated[pd.ArrowDtype, pa.timestamp("us")]
Texts = Annotated[pd.ArrowDtype, pa.list_(pa.string())]
_INDEX = pa.field("index", pa.int64(), nullable=False)
_TEXT = pa.field("text", pa.string(), nullable=False)
_RELEVANT = pa.field("relevant", pa.bool_(), nullable=False)
_TITLE = pa.field("title", pa.string())
_PROPOSITION = pa.field("proposition", pa.string(), nullable=False)
_FACT = pa.field("fact", pa.string(), nullable=False)
_HOLDS = pa.field("holds", pa.bool_(), nullable=False)
Passages = Annotated[pd.ArrowDtype, pa.list_(pa.struct([_INDEX, _TEXT, _RELEVANT]))]
TitledPassages = Annotated[pd.ArrowDtype, pa.list_(pa.struct([_INDEX, _TEXT, _RELEVANT, _TITLE]))]
Changes = Annotated[pd.ArrowDtype, pa.list_(pa.struct([_INDEX, _TEXT]))]
Facts = Annotated[pd.ArrowDtype, pa.list_(pa.struct([_FACT, _HOLDS]))]
Spans = Annotated[
    pd.ArrowDtype,
    pa.list_(
        pa.struct(
            [
                pa.field("passage", pa.int64()),
                pa.field("start", pa.int64(), nullable=False),
                pa.field("end", pa.int64(), nullable=False),
                _TEXT,
            ]
        )
    ),
]
Intentions = Annotated[pd.ArrowDtype, pa.list_(pa.struct([_PROPOSITION, _HOLDS]))]
Judgings = Annotated[
    pd.ArrowDtype,
    pa.list_(
        pa.struct([pa.field("respondent", pa.string(), nullable=False), pa.field("judge", pa.string(), nullable=False)])
    ),
]


class TableModel(DataFrameModel):
    """Base class of the schemas of all tables."""

    class Config:
        """Options of pandera: unknown and missing columns are errors; types are not coerced."""

        strict = True
        coerce = False
        metadata: dict[str, bool] | None = None

    def __init_subclass__(cls, table: Table | None = None, key: str = "", primary: bool = False, **rest: Any) -> None:
        """Set the table of a model and its key columns, separated by spaces.

        If `primary` is True, DuckDB also enforces the key. Tables of units do without `primary`: `landing` checks their
        keys.
        """
        if table is not None:
            named = {"name": table.value, "unique": key.split() or None, "metadata": {"primary": primary}}
            cls.Config = type("Config", (cls.Config,), named)  # type: ignore[assignment, misc]
        super().__init_subclass__(**rest)  # type: ignore[no-untyped-call]

    @classmethod
    def table(cls) -> Table:
        """Return the table that this model describes."""
        return Table(cls.to_schema().name)

    @classmethod
    def primary_key(cls) -> list[str]:
        """Return the columns of the primary key in DuckDB; an empty list without a primary key."""
        if not (cls.Config.metadata or {}).get("primary"):
            return []
        schema = cls.to_schema()
        return schema.unique or [name for name, column in schema.columns.items() if column.unique]


def column(meaning: str = "", *, null: bool = False, **rules: Any) -> Any:
    """Declare a column.

    `meaning` is its comment in the catalog, `null` allows nulls, and `rules` are checks of pandera.
    """
    return pandera.Field(nullable=null, description=meaning, **rules)


def filled(meaning: str = "", *, null: bool = False, **rules: Any) -> Any:
    """Declare a text column without empty texts, such as an id or a name."""
    return column(meaning, null=null, str_length={"min_value": 1}, **rules)


def names(table: Table, meaning: str = "", *, null: bool = False, **rules: Any) -> Any:
    """Declare a column of foreign keys: each value is the id of a row of `table`."""
    return filled(meaning, null=null, metadata={"names": table}, **rules)


def json_text(meaning: str) -> Any:
    """Declare a text column with the type JSON in DuckDB."""
    return column(meaning, metadata={"type": "JSON"})


def one_of(meaning: str, allowed: Sequence[str], *, null: bool = False, **rules: Any) -> Any:
    """Declare a text column with a closed set of values."""
    return column(meaning, null=null, isin=list(allowed), **rules)


def class_of_stratum(meaning: str = "", *, null: bool = False) -> Any:
    """Declare the column `class`."""
    return one_of(meaning, CLASSES, null=null, alias="class")


def intensity_of_stratum(meaning: str = "", *, null: bool = False) -> Any:
    """Declare the column `intensity`."""
    return one_of(meaning, INTENSITIES, null=null)


def count(meaning: str = "", *, null: bool = False) -> Any:
    """Declare a column of non-negative integers."""
    return column(meaning, null=null, ge=0)


def share(meaning: str = "", *, null: bool = False) -> Any:
    """Declare a column of numbers from 0 to 1."""
    return column(meaning, null=null, in_range={"min_value": 0.0, "max_value": 1.0})


def present(frame: pd.DataFrame, columns: list[str]) -> "pd.Series[bool]":
    """Return for each row whether none of `columns` is null."""
    return frame[columns].notna().all(axis=1)


def absent(frame: pd.DataFrame, columns: list[str]) -> "pd.Series[bool]":
    """Return for each row whether all of `columns` are null."""
    return frame[columns].isna().all(axis=1)


class UnitRow(TableModel):
    """Base class of schemas whose rows belong to a unit."""

    round_id: Text = names(Table.ROUNDS, "id of the round")
    unit_id: Text = filled("id of the unit that made the row")
    stamp: Text = filled("hash of the inputs, programs, models and code that made the row", null=True)


class AnswerRow(UnitRow):
    """Base class of schemas whose rows are made from an answer of a language model."""

    call_id: Text = names(
        Table.CALLS, "id of the request whose answer gave the row; null if no model was asked", null=True
    )
