"""The results of a finished round in Prefect's interface, on the round's own run."""

import shlex
from typing import Final

from prefect.artifacts import MarkdownArtifact, update_progress_artifact

from demur.engine.context import RoundContext, loader_reading
from demur.engine.progress_artifact import artifact_key, progress_artifact, root_run
from demur.reports.content.costs import dollars
from demur.warehouse.connection import Connection
from demur.warehouse.formats import as_markdown
from demur.warehouse.records import records, table_of
from demur.warehouse.release import Release

_TABLES: Final = {
    "Warnings": "summary_warnings",
    "Leaderboard": "summary_leaderboard",
    "Yield by stratum": "summary_strata",
    "Costs by stage": "costs_stage",
}
"""The statement behind each table of a round's summary."""


def show_results(context: RoundContext, release: Release) -> None:
    """Show the results of a finished round: warnings, leaderboard, yield, costs, and how to open its report."""
    run = root_run()
    with loader_reading(context) as con:
        markdown = round_markdown(context, con, release)
    update_progress_artifact(progress_artifact(context.config.name, run), 100.0, f"released {release.label}")
    artifact = MarkdownArtifact(
        key=artifact_key(context.config.name, "summary"),
        description=f"Release {release.label} of round {context.round_id}: {release.items} items",
        markdown=markdown,
        flow_run_id=run,
    )
    artifact.create()


def round_markdown(context: RoundContext, con: Connection, release: Release) -> str:
    """Return the summary of a finished round; what came from a corpus or a model stands escaped in tables."""
    total = next(records(con, "costs_total", [context.round_id]))
    cap = "no cap" if total["max_usd"] is None else f"a cap of ${dollars(total['max_usd'])}"
    parts = [
        f"# Release {release.label}",
        f"{release.items} items of round {context.round_id}; {total['calls']} requests, which count as "
        f"${dollars(total['counted_usd'])}, under {cap}.",
        "## Report",
        f"`{release.path / 'report.html'}` on the worker's machine. Browsers open no file from a page such as this "
        "one: open it there, or serve it there and look at <http://127.0.0.1:8000/report.html>:",
        f"    cd {shlex.quote(str(release.path))}\n    python3 -m http.server 8000 --bind 127.0.0.1",
    ]
    for title, query in _TABLES.items():
        columns, rows = table_of(con, query, [context.round_id])
        parts += [f"## {title}", as_markdown(columns, rows) if rows else "None."]
    return "\n\n".join(parts) + "\n"
