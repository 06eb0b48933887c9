"""`demur corpus`: the documents of rounds or of a folder, and the passages made of them."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Final

import orjson
import typer

from demur.cli.completion import complete_round
from demur.cli.printing import echo, echo_rows, echo_table
from demur.corpora.documents.blocks import IN_PART
from demur.corpora.documents.passages import shown_text
from demur.reports.text import counted
from demur.warehouse.formats import Format

if TYPE_CHECKING:
    from demur.corpora.documents.found import Found

_SHOWN_PASSAGES: Final = 3
"""The passages that are printed below the table of documents, from all parts of the folder."""
_COLUMNS: Final = ("path", "row", "passages", "words", "language", "title", "left_out")
app: Final = typer.Typer(help="Look at the documents of rounds, or of a folder.", no_args_is_help=True)


@app.command("show", epilog="Example: demur corpus show documents")
def show(
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
    from demur.warehouse.rounds import chosen_round, newest_of_documents

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


@app.command("read", epilog="Example: demur corpus read handbook/ --exclude 'drafts/*'")
def read(
    documents: Annotated[str, typer.Argument(metavar="DOCUMENTS", help="Folder, file or address.")],
    include: Annotated[list[str] | None, typer.Option(help="Read only paths that match, such as '*.md'.")] = None,
    exclude: Annotated[list[str] | None, typer.Option(help="Leave out paths that match, such as 'drafts/*'.")] = None,
    shown: Annotated[int, typer.Option("--passages", min=0, help="Number of passages to print.")] = _SHOWN_PASSAGES,
    output: Annotated[Format, typer.Option("--format", help="Output format; json has all passages.")] = Format.TABLE,
) -> None:
    """Read documents, split them into passages, and show both. No model is asked, and nothing is kept.

    A round reads the same passages from the same documents.
    """
    from demur.configuration.corpus import ReadingLimits
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
