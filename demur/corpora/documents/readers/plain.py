"""Text files, rows of JSONL files, and lines of CSV and TSV."""

import csv
import io
import json
import re
from collections import Counter
from typing import Final

from demur.corpora.documents.blocks import Block, LeftOut, ReadText, sheet_blocks
from demur.corpora.jsonl import numbered_cells

# Text files, and rows of JSONL files: paragraphs between empty lines.


_MARKS: Final = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))
_ENTRY: Final = re.compile(r"\s*(?:[-*•–]|\d{1,3}[.)])\s+\S")
_CONTROL: Final = re.compile(r"[\x00-\x08\x0e-\x1f]")
_LONGEST_HEADING: Final = 80
_MOST_CONTROL: Final = 0.01
"""The largest share of control characters in a text."""


def decoded(data: bytes) -> str:
    """Return the text of a file in UTF-8, or in UTF-16 with its byte order mark.

    Raises:
        LeftOut: the file is binary, or in another encoding.
    """
    encoding = next((name for mark, name in _MARKS if data.startswith(mark)), "utf-8")
    if encoding != "utf-16" and b"\x00" in data[:65_536]:
        raise LeftOut("binary", "holds zero bytes, which no text has. Give the document in a format that is read")
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as exc:
        raise LeftOut(
            "wrong_encoding", f"byte 0x{data[exc.start]:02x} at {exc.start} is not {encoding}. Save the file as UTF-8"
        ) from exc
    start = text[:100_000]
    if len(_CONTROL.findall(start)) > _MOST_CONTROL * len(start):
        raise LeftOut("binary", "holds control characters, which no text has. Give it in a format that is read")
    return text


def read(data: bytes) -> ReadText:
    """Return the paragraphs of a text file; list entries have their own lines."""
    return ReadText(list(paragraphs(decoded(data))))


def paragraphs(text: str) -> list[Block]:
    """Return the paragraphs of a plain text.

    The lines of a paragraph are joined, but each list entry is a paragraph of its own.

    A short line between empty lines is a heading, unless it ends a sentence. A heading before all other text is the
    title.
    """
    blocks: list[Block] = []
    for part in re.split(r"\n[^\S\n]*\n", text.replace("\r\n", "\n").replace("\r", "\n")):
        if _is_heading(part.strip()):
            blocks.append(Block(part.strip(), level=2 if blocks else 1))
            continue
        lines: list[str] = []
        for line in part.splitlines():
            if _ENTRY.match(line) and lines:
                blocks.append(_block(lines))
                lines = []
            lines.append(line.strip())
        if any(lines):
            blocks.append(_block(lines))
    return blocks


def _without_repeats(pairs: list[tuple[str, object]]) -> dict[str, object]:
    row = dict(pairs)
    if len(row) < len(pairs):
        repeated = next(name for name, number in Counter(name for name, _ in pairs).items() if number > 1)
        raise ValueError(f"it names '{repeated}' twice")
    return row


def _no_number(name: str) -> object:
    raise ValueError(f"{name} is no value of JSON")


def _is_heading(part: str) -> bool:
    if not part or "\n" in part or len(part) > _LONGEST_HEADING or _ENTRY.match(part):
        return False
    return part[-1].isalnum() and any(letter.isalpha() for letter in part)


def _block(lines: list[str]) -> Block:
    return Block(" ".join(line for line in lines if line), line=_ENTRY.match(lines[0]) is not None)


def read_row(data: bytes) -> ReadText:
    """Return the document in a row of a JSONL file: `{id, title, text, date, url}`. The field `text` is required.

    Raises:
        LeftOut: the row does not have this form.
    """
    try:
        row = json.loads(data.decode("utf-8-sig"), object_pairs_hook=_without_repeats, parse_constant=_no_number)
    except ValueError as exc:
        raise LeftOut("bad_row", f"is not JSON: {exc}. Write one object a line") from exc
    except RecursionError as exc:
        raise LeftOut("bad_row", "is nested too deep. Write one flat object a line") from exc
    if not isinstance(row, dict):
        raise LeftOut("bad_row", f"is {type(row).__name__}, not an object with id, title, text, date and url")
    given = {name: row.get(name) for name in ("id", "title", "text", "date", "url")}
    for name, value in given.items():
        if isinstance(value, int) and not isinstance(value, bool) and name == "id":
            given[name] = str(value)
        elif value is not None and not isinstance(value, str):
            raise LeftOut("bad_row", f"{name} is {type(value).__name__}, not text. Put it in quotes")
    if given["text"] is None:
        raise LeftOut("bad_row", f"has no text; its fields are {', '.join(sorted(row)[:10]) or 'none'}. Add it")
    return ReadText(
        paragraphs(given["text"]),
        given["title"] or None,
        given["date"] or None,
        given["url"] or None,
        given["id"] or None,
    )


# CSV and TSV: a line for each row, below the header row.


def read_table(data: bytes) -> ReadText:
    """Return the rows of a table as lines.

    Raises:
        LeftOut: the file is no text, or a quotation mark is not closed.
    """
    try:
        rows = [row for _, row in numbered_cells(io.StringIO(decoded(data), newline=""))]
    except csv.Error as exc:
        raise LeftOut("damaged", f"is no table: {exc}. Save it anew as CSV") from exc
    return ReadText(list(sheet_blocks(rows)))
