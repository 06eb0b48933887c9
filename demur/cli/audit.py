"""`demur audit`: pages on which people read items, responses or questions, and the import of their marks."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Final

import typer

from demur.cli.completion import complete_round
from demur.cli.options import write_out
from demur.cli.printing import echo, echo_table
from demur.levers.vocabulary import ReadObject
from demur.reports.text import counted
from demur.warehouse.formats import Format
from demur.warehouse.home import Home

app: Final = typer.Typer(
    help="Let people read items, responses or questions of a round, and import their marks.", no_args_is_help=True
)

SAMPLE_EXAMPLES: Final = """
[bold]Examples[/bold]

demur audit sample embedded                              10 items of each stratum, as audit-embedded.html

demur audit sample embedded --per-stratum 3 --out read-me.html

demur audit sample embedded --seed 2                     other items, for a second sample

demur audit sample embedded --object responses           30 responses, which show how far judges can be trusted

demur audit sample handbook --object questions           questions about documents, before anything is perturbed
"""

IMPORT_EXAMPLES: Final = """
[bold]Examples[/bold]

demur audit import audit-embedded-20261120-Ada.json audit-embedded-20261120-Grace.json

demur sql "SELECT * FROM audit_pass_rates WHERE round_id = 'embedded'"

demur audit import responses-embedded-1-Ada.json

demur audit import questions-handbook-20261129-Ada.json

[bold]A file[/bold]

{"object": "items", "round": "embedded", "seed": 20261120, "reader": "Ada", "items": [{"item_id": "...", "criteria": {"lever_fidelity": true, "intensity_achieved": true, "uncertainty_induced": false, "linguistic_soundness": true, "ground_truth_alignment": null}, "note": ""}]}
"""  # noqa: E501


@app.command("sample", epilog=SAMPLE_EXAMPLES)
def sample(
    round_id: Annotated[
        str,
        typer.Argument(metavar="ROUND", help="Round or evaluation that is read.", autocompletion=complete_round),
    ],
    what: Annotated[ReadObject, typer.Option("--object", help="What people read.")] = ReadObject.ITEMS,
    per_stratum: Annotated[
        int | None, typer.Option(min=1, max=1_000, help="Items of each stratum (class x intensity). Default: 10.")
    ] = None,
    suspected: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=1_000,
            help="Most suspected items. They come first; abler respondents miss them more often. Default: 10.",
        ),
    ] = None,
    most: Annotated[
        int | None,
        typer.Option(
            min=1, max=10_000, help="Responses or questions on the page. Default: 30 responses, all questions."
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Page to write. Default: audit-, responses- or questions-ROUND.html.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of the random draw. Default: the round's seed.")] = None,
    catalogue: Annotated[
        list[Path] | None, typer.Option("--catalogue", help="Levers of your own, for the instructions of items.")
    ] = None,
) -> None:
    """Write one page on which people read and mark items, responses or questions in a browser.

    The page needs no network: marks stay in the browser until the reader downloads them as a file. Give the page to
    several readers to measure their agreement. Items are accepted items of each stratum; from a stratum with fewer
    items, the page has all. Responses are those that a judge was asked about, in proportion to the classes of the first
    judge; the page shows neither who answered nor what judges say. Questions are accepted questions about documents, to
    be kept, dropped or mended; those that nobody has read come first.
    """
    from demur.configuration.settings import demur_home
    from demur.reports.audits.page import FILES, IMPORT

    of_items = {"--per-stratum": per_stratum, "--suspected": suspected, "--catalogue": catalogue}
    others = of_items if what is not ReadObject.ITEMS else {"--most": most}
    if foreign := [name for name, value in others.items() if value is not None]:
        raise typer.BadParameter(f"{', '.join(foreign)} does not go with --object {what}")
    home = demur_home()
    path = out or Path(f"{FILES[what]}-{round_id}.html")
    if what is ReadObject.ITEMS:
        number = 10 if per_stratum is None else per_stratum
        doubted = 10 if suspected is None else suspected
        said = _items_page(home, round_id, path, number, seed, doubted, catalogue or ())
    else:
        said = _page(home, round_id, path, what, most, seed)
    echo(f"{path}: {said}")
    echo(f"Open it in a browser, mark, download, then: {IMPORT}")


def _items_page(
    home: Home,
    round_id: str,
    path: Path,
    per_stratum: int,
    seed: int | None,
    suspected: int,
    catalogues: Sequence[Path],
) -> str:
    from demur.reports.audits.sample import render_audit, sample_audit

    found = sample_audit(home, round_id, per_stratum=per_stratum, seed=seed, suspected=suspected, catalogues=catalogues)
    write_out(path, render_audit(found))
    for lever_class, intensity, number in found.short:
        echo(f"{lever_class} {intensity}: {number} of {per_stratum} items, all that the stratum has", err=True)
    doubted = sum(item["suspected"] for item in found.items)
    beside = f" ({doubted} suspected, outside the random draw)" if doubted else ""
    return f"{counted(len(found.items), 'item')}{beside}, seed {found.seed}"


def _page(home: Home, round_id: str, path: Path, what: ReadObject, most: int | None, seed: int | None) -> str:
    from demur.flows.evaluations.read_responses import responses_page
    from demur.reports.audits.page import render_page
    from demur.reports.audits.questions import questions_page

    if what is ReadObject.RESPONSES:
        page = responses_page(home, round_id, 30 if most is None else most, seed)
    else:
        page = questions_page(home, round_id, most, seed)
    write_out(path, render_page(page))
    if page.remark:
        echo(page.remark, err=True)
    return f"{counted(len(page.cards), page.one)}, seed {page.seed}"


@app.command("import", epilog=IMPORT_EXAMPLES)
def import_files(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Files that pages of one object downloaded.")],
    output: Annotated[Format, typer.Option("--format", help="Format of the results.")] = Format.TABLE,
) -> None:
    """Store readers' marks, and print what they show.

    Marks on items give pass rates by class. Marks on responses give the agreement of each judge with its 95 % interval,
    which boards show, and a file of labels for `demur judge calibrate`. Marks on questions decide which questions
    become base instances, and with which answers.

    All files are checked before anything is stored. If a reader's file is imported again, it replaces the earlier marks
    of that reader in the same sample.
    """
    from demur.configuration.settings import demur_home
    from demur.reports.audits.marks import object_of

    read = {
        ReadObject.ITEMS: _import_items,
        ReadObject.RESPONSES: _import_responses,
        ReadObject.QUESTIONS: _import_questions,
    }
    read[object_of(files)](demur_home(), files, output)


def _import_items(home: Home, files: Sequence[Path], output: Format) -> None:
    from demur.reports.audits.marks import import_audits
    from demur.reports.tables import named_table
    from demur.warehouse.connection import reading

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


def _import_responses(home: Home, files: Sequence[Path], output: Format) -> None:
    from demur.cli.judge import COLUMNS
    from demur.flows.evaluations.read_responses import import_labels
    from demur.reports.tables import named_table

    for one in import_labels(home, files):
        echo(
            f"{one.path}: {one.file.reader}, round {one.file.round}: {counted(one.labelled, 'response')} labelled; "
            f"{one.labels} has the labels for demur judge calibrate",
            err=output is not Format.TABLE,
        )
        echo_table(output, named_table("judge_calibration").shown(one.agreement, COLUMNS))


def _import_questions(home: Home, files: Sequence[Path], output: Format) -> None:
    from demur.cli.printing import echo_rows
    from demur.reports.audits.questions import import_question_marks

    done = import_question_marks(home, files)
    echo_rows(
        output,
        ("file", "reader", "round", "kept", "mended", "dropped", "unread"),
        [
            (str(one.path), one.file.reader, one.file.round, one.kept, one.mended, one.dropped, one.unread)
            for one in done
        ],
    )
    if output is Format.TABLE:
        echo("Now give the command of the round again: base instances are drawn from what is kept")
