"""Tables that people see, each declared once with SQL, columns and texts, and the formats of numbers.

A declaration is a pair of files in `declared/`: `NAME.yaml` has title, caption and columns, and `NAME.sql` has the
statement. Tables with rows computed in Python have no SQL file. Terminal, Markdown and HTML output come from the same
`ShownTable`. JSON, CSV and the Python API use the unformatted `records` of the `ShownTable`. `formats` has the formats
of numbers, and `demur.reports.names` has the names of models, metrics and classes.
"""

from demur.reports.tables.named import Column, NamedTable, ShownTable, named_table, table_names

__all__ = ["Column", "NamedTable", "ShownTable", "named_table", "table_names"]
