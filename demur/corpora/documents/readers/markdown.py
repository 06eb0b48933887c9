"""Markdown and MDX: they are turned into a page, and read as HTML is. What tools add to Markdown is left out."""

import re
import tomllib
from collections.abc import Iterator, Set
from datetime import date
from html import unescape
from typing import Final

import emoji
import yaml
from markdown_it import MarkdownIt

from demur.corpora.documents.blocks import ReadText
from demur.corpora.documents.readers.html import page_blocks, parsed
from demur.corpora.documents.readers.plain import decoded

_FRONT_MATTER: Final = re.compile(r"\A(---|\+\+\+)[^\S\n]*\n(.{,20000}?)\n\1[^\S\n]*(?:\n|\Z)", re.DOTALL)
_STYLED: Final = re.compile(r"</?(?:a|b|br|code|em|i|kbd|mark|small|span|strong|su[bp]|u|wbr)\b[^<>]*>", re.IGNORECASE)
"""Tags in titles, which sites write into their pages as they are."""
_CODE: Final = r"(?P<code>`+)(?:(?!(?P=code)|\n[^\S\n]*\n).)+(?P=code)"
_FENCE: Final = re.compile(r"[^\S\n]{0,3}(?:[-*+] |\d{1,3}\. )?[^\S\n]*(`{3,}|~{3,})")
_STRING: Final = r"(?:\"[^\"\n]*\"|'[^'\n]*')"
_TEMPLATE: Final = re.compile(
    _CODE + r"|\{%-?\s*comment\b.*?endcomment\s*-?%\}"
    r"|\{%-?\s*raw\s*-?%\}(?P<raw>.*?)\{%-?\s*endraw\s*-?%\}"
    r"|\{%-?\s*(?P<name>\w+)(?P<given>(?:,?\s+" + _STRING + r")*)(?:(?!\{%|%\}).){,2000}?%\}"
    r"|\{\{-?\s*(?P<literal>" + _STRING + r")\s*-?\}\}"
    r"|\{\{.*?\}\}|\{\*.*?\*\}|\{#[^\s{}]+\}|\{:[^}\n]*\}"
    r"|\[\[(?:[^\[\]|\n]*\|)?(?P<page>[^\[\]|\n]*\w)\]\](?!\()"
    r"|\[\^[\w-]+\](?!:)|^\[\^[\w-]+\]:[^\S\n]*",
    re.DOTALL | re.MULTILINE,
)
"""Code, which stays; tags of Liquid, Jinja and Hugo; ids and classes; links of wikis; marks of notes."""
_GIVEN: Final = re.compile(_STRING)
_PAIR_ENDS: Final = re.compile(r"\{%-?\s*end(\w+)")
_ADDRESS: Final = re.compile(r"\S*/\S*|\S+\.[A-Za-z]\w{1,4}")
"""A path or a name of a file, which a tag opens and does not show."""
_ESCAPED: Final = re.compile(
    r"\{%-?\s*(?:end)?raw\s*-?%\}|\{\{-?\s*(?:\"(?P<double>\{[{%][^\"\n]*)\"|'(?P<single>\{[{%][^'\n]*)')\s*-?\}\}"
)
"""Marks around templates that a page shows as code."""
_EMOJI: Final = re.compile(
    _CODE + r"|^(?: {4}|\t)[^\n]*|^[^\S\n]*:[\w+-]+:[^\S\n]+(?=\S)|(?<![\w:]):(?P<emoji>[a-z0-9_+-]+):(?!\w)",
    re.DOTALL | re.MULTILINE,
)
"""Code, indented code and fields such as ":date: 2024", which stay; short codes of emoji."""
_END_TAG: Final = re.compile(r"[^\S\n]{4,}</[a-z][a-z0-9-]*>\s*")
"""A line with the end of an element, indented so far that CommonMark takes it for code; pages show no code there."""
_WITHOUT_TEXT: Final = frozenset("include page url link render layout extends import image img icon svg".split())
"""Words in the names of tags whose argument is no text of the page."""
_TAG: Final = re.compile(
    _CODE + r"|</?(?:[A-Z][\w.]*)\b(?P<given>(?:[^<>\"'{}]|\"[^\"]*\"|'[^']*'|\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\})*)>",
    re.DOTALL,
)
_TITLE: Final = re.compile(r"\btitle=\"([^\"]+)\"")
_MODULE: Final = re.compile(
    r"^(?:import\s.+from\s*['\"].*|import\s*['\"].*|export\s+(?:const|default|let|function)\s.*)$"
)
_EXPRESSION: Final = re.compile(r"\{/\*.*?\*/\}", re.DOTALL)
_MARKER: Final = re.compile(r"\s*(?:/{3,}|:{3,})\s*(?:\{?\w[\w-]*\}?)?\s*(?:[|\[]?\s*(?P<title>[^\]]*?)\]?)?\s*")
_ADMONITION: Final = re.compile(
    r"(?P<indent>\s*)(?:!!!|\?\?\?\+?|===)\s+\"?(?P<name>[\w -]*)\"?(?:\s+\"(?P<title>.*)\")?\s*"
)
_CONTENTS: Final = re.compile(r"\s*\[{1,2}_?TOC_?\]{1,2}\s*", re.IGNORECASE)
_INDENT: Final = "    "


def read(data: bytes) -> ReadText:
    """Return the blocks of a Markdown file; read title, date and url from the front matter."""
    return _read(decoded(data).replace("\r\n", "\n"))


def read_mdx(data: bytes) -> ReadText:
    """Return the blocks of an MDX file, without its imports, components and expressions."""
    return _read(decoded(data).replace("\r\n", "\n"), mdx=True)


def _read(text: str, *, mdx: bool = False) -> ReadText:
    given: dict[str, str] = {}
    if front := _FRONT_MATTER.match(text):
        given = _fields(front[1], front[2])
        text = text[front.end() :]
    text = "".join(_unescaped(part) if is_code else _without_additions(part, mdx) for part, is_code in _parts(text))
    page = MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(text)
    blocks = page_blocks(parsed(f"<html><body>{page}</body></html>"))
    return ReadText(blocks, given.get("title"), given.get("date"), given.get("url"))


def _fields(fence: str, written: str) -> dict[str, str]:
    """Return title, date and url of front matter in YAML, or in TOML between plus signs; empty if it is neither."""
    try:
        front = tomllib.loads(written) if fence == "+++" else yaml.safe_load(written)
    except (yaml.YAMLError, ValueError, RecursionError):
        return {}
    if not isinstance(front, dict):
        return {}
    fields = {str(name).lower(): value for name, value in front.items()}
    given = {
        name: str(fields[name]) for name in ("title", "date", "url") if isinstance(fields.get(name), str | int | date)
    }
    return given | {name: unescape(_STYLED.sub("", text)) for name, text in given.items() if name == "title"}


def _parts(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the parts of a text between fences of code, and the fenced parts, which are code."""
    lines: list[str] = []
    fence: str | None = None
    for line in text.splitlines(keepends=True):
        found = _FENCE.match(line)
        if fence is None and found is not None:
            yield "".join(lines), False
            lines, fence = [], found[1]
            lines.append(line)
            continue
        lines.append(line)
        if fence is not None and line.strip().startswith(fence) and not line.strip().strip(fence[0]):
            yield "".join(lines), True
            lines, fence = [], None
    yield "".join(lines), fence is not None


def _without_additions(text: str, mdx: bool) -> str:
    """Return a text without what tools for sites add to Markdown."""
    if mdx:
        text = _EXPRESSION.sub("", text)
        text = _TAG.sub(_shown_component, text)
    pairs = set(_PAIR_ENDS.findall(text))
    text = _EMOJI.sub(_sign, _TEMPLATE.sub(lambda found: _shown(found, pairs), text))
    return "\n".join(_plain_lines(text.split("\n"), mdx))


def _unescaped(code: str) -> str:
    """Return code without the marks by which a page shows templates as they are."""
    return _ESCAPED.sub(lambda found: found["double"] or found["single"] or "", code)


def _shown(found: re.Match[str], pairs: Set[str]) -> str:
    """Return the text that a template shows: code and raw text, a text of a tag, and nothing of other marks.

    The first text of a tag with an end is a heading; others have an address or name before the text that they show.
    """
    if found["code"]:
        return _unescaped(found[0])
    if found["raw"] or found["page"] or found["literal"]:
        return found["raw"] or found["page"] or str(found["literal"])[1:-1]
    name = found["name"] or ""
    given = [text[1:-1] for text in _GIVEN.findall(found["given"] or "")]
    if not given or not _WITHOUT_TEXT.isdisjoint(name.split("_")):
        return ""
    shown = f"{given[0]}\n\n" if name in pairs else given[-1]
    return "" if _ADDRESS.fullmatch(shown.strip()) else shown


def _sign(found: re.Match[str]) -> str:
    """Return the emoji that a short code such as `:tada:` stands for; all else stays."""
    return emoji.emojize(found[0], language="alias") if found["emoji"] else found[0]


def _shown_component(found: re.Match[str]) -> str:
    """Return what stands for a tag of a component: its title, if it has one."""
    if found["code"]:
        return found[0]
    title = _TITLE.search(found["given"])
    return f"\n\n{title[1]}\n\n" if title is not None else "\n"


def _plain_lines(lines: list[str], mdx: bool) -> Iterator[str]:
    """Yield lines with notes as paragraphs, whose marks are of MkDocs, Docusaurus and their relatives."""
    inside: str | None = None
    for line in lines:
        if _CONTENTS.fullmatch(line) or (mdx and _MODULE.fullmatch(line)):
            continue
        if (mark := _ADMONITION.fullmatch(line)) is not None:
            inside = mark["indent"]
            yield f"{inside}{mark['title'] or ''}"
            yield ""
            continue
        if inside is not None and line.strip() and not line.startswith(inside + _INDENT):
            inside = None
        if (mark := _MARKER.fullmatch(line)) is not None:
            yield from ("", mark["title"] or "", "")
            continue
        line = line.replace(_INDENT, "", 1) if inside is not None else line
        yield line.strip() if _END_TAG.fullmatch(line) else line
