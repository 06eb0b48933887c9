"""What a rule can know about a question, its accepted answers and its passages without a model."""

from programs.rules.analysis.analysis import Analysis, PassageAnalysis, Topic, analyse, analyse_passage
from programs.rules.analysis.answers import AnswerMention, AnswerType, MentionKind, find_answers
from programs.rules.analysis.dates import DateMention, DatePrecision
from programs.rules.analysis.modifiers import Modifier, ModifierKind
from programs.rules.analysis.names import NamedMention, NameKind
from programs.rules.analysis.quantities import Number, NumberKind
from programs.rules.analysis.questions import Question, WhWord
from programs.rules.analysis.spans import Sentence, Span

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
