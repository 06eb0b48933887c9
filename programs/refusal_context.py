"""What a response does with a code that it names: gives it, denies it, weighs it, or recites it."""

import re
from enum import Enum, auto
from typing import Final


class Stance(Enum):
    """How a response stands to a code: only GIVEN is a decision, CAUTIOUS may be one."""

    GIVEN = auto()
    CAUTIOUS = auto()
    WEIGHED = auto()
    DENIED = auto()
    RECITED = auto()


_OPENS: Final = r"[\s\"'`*_(\[]*$"
_CLOSES: Final = r"^[\s\"'`*_)\]]*"
_LINKS: Final = (
    r"(?:\s+(?:a|an|the|of|to|be|as|for|with|it|this|that|here|really|quite|exactly|simply|case|matter|question|code|"
    r"right|correct|use|using|say|saying|reply|replying|answer|answering|give|giving|choose|choosing|apply|applying|"
    r"call|calling|pick|select|respond|return|output|need|needed|reason|warrant|justify|merit|require|is|are|am|about|"
    r"saw|see|find|found|ground|grounds|cause|sign))*"
)
_SAYING: Final = "say|use|give|choose|pick|select|call|label|return|output|apply|go|reply|respond|state|settle"
_DENIED_BEFORE: Final = re.compile(
    r"(?:(?<!can )(?<!could )\b(?:not|never|no|rather than|instead of|than|nor|without|neither|hardly|against|"
    r"ruled? out|ruling out|exclude[sd]?|reject(?:ed|s)?|discard(?:ed|s)?|dismiss(?:ed|es)?|avoid(?:ed|ing|s)?)"
    r"|\b(?!(?:ca|could|wo|would)n['’]t)[a-z]+n['’]t"
    # "I can't answer" before a code declines, "I can't say" before it denies the code.
    rf"|\b(?:can|could|will|would|ca|wo)(?:n['’]t| ?not) (?:{_SAYING}|answer(?= with\b)))"
    rf"{_LINKS}{_OPENS}",
    re.IGNORECASE,
)
_DENIED_AFTER: Final = re.compile(
    rf"{_CLOSES}(?:,?\s*(?:but|though|however|which|it|that|here|really|clearly|simply|code)\s+)*"
    r"\s*(?:does(?: not|n['’]t)|do(?: not|n['’]t)|is(?: not|n['’]t)|was(?: not|n['’]t)|would(?: not|n['’]t)|"
    r"will not|won['’]t|cannot|can['’]t|is (?:wrong|ruled out|out|unwarranted|too strong|inappropriate|inapplicable)|"
    r"would be (?:wrong|too|unwarranted|inappropriate)|seems? (?:wrong|too)|fails to (?:fit|apply))\b",
    re.IGNORECASE,
)
_RECITED_AFTER: Final = re.compile(
    rf"{_CLOSES}\s*(?:if|when|whenever|in case|means|stands for|is (?:for|meant|reserved|used|the code for)|"
    r"applies (?:to|when|if|only|where)|would (?:apply|fit|be right|be the)|should be (?:used|given)|"
    r"is (?:one of|among))\b",
    re.IGNORECASE,
)
_CLAUSE: Final = re.compile(
    r"[.!?;:\n]|\b(?:so|hence|therefore|thus|but|yet|instead|ultimately|finally|in the end)\b|→"
)
_WEIGHED: Final = re.compile(
    r"\b(?:consider(?:ed|ing)?|thought (?:about|of|it)|thinking (?:about|of)|tempted|torn|at first|initially|"
    r"first (?:glance|thought|sight)|whether|if|unless|were|had (?:it|the|there)|suspect(?:ed)?|candidates?|options?|"
    r"one (?:could|might|may)|some (?:would|might|may)|otherwise|would have|could have|"
    r"might have|could (?:also|it|this|that)|alternatively|such as|like|e\.g|among|possible codes?)\b",
    re.IGNORECASE,
)
_OR: Final = re.compile(r"[\s\"'`*_)\]]*\bor\b[\s\"'`*_(\[]*", re.IGNORECASE)
_ASKED: Final = re.compile(rf"{_CLOSES}\?")
_CAUTIOUS: Final = re.compile(
    r"\b(?:could be|might be|may be|seems?|appears?|looks?|probably|perhaps|maybe|i (?:think|guess|believe))\b",
    re.IGNORECASE,
)
_BETWEEN: Final = re.compile(
    r"[\s\"'`*_()\[\],;/|&•\-–\d.]*(?:\b(?:and|or|and/or|nor)\b)?[\s\"'`*_()\[\]•\-–\d.]*", re.I
)
_BULLET: Final = re.compile(r"(?:^|\n)[\s>]*(?:[-*•]|\d+[.)])?[\s\"'`*]*$")


def stance(before: str, after: str) -> Stance:
    """Return what a response does with a code, from the text since the code before it and the text that follows."""
    if _DENIED_BEFORE.search(before) or _DENIED_AFTER.match(after):
        return Stance.DENIED
    if _RECITED_AFTER.match(after):
        return Stance.RECITED
    clause = before[max((cut.end() for cut in _CLAUSE.finditer(before)), default=0) :]
    if _WEIGHED.search(clause) or _ASKED.match(after):
        return Stance.WEIGHED
    return Stance.CAUTIOUS if _CAUTIOUS.search(clause) else Stance.GIVEN


def joined_by_or(between: str) -> bool:
    """Return whether nothing but "or" stands between two codes: who denies the first denies the second."""
    return bool(_OR.fullmatch(between))


def listed(before: str, between: str) -> bool:
    """Whether two codes with `between` between them, the first after `before`, stand in one list.

    Either nothing but commas and the like lies between them, or both begin a line and the first is explained on it.
    """
    if _BETWEEN.fullmatch(between):
        return True
    return bool(
        _BULLET.search(before) and _BULLET.search(between) and re.match(r"[\s\"'`*)]*[:–—(-]", between)
        and between.strip().count("\n") <= 1
    )  # fmt: skip
