"""Respondents that are left out, since too many of their responses could not be obtained."""

from pathlib import Path
from typing import Final

from demur.configuration.labels import labelled_respondents
from demur.engine.context import RoundContext
from demur.flows.stages.respond.stage import RESPOND
from demur.warehouse.connection import Connection
from demur.warehouse.records import records

_FAILED: Final = Path(__file__).with_name("failed.sql")


def respondents_left_out(context: RoundContext, con: Connection) -> frozenset[str]:
    """Return the labels of the respondents that are neither judged nor scored.

    Of each of them, a larger share of responses than `gates.failure_rate` could not be obtained.
    """
    most = RESPOND.failure_rate(context)
    failed = records(con, _FAILED, [context.round_id])
    return frozenset(row["respondent"] for row in failed if row["failed"] > most * row["planned"])


def respondents_kept(context: RoundContext, con: Connection) -> list[str]:
    """Return the labels of all other respondents."""
    left_out = respondents_left_out(context, con)
    return [label for label in labelled_respondents(context.config) if label not in left_out]
