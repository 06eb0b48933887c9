"""KEEP: DuckDB, migrations, landing zone, schemas, expectations, views and releases. Imports levers only."""
