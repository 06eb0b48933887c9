"""DuckDB: connections, statements, rows on their way from plan and landing to the published copy, files of a home.

Tables, views, expectations and queries belong here; SQL stands in `.sql` files. The model of a table in `tables`
states the meaning of its rows. Stages of `flows` make rows, and `reports` shows them. Imports `levers` only.
"""
