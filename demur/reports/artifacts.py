"""Prefect artifacts of a round: the base instances that its documents yielded, and the results of the round."""

import shlex
from collections.abc import Mapping
from typing import Any, Final

from prefect.artifacts import MarkdownArtifact, update_progress_artifact

from demur.engine.context import RoundContext, loader_reading
from demur.engine.stage import artifact_key, progress_artifact, root_run
from demur.engine.tasks import is_outside_prefect
from demur.reports.tables import named_table
from demur.reports.tables.formats import dollars
from demur.reports.tables.named import titled_markdown
from demur.reports.texts import counted
from demur.warehouse.releases.manifest import Release
from demur.warehouse.transactions import Connection

_TABLES: Final = ("warnings", "leaderboard", "strata", "costs_by_stage")


def show_results(context: RoundContext, release: Release) -> None:
    """Create the artifact of a finished round: warnings, leaderboard, yield, costs, and the path of the report."""
    if is_outside_prefect():
        return
    run = root_run()
    with loader_reading(context) as con:
        markdown = round_markdown(context.round_id, con, release)
    update_progress_artifact(progress_artifact(context.config.name, run), 100.0, f"released {release.label}")
    artifact = MarkdownArtifact(
        key=artifact_key(context.config.name, "summary"),
        description=f"Release {release.label} of round {context.round_id}: {counted(release.items, 'item')}",
        markdown=markdown,
        flow_run_id=run,
    )
    artifact.create()


def show_supply(context: RoundContext, said: str, row: Mapping[str, Any]) -> None:
    """Create the artifact of a round's documents, with the number of base instances they yielded.

    Args:
        context: of the round.
        said: the contents of `row` in words.
        row: the row of the table `supply`.
    """
    if is_outside_prefect():
        return
    with loader_reading(context) as con:
        reasons = named_table("asking_reasons").read(con, round=context.round_id)
    parts = [f"# Documents of round {context.round_id}", f"{said[0].upper()}{said[1:]}."]
    parts += [titled_markdown(named_table("supply").shown([row])), titled_markdown(reasons)]
    parts.append("Each document, with the reason where it was left out:")
    parts.append(f"    demur corpus show {context.round_id}")
    artifact = MarkdownArtifact(
        key=artifact_key(context.config.name, "corpus"),
        description=f"Round {context.round_id}: {counted(row['available'], 'base instance')} of {row['wanted']} wanted",
        markdown="\n\n".join(parts) + "\n",
        flow_run_id=root_run(),
    )
    artifact.create()


def round_markdown(round_id: str, con: Connection, release: Release) -> str:
    """Return the summary of a finished round as Markdown, with texts of corpora and models escaped."""
    [total] = named_table("costs_total").read(con, round=round_id).records
    cap = "no cap" if total["max_usd"] is None else f"a cap of {dollars(total['max_usd'])}"
    parts = [
        f"# Release {release.label}",
        f"{counted(release.items, 'item')} of round {round_id}; {counted(total['calls'], 'request')}, which count as "
        f"{dollars(total['counted_usd'])}, under {cap}.",
        "## Report",
        f"`{release.path / 'report.html'}` on the worker's machine. Browsers open no file from a page such as this "
        "one: open it there, or serve it there and look at <http://127.0.0.1:8000/report.html>:",
        f"    cd {shlex.quote(str(release.path))}\n    python3 -m http.server 8000 --bind 127.0.0.1",
    ]
    parts += [titled_markdown(named_table(name).read(con, round=round_id)) for name in _TABLES]
    return "\n\n".join(parts) + "\n"
