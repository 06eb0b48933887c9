"""The changes of a perturbation: differences by token, places, checks of what changed, quotes of a derivation."""

import re
import unicodedata
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum
from functools import lru_cache
from typing import Final

from demur.levers.instances import BaseInstance, Perturbation, Stratum, UsedStatement
from demur.levers.lever_models import Lever
from demur.levers.vocabulary import ENGLISH, ChangePlace, Layout, LeverClass, Target
from demur.text.stated import find_verbatim
from demur.text.tokens import Sentence, Span, sentences, tokenise

# Checks of accepted answers: whether passages derive them, and whether they are common words.


_NUMBER: Final = re.compile(r"\d+(?:[.,'’٫٬]\d+)*")


def are_common_words(answers: Sequence[str]) -> bool:
    """Return whether each accepted answer is one or two words in small letters: `they`, `the court`, `seven`.

    Code cannot tell what such words stand for. Scripts without small letters have no such words.
    """
    return all(
        0 < len(words := answer.split()) <= 2 and all(word.isalpha() and word.islower() for word in words)
        for answer in answers
    )


def rests_on(used: Sequence[UsedStatement], passages: Sequence[str]) -> bool:
    """Return whether a derivation quotes something, each quote stands in a passage, and its figures in the quote.

    Only spaces, case, and kinds of quotes and dashes may differ. Words beside the figures, such as the name of a
    column, are the reader's own.
    """
    return bool(used) and all(_stands(place, passages) for place in used)


def _stands(place: UsedStatement, passages: Sequence[str]) -> bool:
    taken, quoted = (_NUMBER.findall(unicodedata.normalize("NFKC", text)) for text in (place.taken, place.quote))
    return set(taken) <= set(quoted) and any(find_verbatim(place.quote, text) for text in passages)


# The changes of a perturbation: differences by token, their places, and checks of the parts that changed.


# Results of code checks.


class CheckName(StrEnum):
    """The code checks, in their order."""

    LEVER_IN_STRATUM = "lever_in_stratum"
    SOMETHING_CHANGED = "something_changed"
    TARGET_ONLY = "target_only"
    PASSAGES_UNTOUCHED = "passages_untouched"
    NO_LEAK = "no_leak"
    LENGTH_AND_LANGUAGE = "length_and_language"
    NO_DUPLICATE = "no_duplicate"


class Outcome(StrEnum):
    """Outcomes of a check."""

    PASS = "pass"
    FAIL = "fail"


@dataclass(frozen=True, slots=True)
class Evidence:
    """A piece of text that decided a check. `passage` is the index of its passage, or None for the question."""

    passage: int | None
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The result of one check of one perturbation; `evidence` gives the reason in one line."""

    name: CheckName
    outcome: Outcome
    evidence: str
    spans: tuple[Evidence, ...] = ()


def passed(name: CheckName, evidence: str, spans: tuple[Evidence, ...] = ()) -> CheckResult:
    """Return the result of a passed check."""
    return CheckResult(name, Outcome.PASS, evidence, spans)


def failed(name: CheckName, evidence: str, spans: tuple[Evidence, ...] = ()) -> CheckResult:
    """Return the result of a failed check."""
    return CheckResult(name, Outcome.FAIL, evidence, spans)


# Differences between a base instance and a perturbation, by token.


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


# Where a perturbation changed its base instance, and how much it added: what can give an item away.


REPLACED_FROM: Final = 0.6
"""From this share of added tokens on, a passage counts as replaced; a passage with one more sentence has less."""


def change_place(base: BaseInstance, perturbation: Perturbation) -> ChangePlace:
    """Return the place of a change."""
    found = compare(base, perturbation)
    if not found.passages:
        return ChangePlace.QUESTION_END if _is_tail(found.question) else ChangePlace.QUESTION
    places = [_place(part) for part in found.passages.values()]
    for place in (ChangePlace.WHOLE_PASSAGE, ChangePlace.INSIDE):
        if place in places:
            return place
    return places[0] if len(set(places)) == 1 else ChangePlace.INSIDE


def words_added(base: BaseInstance, perturbation: Perturbation) -> int:
    """Return the number of words that a perturbation added to question and passages; 0 if it only took words out."""
    parts = (part for _, part in compare(base, perturbation).parts)
    return sum(token.is_word for part in parts for span in part.added for token in tokenise(span.of(part.new)))


def _is_tail(question: TextDiff) -> bool:
    if question.removed or len(question.added) != 1:
        return False
    rest = question.new[question.added[0].end :]
    return not any(token.is_word for token in tokenise(rest))


def _place(part: TextDiff) -> ChangePlace:
    tokens = tokenise(part.new)
    added = sum(any(span.start <= token.start < span.end for span in part.added) for token in tokens)
    if not tokens or added >= REPLACED_FROM * len(tokens):
        return ChangePlace.WHOLE_PASSAGE
    now = part.touched_sentences
    last_now = len(sentences(part.new, part.language)) - 1
    before = sentences(part.old, part.language)
    cut = [s.index for s in before if any(s.span.overlaps(span) for span in part.removed)]
    if last_now < 1:
        return ChangePlace.INSIDE
    if {s.index for s in now} <= {last_now} and set(cut) <= {len(before) - 1}:
        return ChangePlace.LAST_SENTENCE
    if {s.index for s in now} <= {0} and set(cut) <= {0}:
        return ChangePlace.FIRST_SENTENCE
    return ChangePlace.INSIDE


# Checks of which parts a perturbation changed.
#
# Only the lever's target may change, in the way that the lever's class demands.


def lever_in_stratum(
    perturbation: Perturbation, lever: Lever | None, stratum: Stratum, offered: Collection[str] | None = None
) -> CheckResult:
    """Check that the named lever is in the catalogue, belongs to the stratum, and was offered."""
    name = CheckName.LEVER_IN_STRATUM
    if lever is None:
        return failed(name, f"'{perturbation.lever}' is no lever of the catalogue")
    if perturbation.lever.strip().casefold() != lever.name.casefold():
        return failed(name, f"the perturbation names '{perturbation.lever}', the lever is '{lever.name}'")
    if (lever.lever_class, lever.intensity) != (stratum.lever_class, stratum.intensity):
        return failed(
            name,
            f"'{lever.name}' belongs to {lever.lever_class} {lever.intensity}, "
            f"not to {stratum.lever_class} {stratum.intensity}",
        )
    if offered is not None and lever.id not in offered:
        return failed(name, f"'{lever.name}' ({lever.id}) was not on offer; on offer: {', '.join(sorted(offered))}")
    return passed(name, f"'{lever.name}' belongs to {stratum.lever_class} {stratum.intensity}")


def something_changed(found: InstanceDiff) -> CheckResult:
    """Check that at least one token of the question or a passage changed."""
    name = CheckName.SOMETHING_CHANGED
    if not found.parts:
        return failed(name, "no token of the question or of a passage differs")
    where = ["question"] if found.question_changed else []
    where += [f"passage {i}" for i in found.passages]
    return passed(name, f"changed: {', '.join(where)}", added_spans(found))


def passages_untouched(found: InstanceDiff) -> CheckResult:
    """Check that no passage changed; a false premise changes the question only."""
    name = CheckName.PASSAGES_UNTOUCHED
    if found.passages:
        return failed(
            name,
            f"passages {sorted(found.passages)} differ; a false premise changes the question only",
            added_spans(found, passages_only=True),
        )
    return passed(name, "no passage differs")


def target_only(base: BaseInstance, found: InstanceDiff, lever: Lever) -> CheckResult:
    """Check that the lever's target changed and nothing else.

    If there are several passages, the changed passages must also follow the stratum's strategy.
    """
    name = CheckName.TARGET_ONLY
    if found.unknown or found.repeated:
        return failed(
            name,
            f"changed passages {sorted((*found.unknown, *found.repeated))} are unknown or named twice; "
            f"there are {len(base.passages)}, from 0",
        )
    fault = target_fault(lever.target, found)
    if fault is None and base.layout is Layout.MULTI:
        fault = strategy_fault(base, found, lever.lever_class)
    if fault:
        return failed(name, fault, added_spans(found))
    return passed(name, f"only the target ({lever.target}) changed")


def target_fault(target: Target, found: InstanceDiff) -> str | None:
    """Return a fault if a part outside the target changed or the target did not change; else None."""
    query = found.question_changed
    context = bool(found.passages)
    if target is Target.QUERY and (context or not query):
        return f"the target is the query; {_changed(query, context)} changed"
    if target is Target.CONTEXT and (query or not context):
        return f"the target is the context; {_changed(query, context)} changed"
    if target is Target.QUERY_OR_CONTEXT and query == context:
        return f"the target is either the query or the context; {_changed(query, context)} changed"
    if target is Target.QUERY_AND_CONTEXT and not (query and context):
        return f"the target is the query and the context; {_changed(query, context)} changed"
    return None


def _changed(query: bool, context: bool) -> str:
    return {(True, True): "both", (True, False): "the query", (False, True): "the context"}.get(
        (query, context), "neither"
    )


def strategy_fault(base: BaseInstance, found: InstanceDiff, lever_class: LeverClass) -> str | None:
    """Return how the changed passages violate the strategy of a class; None if they do not.

    With missing information, noise passages may change too, since they may state the answer.
    """
    changed = set(found.passages)
    if not changed:
        return None
    signal = {passage.index for passage in base.passages if passage.relevant}
    noise = changed - signal
    if lever_class is LeverClass.CONTRADICTION:
        if len(changed) == 1 and noise:
            return None
        return f"exactly one noise passage may change; {_listed(changed)} changed, noise among them {_listed(noise)}"
    if noise and lever_class is not LeverClass.MISSING_INFO:
        return f"noise passages {_listed(noise)} changed without need"
    return None if changed & signal else "no signal passage changed"


def _listed(indices: set[int]) -> str:
    return str(sorted(indices)) if indices else "none"
