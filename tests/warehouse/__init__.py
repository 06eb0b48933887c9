"""Tests of the warehouse room, on real DuckDB and Parquet files."""
