"""What a question is about: a phrase for its subject, the subject's kind, and which side of it is asked about."""

from programs.rules.subjects.aspects import Aspect, Doing, aspect_of, counted, doing_of, feature_of
from programs.rules.subjects.find import Subject, find_subject
from programs.rules.subjects.kinds import SubjectKind
from programs.rules.subjects.phrases import has_kind, kind_noun, kind_nouns, like, passage_subject

__all__ = [
    "Aspect",
    "Doing",
    "Subject",
    "SubjectKind",
    "aspect_of",
    "counted",
    "doing_of",
    "feature_of",
    "find_subject",
    "has_kind",
    "kind_noun",
    "kind_nouns",
    "like",
    "passage_subject",
]
