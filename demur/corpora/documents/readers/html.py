"""HTML: headings, paragraphs, list entries and table rows, without navigation, scripts and forms."""

import re
from collections.abc import Iterator
from typing import Any, Final

from lxml import etree, html

from demur.corpora.documents.blocks import Block, LeftOut, ReadText

_LEFT_OUT: Final = frozenset(
    "script style template noscript nav header footer aside form button select iframe svg math object canvas "
    "figure head dialog menu".split()
)
_HEADINGS: Final = {f"h{level}": level for level in range(1, 7)}
_OWN_LINE: Final = frozenset(("li", "tr", "dt", "dd", "pre"))
_BLOCKS: Final = frozenset(
    "p div section article main body blockquote ul ol dl table tbody thead tfoot td th address details summary "
    "center fieldset hr".split()
)
_DATES: Final = (
    "//meta[@property='article:published_time']/@content",
    "//meta[translate(@name,'DATE','date')='date']/@content",
    "//meta[@name='dcterms.date' or @name='DC.date']/@content",
    "//time/@datetime",
)


def read(data: bytes) -> ReadText:
    """Return the blocks of a page; if the page has a `main` or `article` element, only the blocks of this element.

    Raises:
        LeftOut: the page is binary.
    """
    if b"\x00" in data[:65_536] and not data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise LeftOut("binary", "holds zero bytes, which no page has. Save the page as HTML in UTF-8")
    parser = html.HTMLParser(remove_comments=True, remove_pis=True, no_network=True, encoding=_encoding(data))
    root = html.document_fromstring(data, parser=parser)
    main = root.xpath("//main | //article[not(//main)] | //*[@role='main'][not(//main)]")
    blocks = [block for part in (_outermost(main) or [root]) for block in _blocks(part)]
    title = root.findtext(".//title")
    date = next((str(found[0]) for path in _DATES if (found := root.xpath(path))), None)
    url = next(iter(root.xpath("//link[@rel='canonical']/@href")), None)
    return ReadText(blocks, _words(title or "") or None, date, str(url) if url else None)


def _encoding(data: bytes) -> str | None:
    """Return UTF-8 if the page is valid UTF-8; None if the parser must use the declared encoding."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return None
    return "utf-8"


def _outermost(parts: list[Any]) -> list[Any]:
    found = set(parts)
    return [part for part in parts if not any(above in found for above in part.iterancestors())]


def _blocks(root: Any) -> Iterator[Block]:
    words: list[str] = []
    level, line = 0, False

    def ended() -> Iterator[Block]:
        nonlocal words
        text, words = _words("".join(words)), []
        if text:
            yield Block(text.strip("| ") if line else text, level, line)

    skipped: Any = None
    for event, element in etree.iterwalk(root, events=("start", "end")):
        tag = element.tag
        if skipped is not None:
            if event == "end" and element is skipped:
                skipped = None
                words.append(element.tail or "" if element is not root else "")
            continue
        breaks = tag in _BLOCKS or tag in _HEADINGS or tag in _OWN_LINE
        if event == "start":
            if tag in _LEFT_OUT or element.get("hidden") is not None or element.get("aria-hidden") == "true":
                skipped = element
                continue
            if tag in ("td", "th"):
                words.append(" | " if any(word.strip() for word in words) else "")
            elif breaks:
                yield from ended()
                level, line = _HEADINGS.get(tag, 0), tag in _OWN_LINE or (line and tag == "p")
            words.append("\n" if tag == "br" else element.text or "")
            continue
        if breaks and tag not in ("td", "th"):
            yield from ended()
            level, line = 0, False
        if element is not root:
            words.append(element.tail or "")
    yield from ended()


def _words(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()
