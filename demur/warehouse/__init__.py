"""DuckDB: tables, views, gates, published copy, releases.

Tables, views, expectations and queries belong here; SQL stands in `.sql` files. The model of a table in `schemas`
states the meaning of its rows. Stages of `flows` make rows, and `reports` shows them. Imports `levers` only.
"""
