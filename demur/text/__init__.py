"""Texts read by rule: English in full, other languages as far as libraries go.

Sentences, names, numbers, dates, questions and mentions of accepted answers are found here; `support` lists the
readable parts of each language. A function that reads texts belongs here if checks, needs of levers and rules share it.
Code for a single recipe belongs beside the recipe in `rules`. Imports `levers` only.
"""

from demur.text.analysis import Analysis, PassageAnalysis, analyse, analyse_passage
from demur.text.answers import AnswerMention, AnswerType, MentionKind, find_answers
from demur.text.dates import DateMention, DatePrecision
from demur.text.modifiers import Modifier, ModifierKind
from demur.text.names import NamedMention, NameKind
from demur.text.quantities import Number, NumberKind
from demur.text.questions import Question, WhWord
from demur.text.spans import Sentence, Span

__all__ = [
    "Analysis",
    "AnswerMention",
    "AnswerType",
    "DateMention",
    "DatePrecision",
    "MentionKind",
    "Modifier",
    "ModifierKind",
    "NameKind",
    "NamedMention",
    "Number",
    "NumberKind",
    "PassageAnalysis",
    "Question",
    "Sentence",
    "Span",
    "WhWord",
    "analyse",
    "analyse_passage",
    "find_answers",
]
