"""Tokens of a text, sentences, character spans, and the normal form in which spellings of a word are equal."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from demur.levers.vocabulary import ENGLISH

# Character spans in a text. Analysis and edits give positions as spans.


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """The range of characters `text[start:end]`."""

    start: int
    end: int

    def __len__(self) -> int:
        return self.end - self.start

    def of(self, text: str) -> str:
        """Return the characters that this span covers in `text`."""
        return text[self.start : self.end]

    def covers(self, other: "Span") -> bool:
        """Return whether `other` lies within this span."""
        return self.start <= other.start and other.end <= self.end

    def overlaps(self, other: "Span") -> bool:
        """Return whether the two spans share a character."""
        return self.start < other.end and other.start < self.end


class Taken:
    """A set of characters in a text, given by spans.

    A search takes the same time for few and for many spans.
    """

    def __init__(self, text: str, spans: Iterable[Span] = ()) -> None:
        self._characters = bytearray(len(text))
        for span in spans:
            self.add(span)

    def add(self, span: Span) -> None:
        """Add the characters of a span to the set."""
        self._characters[span.start : span.end] = b"\1" * len(span)

    def overlaps(self, span: Span) -> bool:
        """Return whether a character of the span is in the set."""
        return 1 in self._characters[span.start : span.end]


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a passage.

    `index` is the number of the sentence, from 0. Trailing white space is not part of the sentence.
    """

    index: int
    span: Span
    text: str


# Tokens of a text, sentence spans, and the normal form in which two spellings of the same words are equal.


_TOKEN = re.compile(
    r"(?:[^\W\d_]\.){2,}"  # U.S., e.g.
    r"|\d+(?:[.,]\d+)+"  # 3.2, 1,000
    r"|[^\W_]+(?:['’][^\W\d_]+)*"  # words, 12th, don't
    r"|\S"
)
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
    "\u1100-\u11ff\uac00-\ud7af"  # Hangul, whose particles are written together with the noun
    "\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f"  # kana, Han
    "\U00020000-\U0003ffff"
)
"""Letters of scripts that set no spaces between words, or none before particles: each is a token."""
_UNSPACED_LETTER = re.compile(f"[{_UNSPACED}]")


def _marks() -> str:
    """Return the combining marks up to U+FFFF, as ranges for a character class of a regular expression."""
    marks = {c for c in range(0x300, 0xFFFF) if unicodedata.category(chr(c)) in ("Mn", "Mc")}
    starts = sorted(c for c in marks if c - 1 not in marks)
    ends = sorted(c for c in marks if c + 1 not in marks)
    return "".join(f"{chr(a)}-{chr(b)}" for a, b in zip(starts, ends, strict=True))


_MARKS = _marks()
_OTHER_SCRIPTS = re.compile(f"[{_UNSPACED}{_MARKS}]")
_LETTER = rf"(?![{_UNSPACED}])[^\W_][{_MARKS}]*"
_TOKEN_OF_OTHER_SCRIPTS = re.compile(
    r"(?:[^\W\d_]\.){2,}"
    r"|\d+(?:[.,]\d+)+"
    rf"|(?=[{_UNSPACED}])[^\W_][{_MARKS}]*"
    rf"|(?:{_LETTER})+(?:['’](?:(?!\d){_LETTER})+)*"
    r"|\S"
)
_SYMBOL_WORDS = {"%": "percent", "$": "$", "£": "£", "€": "€", "&": "and"}
_INITIAL = re.compile(
    r"(?:^|[\s(\"“])(?:[A-Z]|[Vv]ol|[Ff]ig|vs?|cf|ca?|approx|pp?|[Jj]r|[Ss]r|St|Mt|Dr|Mrs?|Ms|Prof)\.\s*$"
)
_NUMBERED = re.compile(r"\b[Nn]os?\.\s*$")
_LONGEST_TAIL = 64
"""How many characters before a piece decide whether it goes on with the sentence."""
_WORD_STOP = re.compile(r"(?<=\s)(?:art|arc|fed|ill|may|me|miss|no|ore|etc)\.[\"”’)]* (?=[A-Z])")
"""Words that the segmenter takes for abbreviations before a capital."""


def is_unspaced(character: str) -> bool:
    """Return whether a character belongs to a script without spaces between words."""
    return _UNSPACED_LETTER.match(character) is not None


@dataclass(frozen=True, slots=True)
class Token:
    """A word, number or punctuation mark, its position in the text, and its normal form."""

    text: str
    start: int
    end: int
    norm: str

    @property
    def span(self) -> Span:
        """The characters of this token."""
        return Span(self.start, self.end)

    @property
    def is_word(self) -> bool:
        """True for words and numbers, False for punctuation."""
        return self.text[0].isalnum()

    @property
    def is_capitalised(self) -> bool:
        """True if the first letter is a capital."""
        return self.text[0].isupper()


@lru_cache(maxsize=4096)
def fold(text: str) -> str:
    """Return `text` without diacritics, in lower case, with plain apostrophes."""
    if text.isascii():
        return text.casefold()
    decomposed = unicodedata.normalize("NFKD", text.replace("’", "'"))
    return "".join(c for c in decomposed if not unicodedata.combining(c)).casefold()


@lru_cache(maxsize=32768)
def normal_form(token: str) -> str:
    """Return a token without case, diacritics, possessive ending and separators.

    Spellings of one word are equal in this form.
    """
    if token in _SYMBOL_WORDS:
        return _SYMBOL_WORDS[token]
    folded = fold(token)
    if folded.endswith("'s"):
        folded = folded[:-2]
    folded = folded.replace(".", "") if not folded[:1].isdigit() else folded.replace(",", "")
    return folded or token


@lru_cache(maxsize=4096)
def tokenise(text: str) -> tuple[Token, ...]:
    """Return the tokens of `text` in order, including punctuation."""
    plain = text.isascii() or _OTHER_SCRIPTS.search(text) is None
    found = (_TOKEN if plain else _TOKEN_OF_OTHER_SCRIPTS).finditer(text)
    return tuple(Token(m.group(), m.start(), m.end(), normal_form(m.group())) for m in found)


@lru_cache(maxsize=4096)
def words(text: str) -> tuple[Token, ...]:
    """Return the tokens of `text` that are words or numbers."""
    return tuple(token for token in tokenise(text) if token.is_word)


def _lines(text: str, language: str) -> Iterator[str]:
    """Yield the segmenter's pieces. Pieces with several lines are split into lines."""
    import sentencex

    for part in sentencex.segment(language, text):
        yield from part.splitlines(keepends=True)


def _pieces(text: str) -> Iterator[str]:
    """Yield the lines of an English text. Lines are split after words that the segmenter mistakes for abbreviations."""
    for line in _lines(text, ENGLISH):
        start = 0
        for stop in _WORD_STOP.finditer(line):
            yield line[start : stop.end()]
            start = stop.end()
        yield line[start:]


@lru_cache(maxsize=4096)
def sentences(text: str, language: str = ENGLISH) -> tuple[Sentence, ...]:
    """Return the sentences of `text`. In English, no sentence ends at an abbreviation, initial or numbered title."""
    found: list[Sentence] = []
    for start, end in _english_bounds(text) if language == ENGLISH else _bounds(_lines(text, language)):
        raw = text[start:end]
        body = raw.strip()
        if body:
            begin = start + len(raw) - len(raw.lstrip())
            found.append(Sentence(len(found), Span(begin, begin + len(body)), body))
    return tuple(found)


def _bounds(pieces: Iterable[str]) -> Iterator[tuple[int, int]]:
    position = 0
    for piece in pieces:
        yield position, position + len(piece)
        position += len(piece)


def _english_bounds(text: str) -> list[tuple[int, int]]:
    bounds: list[tuple[int, int]] = []
    for start, end in _bounds(_pieces(text)):
        piece = text[start:end]
        previous = text[max(bounds[-1][0], start - _LONGEST_TAIL) : start] if bounds else ""
        joins = bool(previous) and (
            _INITIAL.search(previous) is not None
            or (piece[:1].isdigit() and _NUMBERED.search(previous) is not None)
            or piece[:1].islower()
            or not any(c.isalnum() for c in piece)
        )
        if joins and not previous.endswith("\n"):
            bounds[-1] = (bounds[-1][0], end)
        else:
            bounds.append((start, end))
    return bounds
