"""The one reading of a reply: its response and reasoning, and whether the response is an attempt or a refusal.

Evaluations, `demur score`, imports, the rules lane's judge and exported tasks use this module. Exported tasks hold a
copy of it and of the modules that it imports (`scoring.standalone`). Therefore it needs only Python's standard library.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Generic

from demur.programs.code_reader import NEAR_CHARACTERS, CodeName, CodeReader
from demur.programs.declining import Declining, SentencePart, count_words, sentences_of
from demur.scoring.reply_text import split_reply

_ASIDE: Final = re.compile(
    # headings, numbers of lists, and words that only begin
    r"[\W_]*(?:step \d+\W*)?[\w ]{0,40}[:：][\W_]*|\d{1,2}[.)]|"
    r"(?:sure|ok(?:ay)?|certainly|of course|alright|all right|well|hmm+|let['’]?s|let me|i['’]ll|i will)\b[^\d]{0,60}",
    re.IGNORECASE,
)
_LEAD: Final = re.compile(
    r"[^.!?\n]*(?:\b(?:is|are|be|say|with|as|of|would be|code|response)|[:=：])[\s\"'`*_(\[]*$", re.IGNORECASE
)
"""Words that lead to a code in its own sentence."""
_OF_PASSAGES: Final = re.compile(r"\b(?:passages?|texts?|documents?|sources?|contexts?|articles?)\b", re.IGNORECASE)
_TWO_SOURCES: Final = re.compile(
    r"\b(passage|text|document|source|context|article)s? ?\W?([1-9a-c]|one)\b.*\b\1s? ?\W?(?!\2\b)([1-9a-c]|two)\b",
    re.IGNORECASE | re.DOTALL,
)
"""Words of two numbered passages, which are the reason for a code of passages that contradict each other."""
_LONGEST_REASON: Final = 2_000
"""Characters before a code in which numbered passages are looked for."""
_SHORT_ANSWER: Final = 4
"""Most words of an answer that is told from a reason by its length."""


@dataclass(frozen=True)
class Reading(Generic[CodeName]):
    """What a reply counts as.

    `response` is the text that counts, `reasoning` what was removed before it counts. `problem` says why nothing counts
    (then the response is INVALID), else it is None. `code` is the code of a refusal; None for attempts, and if nothing
    counts. `is_sole` is true if the response is exactly one code. `is_mixed` is true for an attempt that also states a
    code. `is_in_words` is true for a refusal without a code, whose reason was read from its words.
    """

    response: str
    reasoning: str
    problem: str | None
    code: CodeName | None
    is_sole: bool = False
    is_mixed: bool = False
    is_in_words: bool = False

    @property
    def predicted(self) -> str:
        """The classification: INVALID, ANSWER_ATTEMPT or the code of a refusal."""
        if self.problem is not None:
            return "INVALID"
        return self.code or "ANSWER_ATTEMPT"


class ReplyReader(Generic[CodeName]):
    """Reads replies.

    Args:
        codes: the reader of codes.
        words: the words by which replies are read, by purpose; `declining` has them by code.
    """

    def __init__(self, codes: CodeReader[CodeName], words: Mapping[str, Any]) -> None:
        self.codes = codes
        reasons = {codes.sole_code(name) or codes.other: wordings for name, wordings in words["declining"].items()}
        self.declining = Declining(reasons, codes.other)
        self._reasons = _words_of(words, "reasons")
        self._weak_reasons = _words_of(words, "weak_reasons")
        self._answers = re.compile(
            rf"(?:{_words_of(words, 'answers').pattern})[\W_]*"
            r"(?!refus|that (?:the|it|this)|not\b|unknown|unclear|missing|cannot)\w",
            re.IGNORECASE,
        )
        self._concludes = re.compile(
            rf"(?:{_words_of(words, 'conclusions').pattern})[^.!?。！？\n]*$|"
            rf"(?:^|\n)[\W_]*(?:{'|'.join(words['labels'])})[\W_]*[:：=][\W_]*$",
            re.IGNORECASE,
        )

    def read(self, reply: str, reasoning: str = "") -> Reading[CodeName]:
        """Return the reading of a reply. `reasoning` is what a server sends in a field of its own."""
        parts = split_reply(reply, reasoning)
        said = parts.response
        if parts.problem is not None:
            return Reading(said, parts.reasoning, parts.problem, None)
        sole = self.codes.sole_code(said)
        if sole is not None:
            return Reading(said, parts.reasoning, None, sole, is_sole=True)
        stated = self.codes.stated_codes(said)
        if not stated:
            code = None if self.codes.named_codes(said) else self.declining.declined(said)
            return Reading(said, parts.reasoning, None, code, is_in_words=code is not None)
        before = said[: stated[0].start]
        sets_beside = "CONTRADICT" in stated[0].code and _TWO_SOURCES.search(before[-_LONGEST_REASON:]) is not None
        mixed = not sets_beside and self.answers(before)
        return Reading(said, parts.reasoning, None, None if mixed else stated[0].code, is_mixed=mixed)

    def answers(self, before: str) -> bool:
        """Return whether the text before a code answers, so that the code does not decide.

        The text gives a reason for the code if it declines, if words such as "therefore" lead to the code, or if it has
        words of a reason. Otherwise it answers. A few words at its beginning answer in any case.
        """
        near = before[-NEAR_CHARACTERS:]
        lead = _LEAD.search(near)
        said = before[: len(before) - len(near) + lead.start()] if lead else before
        parts = [each for each in sentences_of(said) if not _ASIDE.fullmatch(each)]
        if not parts or self._concludes.search(near):
            return False
        if any(self._answers.search(each) for each in parts):
            return True
        kinds = [self._kind(each) for each in parts]
        if (
            kinds[0] is SentencePart.CLAIM
            and count_words(parts[0]) <= _SHORT_ANSWER
            and not _OF_PASSAGES.search(parts[0])
        ):
            return True
        return SentencePart.CLAIM in kinds and SentencePart.REASON not in kinds and SentencePart.DECLINES not in kinds

    def _kind(self, sentence: str) -> SentencePart:
        if self._reasons.search(sentence) or (
            count_words(sentence) > _SHORT_ANSWER and self._weak_reasons.search(sentence)
        ):
            return SentencePart.REASON
        return self.declining.part(sentence)


def _words_of(words: Mapping[str, Any], name: str) -> re.Pattern[str]:
    spaced = "|".join(words[name])
    return re.compile(rf"\b(?:{spaced})(?!\w)|{'|'.join(words[f'unspaced_{name}'])}", re.IGNORECASE)
