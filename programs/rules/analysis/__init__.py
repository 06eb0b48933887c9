"""What a rule can know about a question, its accepted answers and its passages without a model."""

from demur.programs.rules.analysis.analysis import Analysis, PassageAnalysis, Topic, analyse, analyse_passage
from demur.programs.rules.analysis.answers import AnswerMention, AnswerType, MentionKind, find_answers
from demur.programs.rules.analysis.dates import DateMention, DatePrecision
from demur.programs.rules.analysis.modifiers import Modifier, ModifierKind
from demur.programs.rules.analysis.names import NamedMention, NameKind
from demur.programs.rules.analysis.quantities import Number, NumberKind
from demur.programs.rules.analysis.questions import Question, WhWord
from demur.programs.rules.analysis.spans import Sentence, Span

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
