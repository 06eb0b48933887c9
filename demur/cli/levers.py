"""`demur levers`: listing, showing and validating the lever catalogue."""

import json
from pathlib import Path
from typing import Annotated, Final

import typer

from demur.cli.printing import echo, echo_table
from demur.levers.models import Lever
from demur.reports.text import counted
from demur.warehouse.formats import Format

app: Final = typer.Typer(help="List, show and validate levers.", no_args_is_help=True)

Catalogues = Annotated[
    list[Path] | None, typer.Option("--catalogue", help="A catalogue file or directory, instead of ours.")
]


@app.command("list", epilog="Example: demur levers list --format csv")
def list_levers(
    catalogue: Catalogues = None,
    output: Annotated[Format, typer.Option("--format", help="Output format.")] = Format.TABLE,
) -> None:
    """List levers. CSV and JSON have more columns than the table, such as name, class and target."""
    from demur.levers.load import load_catalogue
    from demur.reports.tables import named_table

    levers = load_catalogue(*(catalogue or ()))
    telling = {lever.id for lever in levers.telling()}
    rows = (
        {
            "id": lever.id,
            "name": lever.name,
            "class": lever.lever_class.value,
            "intensity": lever.intensity.value,
            "origin": lever.origin.value,
            "target": lever.target.value,
            "recipe": bool(lever.recipe),
            "telling": lever.id in telling,
            **_measured(lever.id),
        }
        for lever in levers
    )
    echo_table(output, named_table("catalogue").shown(rows))


@app.command("show", epilog="Example: demur levers show missing-info.price-redacted")
def show(
    lever_id: Annotated[str, typer.Argument(metavar="ID", help="The lever's id, as `demur levers list` prints it.")],
    catalogue: Catalogues = None,
    output: Annotated[Format, typer.Option("--format", help="table or json.")] = Format.TABLE,
) -> None:
    """Show one lever with its instruction and its worked examples."""
    from demur.levers.load import load_catalogue

    lever = load_catalogue(*(catalogue or ())).lever(lever_id)
    if output is Format.JSON:
        echo(json.dumps(lever.model_dump(mode="json"), ensure_ascii=False, indent=2))
    else:
        echo(_page(lever))


@app.command("validate", epilog="Example: demur levers validate my-levers.yaml")
def validate(
    path: Annotated[Path | None, typer.Argument(help="A catalogue file or directory. Default: ours.")] = None,
) -> None:
    """Check a catalogue, its recipes and its worked examples. Each problem is reported with file, line and field."""
    from demur.configuration.lever_checks import lever_faults
    from demur.levers.errors import LeverError
    from demur.levers.load import load_catalogue

    catalogue = load_catalogue(path, check=lever_faults)
    echo(f"{path or 'our catalogue'}: {counted(len(catalogue), 'lever')}, no problem found")
    if path is not None:
        try:
            load_catalogue(None, path)
        except LeverError as exc:
            echo(f"It can replace our catalogue (catalogue.ours: false), but cannot be added to it:\n{exc}")


@app.command("schema", epilog="Example: demur levers schema > lever-catalogue.schema.json")
def schema() -> None:
    """Print the JSON Schema of a catalogue file, for editors."""
    from demur.levers.load import catalogue_schema

    echo(json.dumps(catalogue_schema(), indent=2))


def _measured(lever_id: str) -> dict[str, float | int | None]:
    from demur.levers.readings import measured

    row = measured(lever_id)
    return {name: getattr(row, name, None) for name in ("hard", "natural", "judgements")}


def _page(lever: Lever) -> str:
    from demur.levers.readings import readings_of

    lines = [
        f"{lever.id}: {lever.name}",
        f"{lever.lever_class} {lever.intensity}, {lever.origin}; target: {lever.target}; answer: {lever.answer}; "
        f"expected: {lever.expected}",
        f"needs: {', '.join(lever.needs) or 'nothing'}",
        f"keeps the subject: {'yes' if lever.keeps_subject else 'no'}; "
        f"disfluent: {', '.join(lever.disfluent) or 'nothing'}",
        f"recipe: {lever.recipe or ('none, code alone pulls it' if lever.withholds else 'none, models alone pull it')}",
        *(
            f"read on {row.day}, written by {row.written_by}: hard {row.hard:.2f}, natural {row.natural:.2f} of 5, "
            f"passed {row.passed:.2f}, in {counted(row.judgements, 'judgement')}"
            for row in readings_of(lever.id)
        ),
        "",
        lever.instruction,
    ]
    for number, example in enumerate(lever.examples, start=1):
        lines += [
            "",
            f"Example {number}",
            f"  Question: {example.question}",
            f"  Answers: {'; '.join(example.answers)}",
        ]
        lines += [f"  Passage {index}: {passage.text}" for index, passage in enumerate(example.passages)]
        if example.change.question:
            lines.append(f"  Changed question: {example.change.question}")
        lines += [f"  Changed passage {index}: {text}" for index, text in example.change.passages.items()]
    return "\n".join(lines)
