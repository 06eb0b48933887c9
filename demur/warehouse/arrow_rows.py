"""Rows of Python values as validated Arrow tables, and Parquet files with fixed settings."""

import math
import operator
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from demur.warehouse.errors import RowError
from demur.warehouse.tables import Table
from demur.warehouse.tables.models import arrow_schema, models

# Conversion of rows of Python values to validated Arrow tables with exactly the types of a warehouse table.
#
# Arrow itself would silently truncate 1.5 to 1, split 'abc' into letters, drop time zones, and drop unknown keys of a
# struct. Every value is therefore checked here first.


Row = Mapping[str, object]
_Exact = Callable[[object], object]

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_SHOWN_CHARACTERS = 80


def to_arrow(table: Table, rows: Sequence[Row], place: str) -> pa.Table:
    """Return the rows as an Arrow table with the column types of `table`, after validation.

    Missing columns and NaN become null. Unpaired surrogates become U+FFFD, since UTF-8 has no code for them. Times need
    a time zone and become UTC.

    Args:
        table: the table whose columns and rules apply.
        rows: one mapping per row, by column name.
        place: origin of the rows, for messages.

    Raises:
        RowError: unknown column, wrong type, or a rule of the table's model is broken.
    """
    schema = arrow_schema(table)
    known = frozenset(schema.names)
    for number, row in enumerate(rows):
        if not known.issuperset(row):
            extra = sorted(set(row) - known)
            raise RowError(
                f"{place}: {table} row {number} has the unknown column {extra[0]!r}; allowed: {', '.join(schema.names)}"
            )
    arrays = [_column(table, field, rows, place) for field in schema]
    result = pa.Table.from_arrays(arrays, schema=schema)
    _validate(table, result, rows, place)
    return result


def _column(table: Table, field: pa.Field, rows: Sequence[Row], place: str) -> pa.Array:
    exact = _exact(field.type)
    values: list[object] = []
    for number, row in enumerate(rows):
        value = row.get(field.name)
        try:
            values.append(None if value is None else exact(value))
        except ValueError as exc:
            where = f"{place}: {table} row {number} ({_whose(row)}), column {field.name}"
            raise RowError(f"{where} is {_shown(value)}: {exc}") from exc
    return pa.array(values, type=field.type)


def _validate(table: Table, result: pa.Table, rows: Sequence[Row], place: str) -> None:
    import pandas as pd
    from pandera.errors import SchemaErrors

    frame = result.to_pandas(types_mapper=pd.ArrowDtype)
    try:
        models()[table].to_schema().validate(frame, lazy=True)
    except SchemaErrors as exc:
        cases = exc.failure_cases.drop_duplicates(["check", "index"]).sort_values("schema_context", kind="stable")
        first = cases.iloc[0]
        number = 0 if pd.isna(first["index"]) else int(first["index"])
        row = rows[number]
        column = str(first["column"])
        value = f"column {column} is {_shown(row.get(column))}: " if first["schema_context"] == "Column" else ""
        rule = _rule(str(first["check"]), models()[table].to_schema().unique)
        more = f" (and {len(cases) - 1} more)" if len(cases) > 1 else ""
        raise RowError(f"{place}: {table} row {number} ({_whose(row)}): {value}{rule}{more}") from exc


def _rule(check: str, key: Sequence[str] | None) -> str:
    """Return a broken rule in words; `check` is pandera's name of the rule, or the message of a rule of our own."""
    name, _, arguments = check.partition("(")
    asked = re.sub(r"[\[\]'()]", "", arguments)
    match name:
        case "isin":
            return f"must be one of {asked}"
        case "not_nullable" | "str_length":
            return "must not be empty"
        case "greater_than_or_equal_to":
            return f"must be at least {asked}"
        case "in_range":
            return f"must be from {asked.replace(', ', ' to ')}"
        case "field_uniqueness":
            return "must be unique"
        case "multiple_fields_uniqueness":
            return f"{', '.join(key or ())} must be unique together"
    return check


def _whose(row: Row) -> str:
    name = "unit_id" if "unit_id" in row else next(iter(row), "empty row")
    return f"{name} {_shown(row.get(name))}"


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN_CHARACTERS else text[: _SHOWN_CHARACTERS - 1] + "…"


def _exact(kind: pa.DataType) -> _Exact:
    """Return the function that converts a value to `kind`; it raises ValueError with the allowed values."""
    if pa.types.is_list(kind):
        return _list_of(_exact(kind.value_type))
    if pa.types.is_struct(kind):
        return _struct_of(kind)
    for matches, exact in _SCALARS:
        if matches(kind):
            return exact
    raise AssertionError(f"no table has a column of type {kind}")


def utf8_text(value: object) -> str:
    """Return a text with unpaired surrogates replaced by U+FFFD, so that it can be encoded as UTF-8.

    Raises:
        ValueError: the value is no text.
    """
    if not isinstance(value, str):
        raise ValueError("expected text")
    text = value if type(value) is str else str.__str__(value)
    if text.isascii():
        return text
    return _LONE_SURROGATE.sub("\ufffd", text)


def _whole(value: object) -> int:
    if type(value) is not int:
        if isinstance(value, bool) or not hasattr(value, "__index__"):
            raise ValueError("expected a whole number")
        value = operator.index(value)
    if not -(2**63) <= value < 2**63:
        raise ValueError("expected a whole number of at most 64 bits")
    return value


def _real(value: object) -> float | None:
    if isinstance(value, bool) or not hasattr(value, "__float__"):
        raise ValueError("expected a number")
    number = float(value)
    if math.isinf(number):
        raise ValueError("expected a finite number")
    return None if math.isnan(number) else number


def _flag(value: object) -> bool:
    if type(value) is not bool and type(value).__name__ not in ("bool", "bool_"):
        raise ValueError("expected True or False")
    return bool(value)


def _instant(value: object) -> datetime:
    if not isinstance(value, datetime) or value.tzinfo is None:
        raise ValueError("expected a datetime with a time zone")
    return value.astimezone(UTC).replace(tzinfo=None)


def _list_of(exact: _Exact) -> _Exact:
    def to_list(value: object) -> object:
        if not isinstance(value, list | tuple):
            raise ValueError("expected a list")
        if any(item is None for item in value):
            raise ValueError("expected a list without nulls")
        return [exact(item) for item in value]

    return to_list


def _struct_of(kind: pa.StructType) -> _Exact:
    fields = {field.name: (_exact(field.type), field.nullable) for field in kind}

    def to_struct(value: object) -> object:
        if not isinstance(value, Mapping) or not fields.keys() >= value.keys():
            raise ValueError(f"expected mappings with the keys {', '.join(fields)}")
        made: dict[str, object] = {}
        for name, (exact, nullable) in fields.items():
            inner = value.get(name)
            if inner is None and not nullable:
                raise ValueError(f"expected a value for {name}")
            made[name] = None if inner is None else exact(inner)
        return made

    return to_struct


_SCALARS: tuple[tuple[Callable[[pa.DataType], bool], _Exact], ...] = (
    (pa.types.is_string, utf8_text),
    (pa.types.is_int64, _whole),
    (pa.types.is_float64, _real),
    (pa.types.is_boolean, _flag),
    (pa.types.is_timestamp, _instant),
)


# Parquet files with fixed settings, so that equal rows give equal bytes.


ROWS_PER_GROUP = 65_536
COMPRESSION = "zstd"
COMPRESSION_LEVEL = 3


def open_writer(sink: object, schema: pa.Schema) -> pq.ParquetWriter:
    """Return a writer with demur's settings for Parquet files; the files do not get the metadata of `schema`."""
    return pq.ParquetWriter(
        sink,
        schema.remove_metadata(),
        version="2.6",
        compression=COMPRESSION,
        compression_level=COMPRESSION_LEVEL,
        write_statistics=True,
        use_dictionary=True,
    )


def write_table(table: pa.Table, path: Path) -> None:
    """Write a table to a new file, durably."""
    with path.open("xb") as sink:
        _write(table, sink)
        sink.flush()
        os.fsync(sink.fileno())


def table_bytes(table: pa.Table) -> bytes:
    """Return a table as the bytes of a Parquet file."""
    sink = pa.BufferOutputStream()
    _write(table, sink)
    found: bytes = sink.getvalue().to_pybytes()
    return found


def _write(table: pa.Table, sink: object) -> None:
    with open_writer(sink, table.schema) as writer:
        writer.write_table(table.replace_schema_metadata(None), row_group_size=ROWS_PER_GROUP)


def batches(path: Path, batch_size: int) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a file in order, in batches; at most one row group is in memory."""
    with pq.ParquetFile(path, pre_buffer=False) as file:
        yield from file.iter_batches(batch_size=batch_size)
