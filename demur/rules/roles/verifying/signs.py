"""What shows on changes that readers reject, as numbers: pasted questions, foreign sentences, cut-off phrases."""

import re
from collections.abc import Iterator
from typing import Final

from demur.levers.vocabulary import LeverClass
from demur.rules.roles.verifying.case import Case
from demur.text import find_answers
from demur.text.lexicon import FUNCTION_WORDS, can_be, verb_tags
from demur.text.questions import content_words
from demur.text.tokens import fold, tokenise, words

_LEAST: Final = 4
"""Words of an addition that is looked at."""
_RECAST: Final = 0.4
"""The share of a sentence that is new where it is an addition and no exchanged value."""
_DENIAL: Final = re.compile(r"^(?!.*\beither\b).*\b(?:not|cannot|could not|neither|none|wrong)\b", re.IGNORECASE)
_CLEFT: Final = re.compile(
    r"\b[Ii]t (?:is|was|must be|had to be) (?:in|on|at|by|not|[A-Z\d])[^.]{1,80} that\b|\bthe case that\b"
)
_COPIED: Final = 85.0
"""How like a sentence that answers an addition is, in percent, that gives it once more."""
_BRACKETED: Final = re.compile(r"\[[^\]]{1,40}\]")

ISSUES: Final = {
    "pasted_run": "words of the question stand in a row in an addition",
    "foreign": "an addition has little to do with its passage",
    "long_addition": "an addition is long",
    "cut_off": "the question ends a phrase in front of its noun",
    "untouched_answer": "another accepted answer is left as it was",
    "denied_answer": "the answer is denied and no other is given",
    "cleft": "an addition states the fact in a cleft",
    "open_invented": "the question has words that neither it nor a passage had",
    "open_longer": "the question is long for one without a settled reading",
    "placeholders": "many words are blanked",
}


def signs(case: Case) -> dict[str, float]:
    """Return the numbers by name, 0 where nothing of the sort shows, and about 1 where it shows plainly."""
    placed = list(_additions(case))
    said = [text for _, text in placed]
    held = {index: content_words(part.old) for index, part in case.found.passages.items()}
    is_open = case.lever_class is LeverClass.AMBIGUITY and case.found.question_changed and case.to_be_refused
    stated = case.lever_class is not LeverClass.MISSING_INFO
    blanks = sum(len(_BRACKETED.findall(part.added_text)) for part in case.found.passages.values())
    return {
        "pasted_run": _pasted_run(case, said) / 10,
        "foreign": max((_strange(content_words(text), held[index]) for index, text in placed), default=0.0),
        "long_addition": min(60, max((len(words(text)) for text in said if stated), default=0)) / 40,
        "cut_off": float(_cut_off(case)),
        "untouched_answer": float(_untouched_answer(case, said)),
        "denied_answer": float(any(_is_denial(case, text) for text in said if stated)),
        "cleft": float(any(_CLEFT.search(text) for text in said)),
        "open_invented": _invented(case) if is_open else 0.0,
        "open_longer": max(0, len(words(case.question)) - 12) / 10 if is_open else 0.0,
        "placeholders": min(1.0, blanks / 6),
    }


def _additions(case: Case) -> Iterator[tuple[int, str]]:
    """Yield sentences that were put into passages or recast in them, with the index of their passage."""
    for index, part in case.found.passages.items():
        for sentence in part.touched_sentences:
            new = sum(max(0, min(a.end, sentence.span.end) - max(a.start, sentence.span.start)) for a in part.added)
            recast = new >= _RECAST * len(sentence.text)
            if recast and sentence.text not in part.old and len(words(sentence.text)) >= _LEAST:
                yield index, sentence.text


def _is_denial(case: Case, text: str) -> bool:
    """Return whether an addition denies the answer, and is no copy of what the passages say with its verb denied."""
    if not _DENIAL.search(text) or not find_answers(text, case.base.answers):
        return False
    from rapidfuzz import fuzz

    return not any(
        fuzz.partial_ratio(s.text, text) >= _COPIED for p in case.analysis.signal for s in p.answer_sentences
    )


def _strange(said: frozenset[str], held: frozenset[str]) -> float:
    return len(said - held) / len(said) if said else 1.0


def _pasted_run(case: Case, said: list[str]) -> int:
    """Return how many words of the question stand in a row in an addition, where no passage had as many."""
    usual = max(longest_run(case.base.question, p.text) for p in case.base.passages)
    run = max((longest_run(case.base.question, text) for text in said), default=0)
    return run if run > usual else 0


def longest_run(question: str, text: str) -> int:
    """Return how many words in a row a text shares with the question."""
    asked, said = ([t.norm for t in words(x)] for x in (question, text))
    best = 0
    before = [0] * (len(said) + 1)
    for word in asked:
        runs = [0] * (len(said) + 1)
        for at, other in enumerate(said, 1):
            runs[at] = before[at - 1] + 1 if word == other else 0
        best = max(best, *runs)
        before = runs
    return best


def _cut_off(case: Case) -> bool:
    """Return whether the question now ends a phrase in front of the noun that ended it."""
    if not case.found.question_changed:
        return False
    old = words(case.base.question)
    new = tokenise(case.question)
    nexts: dict[str, str] = {}
    for token, after in zip(old, old[1:], strict=False):
        nexts.setdefault(token.norm, after.norm)
    for number, token in enumerate(new):
        after_once = nexts.get(token.norm, "")
        owns = token.text.endswith(("'s", "’s"))
        if token.norm in FUNCTION_WORDS or owns or not can_be(after_once, "NOUN") or verb_tags(after_once) & _FINITE:
            continue
        following = new[number + 1] if number + 1 < len(new) else None
        if following is None or not following.is_word or following.norm in FUNCTION_WORDS:
            return True
    return False


_FINITE: Final = frozenset({"VBD", "VBZ"})


def _invented(case: Case) -> float:
    """Return how many content words of a question, beyond two, neither the old one nor a passage has."""
    known = content_words(case.base.question).union(*(content_words(p.text) for p in case.passages))
    return max(0, len(content_words(case.question) - known) - 2) / 4


def _untouched_answer(case: Case, said: list[str]) -> bool:
    """Return whether an accepted answer of another wording stands where additions speak of one alone."""
    if case.lever_class not in (LeverClass.CONTRADICTION, LeverClass.AMBIGUITY) or not case.to_be_refused:
        return False
    spoken = {fold(m.answer) for text in said for m in find_answers(text, case.base.answers)}
    others = [a for a in case.base.answers if not any(fold(a) in s or s in fold(a) for s in spoken)]
    return bool(spoken) and any(find_answers(p.text, (a,)) for a in others for p in case.signal)
