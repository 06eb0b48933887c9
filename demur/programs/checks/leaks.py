"""Patterns of text that reveals the test, such as refusal codes, class names, instructions, JSON and markup."""

import re
from functools import lru_cache
from typing import Final

from demur.levers.vocabulary import Code, LeverClass

_LABELS: Final = (
    r"(?:perturbed|modified|rewritten|revised|updated|edited|changed|original|new|final|output|ambiguous)"
    r"(?:[ _-](?:question|query|passage|context|text|version|answer))?"
)
_MARKED: Final = r"(?:AMBIGU\w+|CONTRADICT\w+|FALSE[ _]PREMISE|GRANULARITY\w*|EPISTEMIC\w*|NON-?FACTUAL|UNANSWERABLE)"

LEAKS: Final[tuple[tuple[str, re.Pattern[str]], ...]] = (
    ("a code", re.compile(r"\bREFUSE_[A-Z_]+|\b" + Code.ANSWER_CORRECTLY + r"\b", re.IGNORECASE)),
    (
        "a class name",
        re.compile("|".join(rf"\b{re.escape(c)}\b" for c in LeverClass) + rf"|[\[(]\s*{_MARKED}\s*[\])]"),
    ),
    ("a word of the method", re.compile(r"\bperturb(?:ed|ation|ations|ing|s)?\b|\brefusalbench\b", re.IGNORECASE)),
    (
        "an instruction",
        re.compile(
            r"\b(?:as an? (?:ai|language model)|expected behaviou?r|answer constraint|ground[- ]truth answer"
            r"|(?:original|modified|rewritten|revised|updated|edited|changed) (?:question|query|passage|context)s?"
            r"|lever (?:name|selected|used)|intensity (?:level|achieved)|(?:low|medium|high)[- ]intensity lever"
            r"|here (?:is|are) the (?:new|final|requested)"
            r"|i(?: have|'ve)? (?:changed|modified|rewritten|rewrote|removed|replaced|added|introduced)"
            r" (?:the|an?|this|that)"
            r"|let me (?:rewrite|rephrase|change|modify|revise|adjust)"
            r"|should refuse|must refuse|unanswerable|signal passages?|noise passages?"
            r"|(?:ambiguity|contradiction|presupposition|defect) (?:is |was |has been )?(?:introduced|injected|planted)"
            r"|(?:passage|text|context|document)s? (?:no longer|does not|doesn't|do not) (?:mentions?|contains?|gives?"
            r"|provides?|states?) (?:the|an|any) answer"
            r"|answer (?:is still|remains|stays|is kept) (?:derivable|answerable|intact|recoverable)"
            r"|keeps the answer"
            r"|(?:intentionally|deliberately) (?:left (?:blank|out|vague)|ambiguous|vague|omitted|removed)"
            r")\b",
            re.IGNORECASE,
        ),
    ),
    ("a remark on the task", re.compile(r"\b(?:Explanation|Reasoning|Rationale|Justification):")),
    (
        "an intensity",
        re.compile(
            r"\b(?:LOW|MEDIUM|HIGH)[ -]?(?:intensity|INTENSITY)\b"
            r"|\b[Ii]ntensity\s*[:=]\s*(?:LOW|MEDIUM|HIGH|low|medium|high)\b"
        ),
    ),
    (
        "a remark on the task",
        re.compile(
            r"(?:(?<=[.?!)\]])\s+|^\W*)(?:explanation|reasoning|rationale|justification|lever|answer constraint)\s*:"
            r"|\bnote\s*:\s*(?:the|this|that|i|we|all|any)\b[^.\n]{0,80}\b(?:question|query|ambigu\w+|answer|removed"
            r"|changed|omitted|deleted|on purpose|intentional\w*|deliberate\w*)\b"
            r"|^\W*(?:sure|certainly|of course|absolutely|okay|ok)\b\s*[!,.:]",
            re.IGNORECASE | re.MULTILINE,
        ),
    ),
    ("a JSON fragment", re.compile(r"[{\[]\s*\"[\w ]+\"\s*[:,]|\"\w+\"\s*:\s*\S|```|\\n|\\u[0-9a-f]{4}")),
    ("markup", re.compile(r"^#{1,6} |\*\*[^*\n]+\*\*|^\s*-{3,}\s*$", re.MULTILINE)),
    (
        "an adapter's marker",
        re.compile(
            r"\[\[\s*##|##\s*\]\]|<\|[^|]{1,40}\|>|</?(?:passages?|question|query|context|answer|output|think|json)\b[^>]*>"
            r"|\b(?:perturbed|modified)_\w+\b"
            rf"|^\W*(?:Q|A|Question|Query|Passage(?: \d+)?|Context|Answer|Output|{_LABELS})\W{{0,3}}:",
            re.IGNORECASE | re.MULTILINE,
        ),
    ),
)
"""Patterns of leaks with their descriptions."""


@lru_cache(maxsize=1024)
def name_of(lever: str) -> re.Pattern[str]:
    """Return a pattern for a lever's name. For names of four or more words, case is ignored.

    Names of one word are not searched for, since the word may be ordinary text.
    """
    size = len(lever.split())
    if size < 2:
        return re.compile(r"(?!)")
    return re.compile(rf"(?<!\w){re.escape(lever)}(?!\w)", re.IGNORECASE if size >= 4 else 0)
