"""Character spans in a text. Analysis and edits give positions as spans."""

from collections.abc import Iterable
from dataclasses import dataclass


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
