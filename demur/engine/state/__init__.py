"""The state shared by processes, in one database: calls, locks, budgets, batches and progress, and its copies.

The database is a SQLite file of the home, or the PostgreSQL database of DEMUR_STATE. The statements in `sql/` run in
both databases; differences are in `sqlite.py` and `postgres.py`. Rows have the id of their home, so several homes can
share one PostgreSQL database.
"""
