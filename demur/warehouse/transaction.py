"""A transaction: everything in it is kept or nothing is, and its first error is raised."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress

import duckdb

Connection = duckdb.DuckDBPyConnection


@contextmanager
def transaction(con: Connection) -> Iterator[None]:
    """Commit when the block is left, roll back when an error leaves it."""
    con.begin()
    try:
        yield
        con.commit()
    except BaseException:
        # A commit that failed (a full disk) has ended the transaction already.
        with suppress(duckdb.Error):
            con.rollback()
        raise
