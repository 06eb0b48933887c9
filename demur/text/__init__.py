"""What a rule can know about a question, its accepted answers and its passages without a model."""

from demur.text.analysis import Analysis, PassageAnalysis, Topic, analyse, analyse_passage
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
    "Topic",
    "WhWord",
    "analyse",
    "analyse_passage",
    "find_answers",
]
