"""What a rule can know about a question, its accepted answers and its passages without a model."""

from demur.programs.text.analysis import Analysis, PassageAnalysis, Topic, analyse, analyse_passage
from demur.programs.text.answers import AnswerMention, AnswerType, MentionKind, find_answers
from demur.programs.text.dates import DateMention, DatePrecision
from demur.programs.text.modifiers import Modifier, ModifierKind
from demur.programs.text.names import NamedMention, NameKind
from demur.programs.text.quantities import Number, NumberKind
from demur.programs.text.questions import Question, WhWord
from demur.programs.text.spans import Sentence, Span

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
