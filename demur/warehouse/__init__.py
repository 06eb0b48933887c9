"""DuckDB: tables, landing zone, views, gates, archive, published copy, releases.

A table, view, expectation or query belongs here; SQL stands in `.sql` files. What a row means is written in its model
in `schemas`. Who makes rows is a stage of `flows`; who shows them is `reports`. Imports `levers` only.
"""
