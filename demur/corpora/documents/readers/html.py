"""HTML: headings, paragraphs, list entries and table rows, without navigation, scripts and forms."""

import re
from dataclasses import dataclass, field
from typing import Any, Final

from lxml import etree, html

from demur.corpora.documents.blocks import LONGEST_CAPTION, Block, Cell, LeftOut, ReadText, caption_of, table_blocks
from demur.corpora.documents.readers.layout import fraction, power, raised, root

_NO_TEXT: Final = frozenset(
    "script style template noscript iframe svg object canvas head select textarea datalist audio video rt rp".split()
)
"""Elements that are no text of the page."""
_STRUCK: Final = frozenset(("del", "s", "strike"))
_BESIDE: Final = frozenset("nav header footer aside form button dialog menu".split())
"""Elements beside the text of a page, unless they hold most of it."""
_ROLES: Final = frozenset(
    "navigation banner contentinfo search complementary dialog alertdialog menu menubar toolbar doc-toc".split()
)
_NAMES: Final = frozenset(
    "cookie cookies consent breadcrumb breadcrumbs sidebar navbar menu nav navigation toc pagination pager "
    "comment-list comments footer masthead share sharing social newsletter subscribe skip-link skiplink attachments "
    "page-metadata pagesection related edit-link edit-page last-updated".split()
)
"""Ids and classes of elements beside the text."""
_BEGIN_NAMES: Final = re.compile(r"(?:cookies?|breadcrumbs?|navbar|sidebar|newsletter)(?:[-_].*)?|(?:site|page)-footer")
"""The same of themes, which add words of their own, such as `cookie-banner` and `sidebar-left`."""
_NOTES: Final = re.compile(r"\b(?:note|admonition|warning|tip|callout|footnote|topic|alert)")
_MAYBE_TEXT: Final = frozenset("header aside form button dialog menu".split())
_SMALL_SHARE: Final = 0.4
_LARGE_SHARE: Final = 0.8
"""The largest shares of the page's text of elements beside the text; a larger one is the page itself.

A form or header holds the page's text more often than a footer does.
"""
_HEADINGS: Final = {f"h{level}": level for level in range(1, 7)}
_OWN_LINE: Final = frozenset(("li", "dt", "dd"))
_BLOCKS: Final = frozenset(
    "p div section article main body html blockquote ul ol dl tbody thead tfoot address details summary center "
    "fieldset hr figure figcaption caption aside header footer form nav".split()
)
_ANCHORS: Final = frozenset(("", "¶", "#", "🔗", "§"))
"""Texts of links in a heading that lead to the heading itself."""
_CELLS: Final = ("td", "th")
_MOST_UNREADABLE: Final = 0.01
"""The largest share of characters that the declared encoding of a page cannot read."""
_FEWEST_PLACES: Final = 3
"""The fewest links within the page that are a list of its contents."""
_LEADS_ON: Final = re.compile(
    r"[\W_]*(?:(?:next|prev(?:ious)?|weiter|zurück|nächste\w*|vorige\w*|vorherige\w*|siguiente|anterior|suivante?|"
    r"précédente?|successiv[ao]|precedente|próxim[ao])"
    r"(?:[\W_]*|\s*:.*|\s+(?:to|page|chapter|section|step|lesson|article|post|seite|kapitel|página|capítulo|pagina)\b.*|"
    r".*[>»›→])|back\s+to\b.*|(?:home|up|top|[上下]一[页頁篇章节節]|[前次]へ|[前次]のページ)[\W_]*)\s*",
    re.IGNORECASE | re.DOTALL,
)
"""Texts of links to the page before or behind."""
_OF_LINKS: Final = frozenset(("p", "li", "dd", "td", "ul", "ol"))
_LETTERS: Final = re.compile(r"\w")
_DATES: Final = (
    "//meta[@property='article:published_time']/@content",
    "//meta[translate(@name,'DATE','date')='date']/@content",
    "//meta[@name='dcterms.date' or @name='DC.date']/@content",
    "//time/@datetime",
)
_MOST_SPANNED: Final = 1000
_DEEPEST_FORMULA: Final = 100
_DECLARED: Final = re.compile(rb"(?:charset|encoding)\s*=\s*[\"']?\s*([A-Za-z0-9_.:-]+)")
_DECLARED_WITHIN: Final = 4096
_AS_BROWSERS: Final = {
    "iso-8859-1": "cp1252", "latin1": "cp1252", "us-ascii": "cp1252", "iso-8859-9": "cp1254",
    "shift_jis": "cp932", "shift-jis": "cp932", "sjis": "cp932", "x-sjis": "cp932",
    "gb2312": "gb18030", "gbk": "gb18030", "euc-kr": "cp949", "ks_c_5601-1987": "cp949", "big5": "big5hkscs",
}  # fmt: skip
"""Encodings that browsers read as a larger one, which real pages mean (WHATWG Encoding Standard)."""
_MAIN: Final = ("//main | //*[@role='main']", "//article")


def read(data: bytes) -> ReadText:
    """Return the blocks of a page; if the page has a `main` or `article` element, only the blocks of this element.

    Raises:
        LeftOut: the page is binary, or its encoding is unknown.
    """
    page = parsed(data, _encoding(data))
    title = page.findtext(".//title")
    date = next((str(found[0]) for path in _DATES if (found := page.xpath(path))), None)
    url = next(iter(page.xpath("//link[@rel='canonical']/@href")), None)
    blocks: list[Block] = []
    for path in _MAIN:
        blocks = blocks or [block for part in _outermost(page.xpath(path)) for block in page_blocks(part)]
    return ReadText(blocks or page_blocks(page), _words(title or "") or None, date, str(url) if url else None)


def parsed(data: bytes | str, encoding: str | None = None) -> Any:
    """Return the root of a page.

    Raises:
        LeftOut: elements are nested so deep that the parser loses text.
    """
    parser = html.HTMLParser(remove_comments=True, remove_pis=True, no_network=True, encoding=encoding, huge_tree=True)
    page = html.document_fromstring(data, parser=parser)
    if any("depth" in entry.message for entry in parser.error_log):
        raise LeftOut("damaged", "nests elements deeper than the parser reads. Save it anew")
    return page


def _outermost(parts: list[Any]) -> list[Any]:
    found = set(parts)
    return [part for part in parts if not any(above in found for above in part.iterancestors())]


@dataclass(slots=True)
class _Table:
    """An open table: its finished rows, cells that reach down into rows to come, and the blocks before its caption."""

    rows: list[list[Cell]] = field(default_factory=list)
    headers: int = 0
    only_headers: bool = True
    below: dict[int, tuple[int, int]] = field(default_factory=dict)
    caption: str | None = None
    before_caption: int = 0

    def open_row(self) -> None:
        self.rows.append([])
        self.only_headers = True
        self._merge()

    def add(self, element: Any, blocks: list[Block]) -> None:
        if not self.rows:
            self.open_row()
        width = _number(element.get("colspan"))
        if (height := _number(element.get("rowspan"))) > 1:
            self.below[sum(cell.width for cell in self.rows[-1])] = (height, width)
        self.rows[-1].append(Cell(blocks, width=width))
        in_head = any(above.tag == "thead" for above in element.iterancestors("thead", "table"))
        self.only_headers = self.only_headers and (element.tag == "th" or in_head)
        self._merge()

    def close_row(self) -> None:
        if self.only_headers and self.headers == len(self.rows) - 1 and self.rows[-1]:
            self.headers += 1
        left = {column: (height - 1, width) for column, (height, width) in self.below.items()}
        self.below = {column: span for column, span in left.items() if span[0] > 0}

    def _merge(self) -> None:
        """Add the cells that reach down into the next columns of the open row."""
        row = self.rows[-1]
        while (span := self.below.get(sum(cell.width for cell in row))) is not None:
            row.append(Cell(merged=True, width=span[1]))


def _number(given: str | None) -> int:
    return max(1, min(int(given), _MOST_SPANNED)) if given is not None and given.isdecimal() else 1


def page_blocks(page: Any) -> list[Block]:
    """Return the blocks of an element and everything below it."""
    reader = _Reader(page)
    skipped: Any = None
    for event, element in etree.iterwalk(page, events=("start", "end")):
        if skipped is not None:
            if element is skipped and event == "end":
                skipped = None
                reader.add(element.tail if element is not page else "")
        elif event == "start":
            if reader.leaves_out(element):
                skipped = element
            else:
                reader.start(element)
        else:
            reader.end(element)
            reader.add(element.tail if element is not page else "")
    return reader.blocks()


class _Reader:
    """The reading of a page: blocks that are finished, of the page and of open cells, and the open block."""

    def __init__(self, page: Any) -> None:
        self._page = page
        self._length = len(_words("".join(page.itertext())))
        self._open: list[list[Block]] = [[]]
        self._tables: list[_Table] = []
        self._parts: list[str] = []
        self._level = 0
        self._line = False
        self._lines_kept: Any = None
        self._raised: Any = None

    def blocks(self) -> list[Block]:
        """Return the blocks of the page."""
        self._close()
        return self._open[0]

    def add(self, text: str | None) -> None:
        """Add text to the open block."""
        if text:
            self._parts.append(raised(text) if self._raised is not None else text)

    def leaves_out(self, element: Any) -> bool:
        """Return whether an element is no text of the page."""
        tag = element.tag
        if element is self._page:
            return False
        if tag == "math":
            self.add(_formula(element))
            return True
        if tag in _NO_TEXT or tag in _STRUCK or _is_hidden(element):
            return True
        if self._level and tag in ("a", "button"):
            return tag == "a" and "".join(element.itertext()).strip() in _ANCHORS
        if (tag == "sup" and _is_note_mark(element)) or (tag in _OF_LINKS and _leads_on(element)):
            return True
        share = _SMALL_SHARE if tag in _MAYBE_TEXT else _LARGE_SHARE
        return self._is_beside(element) and len(_words("".join(element.itertext()))) <= share * self._length

    def _is_beside(self, element: Any) -> bool:
        tag = element.tag
        names = f"{element.get('id', '')} {element.get('class', '')}".lower()
        own, role = names.split(), (element.get("role") or "").lower()
        if role in _ROLES or not _NAMES.isdisjoint(own) or any(_BEGIN_NAMES.fullmatch(one) for one in own):
            return tag not in ("html", "body", "main", "article", "table", "tbody", "tr", "td", "th")
        if tag == "header":  # that of an article has its heading
            return self._page.tag not in ("main", "article") and not _within_article(element)
        if tag == "aside":
            return not _NOTES.search(names) and role not in ("note", "doc-footnote")
        return tag in _BESIDE

    def start(self, element: Any) -> None:
        """Open an element."""
        tag = element.tag
        if tag == "table":
            self._close()
            self._tables.append(_Table(caption=caption_of(self._open[-1])))
        elif tag == "tr" and self._tables:
            self._close()
            self._tables[-1].open_row()
        elif tag in _CELLS and self._tables:
            self._close()
            self._open.append([])
        elif tag in _HEADINGS or tag in _OWN_LINE or tag in _BLOCKS or tag in _CELLS:
            keeps_line = self._line and tag in ("p", "div")
            self._close()
            self._level, self._line = _HEADINGS.get(tag, 0), tag in _OWN_LINE or keeps_line
            if tag == "caption" and self._tables:
                self._tables[-1].before_caption = len(self._open[-1])
        elif tag == "pre":
            self._close()
            self._lines_kept = element
        elif tag == "br":
            self.add("\n")
        elif tag == "sup" and self._raised is None:
            self._raised = element
        self.add(element.text)

    def end(self, element: Any) -> None:
        """Close an element."""
        tag = element.tag
        if tag == "table":
            self._close()
            table = self._tables.pop()
            self._open[-1].extend(table_blocks(table.rows, table.headers, table.caption))
        elif tag == "caption" and self._tables:
            self._close()
            caption = " ".join(block.text for block in self._open[-1][self._tables[-1].before_caption :])
            if 0 < len(caption) <= LONGEST_CAPTION:
                self._tables[-1].caption = caption
        elif tag == "tr" and self._tables:
            self._close()
            self._tables[-1].close_row()
        elif tag in _CELLS and self._tables:
            self._close()
            self._tables[-1].add(element, self._open.pop())
        elif tag in _HEADINGS or tag in _OWN_LINE or tag in _BLOCKS or tag in _CELLS or tag == "pre":
            self._close()
        if element is self._raised:
            self._raised = None

    def _close(self) -> None:
        """Finish the open block."""
        text, self._parts = "".join(self._parts), []
        level, self._level = self._level, 0
        line, self._line = self._line, False
        if self._lines_kept is not None:
            self._open[-1].extend(Block(kept, line=True) for row in text.splitlines() if (kept := _words(row)))
            self._lines_kept = None
        elif words := _words(text):
            self._open[-1].append(Block(words, level, line))


def _is_hidden(element: Any) -> bool:
    style = re.sub(r"\s", "", element.get("style") or "").lower()
    return (
        element.get("hidden") is not None
        or element.get("aria-hidden") == "true"
        or "display:none" in style
        or "visibility:hidden" in style
    )


def _is_note_mark(element: Any) -> bool:
    """Return whether a superscript is the number of a note: a link within the page."""
    links = element.findall(".//a")
    return len(links) == 1 and (links[0].get("href") or "").startswith("#")


def _leads_on(block: Any) -> bool:
    """Return whether a block holds nothing but links to the page before or behind, or a list of places of the page."""
    links = ["".join(link.itertext()) for link in block.iter("a")]
    here = [(link.get("href") or "").startswith("#") for link in block.iter("a")]
    of_contents = len(here) >= _FEWEST_PLACES and all(here)
    if not links or not (of_contents or all(map(_LEADS_ON.fullmatch, links))):
        return False
    return _LETTERS.findall("".join(block.itertext())) == _LETTERS.findall("".join(links))


def _within_article(element: Any) -> bool:
    return any(True for _ in element.iterancestors("main", "article"))


def _formula(element: Any, depth: int = 0) -> str:
    """Return a formula of MathML in one line, such as "a/b" and "x^2"."""
    tag = str(element.tag).rpartition("}")[2]
    if tag in ("annotation", "annotation-xml") or depth > _DEEPEST_FORMULA:
        return ""
    parts = [_formula(part, depth + 1) for part in element]
    match tag, parts:
        case "mfrac", [above, below]:
            return fraction(above, below)
        case "msup", [base, sup]:
            return power(base, sup=sup)
        case "msub", [base, sub]:
            return power(base, sub)
        case "msubsup", [base, sub, sup]:
            return power(base, sub, sup)
        case "munderover", [sign, below, above]:
            return f"{power(sign, below, above)} "
        case "munder", [sign, below]:
            return f"{power(sign, below)} "
        case "msqrt", _:
            return root("".join(parts))
        case "mroot", [base, degree]:
            return root(base, degree)
    return "".join([_words(element.text or ""), *parts])


def _encoding(data: bytes) -> str | None:
    """Return UTF-8 if the page is valid UTF-8; None if the page declares another encoding, which the parser reads.

    Raises:
        LeftOut: the page is binary, or is no UTF-8 and declares no encoding that can read it.
    """
    if data.startswith((b"\xff\xfe", b"\xfe\xff")) and not data.startswith(b"\xff\xfe\x00\x00"):
        return "utf-16"
    if b"\x00" in data[:65_536]:
        raise LeftOut("binary", "holds zero bytes, which no page has. Save the page as HTML in UTF-8")
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as exc:
        declared = _DECLARED.search(data[:_DECLARED_WITHIN])
        if declared is None:
            raise LeftOut(
                "wrong_encoding",
                f"byte 0x{data[exc.start]:02x} at {exc.start} is not UTF-8, and the page declares no other encoding. "
                "Save the page as UTF-8",
            ) from exc
        said = declared[1].decode("ascii").lower()
        name = _AS_BROWSERS.get(said, said)
        try:
            text = data.decode(name, "replace")
        except LookupError:
            raise LeftOut("wrong_encoding", f"declares {said}, which nothing reads. Save the page as UTF-8") from exc
        if text.count("\ufffd") > _MOST_UNREADABLE * len(text):
            raise LeftOut("wrong_encoding", f"declares {said}, and is not in it. Save the page as UTF-8") from exc
        return name
    return "utf-8"


def _words(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()
