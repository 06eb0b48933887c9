"""`demur release`: frozen releases, listed, shown, verified."""

from typing import Annotated, Final

import typer

from demur.warehouse.formats import Format, render

app: Final = typer.Typer(help="List, show and verify frozen releases.", no_args_is_help=True)

Name = Annotated[str, typer.Argument(help="Release, as `demur release list` prints it: NAME or NAME/VERSION.")]


@app.command("list", epilog="Example: demur release list --format json")
def list_releases(
    output: Annotated[Format, typer.Option("--format", help="How rows are written.")] = Format.TABLE,
) -> None:
    """List releases, oldest first."""
    from demur.flows.settings import demur_home
    from demur.warehouse.release import releases

    rows = [(r.name, r.version, r.round_id, r.items, r.digest[:12]) for r in releases(demur_home())]
    typer.echo(render(output, ("name", "version", "round", "items", "digest"), rows))


@app.command("show", epilog="Example: demur release show embedded")
def show(name: Name) -> None:
    """Show a release's manifest: files, row counts, checksums, and what made it."""
    import json

    from demur.flows.settings import demur_home
    from demur.warehouse.release import manifest

    typer.echo(json.dumps(manifest(demur_home(), name), indent=2, ensure_ascii=False))


@app.command("verify", epilog="Example: demur release verify embedded/1")
def verify(name: Name) -> None:
    """Compare every file of a release with its checksum; exit status 1 where one differs."""
    from demur.flows.settings import demur_home
    from demur.warehouse.release import verify_release

    problems = verify_release(demur_home(), name)
    for problem in problems:
        typer.echo(problem)
    if problems:
        raise typer.Exit(1)
    typer.echo(f"{name}: every file is as it was frozen")
