"""Markdown: headings, paragraphs, list entries and table rows, without markup."""

import re
from collections.abc import Sequence
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.token import Token

from demur.corpora.documents.blocks import Block, ReadText
from demur.corpora.documents.readers.plain import decoded

_FRONT_MATTER: Final = re.compile(r"\A---[^\S\n]*\n(.*?)\n---[^\S\n]*(?:\n|\Z)", re.DOTALL)
_FIELD: Final = re.compile(r"(title|date|url):[^\S\n]*[\"']?(.*?)[\"']?\s*", re.IGNORECASE)


def read(data: bytes) -> ReadText:
    """Return the blocks of a Markdown file; read title, date and url from the front matter."""
    text = decoded(data).replace("\r\n", "\n")
    given: dict[str, str] = {}
    if front := _FRONT_MATTER.match(text):
        fields = (_FIELD.fullmatch(line) for line in front[1].splitlines())
        given = {field[1].lower(): field[2] for field in fields if field is not None and field[2]}
        text = text[front.end() :]
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    return ReadText(_blocks(parser.parse(text)), given.get("title"), given.get("date"), given.get("url"))


def _blocks(tokens: Sequence[Token]) -> list[Block]:
    blocks: list[Block] = []
    level = 0
    lists = 0
    row: list[str] | None = None
    for token in tokens:
        match token.type:
            case "heading_open":
                level = int(token.tag[1:])
            case "heading_close":
                level = 0
            case "list_item_open":
                lists += 1
            case "list_item_close":
                lists -= 1
            case "tr_open":
                row = []
            case "tr_close" if row is not None:
                blocks.append(Block(" | ".join(row), line=True))
                row = None
            case "inline" if row is not None:
                row.append(_plain(token))
            case "inline":
                blocks.append(Block(_plain(token), level, line=lists > 0))
            case "fence" | "code_block":
                blocks.extend(Block(line, line=True) for line in token.content.splitlines() if line.strip())
    return blocks


def _plain(token: Token) -> str:
    """Return the words of a paragraph, with the texts of links, and without pictures."""
    parts = []
    for child in token.children or ():
        if child.type in ("text", "code_inline"):
            parts.append(child.content)
        elif child.type in ("softbreak", "hardbreak"):
            parts.append(" ")
    return "".join(parts).strip()
