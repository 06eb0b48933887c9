"""`demur audit`: samples of accepted items for human readers, and the import of their marks."""

from pathlib import Path
from typing import Annotated, Final

import typer

from demur.cli.completion import complete_round
from demur.cli.options import write_out
from demur.cli.printing import echo, echo_table
from demur.reports.text import counted
from demur.warehouse.formats import Format

app: Final = typer.Typer(help="Sample accepted items for human readers, and import their marks.", no_args_is_help=True)

SAMPLE_EXAMPLES: Final = """
[bold]Examples[/bold]

demur audit sample embedded                              10 items of each stratum, as audit-embedded.html

demur audit sample embedded --per-stratum 3 --out read-me.html

demur audit sample embedded --seed 2                     other items, for a second sample
"""

IMPORT_EXAMPLES: Final = """
[bold]Examples[/bold]

demur audit import audit-embedded-20261120-Ada.json audit-embedded-20261120-Grace.json

demur sql "SELECT * FROM audit_pass_rates WHERE round_id = 'embedded'"

[bold]A file[/bold]

{"round": "embedded", "seed": 20261120, "reader": "Ada", "items": [{"item_id": "...", "criteria": {"lever_fidelity": true, "intensity_achieved": true, "uncertainty_induced": false, "linguistic_soundness": true, "ground_truth_alignment": null}, "note": ""}]}
"""  # noqa: E501


@app.command("sample", epilog=SAMPLE_EXAMPLES)
def sample(
    round_id: Annotated[
        str, typer.Argument(metavar="ROUND", help="Round whose accepted items are read.", autocompletion=complete_round)
    ],
    per_stratum: Annotated[int, typer.Option(min=1, max=1_000, help="Items of each stratum (class x intensity).")] = 10,
    suspected: Annotated[
        int,
        typer.Option(
            min=0, max=1_000, help="Most suspected items. They come first; abler respondents miss them more often."
        ),
    ] = 10,
    out: Annotated[Path | None, typer.Option(help="Page to write. Default: audit-ROUND.html.")] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of the random draw. Default: the round's seed.")] = None,
    catalogue: Annotated[
        list[Path] | None, typer.Option("--catalogue", help="Levers of your own, for their instructions.")
    ] = None,
) -> None:
    """Write one page with a sample of accepted items for reading and marking in a browser.

    The page needs no network: marks stay in the browser until the reader downloads them as a file. Give the page to
    several readers to measure their agreement. From a stratum with fewer items, the page has all items.
    """
    from demur.configuration.settings import demur_home
    from demur.reports.audits.sample import render_audit, sample_audit

    found = sample_audit(
        demur_home(), round_id, per_stratum=per_stratum, seed=seed, suspected=suspected, catalogues=catalogue or ()
    )
    path = out or Path(f"audit-{round_id}.html")
    write_out(path, render_audit(found))
    for lever_class, intensity, number in found.short:
        echo(f"{lever_class} {intensity}: {number} of {per_stratum} items, all that the stratum has", err=True)
    doubted = sum(item["suspected"] for item in found.items)
    beside = f" ({doubted} suspected, outside the random draw)" if doubted else ""
    echo(f"{path}: {counted(len(found.items), 'item')}{beside}, seed {found.seed}")
    echo("Open it in a browser, mark, download, then: demur audit import FILE")


@app.command("import", epilog=IMPORT_EXAMPLES)
def import_files(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Files that the audit page downloaded.")],
    output: Annotated[Format, typer.Option("--format", help="Format of pass rates.")] = Format.TABLE,
) -> None:
    """Store readers' marks (PASS or FAIL per criterion and reader), and print pass rates by class.

    All files are checked before anything is stored. If a reader's file is imported again, it replaces the earlier marks
    of that reader in the same sample.
    """
    from demur.configuration.settings import demur_home
    from demur.reports.audits.marks import import_audits
    from demur.reports.tables import named_table
    from demur.warehouse.connection import reading

    home = demur_home()
    done = import_audits(home, files)
    for one in done:
        echo(
            f"{one.path}: {one.file.reader}, round {one.file.round}: {counted(one.whole, 'item')} read, "
            f"{one.partly} partly, {one.unread} not",
            err=output is not Format.TABLE,
        )
    with reading(home) as con:
        for round_id in dict.fromkeys(one.file.round for one in done):
            table = named_table("audit_rates").read(con, round=round_id)
            if output is Format.TABLE:
                echo(f"\n{table.title}, round {round_id}")
            echo_table(output, table)
