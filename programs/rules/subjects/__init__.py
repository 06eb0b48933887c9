"""What a question is about: a phrase for its subject, the subject's kind, and which side of it is asked about."""

from demur.programs.rules.subjects.aspects import (
    Aspect,
    Doing,
    aspect_of,
    counted,
    doing_of,
    feature_of,
    has_counted,
    is_chained,
)
from demur.programs.rules.subjects.find import Subject, find_subject
from demur.programs.rules.subjects.kinds import WORKS, SubjectKind
from demur.programs.rules.subjects.phrases import has_kind, is_gone, kind_noun, kind_nouns, like, passage_subject

__all__ = [
    "WORKS",
    "Aspect",
    "Doing",
    "Subject",
    "SubjectKind",
    "aspect_of",
    "counted",
    "doing_of",
    "feature_of",
    "find_subject",
    "has_counted",
    "has_kind",
    "is_chained",
    "is_gone",
    "kind_noun",
    "kind_nouns",
    "like",
    "passage_subject",
]
