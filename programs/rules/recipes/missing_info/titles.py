"""Headings for passages of which nothing else is left."""

from demur.programs.rules.edits.grammar import sentence_case
from demur.programs.rules.subjects.find import find_subject
from demur.programs.rules.subjects.phrases import passage_subject
from demur.programs.text.analysis import Analysis, PassageAnalysis
from demur.programs.text.answers import AnswerType
from demur.programs.text.lexicon import FUNCTION_WORDS, is_known
from demur.programs.text.names import NameKind, name_kind_of
from demur.programs.text.questions import content_words
from demur.programs.text.tokens import fold


def subject_name(analysis: Analysis) -> str | None:
    """Return a name by which the passages can be headed: the question's subject, else the name they say most often."""
    subject = find_subject(analysis)
    if subject is not None and _usable(subject.name, analysis):
        return subject.name
    return _most_said(analysis, analysis.signal or analysis.passages)


def passage_title(analysis: Analysis, passage: PassageAnalysis) -> str:
    """Return a heading for one passage: what it opens with, else the name it says most often, else the subject."""
    own = passage_subject(passage)
    opens = own.split()[0].lower() if own else ""
    if own is not None and _usable(own, analysis) and (opens == "the" or opens not in FUNCTION_WORDS):
        return own.strip('"“”').rstrip(".!?")
    asked = _asked_about(analysis, passage) if len(analysis.signal) == 1 else None
    if asked is not None:
        return asked.rstrip(".!?")
    found = _most_said(analysis, (passage,)) or subject_name(analysis)
    return (found or "Untitled page").rstrip(".!?")


def _asked_about(analysis: Analysis, passage: PassageAnalysis) -> str | None:
    """Return the question's subject where the passage names it: 'Blue Hills', 'The plague'."""
    subject = find_subject(analysis)
    if subject is None or analysis.is_answer(subject.name) or _hints(subject.name, analysis):
        return None
    if fold(subject.name) not in fold(passage.text):
        return None
    return sentence_case(subject.name if subject.is_named else subject.phrase)


def _usable(name: str, analysis: Analysis) -> bool:
    lone = " " not in name and (len(name) < 4 or is_known(name.lower()))
    return name[:1].isupper() and not lone and not analysis.is_answer(name) and not _hints(name, analysis)


def _hints(name: str, analysis: Analysis) -> bool:
    """Say whether a heading would hand over a word of the answer, or somebody or some place to be taken for it."""
    if content_words(name) & set().union(*(content_words(a) for a in analysis.base.answers)):
        return True
    if content_words(name) & content_words(analysis.question.text):
        return False
    kind = name_kind_of(name)
    who = analysis.answer_type is AnswerType.PERSON and kind is NameKind.PERSON
    return who or analysis.answer_type is AnswerType.PLACE and kind is NameKind.PLACE


def _most_said(analysis: Analysis, passages: tuple[PassageAnalysis, ...]) -> str | None:
    counts: dict[str, int] = {}
    for passage in passages:
        for name in passage.names:
            if _usable(name.text, analysis):
                counts[name.text] = counts.get(name.text, 0) + 1
    asked = content_words(analysis.question.text)
    return max(counts, key=lambda n: (bool(content_words(n) & asked), counts[n], " " in n), default=None)
