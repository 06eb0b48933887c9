"""Short example items for reports: question, defect, replies."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, Final

from demur.reports.pages.word_differences import Change, Pieces, Stretch, is_changed, shortened, word_diff

CLEAREST: Final = ("P-MissingInfo", "P-FalsePremise", "P-EpistemicMismatch")
"""Classes with a defect in one place; defects of other classes need a comparison of two places."""
ANSWER: Final = "ANSWER_CORRECTLY"
ATTEMPT: Final = "ANSWER_ATTEMPT"
WORDS_AROUND: Final = 14
"""Words of a passage shown on each side of a change."""
WORDS_AROUND_JUDGED: Final = 160
"""Words on each side of a change in examples of judgements, since a contradiction spans the passage."""
WORDS_OF_A_REPLY: Final = 32
_CODE: Final = re.compile(r"\s*\bREFUSE_[A-Z_]+\b[:.]?\s*")


@dataclass(frozen=True, slots=True)
class ExampleReply:
    """A shortened reply to an item, and whether it was right."""

    respondent: str
    text: str
    predicted: str
    is_right: bool | None
    whole: str
    """The reply with its refusal code, cut to a length of words."""
    judge: str
    explanation: str

    @property
    def refuses(self) -> bool:
        """True if the judge classified the reply as a refusal."""
        return self.predicted not in (ATTEMPT, "INVALID")


@dataclass(frozen=True, slots=True)
class ExampleItem:
    """One item beside its original, with replies. `shows` is one of the purposes in `chosen_examples`."""

    shows: str
    item_id: str
    lever_class: str
    expected: str
    answers: Sequence[str]
    question: Pieces
    passage: Pieces
    replies: Sequence[ExampleReply]

    @property
    def is_answerable(self) -> bool:
        """True if the item should be answered."""
        return self.expected == ANSWER


@dataclass(frozen=True, slots=True)
class _Candidate:
    """An item as a possible example. `words` counts the words to read, plus 60 for each further changed passage."""

    row: Mapping[str, Any]
    question: Pieces
    passage: Pieces
    changed: tuple[Stretch, ...]
    """The whole changed passage; empty if only the question was changed."""
    replies: Mapping[str, ExampleReply]
    words: int

    def example(self, shows: str, whose: Iterable[str]) -> ExampleItem:
        long = shortened(self.changed, WORDS_AROUND_JUDGED) if shows == "judged" and self.changed else None
        return ExampleItem(
            shows=shows,
            item_id=self.row["item_id"],
            lever_class=self.row["class"],
            expected=self.row["expected"],
            answers=self.row["answers"] or (),
            question=self.question,
            passage=long or self.passage,
            replies=[self.replies[name] for name in whose if name in self.replies],
        )


def chosen_examples(
    rows: Iterable[Mapping[str, Any]],
    models: Sequence[str],
    everybody: Sequence[str],
    missing: tuple[str, str] | None = None,
) -> list[ExampleItem]:
    """Return the shortest suitable item for each purpose. No item serves two purposes.

    The purposes are:

        missed      an item that was missed, if possible by the respondent and in the class of `missing`
        asked       an item to refuse
        harmless    an item to answer
        compared    an item on which respondents differ
        judged      an item with a judge's explanation

    Args:
        rows: records of the table `telling_items`.
        models: language models among the respondents, best first.
        everybody: all respondents, best first.
        missing: the best respondent that missed an item, and the class in which it missed most; None if unknown.
    """
    candidates = sorted((_candidate(row) for row in rows), key=lambda one: (one.words, one.row["item_id"]))
    best = models[0] if models else None
    found: list[ExampleItem] = []

    def take(shows: str, whose: Sequence[str], *fits: Callable[[_Candidate], bool]) -> None:
        left = [one for one in candidates if one.row["item_id"] not in {each.item_id for each in found}]
        for fit in fits:
            chosen = next((one for one in left if fit(one)), None)
            if chosen is not None:
                found.append(chosen.example(shows, whose))
                return

    whose = dict.fromkeys((*missing[:1], *models[:2]) if missing else models[:2] or everybody[:2])
    largest = (lambda one: _misses(missing[0])(one) and one.row["class"] == missing[1],) if missing else ()
    take("missed", tuple(whose), *largest, *(_misses(name) for name in models or everybody))
    take("asked", (), *map(_is_of, CLEAREST), _to_refuse, lambda one: True)
    take("harmless", (), lambda one: not _to_refuse(one))
    if best is not None:
        take(
            "compared", everybody[:3],
            lambda one: _differ(one, models[:2]), lambda one: _differ(one, everybody[:3]), _differ_at_all,
        )  # fmt: skip
        take(
            "judged", (best,), lambda one: _explained(one, best) and _to_refuse(one), lambda one: _explained(one, best)
        )
    return found


def _is_of(lever_class: str) -> Callable[[_Candidate], bool]:
    return lambda one: _to_refuse(one) and one.row["class"] == lever_class


def _to_refuse(one: _Candidate) -> bool:
    return bool(one.row["expected"] != ANSWER)


def _misses(name: str) -> Callable[[_Candidate], bool]:
    return lambda one: _to_refuse(one) and name in one.replies and one.replies[name].is_right is False


def _differ(one: _Candidate, whose: Sequence[str]) -> bool:
    shown = [one.replies[name].is_right for name in whose if name in one.replies]
    return shown[:1] == [True] and False in shown


def _differ_at_all(one: _Candidate) -> bool:
    return len({reply.is_right for reply in one.replies.values()} - {None}) > 1


def _explained(one: _Candidate, name: str) -> bool:
    reply = one.replies.get(name)
    return reply is not None and bool(reply.explanation)


def _candidate(row: Mapping[str, Any]) -> _Candidate:
    question = word_diff(row["original_question"] or "", row["question"] or "")
    texts = zip_longest(row["original_passages"] or (), row["passages"] or (), fillvalue="")
    changes = [
        stretches for stretches in (word_diff(old or "", new or "") for old, new in texts) if is_changed(stretches)
    ]
    passage = shortened(changes[0], WORDS_AROUND) if changes else _around_answer(row)
    replies: dict[str, ExampleReply] = {}
    for said in row["replies"] or ():
        replies.setdefault(said["respondent"], _reply(said))
    shown = (*question, *passage)
    words = sum(len(piece.text.split()) for piece in shown if isinstance(piece, Stretch)) + 60 * max(
        0, len(changes) - 1
    )
    return _Candidate(row, question, passage, changes[0] if changes else (), replies, words)


def _around_answer(row: Mapping[str, Any]) -> Pieces:
    """Return the words around an accepted answer, or the start of the first passage if no passage has an answer."""
    texts = [text for text in row["passages"] or () if text]
    for text in texts:
        for answer in row["answers"] or ():
            before, found, after = text.partition(answer)
            if answer and found:
                whole = (Stretch(Change.SAME, before), Stretch(Change.INSERTED, found), Stretch(Change.SAME, after))
                pieces = shortened(whole, WORDS_AROUND)
                return tuple(Stretch(Change.SAME, one.text) if isinstance(one, Stretch) else one for one in pieces)
    return (Stretch(Change.SAME, _cut(texts[0], 2 * WORDS_AROUND)),) if texts else ()


def _reply(said: Mapping[str, Any]) -> ExampleReply:
    text = str(said["response"] or "")
    plain = _CODE.sub("", text, count=1).strip()
    return ExampleReply(
        respondent=said["respondent"],
        text=_cut(plain, WORDS_OF_A_REPLY),
        whole=_cut(text, 2 * WORDS_OF_A_REPLY),
        predicted=said["predicted"],
        is_right=said["is_right"],
        judge=said["judge"],
        explanation=_cut(str(said["explanation"] or ""), WORDS_OF_A_REPLY),
    )


def _cut(text: str, most: int) -> str:
    words = text.split()
    return " ".join(words[:most]) + "\N{HORIZONTAL ELLIPSIS}" if len(words) > most else " ".join(words)
