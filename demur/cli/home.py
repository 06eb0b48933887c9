"""`demur home`: a home as a whole: backed up, restored, pruned, upgraded."""

import json
from typing import Annotated, Final

import typer

from demur.cli.options import AGE, Output, Printed, age
from demur.cli.printing import echo, size_text

app: Final = typer.Typer(help="Back up, restore, prune and upgrade a home.", no_args_is_help=True)

BACKUP_EXAMPLES: Final = """
[bold]Examples[/bold]

demur home backup /backups/demur-20261127.tar

demur home backup s3://backups/demur/20261127.tar
"""
PRUNE_EXAMPLES: Final = """
[bold]Examples[/bold]

demur home prune --keep-rounds 12 --older-than 90d --dry-run     say what would go

demur home prune --keep-rounds 12                                all but the newest twelve of each configuration
"""


@app.command("backup", epilog=BACKUP_EXAMPLES)
def back_up_home(
    target: Annotated[str, typer.Argument(metavar="FILE|ADDRESS", help="A file, or s3://bucket/name.tar.")],
) -> None:
    """Write everything that cannot be made again into one file, also while rounds run.

    That is the archive, what landed, plans, releases, and the state of rounds that go on (of a PostgreSQL database the
    rows of this home). Each file has its digest in the backup. `demur home restore` makes a home of it, in which those
    rounds go on and nothing is bought again.
    """
    from demur.configuration.settings import demur_home
    from demur.engine.backup import back_up

    done = back_up(demur_home(), target)
    echo(f"Backup     {done.place}: {done.files:,} files, {size_text(done.size)}")


@app.command("restore", epilog="Example: DEMUR_HOME=/srv/demur demur home restore /backups/demur-20261127.tar")
def restore_home(
    source: Annotated[str, typer.Argument(metavar="FILE|ADDRESS", help="What `demur home backup` wrote.")],
) -> None:
    """Make an empty home from a backup, compare every file with its digest, and publish its warehouse.

    Rounds that were under way go on with the command that began them. Where DEMUR_STATE names a database, it takes the
    backup's state, as that of another home than the one that was backed up.
    """
    from demur.configuration.settings import demur_home
    from demur.engine.backup import restore

    home = demur_home()
    done = restore(home, source)
    rows = sum(done.rebuilt.rows.values())
    echo(f"Restored   {home.address}: {done.files:,} files as of {done.made_at}, each with its digest")
    echo(f"Warehouse  {len(done.rebuilt.rounds)} rounds, {rows:,} rows")
    for damaged in done.rebuilt.damaged:
        echo(f"Damaged    {damaged}; what it held is worked on again by the next run of its round")


@app.command("prune", epilog=PRUNE_EXAMPLES)
def prune_home(
    keep_rounds: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Of each configuration the newest so many rounds stay.")
    ] = None,
    older_than: Annotated[
        str | None, typer.Option(metavar=AGE, help="Rounds that began later stay, as in 90d or 26w.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would go, and change nothing.")] = False,
    output: Printed = Output.TABLE,
) -> None:
    """Delete texts of old rounds whose results are frozen in a release: prompts, replies, verdicts, plans.

    Releases, scores, costs and what later rounds go by stay. Rounds that are under way, that have no release here, or
    that answered a release's items are never touched. A pruned round cannot be run again.
    """
    from demur.configuration.settings import demur_home
    from demur.engine.prune import prune

    if keep_rounds is None and older_than is None:
        raise typer.BadParameter("say which rounds stay: --keep-rounds N, --older-than AGE, or both")
    home = demur_home()
    done = prune(home, keep_rounds, None if older_than is None else age(older_than, "--older-than"), dry_run=dry_run)
    if output is Output.JSON:
        rounds = [{"round_id": one.round_id, "rows": one.rows, "bytes": one.size} for one in done.rounds]
        echo(json.dumps({"dry_run": dry_run, "rounds": rounds, "bytes": done.size, "kept": done.kept}))
        return
    said = "Would go" if dry_run else "Pruned"
    for one in done.rounds:
        echo(f"{said:10} {one.round_id}: {one.rows:,} rows, {size_text(one.size)} of files")
    for round_id, why in done.kept.items():
        echo(f"Kept       {round_id}: {why}")
    echo(f"{'Frees' if dry_run else 'Freed'}      {size_text(done.size)} of files, in {len(done.rounds)} rounds")


@app.command("upgrade", epilog="Example: demur home upgrade --plan")
def upgrade_home(
    plan: Annotated[bool, typer.Option("--plan", help="Say what would be done, and change nothing.")] = False,
    output: Printed = Output.TABLE,
) -> None:
    """Bring a home to the tables of this version, or say why it cannot be.

    Rounds that are under way go on under the new version: what was answered is used again where the request is the
    same. Exit status is 1 where something is refused; nothing has changed then.
    """
    from demur.configuration.settings import demur_home
    from demur.engine.upgrade import upgrade

    home = demur_home()
    steps = upgrade(home, only_plan=plan)
    if output is Output.JSON:
        echo(json.dumps([{"part": one.part, "what": one.what, "detail": one.detail} for one in steps]))
    else:
        for one in steps:
            echo(f"{one.what:10}  {one.part:20}  {one.detail}")
    if any(one.what == "refused" for one in steps):
        raise typer.Exit(1)
