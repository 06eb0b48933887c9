"""The rules lane as judge: recognises refusals by codes and wordings, and compares answers with the accepted ones."""

import re
from collections.abc import Sequence
from typing import Final

from demur.levers.catalogue import Catalogue
from demur.levers.instances import CitedPassage
from demur.levers.vocabulary import ATTEMPT, ENGLISH, Code
from demur.programs.replies.refusal_codes import read_reply, stated_codes
from demur.programs.signatures.judgement import CANNOT_TELL, PARTIAL, Classification, PlainClassification
from demur.rules.roles import Inputs, Outputs, unknown_rules
from demur.rules.roles.plain_words import plain_class
from demur.rules.roles.support import copies, supported, without_citations
from demur.text import find_answers
from demur.text.analysis import content_words
from demur.text.answers import ENGLISH_YES_NO, answer_date
from demur.text.dates_and_numbers import DatePrecision, Number, find_dates, find_numbers
from demur.text.lexicon import DETERMINERS, PREPOSITIONS, lemmas
from demur.text.tokens import fold, sentences, tokenise, words

# Whether a response gives an accepted answer, as far as patterns can tell.


_DENIAL = re.compile(r"\b(?:not|never|isn['’]t|wasn['’]t|neither|rather than|instead of)(?: \w+){0,2} $", re.IGNORECASE)
CHOICE: Final = re.compile(r"^[\s,\"”]*(?:or|and/or)\b|\b(?:or|either)\s+$", re.IGNORECASE)
_ANSWER: Final = re.compile(
    r"\b(?:answer|conclusion|result)\b(?: to (?:the|this|your) question)?[^.!?\n]{0,160}?(?:\bis\b\s*:?|:)\s*",
    re.IGNORECASE,
)
_LONGEST_ANSWER: Final = 4
"""Most sentences of a response whose answer may stand in the middle; a longer one may be an echo of the passage."""
_YEAR: Final = re.compile(r"1\d{3}|20\d\d")
_TURN: Final = re.compile(
    r"\b(?:but|rather|actually|instead|no|wait|so|then|or|correction|therefore|thus|hence|finally|total|sorry)\b|=|→",
    re.IGNORECASE,
)
"""Words between an answer and another value that make the other value the answer."""
_BESIDE: Final = DETERMINERS | PREPOSITIONS | {"answer", "is", "it", "was", "about", "approximately"}
_NEW_SENTENCE: Final = re.compile(r"[.!?]\s|\n")


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
    turned = _is_turned(question, said, references)
    if turned is not None:
        return None if turned else False
    lines = [sentence.text for sentence in sentences(said)]
    holds = [at for at, line in enumerate(lines) if find_answers(line, references)]
    inside = holds and 0 not in holds and len(lines) - 1 not in holds
    return None if inside and len(lines) >= _LONGEST_ANSWER else True


def _yes_no(claim: str, references: tuple[str, ...]) -> bool:
    first = next((token.norm for token in words(claim)), "")
    return first in {"yes", "no"} and first in {fold(reference) for reference in references}


def _is_enough(question: str, said: str, references: Sequence[str]) -> bool | None:
    """Return whether a bare number or year, which is a part of a reference answer, is enough; False for other texts."""
    found = find_numbers(said)
    if len(found) != 1:
        return False
    [number] = found
    if any(not number.span.covers(token.span) and token.norm not in _BESIDE for token in words(said)):
        return False
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


def _is_turned(question: str, said: str, references: tuple[str, ...]) -> bool | None:
    """Return whether a response turns from the answer to another value of its kind; None if it does not turn.

    True stands for a turn inside of a sentence. False stands for a later sentence with another value as its conclusion.
    """
    last = find_answers(said, references)[-1].span.end if find_answers(said, references) else 0
    rival = next((number for number in _rivals(question, said, references) if number.span.start >= last), None)
    if rival is None or not last:
        return None
    between = said[last : rival.span.start]
    if not _TURN.search(between):
        return None
    return not _NEW_SENTENCE.search(between)


def _rivals(question: str, said: str, references: Sequence[str]) -> list[Number]:
    """Return a response's values of the kind of a reference answer, other than the reference's and the question's."""
    wanted = [numbers[0] for reference in references if len(numbers := find_numbers(reference)) == 1]
    known = {number.value for number in (*find_numbers(question), *wanted)}
    kinds = {kind for number in wanted if (kind := _kind(number)) is not None}
    return [number for number in find_numbers(said) if number.value not in known and _kind(number) in kinds]


def _kind(number: Number) -> str | None:
    """Return the unit of a number, "year" for a bare number that can be a year, else None."""
    if number.unit is not None:
        return _singular(number.unit)
    return "year" if _YEAR.fullmatch(number.text) else None


def _singular(word: str) -> str:
    found = lemmas(word).get("NOUN") if word.isalpha() else None
    return found[0] if found else word


# The rules lane as judge: recognises refusals by codes and wordings, and grades answers.
#
# Answers are compared with the accepted answers and the passages.


RULES: Final = {"patterns": None}
MOST_NEEDLESS_WORDS: Final = 8


def reply(which: str, task: str, inputs: Inputs, seed: int, catalogue: Catalogue) -> Outputs:
    """Return the class of a response. If the class is an attempt, also return the grades of the answer."""
    if which not in RULES:
        raise unknown_rules(which, RULES)
    if task == "JudgeDerivation":
        return _derived(inputs)
    response = inputs["response"]
    references = inputs["reference_answers"]
    plain = "Plain" in task
    short = task.endswith("ShortAnswer")
    said = _plain_class(response, inputs["question"]) if plain else _class(response)
    classification = (PlainClassification if plain else Classification)(said)
    if said not in (ATTEMPT, PARTIAL):
        refusal = {"explanation": f"declines, by code or reason {said}", "classification": classification}
        if short:
            return {**refusal, "quality": None}
        return {**refusal, "eligible": None, "supported_all": None, "supported_relevant": None}
    claim = without_citations(response)
    if short:
        if not references:
            return {
                "classification": classification,
                "explanation": "an attempt where none was due",
                "quality": None,
            }
        quality = _quality(inputs["question"], claim, references)
        graded = CANNOT_TELL if quality is None else f"an attempt of quality {quality}"
        return {"classification": classification, "explanation": graded, "quality": quality}
    return {"classification": classification, **_grounded(inputs, claim, references)}


def _derived(inputs: Inputs) -> Outputs:
    """Return whether a derived answer is an accepted one. Rules do not check what the accepted answer rests on."""
    same = bool(is_right(inputs["question"], inputs["answer"], inputs["accepted_answers"]))
    said = "the answer is an accepted one" if same else "the answer is no accepted one, as far as rules see"
    return {"working": "", "not_carried": (), "settled": True, "same": same, "explanation": said}


def _class(response: str) -> str:
    code = refusal_of(response)
    return ATTEMPT if code is None else code.value


def _plain_class(response: str, question: str) -> str:
    """Return the class of a response in plain words; if the response has a code, the code decides."""
    code = refusal_of(response) if stated_codes(response) else None
    return code.value if code is not None else plain_class(response, question)


def refusal_of(response: str) -> Code | None:
    """Return the refusal code of a response; None for an attempt to answer."""
    return read_reply(response).code


def knows(response: str, answers: Sequence[str], language: str = ENGLISH) -> bool:
    """Return whether a response plainly gives an accepted answer.

    Yes and no do not show knowledge, since half of all guesses are right. In languages other than English any mention
    of an answer is enough, because denials and alternatives are not recognised.
    """
    if language != ENGLISH:
        return not stated_codes(response) and bool(find_answers(response, tuple(answers), language))
    telling = tuple(answer for answer in answers if fold(answer.strip()) not in ENGLISH_YES_NO)
    return bool(telling) and refusal_of(response) is None and gives(response, telling)[1]


def _quality(question: str, claim: str, references: tuple[str, ...]) -> int | None:
    """Return the grade of an answer; None if patterns cannot tell whether the answer is right."""
    right = is_right(question, claim, references)
    if right is None:
        return None
    said = final_answer(claim)
    if right:
        longest = max(len(tokenise(reference)) for reference in references)
        return 5 if len(words(said)) <= longest + MOST_NEEDLESS_WORDS else 4
    if gives(said, references)[0]:
        return 3 if CHOICE.search(said) or " or " in said else 2
    return 3 if content_words(question) & content_words(claim) or len(words(claim)) <= MOST_NEEDLESS_WORDS else 1


def _grounded(inputs: Inputs, claim: str, references: tuple[str, ...]) -> Outputs:
    """Return the grades of an answer from several documents.

    `eligible`: whether the answer plainly gives a reference answer; None without references, and if patterns cannot
    tell, as of a long copy of the passages. `supported_all`: whether the passages support each claim.
    `supported_relevant`: whether the relevant passages alone support each claim.
    """
    passages: Sequence[CitedPassage] = inputs["passages"]
    texts = [p.text for p in passages]
    echoes = copies(claim, texts)
    eligible = is_right(inputs["question"], claim, references) if references and not echoes else None
    by_all = supported(claim, texts)
    by_relevant = supported(claim, [p.text for p in passages if p.relevant])
    missed = by_all.unsupported or by_relevant.unsupported
    graded = f"no passage supports '{missed[:60]}'" if missed else "each claim is supported"
    return {
        "explanation": CANNOT_TELL if references and eligible is None else graded,
        "eligible": eligible,
        "supported_all": not by_all.unsupported,
        "supported_relevant": not by_relevant.unsupported,
    }
