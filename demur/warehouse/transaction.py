"""One transaction: all of it or nothing, and the first error is the one that is told."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress

import duckdb


@contextmanager
def transaction(con: duckdb.DuckDBPyConnection) -> Iterator[None]:
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
