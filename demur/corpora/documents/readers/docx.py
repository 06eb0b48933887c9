"""DOCX as Word shows it with all changes accepted: insertions are read, and deletions are left out."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from demur.corpora.documents.blocks import Block, Cell, ReadText, caption_of, shows_title, table_blocks
from demur.corpora.documents.readers.looks import Look, with_headings
from demur.corpora.documents.readers.package import Package, child, is_on, local, value
from demur.corpora.documents.readers.signs import fraction, power, raised, root

_HEADING: Final = re.compile(r"heading (\d)")
_TITLE_WITHIN: Final = 5000
"""The characters at the beginning of a document where people see its title."""
_LOWEST_OUTLINE: Final = 9
"""The outline level of text that is no heading."""
_CONTENTS: Final = re.compile(r"toc (?:\d|heading)|table of (?:figures|authorities)|index \d")
"""Styles of lists of contents, whose entries are the headings of the document once more."""
_AFTER_FORMULA: Final = "\u2063"
"""An invisible sign after each formula; between two formulas, it becomes a space."""
_FIRST_ROW: Final = 0x20
"""The bit of a table's look by which its first row is a header."""
_WRAPPERS: Final = frozenset("ins moveTo hyperlink smartTag customXml sdtContent dir bdo".split())
"""Elements around text that do not change whether the text is shown."""
_SIGNS: Final = {"tab": " ", "ptab": " ", "br": " ", "cr": " ", "noBreakHyphen": "-", "softHyphen": ""}
_UNSEEN: Final = ("vanish", "strike", "dstrike")
"""Looks of text that does not hold: hidden or struck out."""
_SHAPES: Final = frozenset(("drawing", "pict", "object"))
_MOST_BASES: Final = 20
"""The most styles that are followed from a style to the style that it is based on."""
_PRIVATE: Final = range(0xE000, 0xF900)
"""Signs of a font of its own, such as the bullets of Wingdings, that mean nothing in another font."""


def read(data: bytes) -> ReadText:
    """Return the blocks of a Word document in their order. Footnotes and text boxes follow their paragraph.

    Raises:
        LeftOut: the document is encrypted, or unpacks to too many bytes.
        ValueError: the archive is no Word document.
    """
    package = Package(data)
    main = next(iter(package.related("", "officeDocument")), "word/document.xml")
    root = package.xml(main)
    body = None if root is None else child(root, "body")
    if body is None:
        raise ValueError(f"has no text in a part {main}")
    story = _Story(package, main)
    blocks = with_headings(list(story.blocks(body)), story.looks)
    title, day = _properties(package)
    shown = " ".join(block.text for block in blocks)[:_TITLE_WITHIN]
    seen_title = title if title and shows_title(title, shown) else None
    return ReadText([*blocks, *story.endnotes], story.title or seen_title, day)


def _properties(package: Package) -> tuple[str | None, str | None]:
    """Return the title and the day of the last change that the document's properties give."""
    core = package.xml(next(iter(package.related("", "core-properties")), "docProps/core.xml"))
    given = {} if core is None else {local(part): (part.text or "").strip() for part in core}
    return given.get("title") or None, given.get("modified") or given.get("created") or None


@dataclass(slots=True)
class _Field:
    """An open field, such as a page number or a link. Word shows its result, and not its code."""

    code: str = ""
    in_result: bool = False

    @property
    def shown(self) -> bool:
        return self.in_result and not _lists_contents(self.code)


class _Story:
    """The reading of one document: its styles, notes and open fields, and blocks that follow the open paragraph."""

    def __init__(self, package: Package, main: str) -> None:
        self.title: str | None = None
        self.endnotes: list[Block] = []
        self.looks: dict[int, Look] = {}  # by the identity of the block of a paragraph outside tables
        self._styles = _by_id(package, main, "styles", "style", "styleId")
        self._notes = {kind: _by_id(package, main, f"{kind}s", kind, "id") for kind in ("footnote", "endnote")}
        self._fields: list[_Field] = []
        self._after: list[Block] = []

    def blocks(self, parent: Any) -> Iterator[Block]:
        """Yield the blocks of a body, a cell, a text box or a note.

        A paragraph whose end is deleted goes on in the next paragraph.
        """
        text: list[str] = []
        caption: str | None = None
        for part in _within(parent, "p", "tbl"):
            if local(part) == "p":
                self._runs(part, text)
                if not _is_deleted(child(part, "pPr", "rPr")):
                    paragraph = list(self._paragraph(part, text))
                    caption = self._caption(part, paragraph)
                    yield from paragraph
                    text = []
                continue
            yield from self._paragraph(None, text)
            text = []
            yield from self._table(part, caption)
            caption = None
        yield from self._paragraph(None, text)

    def _caption(self, paragraph: Any, blocks: list[Block]) -> str | None:
        """Return the caption of the table below a paragraph, by the paragraph's style or its first word."""
        styled = len(blocks) == 1 and "caption" in self._style_names(paragraph)
        return blocks[0].text if styled else caption_of(blocks)

    def _paragraph(self, paragraph: Any, parts: list[str]) -> Iterator[Block]:
        """Yield a paragraph, then its footnotes and text boxes."""
        text = re.sub(f"{_AFTER_FORMULA}(?=[\\w({_AFTER_FORMULA}])", " ", "".join(parts)).replace(_AFTER_FORMULA, "")
        text = " ".join(text.split())
        self._fields = [field for field in self._fields if field.in_result]  # a broken field hides one paragraph
        after, self._after = self._after, []
        names = self._style_names(paragraph)
        if text and not any(_CONTENTS.fullmatch(name) for name in names):
            level = self._level(paragraph, names)
            if self.title is None and "title" in names:
                self.title = text
            entry = any(name.startswith("list") for name in names) or _has(paragraph, "pPr", "numPr")
            block = Block(text, level, line=entry and not level)
            if paragraph is not None and not entry and "caption" not in names:
                self.looks[id(block)] = self._look(paragraph)
            yield block
        yield from after

    def _look(self, paragraph: Any) -> Look:
        """Return how a paragraph looks. It is bold if all of its text is."""
        runs = [
            run
            for run in _within(paragraph, "r")
            if any(local(part) == "t" and part.text.strip() for part in run if part.text)
        ]
        styles = list(self._styles_of(paragraph))

        def given(run: Any, name: str) -> Any:
            found = (child(part, "rPr", name) for part in (run, *styles))
            return next((one for one in found if one is not None), None)

        sizes = [value(size) or "" for run in runs if (size := given(run, "sz")) is not None]
        aligned = next((one for part in (paragraph, *styles) if (one := child(part, "pPr", "jc")) is not None), None)
        return Look(
            bold=bool(runs) and all(is_on(given(run, "b")) for run in runs),
            size=max((int(size) for size in sizes if size.isdecimal()), default=0),
            centred=aligned is not None and value(aligned) == "center",
        )

    def _styles_of(self, paragraph: Any) -> Iterator[Any]:
        """Yield the style of a paragraph, and then each style on which the one before is based."""
        named = None if paragraph is None else child(paragraph, "pPr", "pStyle")
        for _ in range(_MOST_BASES):
            style = None if named is None else self._styles.get(value(named))
            if style is None:
                return
            yield style
            named = child(style, "basedOn")

    def _style_names(self, paragraph: Any) -> list[str]:
        names = (child(style, "name") for style in self._styles_of(paragraph))
        return [(value(name) or "").lower() for name in names if name is not None]

    def _level(self, paragraph: Any, names: list[str]) -> int:
        """Return the level of a heading, by its outline level or the names of its styles; 0 for text."""
        if paragraph is None:
            return 0
        outlines = (child(part, "pPr", "outlineLvl") for part in (paragraph, *self._styles_of(paragraph)))
        outline = next((value(part) for part in outlines if part is not None), None)
        if outline is not None and outline.isdecimal():
            return int(outline) + 1 if int(outline) < _LOWEST_OUTLINE else 0
        if "title" in names:
            return 1
        heading = next((found for name in names if (found := _HEADING.fullmatch(name))), None)
        return 0 if heading is None else int(heading[1])

    def _table(self, table: Any, caption: str | None) -> Iterator[Block]:
        rows: list[list[Cell]] = []
        headers = 0
        for row in _within(table, "tr"):
            if _is_deleted(child(row, "trPr")):
                continue
            before = child(row, "trPr", "gridBefore")
            cells = [] if before is None else [Cell(width=int(value(before) or 1))]
            for cell in _within(row, "tc"):
                properties = child(cell, "tcPr")
                if properties is not None and _has(properties, "cellDel"):
                    continue
                merge = None if properties is None else child(properties, "vMerge")
                merged = merge is not None and value(merge) != "restart"
                span = None if properties is None else child(properties, "gridSpan")
                width = 1 if span is None else int(value(span) or 1)
                blocks = list(self.blocks(cell))
                for block in blocks:
                    self.looks.pop(id(block), None)
                cells.append(Cell(blocks, merged, width))
            headers += len(rows) == headers and is_on(child(row, "trPr", "tblHeader"))
            rows.append(cells)
        look = child(table, "tblPr", "tblLook")
        if not headers and look is not None:
            headers = int(value(look, "firstRow") == "1" or bool(int(value(look) or "0", 16) & _FIRST_ROW))
        yield from table_blocks(rows, headers, caption)

    def _runs(self, parent: Any, text: list[str]) -> None:
        """Add what is shown of the content of a paragraph to `text`."""
        for part in _within(parent, "r", "fldSimple", "oMath", "oMathPara"):
            match local(part):
                case "r":
                    look = child(part, "rPr")
                    if look is None or not any(is_on(child(look, name)) for name in _UNSEEN):
                        self._run(part, text)
                case "fldSimple":
                    if not _lists_contents(value(part, "instr") or ""):
                        self._runs(part, text)
                case _:
                    self._add(_formula(part), text)

    def _run(self, run: Any, text: list[str]) -> None:
        for part in run:
            name = local(part)
            if name == "t":
                position = child(run, "rPr", "vertAlign")
                above = position is not None and value(position) == "superscript"
                self._add(raised(part.text or "") if above else part.text or "", text)
            elif name in _SIGNS:
                self._add(_SIGNS[name], text)
            elif name == "fldChar":
                self._open_or_close(value(part, "fldCharType"))
            elif name == "instrText":
                if self._fields and not self._fields[-1].in_result:
                    self._fields[-1].code += part.text or ""
            elif name in ("footnoteReference", "endnoteReference"):
                self._note(name.removesuffix("Reference"), value(part, "id"))
            elif name in _SHAPES:
                self._text_boxes(part)
            elif name == "AlternateContent":
                self._run(_alternative(part), text)
            elif name == "ruby" and _has(part, "rubyBase"):
                self._runs(child(part, "rubyBase"), text)
            elif name == "sym" and (code := int(value(part, "char") or "F000", 16)) not in _PRIVATE:
                self._add(chr(code), text)

    def _open_or_close(self, kind: str | None) -> None:
        if kind == "begin":
            self._fields.append(_Field())
        elif kind == "separate" and self._fields:
            self._fields[-1].in_result = True
        elif kind == "end":
            del self._fields[-1:]

    def _add(self, shown: str, text: list[str]) -> None:
        if all(field.shown for field in self._fields):
            text.append(shown)

    def _note(self, kind: str, number: str | None) -> None:
        note = self._notes[kind].pop(number, None)  # a note that refers to itself is read once
        if note is None:
            return
        blocks = [Block(block.text, line=True) for block in self._apart(note)]
        if kind == "footnote":
            self._after += blocks
        else:
            self.endnotes += blocks

    def _text_boxes(self, shape: Any) -> None:
        for part in shape:
            if local(part) == "txbxContent":
                self._after += self._apart(part)
            else:
                self._text_boxes(_alternative(part) if local(part) == "AlternateContent" else part)

    def _apart(self, parent: Any) -> list[Block]:
        """Return blocks that do not belong to the open paragraph, and leave that paragraph's state as it is."""
        fields, self._fields = self._fields, []
        after, self._after = self._after, []
        blocks = list(self.blocks(parent))
        for block in blocks:
            self.looks.pop(id(block), None)
        self._fields, self._after = fields, after
        return blocks


def _by_id(package: Package, main: str, kind: str, name: str, key: str) -> dict[str | None, Any]:
    """Return the elements of a name in the related parts of a kind, by an attribute."""
    roots = (package.xml(part) for part in package.related(main, kind))
    return {value(part, key): part for root in roots if root is not None for part in root if local(part) == name}


def _within(parent: Any, *names: str) -> Iterator[Any]:
    """Yield children with one of the names, also those in wrappers. Deleted ones and prompts for text are left out."""
    for part in parent:
        name = local(part)
        if name in names:
            yield part
        elif name in _WRAPPERS or (name == "sdt" and not _is_prompt(child(part, "sdtPr"))):
            yield from _within(part, *names)
        elif name == "AlternateContent":
            yield from _within(_alternative(part), *names)


def _is_prompt(properties: Any) -> bool:
    """Return whether a content control shows a prompt such as "Enter a date", or a table of contents."""
    if properties is None:
        return False
    gallery = child(properties, "docPartObj", "docPartGallery")
    contents = gallery is not None and (value(gallery) or "").lower() == "table of contents"
    return contents or is_on(child(properties, "showingPlcHdr"))


def _is_deleted(properties: Any) -> bool:
    return properties is not None and (_has(properties, "del") or _has(properties, "moveFrom"))


def _has(element: Any, *path: str) -> bool:
    return element is not None and child(element, *path) is not None


def _alternative(element: Any) -> Any:
    """Return the first alternative that has text; the last one if none has text."""
    alternatives = [part for part in element if local(part) in ("Choice", "Fallback")]
    with_text = (part for part in alternatives if any(local(below) == "t" for below in part.iterdescendants()))
    return next(with_text, alternatives[-1] if alternatives else element)


def _lists_contents(code: str) -> bool:
    return code.split()[:1] in (["TOC"], ["TOA"], ["INDEX"])


def _formula(element: Any) -> str:
    """Return a formula in one line, such as "a/b" and "x^2"."""
    parts = [(local(part), _formula(part)) for part in element]
    inner = dict(parts)
    base, sub, sup = inner.get("e", ""), inner.get("sub", ""), inner.get("sup", "")
    match local(element):
        case "t":
            return element.text or ""
        case "f":
            return fraction(inner.get("num", ""), inner.get("den", ""))
        case "sSup" | "sSub" | "sSubSup":
            return power(base, sub, sup)
        case "nary":
            sign = _sign(element, "naryPr", "chr", "∫")
            return f"{power(sign, sub, sup)} {base}"
        case "d":
            entries = _sign(element, "dPr", "sepChr", "|").join(text for name, text in parts if name == "e")
            return f"{_sign(element, 'dPr', 'begChr', '(')}{entries}{_sign(element, 'dPr', 'endChr', ')')}"
        case "rad":
            return root(base, inner.get("deg", ""))
        case "limLow":
            return power(base, inner.get("lim", ""))
        case "limUpp":
            return power(base, sup=inner.get("lim", ""))
        case "func":
            return f"{inner.get('fName', '')} {base}"
        case "m":
            return "; ".join(text for name, text in parts if name == "mr")
        case "mr" | "eqArr":
            return ", ".join(text for name, text in parts if name == "e")
        case "oMath":
            return f"{''.join(text for _, text in parts)}{_AFTER_FORMULA}"
    return "".join(text for _, text in parts)


def _sign(element: Any, properties: str, name: str, usual: str) -> str:
    """Return a sign of a formula as its properties give it."""
    given = child(element, properties, name)
    return usual if given is None else value(given) or ""
