"""The data of a round's report at its release."""

from collections.abc import Mapping
from datetime import date
from importlib.metadata import version
from typing import Any

from demur.engine.context import RoundContext
from demur.reports.reward_fits import completion_rewards
from demur.reports.reward_results import behaviours
from demur.reports.round_report.page import Report, ReportFacts, read_report
from demur.reports.tables import named_table
from demur.warehouse.transactions import Connection


def release_report(
    context: RoundContext, con: Connection, release: str, frozen: date, described: Mapping[str, Any]
) -> Report:
    """Return the data of a round's report.

    Args:
        context: of the round.
        con: the warehouse.
        release: the label of the release.
        frozen: the day of the release.
        described: the manifest of the release.
    """
    weights, fits = (named_table(name).read(con, round=context.round_id).frame() for name in ("weights", "fits"))
    facts = ReportFacts(
        title=context.config.name,
        release=release,
        date=frozen.isoformat(),
        corpus=context.config.corpus.name,
        demur=version("demur"),
        recorded=described["recorded"],
        said={name: described[name] for name in ("audit", "calibration")},
        behaviours=behaviours(weights, fits, completion_rewards(context, con)),
    )
    return read_report(con, context.round_id, facts)
