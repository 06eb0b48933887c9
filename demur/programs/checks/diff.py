"""Differences between a base instance and a perturbation, by token."""

import unicodedata
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache

from demur.levers.instances import BaseInstance, Perturbation
from demur.levers.vocabulary import ENGLISH
from demur.programs.checks.results import Evidence
from demur.text.spans import Sentence, Span
from demur.text.tokens import sentences, tokenise

FORMAT_CHARACTERS = frozenset("\u200b\u200c\u200d\u2060\ufeff\u00ad")


@dataclass(frozen=True, slots=True)
class TextDiff:
    """The difference between two texts: spans removed from `old` and spans added to `new`.

    Both tuples of spans are empty if the texts have the same tokens. `old` and `new` are in Unicode form NFC, without
    invisible characters.
    """

    old: str
    new: str
    removed: tuple[Span, ...]
    added: tuple[Span, ...]
    language: str = ENGLISH

    @property
    def is_equal(self) -> bool:
        """True if both texts have the same tokens."""
        return not self.removed and not self.added

    @property
    def words(self) -> int:
        """The number of removed and added tokens."""
        taken = sum(len(tokenise(span.of(self.old))) for span in self.removed)
        return taken + sum(len(tokenise(span.of(self.new))) for span in self.added)

    @property
    def added_text(self) -> str:
        """The added pieces, joined by line breaks."""
        return "\n".join(span.of(self.new) for span in self.added)

    @property
    def touched_sentences(self) -> tuple[Sentence, ...]:
        """The sentences of the new text that contain added tokens."""
        return tuple(s for s in sentences(self.new, self.language) if any(s.span.overlaps(a) for a in self.added))


def visible(text: str) -> str:
    """Return a text in Unicode form NFC, without invisible characters."""
    if text.isascii():
        return text
    return unicodedata.normalize("NFC", "".join(c for c in text if c not in FORMAT_CHARACTERS))


@lru_cache(maxsize=1024)
def diff(old: str, new: str, language: str = ENGLISH) -> TextDiff:
    """Return the difference between two texts, compared by token. Invisible characters are ignored."""
    old = visible(old)
    new = visible(new)
    a = tokenise(old)
    b = tokenise(new)
    shorter = min(len(a), len(b))
    front = 0
    while front < shorter and a[front].text == b[front].text:
        front += 1
    back = 0
    while back < shorter - front and a[-1 - back].text == b[-1 - back].text:
        back += 1
    middle_a = a[front : len(a) - back]
    middle_b = b[front : len(b) - back]
    matcher = SequenceMatcher(None, [t.text for t in middle_a], [t.text for t in middle_b], False)
    removed = []
    added = []
    for tag, i, j, k, m in matcher.get_opcodes():
        if tag == "equal":
            continue
        if j > i:
            removed.append(Span(middle_a[i].start, middle_a[j - 1].end))
        if m > k:
            added.append(Span(middle_b[k].start, middle_b[m - 1].end))
    return TextDiff(old, new, tuple(removed), tuple(added), language)


@dataclass(frozen=True, slots=True)
class InstanceDiff:
    """The changes of a perturbation: the question's diff, and the diffs of changed passages.

    The keys of `passages` are passage indices. `unknown` are changed indices that no passage has. `repeated` are
    indices that the perturbation changes more than once.
    """

    question: TextDiff
    passages: dict[int, TextDiff]
    unknown: tuple[int, ...]
    repeated: tuple[int, ...]

    @property
    def question_changed(self) -> bool:
        """True if the tokens of the question changed."""
        return not self.question.is_equal

    @property
    def parts(self) -> tuple[tuple[int | None, TextDiff], ...]:
        """The diffs of all changed parts; None stands for the question."""
        head: tuple[tuple[int | None, TextDiff], ...] = ((None, self.question),) if self.question_changed else ()
        return head + tuple(self.passages.items())


def compare(base: BaseInstance, perturbation: Perturbation) -> InstanceDiff:
    """Return the difference between a base instance and its perturbation."""
    old = {p.index: p.text for p in base.passages}
    seen: set[int] = set()
    passages = {}
    unknown = []
    repeated = []
    for change in perturbation.changed:
        if change.index not in old:
            unknown.append(change.index)
            continue
        if change.index in seen:
            repeated.append(change.index)
        seen.add(change.index)
        found = diff(old[change.index], change.text, base.language)
        if not found.is_equal:
            passages[change.index] = found
    question = diff(base.question, perturbation.question, base.language)
    return InstanceDiff(question, passages, tuple(unknown), tuple(repeated))


def added_spans(found: InstanceDiff, *, passages_only: bool = False, most: int = 5) -> tuple[Evidence, ...]:
    """Return the first `most` added pieces of text as evidence."""
    spans = (
        Evidence(index, span.start, span.end, span.of(part.new))
        for index, part in found.parts
        if index is not None or not passages_only
        for span in part.added
    )
    return tuple(span for span, _ in zip(spans, range(most), strict=False))
