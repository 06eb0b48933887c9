"""The commands `demur home`, `warehouse`, `batches` and `health`: care of a home and of batches at providers."""

import json
from dataclasses import asdict
from typing import Annotated, Final

import typer

from demur.cli.terminal.options import AGE, Output, Printed, age
from demur.cli.terminal.printing import echo, echo_rows, size_text
from demur.reports.texts import counted
from demur.warehouse.results.formats import Format

# `demur home`: backup, restoration and pruning of a home.


home_app: Final = typer.Typer(help="Back up, restore and prune a home.", no_args_is_help=True)

BACKUP_EXAMPLES: Final = """
[bold]Examples[/bold]

demur home backup /backups/demur-20261127.tar

demur home backup s3://backups/demur/20261127.tar
"""
PRUNE_EXAMPLES: Final = """
[bold]Examples[/bold]

demur home prune --keep-rounds 12 --older-than 90d --dry-run     show what would be deleted

demur home prune --keep-rounds 12                                all but the newest twelve of each configuration
"""


@home_app.command("backup", epilog=BACKUP_EXAMPLES)
def back_up_home(
    target: Annotated[str, typer.Argument(metavar="FILE|ADDRESS", help="A file, or s3://bucket/name.tar.")],
) -> None:
    """Write all irreplaceable data of a home into one file, also while rounds run.

    The backup has the published warehouse, releases, and all calls. If the state is in a PostgreSQL database, the
    backup has the database rows of this home. Each file has a digest.

    `demur home restore` makes a home from the backup. Unfinished rounds continue there without repeating paid requests.
    """
    from demur.configuration.settings import demur_home
    from demur.engine.upkeep.backup import back_up

    done = back_up(demur_home(), target)
    echo(f"Backup     {done.place}: {counted(done.files, 'file')}, {size_text(done.size)}")


@home_app.command("restore", epilog="Example: DEMUR_HOME=/srv/demur demur home restore /backups/demur-20261127.tar")
def restore_home(
    source: Annotated[str, typer.Argument(metavar="FILE|ADDRESS", help="A backup of `demur home backup`.")],
) -> None:
    """Fill an empty home from a backup, compare every file with its digest, and publish the home's warehouse.

    Unfinished rounds continue with the command that started them. If DEMUR_STATE names a database, the restored state
    is stored there for a new home. The state of the original home stays unchanged.
    """
    from demur.configuration.settings import demur_home
    from demur.engine.upkeep.backup import restore

    home = demur_home()
    done = restore(home, source)
    rows = sum(done.rebuilt.rows.values())
    echo(f"Restored   {home.root}: {counted(done.files, 'file')} as of {done.made_at}, each with its digest")
    echo(f"Warehouse  {counted(done.rebuilt.rows['rounds'], 'round')}, {counted(rows, 'row')}")


@home_app.command("prune", epilog=PRUNE_EXAMPLES)
def prune_home(
    keep_rounds: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Keep the N newest rounds of each configuration.")
    ] = None,
    older_than: Annotated[
        str | None, typer.Option(metavar=AGE, help="Keep rounds that began within this time, as in 90d or 26w.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the effect, and change nothing.")] = False,
    output: Printed = Output.TABLE,
) -> None:
    """Delete the texts (prompts, replies, verdicts, plans) of old rounds whose results are frozen in a release.

    Releases, scores, costs and all data that later rounds need stay. Running rounds, rounds without a release here,
    and evaluations of releases are never pruned. A pruned round cannot be run again.
    """
    from demur.configuration.settings import demur_home
    from demur.engine.upkeep.backup import prune

    if keep_rounds is None and older_than is None:
        raise typer.BadParameter("name the rounds to keep: --keep-rounds N, --older-than AGE, or both")
    home = demur_home()
    done = prune(home, keep_rounds, None if older_than is None else age(older_than, "--older-than"), dry_run=dry_run)
    if output is Output.JSON:
        rounds = [{"round_id": one.round_id, "rows": one.rows} for one in done.rounds]
        echo(json.dumps({"dry_run": dry_run, "rounds": rounds, "bytes": done.freed, "kept": done.kept}))
        return
    said = "Would go" if dry_run else "Pruned"
    for one in done.rounds:
        echo(f"{said:10} {one.round_id}: {counted(one.rows, 'row')}")
    for round_id, why in done.kept.items():
        echo(f"Kept       {round_id}: {why}")
    if not dry_run:
        echo(f"Freed      {size_text(max(done.freed, 0))}, in {counted(len(done.rounds), 'round')}")


# `demur warehouse`: rebuilding the warehouse.


warehouse_app: Final = typer.Typer(help="Rebuild the warehouse.", no_args_is_help=True)


@warehouse_app.command("rebuild", epilog="Example: demur warehouse rebuild")
def rebuild_warehouse() -> None:
    """Rebuild a lost or damaged warehouse, or one of another version, with its rows, and publish it.

    Rows of a lost or damaged warehouse come from the published copy. No model is asked. Running rounds wait until the
    end.
    """
    from demur.configuration.settings import demur_home
    from demur.engine.loading import publish_home, rebuild_home
    from demur.engine.state.shared import shared_state

    home = demur_home()
    shared_state(home).check_answers()  # a home that is too old is refused before any file is changed
    made = rebuild_home(home)
    publish_home(home)
    echo(
        f"Rebuilt    {home.loader}: {counted(made.rows['rounds'], 'round')}, {counted(sum(made.rows.values()), 'row')}"
    )
    if made.from_published:
        echo("Published  the rows come from the published copy; the next run of a round makes younger rows again")
    if made.kept is not None:
        echo(f"Kept       {made.kept}: the replaced file; delete it when you like")


# `demur batches`: listing and cancelling batches of requests at providers.


batches_app = typer.Typer(help="List and cancel batches that rounds have sent to providers.", no_args_is_help=True)


@batches_app.command("list", epilog="Example: demur batches list --open")
def list_batches(
    only_open: Annotated[bool, typer.Option("--open", help="Only batches without results yet.")] = False,
    output: Annotated[Format, typer.Option("--format", help="Output format.")] = Format.TABLE,
) -> None:
    """List batches, newest first, with the last state that the round saw. CSV and JSON have all columns."""
    from demur.configuration.settings import demur_home
    from demur.flows.rounds.open_batches import COLUMNS, SHORT_COLUMNS, cells, known_batches, short_cells

    batches = known_batches(demur_home(), only_open=only_open)
    columns, row_of = (SHORT_COLUMNS, short_cells) if output is Format.TABLE else (COLUMNS, cells)
    echo_rows(output, columns, list(map(row_of, batches)))


@batches_app.command("cancel", epilog="Example: demur batches cancel demur-4f0c2a")
def cancel_batch(
    batch: Annotated[str, typer.Argument(help="Id of the batch, ours or the provider's, from `demur batches list`.")],
) -> None:
    """Ask the provider to stop a batch. Finished requests are paid for, and the round collects their replies."""
    from demur.configuration.settings import demur_home
    from demur.flows.rounds.open_batches import cancel

    echo(cancel(demur_home(), batch))


# `demur health`: a probe for containers and monitors.


def run(
    max_age: Annotated[
        str | None, typer.Option(metavar=AGE, help="Largest age of the newest round, as in 8d or 36h.")
    ] = None,
    output: Printed = Output.TABLE,
) -> None:
    """Check that the home is writable, the state answers, versions agree, and the newest round is recent.

    Exit status is 0 if all checks pass, otherwise 1. `demur doctor` checks more and takes longer.
    """
    from demur.configuration.settings import demur_home
    from demur.engine.upkeep.health import health_of

    found = health_of(demur_home(), None if max_age is None else age(max_age, "--max-age"))
    if output is Output.JSON:
        echo(json.dumps({"healthy": found.healthy, **asdict(found)}))
    else:
        for check in found.checks:
            echo(f"{'ok     ' if check.ok else 'NOT OK '}  {check.what:10}  {check.found}")
    if not found.healthy:
        raise typer.Exit(1)
