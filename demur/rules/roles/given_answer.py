"""Whether a response gives an accepted answer, as far as patterns can tell."""

import re
from collections.abc import Sequence
from typing import Final

from demur.text import find_answers
from demur.text.answers import answer_date
from demur.text.dates import DatePrecision, find_dates
from demur.text.lexicon import lemmas
from demur.text.quantities import Number, find_numbers
from demur.text.tokens import fold, sentences, words

_DENIAL = re.compile(r"\b(?:not|never|isn['’]t|wasn['’]t|neither|rather than|instead of)(?: \w+){0,2} $", re.IGNORECASE)
CHOICE: Final = re.compile(r"^[\s,\"”]*(?:or|and/or)\b|\b(?:or|either)\s+$", re.IGNORECASE)
_ANSWER: Final = re.compile(
    r"\b(?:answer|conclusion|result)\b(?: to (?:the|this|your) question)?[^.!?\n]{0,160}?(?:\bis\b\s*:?|:)\s*",
    re.IGNORECASE,
)
_LONGEST_ANSWER: Final = 4
"""Most sentences of a response whose answer may stand in the middle; a longer one may be an echo of the passage."""
_BARE: Final = 3


def final_answer(claim: str) -> str:
    """Return the part of a response that it presents as its answer; the whole response if it presents none.

    The last part counts. It reaches to the next empty line.
    """
    for marked in reversed(list(_ANSWER.finditer(claim))):
        part = claim[marked.end() :].strip().partition("\n\n")[0]
        if words(part):
            return part
    return claim


def gives(claim: str, references: tuple[str, ...]) -> tuple[bool, bool]:
    """Return whether a claim gives a reference answer, and whether the claim gives it plainly.

    An answer is plain if it is not denied and is not one of several alternatives.
    """
    mentions = find_answers(claim, references)
    if not mentions:
        said = _yes_no(claim, references)
        return said, said
    plain = [
        m
        for m in mentions
        if not _DENIAL.search(claim[: m.span.start]) and not CHOICE.search(claim[m.span.end :])
        and not CHOICE.search(claim[: m.span.start])
    ]  # fmt: skip
    return True, bool(plain)


def is_right(question: str, claim: str, references: tuple[str, ...]) -> bool | None:
    """Return whether a response plainly gives a reference answer; None if patterns cannot tell.

    They cannot tell whether a part of the answer is enough, such as a number without its unit or the year of a date,
    unless the question names the rest. Nor can they tell which of several values of one kind a sentence means, and
    whether a long text that has the answer somewhere in its middle answers with it.
    """
    said = final_answer(claim)
    given, plainly = gives(said, references)
    if not given:
        return _is_enough(question, said, references)
    if not plainly:
        return False
    lines = [sentence.text for sentence in sentences(said)]
    holds = [at for at, line in enumerate(lines) if find_answers(line, references)]
    rivals = [at for at, line in enumerate(lines) if _has_rival(question, line, references)]
    if rivals and holds:
        return None if rivals[-1] == holds[-1] else holds[-1] > rivals[-1]
    inside = holds and 0 not in holds and len(lines) - 1 not in holds
    return None if inside and len(lines) >= _LONGEST_ANSWER else True


def _yes_no(claim: str, references: tuple[str, ...]) -> bool:
    first = next((token.norm for token in words(claim)), "")
    return first in {"yes", "no"} and first in {fold(reference) for reference in references}


def _is_enough(question: str, said: str, references: Sequence[str]) -> bool | None:
    """Return whether a bare number or year, which is a part of a reference answer, is enough; False for other texts."""
    found = find_numbers(said)
    if len(found) != 1 or len(words(said)) > _BARE:
        return False
    [number] = found
    read = [_completes(question, said, number, reference) for reference in references]
    return True if True in read else None if None in read else False


def _completes(question: str, said: str, number: Number, reference: str) -> bool | None:
    asked = {_singular(token.norm) for token in words(question)}
    date = answer_date(reference)
    if date is not None:
        years = [one for one in find_dates(said) if one.precision is DatePrecision.YEAR and one.year == date.year]
        return bool(years) and ("year" in asked or None)
    numbers = find_numbers(reference)
    if len(numbers) != 1 or number.unit is not None:
        return False
    [wanted] = numbers
    if wanted.value == number.value:
        rest = {_singular(token.norm) for token in words(reference) if not wanted.span.overlaps(token.span)}
        return rest <= asked or None
    return None if wanted.text.startswith(f"{number.text} ") else False


def _has_rival(question: str, line: str, references: Sequence[str]) -> bool:
    """Return whether a sentence has a value of the kind of a reference answer that neither it nor the question names."""
    wanted = [numbers[0] for reference in references if len(numbers := find_numbers(reference)) == 1]
    if not wanted:
        return False
    known = {number.value for number in (*find_numbers(question), *wanted)}
    kinds = {(number.kind, number.unit and _singular(number.unit)) for number in wanted if number.unit}
    return any(
        number.value not in known and (number.kind, number.unit and _singular(number.unit)) in kinds
        for number in find_numbers(line)
    )


def _singular(word: str) -> str:
    found = lemmas(word).get("NOUN") if word.isalpha() else None
    return found[0] if found else word
