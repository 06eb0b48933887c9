"""Named tables: for each table that people look at, one declaration of its SQL, columns, words and numbers.

A declaration is a pair of files in `declared/`: `NAME.yaml` has title, caption and columns, `NAME.sql` the statement.
A table whose rows Python computes has the first alone. Terminal, Markdown and HTML are made from the same `ShownTable`;
JSON, CSV and the Python API have its raw `records`. How a number is written stands in `formats`, how a model, a metric
or a class is called in `demur.reports.names`.
"""

from demur.reports.tables.named import NamedTable, named_table, table_names
from demur.reports.tables.shown import Column, ShownTable

__all__ = ["Column", "NamedTable", "ShownTable", "named_table", "table_names"]
