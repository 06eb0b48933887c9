"""The commands `demur config`, `corpus` and `levers`: what goes into a round."""

import asyncio
import json
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import orjson
import typer

from demur.cli.terminal.options import complete_config, complete_round
from demur.cli.terminal.printing import echo, echo_rows, echo_table
from demur.corpora.documents.blocks import IN_PART
from demur.corpora.documents.passages import shown_text
from demur.levers.lever_models import Lever
from demur.reports.texts import counted
from demur.warehouse.results.formats import Format

if TYPE_CHECKING:
    from demur.corpora.documents.found import Found


# `demur config`: new round configurations, full configurations, and the schema.


config_app: Final = typer.Typer(
    help="Write a new round configuration, show one in full, print the schema.", no_args_is_help=True
)

NEW_EXAMPLES: Final = """
[bold]Examples[/bold]

demur config new my-round.yaml                     four API models in every role, with comments on every field

demur config new mine.yaml --from rules            the rules lane, no keys needed
"""


@config_app.command("new", epilog=NEW_EXAMPLES)
def new_config(
    file: Annotated[Path, typer.Argument(help="File to write; its name becomes the round's.", metavar="FILE.yaml")],
    base: Annotated[
        str,
        typer.Option("--from", help="Configuration to copy: one of ours, or a file.", autocompletion=complete_config),
    ] = "frontier",
) -> None:
    """Write a copy of a round configuration, with its comments, under a new name."""
    from demur.configuration.round_config import FRESH, NAME
    from demur.errors import ConfigError
    from demur.flows.rounds.request import find_round_config, read_round_config

    source = find_round_config(base)
    old = read_round_config(source)
    if not re.fullmatch(NAME, file.stem):
        raise ConfigError(f"{file}: '{file.stem}' is not a valid name for a round ({NAME}). Rename the file")
    text = source.read_text(encoding="utf-8")
    for field, value in {"name": file.stem, "round_id": file.stem + (f"-{FRESH}" if old.fresh else "")}.items():
        text = re.sub(rf"^{field}: .*$", f"{field}: {value}", text, count=1, flags=re.M)
    text = re.sub(rf"^(# .*demur \w+ ){re.escape(old.name)}\b", lambda found: f"{found[1]}{file}", text, flags=re.M)
    try:
        with file.open("x", encoding="utf-8") as written:
            written.write(text)
    except FileExistsError as exc:
        raise ConfigError(f"{file}: already exists. Name another file, or move the existing file away") from exc
    echo(f"{file}: a copy of {base}\n")
    echo(f"Next\n  demur doctor {file}\n  demur plan {file}\n  demur round {file}")


@config_app.command("show", epilog="Example: demur config show embedded")
def show_config(
    config: Annotated[
        str, typer.Argument(help="A YAML file, or the name of one of ours.", autocompletion=complete_config)
    ],
) -> None:
    """Print a configuration in full, with every default filled in, as YAML that `demur round` reads."""
    import yaml

    from demur.flows.rounds.request import find_round_config, read_round_config

    whole = read_round_config(find_round_config(config)).model_dump(mode="json")
    echo(yaml.safe_dump(whole, sort_keys=False, allow_unicode=True, width=120).rstrip())


@config_app.command("schema", epilog="Example: demur config schema > round.schema.json")
def config_schema() -> None:
    """Print the JSON Schema of a round configuration. With the schema, editors check the file while you type."""
    from demur.configuration.round_config import round_config_schema

    echo(json.dumps(round_config_schema(), indent=2))


# `demur corpus`: the documents of rounds or of a folder, and the passages made of them.


_SHOWN_PASSAGES: Final = 3
"""The passages that are printed below the table of documents, from all parts of the folder."""
_COLUMNS: Final = ("path", "row", "passages", "words", "language", "title", "left_out")
corpus_app: Final = typer.Typer(help="Look at the documents of rounds, or of a folder.", no_args_is_help=True)


@corpus_app.command("show", epilog="Example: demur corpus show documents")
def show_corpus(
    round_id: Annotated[
        str | None,
        typer.Argument(
            metavar="[ROUND]", help="A round. Default: the newest with documents.", autocompletion=complete_round
        ),
    ] = None,
    output: Annotated[Format, typer.Option("--format", help="Output format.")] = Format.TABLE,
) -> None:
    """Show the documents of a round, with numbers of passages and questions for each document.

    Questions that were asked, accepted and used are counted over all rounds of this home.
    """
    from demur.configuration.settings import demur_home
    from demur.reports.tables import named_table
    from demur.warehouse.connection import reading
    from demur.warehouse.round_rows import chosen_round, newest_of_documents

    with reading(demur_home()) as con:
        chosen = newest_of_documents(con) if round_id is None else chosen_round(con, round_id)
        found = named_table("corpus").read(con, round=chosen)
    echo_table(output, found)
    if output is Format.TABLE:
        rows = found.records
        total = {
            name: sum(int(row[name]) for row in rows) for name in ("passages", "questions", "accepted", "used", "left")
        }
        echo(
            f"\n{counted(len(rows), 'document')}, {counted(total['passages'], 'passage')}; "
            f"{counted(total['questions'], 'question')} asked, "
            f"{total['accepted']:,} accepted, {total['used']:,} used; {counted(total['left'], 'passage')} left"
        )
        if reasons := Counter(str(row["reason"]) for row in rows if row["reason"] is not None):
            echo(f"left out: {', '.join(f'{number:,} {reason}' for reason, number in reasons.most_common())}")


@corpus_app.command("read", epilog="Example: demur corpus read handbook/ --exclude 'drafts/*'")
def read_corpus(
    documents: Annotated[str, typer.Argument(metavar="DOCUMENTS", help="Folder, file or address.")],
    include: Annotated[list[str] | None, typer.Option(help="Read only paths that match, such as '*.md'.")] = None,
    exclude: Annotated[list[str] | None, typer.Option(help="Leave out paths that match, such as 'drafts/*'.")] = None,
    shown: Annotated[int, typer.Option("--passages", min=0, help="Number of passages to print.")] = _SHOWN_PASSAGES,
    output: Annotated[Format, typer.Option("--format", help="Output format; json has all passages.")] = Format.TABLE,
) -> None:
    """Read documents, split them into passages, and show both. No model is asked, and nothing is kept.

    A round reads the same passages from the same documents.
    """
    from demur.configuration.corpus_section import ReadingLimits
    from demur.corpora.documents.folder import Figures, FolderReading, read_all
    from demur.corpora.documents.found import Choice

    limits = ReadingLimits()
    chosen = Choice(tuple(include or ()), tuple(exclude or ()))
    reading = FolderReading(
        documents,
        chosen,
        int(limits.megabytes * 1_000_000),
        limits.characters,
        limits.seconds,
        limits.memory_megabytes,
    )

    async def read_them() -> "list[tuple[Found, dict[str, Any]]]":
        return [one async for one in read_all(reading)]

    found = asyncio.run(read_them())
    if output is Format.JSON:
        documents_read = [{"path": one.path, "row": one.row, "bytes": one.bytes, **rows} for one, rows in found]
        echo(orjson.dumps(documents_read, option=orjson.OPT_INDENT_2).decode())
        return
    listed = [_line(one, rows) for one, rows in found]
    if output is not Format.TABLE:
        echo_rows(output, _COLUMNS, listed)
        return
    echo_rows(output, _COLUMNS, [["" if cell is None else cell for cell in line] for line in listed])
    figures = Figures()
    for _, rows in found:
        figures.add(rows)
    passages = [(one, rows, passage) for one, rows in found for passage in rows.get("passages", ())]
    for one, rows, passage in passages[:: max(1, len(passages) // shown)][:shown] if shown else ():
        echo(f"\n{one.path}, passage {passage['number'] + 1} of {len(rows['passages'])}")
        echo(shown_text(rows["title"], passage["title"], passage["text"]))
    echo(f"\n{figures}")
    echo(
        "`demur config new my-round.yaml --from documents` writes a configuration to ask questions about such passages"
    )


def _line(found: "Found", rows: dict[str, Any]) -> Sequence[object]:
    passages = rows.get("passages", ())
    words = sum(passage["words"] for passage in passages)
    reason = rows.get("reason") or (f"{IN_PART}: {rows['detail']}" if rows["detail"] else None)
    return found.path, found.row, len(passages), words, rows.get("language"), rows.get("title"), reason


# `demur levers`: listing, showing and validating the lever catalogue.


levers_app: Final = typer.Typer(help="List, show and validate levers.", no_args_is_help=True)

Catalogues = Annotated[
    list[Path] | None, typer.Option("--catalogue", help="A catalogue file or directory, instead of ours.")
]


@levers_app.command("list", epilog="Example: demur levers list --format csv")
def list_levers(
    catalogue: Catalogues = None,
    output: Annotated[Format, typer.Option("--format", help="Output format.")] = Format.TABLE,
) -> None:
    """List levers. CSV and JSON have more columns than the table, such as name, class and target."""
    from demur.levers.catalogue import load_catalogue
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


@levers_app.command("show", epilog="Example: demur levers show missing-info.price-redacted")
def show_lever(
    lever_id: Annotated[str, typer.Argument(metavar="ID", help="The lever's id, as `demur levers list` prints it.")],
    catalogue: Catalogues = None,
    output: Annotated[Format, typer.Option("--format", help="table or json.")] = Format.TABLE,
) -> None:
    """Show one lever with its instruction and its worked examples."""
    from demur.levers.catalogue import load_catalogue

    lever = load_catalogue(*(catalogue or ())).lever(lever_id)
    if output is Format.JSON:
        echo(json.dumps(lever.model_dump(mode="json"), ensure_ascii=False, indent=2))
    else:
        echo(_page(lever))


@levers_app.command("validate", epilog="Example: demur levers validate my-levers.yaml")
def validate_levers(
    path: Annotated[Path | None, typer.Argument(help="A catalogue file or directory. Default: ours.")] = None,
) -> None:
    """Check a catalogue, its recipes and its worked examples. Each problem is reported with file, line and field."""
    from demur.configuration.lever_checks import lever_faults
    from demur.levers.catalogue import load_catalogue
    from demur.levers.explain import LeverError

    catalogue = load_catalogue(path, check=lever_faults)
    echo(f"{path or 'our catalogue'}: {counted(len(catalogue), 'lever')}, no problem found")
    if path is not None:
        try:
            load_catalogue(None, path)
        except LeverError as exc:
            echo(f"It can replace our catalogue (catalogue.ours: false), but cannot be added to it:\n{exc}")


@levers_app.command("schema", epilog="Example: demur levers schema > lever-catalogue.schema.json")
def lever_schema() -> None:
    """Print the JSON Schema of a catalogue file, for editors."""
    from demur.levers.catalogue import catalogue_schema

    echo(json.dumps(catalogue_schema(), indent=2))


def _measured(lever_id: str) -> dict[str, float | int | None]:
    from demur.levers.catalogue import measured

    row = measured(lever_id)
    return {name: getattr(row, name, None) for name in ("hard", "natural", "judgements")}


def _page(lever: Lever) -> str:
    from demur.levers.catalogue import readings_of

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
