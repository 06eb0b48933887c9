"""The state of rounds in one database: journals, holds, processes, budgets, batches and limits.

The database is a SQLite file of the home, or the PostgreSQL database that DEMUR_STATE names. Statements stand in
`sql/` and run in both; what differs between them is in `sqlite.py` and `postgres.py`. Rows name the home that they
belong to, so that several homes may use one PostgreSQL database.
"""
