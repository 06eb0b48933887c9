"""Transactions of DuckDB."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress

import duckdb

Connection = duckdb.DuckDBPyConnection


@contextmanager
def undone(con: Connection) -> Iterator[None]:
    """Roll back what the block changes."""
    con.begin()
    try:
        yield
    finally:
        con.rollback()


@contextmanager
def transaction(con: Connection) -> Iterator[None]:
    """Commit at the end of the block; roll back and re-raise if the block raises an error."""
    con.begin()
    try:
        yield
        con.commit()
    except BaseException:
        # A commit that failed (a full disk) has ended the transaction already.
        with suppress(duckdb.Error):
            con.rollback()
        raise
