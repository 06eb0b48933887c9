"""`demur home`: backup, restoration and pruning of a home."""

import json
from typing import Annotated, Final

import typer

from demur.cli.options import AGE, Output, Printed, age
from demur.cli.printing import echo, size_text
from demur.reports.text import counted

app: Final = typer.Typer(help="Back up, restore and prune a home.", no_args_is_help=True)

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


@app.command("backup", epilog=BACKUP_EXAMPLES)
def back_up_home(
    target: Annotated[str, typer.Argument(metavar="FILE|ADDRESS", help="A file, or s3://bucket/name.tar.")],
) -> None:
    """Write all irreplaceable data of a home into one file, also while rounds run.

    The backup has the published warehouse, releases, and all calls. If the state is in a PostgreSQL database, the
    backup has the database rows of this home. Each file has a digest.

    `demur home restore` makes a home from the backup. Unfinished rounds continue there without repeating paid requests.
    """
    from demur.configuration.settings import demur_home
    from demur.engine.backup import back_up

    done = back_up(demur_home(), target)
    echo(f"Backup     {done.place}: {counted(done.files, 'file')}, {size_text(done.size)}")


@app.command("restore", epilog="Example: DEMUR_HOME=/srv/demur demur home restore /backups/demur-20261127.tar")
def restore_home(
    source: Annotated[str, typer.Argument(metavar="FILE|ADDRESS", help="A backup of `demur home backup`.")],
) -> None:
    """Fill an empty home from a backup, compare every file with its digest, and publish the home's warehouse.

    Unfinished rounds continue with the command that started them. If DEMUR_STATE names a database, the restored state
    is stored there for a new home. The state of the original home stays unchanged.
    """
    from demur.configuration.settings import demur_home
    from demur.engine.backup import restore

    home = demur_home()
    done = restore(home, source)
    rows = sum(done.rebuilt.rows.values())
    echo(f"Restored   {home.root}: {counted(done.files, 'file')} as of {done.made_at}, each with its digest")
    echo(f"Warehouse  {counted(done.rebuilt.rows['rounds'], 'round')}, {counted(rows, 'row')}")


@app.command("prune", epilog=PRUNE_EXAMPLES)
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
    from demur.engine.prune import prune

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
