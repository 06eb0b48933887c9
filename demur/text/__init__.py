"""Texts read by rule (tokens, names, numbers, answers): English in full, other languages as far as libraries go.

Sentences, names, numbers, dates, questions and mentions of accepted answers are found here; `languages` lists the
readable parts of each language. A function that reads texts belongs here if checks, needs of levers and rules share it.
Code for a single recipe belongs beside the recipe in `rules`. Imports `levers` only.
"""

from demur.text.analysis import (
    Analysis,
    Modifier,
    ModifierKind,
    PassageAnalysis,
    Question,
    WhWord,
    analyse,
    analyse_passage,
)
from demur.text.answers import AnswerMention, AnswerType, MentionKind, find_answers
from demur.text.dates_and_numbers import DateMention, DatePrecision, Number, NumberKind
from demur.text.names import NamedMention, NameKind
from demur.text.tokens import Sentence, Span

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
