"""Reading of one document, from bytes to passages, without what most documents of a folder repeat."""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date
from typing import Any, Final

from demur.corpora.documents.blocks import BETWEEN_CELLS, Block, LeftOut, ReadText
from demur.corpora.documents.passages import SHORTEST_DOCUMENT, SplitPassage, split
from demur.corpora.documents.readers import JSONL, format_of
from demur.text.language_detection import Language, detect

# Blocks that stand at the beginning or end of most documents of a folder, such as menus, banners and footers.


FEWEST_DOCUMENTS: Final = 5
"""The fewest documents of a format of which most can have a block in common."""
_MOST: Final = 0.5
_BETWEEN: Final = 2
_SHORT: Final = 80
"""The most blocks between two repeated ones at an end of a document, and their most characters, such as its author."""
_TEXT: Final = "+"
"""The end of the name of a longer block or of a heading; at one that is not repeated, the text of a document begins."""


def block_names(blocks: Iterable[Block]) -> list[str]:
    """Return a short digest for each block; blocks that differ in digits and capitals alone have the same one."""
    return [_name(block) for block in blocks]


def _name(block: Block) -> str:
    text = re.sub(r"\d+", "0", block.text.casefold())
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:12] + (
        _TEXT if block.level or len(text) > _SHORT else ""
    )


def repeated_names(documents: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return for each document the names of its blocks that most documents have, at either end of the document.

    Args:
        documents: the names of the blocks of each document, for documents of one format.
    """
    if len(documents) < FEWEST_DOCUMENTS:
        return [[] for _ in documents]
    counted = Counter(name for names in documents for name in set(names))
    most = {name for name, number in counted.items() if number > _MOST * len(documents)}
    return [sorted({names[place] for place in _ends(names, most)}) for names in documents]


def without_repeated(blocks: Sequence[Block], repeated: Iterable[str]) -> list[Block]:
    """Return the blocks of a document without the repeated ones at its ends."""
    names = block_names(blocks)
    left_out = _ends(names, set(repeated))
    return [block for place, block in enumerate(blocks) if place not in left_out]


def _ends(names: Sequence[str], repeated: set[str]) -> set[int]:
    """Return the places of repeated blocks at the two ends. A document that has no other block keeps all."""
    places = _from_start(names, repeated)
    places |= {len(names) - 1 - place for place in _from_start(names[::-1], repeated)}
    return places if len(places) < len(names) else set()


def _from_start(names: Sequence[str], repeated: set[str]) -> set[int]:
    places: set[int] = set()
    between = 0
    for place, name in enumerate(names):
        if name in repeated:
            places.add(place)
            between = 0
        elif name.endswith(_TEXT) or (between := between + 1) > _BETWEEN:
            break
    return places


# Reading of one document, from bytes to passages, in the reader's process.


_LONGEST_HEADING: Final = 300
"""The most characters of a heading; a longer one is a paragraph in the look of a heading."""
_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}")
_LONGEST_BEFORE_TITLE: Final = 200
"""The most characters of text before the heading that is the title, such as a line with place and date."""
_BY_PROGRAM: Final = re.compile(
    r"^Microsoft \w+ - |^\(?(?:anonymous|unspecified)\)?$"
    r"|^(?:untitled|slide|powerpoint presentation|word document)[ \d-]*$"
    r"|^(?:document|presentation|model|layout)\d*$"
    r"|\.(?:docx?|pptx?|xlsx?|pdf|rtf|odt|tex|dvi|indd|qxd|pmd|html?|md|txt)$",
    re.IGNORECASE,
)
"""Titles by which programs name a document that nobody gave a title."""
_WORD: Final = re.compile(r"[^\W\d_]{3,}|[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u9fff\uf900-\ufaff]")
_FEWEST_WORDS: Final = 0.07
"""A word, and the least share of words among what stands between spaces: one label in a row of fourteen cells."""
_BREAKS: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u200b\ufeff]+")


def read_document(
    path: str, data: bytes, most_characters: int, *, is_row: bool = False, repeated: Sequence[str] = ()
) -> dict[str, Any]:
    """Return a document's row of the table `documents`, with a list `passages` of rows of the table `passages`.

    Args:
        path: the document's name; its ending chooses the reader.
        data: the bytes of the document; for a row of a JSONL file, the bytes of the row.
        most_characters: the most characters of a text; a longer document is left out.
        is_row: whether the document is a row of a JSONL file.
        repeated: the names of blocks at the ends of the document that most documents of the folder have; these blocks
            are left out.

    Raises:
        LeftOut: the document cannot be used.
    """
    found = read_blocks(path, data, is_row=is_row)
    blocks = without_repeated(found.blocks, repeated) if repeated else found.blocks
    characters = sum(len(block.text) for block in blocks)
    if characters > most_characters:
        raise LeftOut(
            "too_large", f"has {characters:,} characters; {most_characters:,} are read (corpus.limits.characters)"
        )
    text = "\n".join(block.text for block in blocks)
    if not text and found.drawn_pages:
        raise LeftOut("no_prose", f"has labels of drawings and no text on its {found.pages} pages")
    if not text:
        raise LeftOut("empty", "has no text")
    language = detect(text)
    title = _title(found.title, blocks)
    document = split(blocks, language.code, title)
    if document.words < SHORTEST_DOCUMENT:
        raise LeftOut("too_short", f"has {document.words} words of text; {SHORTEST_DOCUMENT} are the fewest")
    passages = [one for one in document.passages if _has_words(one)]
    detail = _left_out(found.drawn_pages, len(document.passages) - len(passages))
    if not passages:
        raise LeftOut("no_prose", f"has nothing to ask about: {detail}")
    return {
        "source_id": _line(found.source_id),
        "title": title,
        "date": _day(found.date),
        "url": _line(found.url),
        "language": language.code,
        "language_confidence": language.confidence,
        "characters": len(document.text),
        "pages": found.pages,
        "detail": detail,
        "passages": [_passage(number, passage, language) for number, passage in enumerate(passages)],
    }


def _has_words(passage: SplitPassage) -> bool:
    """Return whether a passage can be asked about: it has words, or is of a table whose columns have names.

    Rows of figures alone, and what text recognition makes of pictures, have hardly a word.
    """
    if BETWEEN_CELLS in (passage.title or ""):
        return True
    tokens = [token for token in passage.text.split() if token != BETWEEN_CELLS.strip()]
    return sum(_WORD.search(token) is not None for token in tokens) >= _FEWEST_WORDS * len(tokens)


def _left_out(drawn_pages: int, passages: int) -> str | None:
    """Return what was left out of a document in a sentence; None if nothing was."""
    parts = []
    if drawn_pages:
        parts.append(f"labels of drawings on {drawn_pages} page{'s' * (drawn_pages != 1)}")
    if passages:
        parts.append(f"{passages} passage{'s' * (passages != 1)} of figures or signs without words")
    return f"left out: {' and '.join(parts)}" if parts else None


def read_blocks(path: str, data: bytes, *, is_row: bool = False) -> ReadText:
    """Return what the reader of a document's format gives, each block in one line, without empty text.

    Raises:
        LeftOut: the document cannot be read.
    """
    if not data.strip():
        raise LeftOut("empty", "is empty")
    chosen = JSONL if is_row else format_of(path)
    assert chosen is not None
    found = chosen.read(data)
    return replace(found, blocks=[one for block in found.blocks if (one := _cleaned(block)).text])


def _title(given: str | None, blocks: Sequence[Block]) -> str | None:
    """Return the title of a document.

    It is the given one, unless a program has named the document. Otherwise it is the heading above all text, if this
    heading stands above the whole document: no second heading of its level follows, or one follows at once.
    """
    named = _line(given)
    if named is not None and not _BY_PROGRAM.search(named):
        return named
    if any(block.begins_document for block in blocks):
        return None
    tops = [number for number, block in enumerate(blocks) if block.level == 1]
    before = "".join(block.text for block in blocks[: tops[0]] if not block.level) if tops else ""
    if not tops or len(before) > _LONGEST_BEFORE_TITLE:
        return None
    return blocks[tops[0]].text if len(tops) == 1 or tops[1] == tops[0] + 1 else None


def _passage(number: int, passage: SplitPassage, of_document: Language) -> dict[str, Any]:
    own = detect(passage.text)
    language = own if own.code is not None else of_document
    return {
        "digest": _text_digest(passage.text),
        "number": number,
        "title": passage.title,
        "text": passage.text,
        "char_start": passage.start,
        "char_end": passage.end,
        "page": passage.page,
        "words": passage.words,
        "language": language.code,
        "language_confidence": language.confidence,
    }


def _text_digest(text: str) -> str:
    return hashlib.sha256(" ".join(text.split()).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _cleaned(block: Block) -> Block:
    level = block.level if len(block.text) <= _LONGEST_HEADING else 0
    return replace(block, text=_line(block.text) or "", level=level, header=_line(block.header))


def _line(text: str | None) -> str | None:
    """Return a text in one line, without characters that are no text, such as one half of a surrogate pair."""
    if not text:
        return None
    text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")  # two halves become one character
    return " ".join(_BREAKS.sub(" ", text).split()) or None


def _day(given: str | None) -> str | None:
    match = _DAY.match(given.strip()) if given else None
    if match is None:
        return None
    try:
        return date.fromisoformat(match.group()).isoformat()
    except ValueError:
        return None
