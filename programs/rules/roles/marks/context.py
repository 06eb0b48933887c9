"""Marks in passages: two bearers of one name, statements that clash, gaps where a fact should stand."""

from typing import Final

from demur.programs.rules.roles.marks.patterns import any_of, shown

_TWO_READINGS: Final = any_of(
    r"two (?:\w+ ){0,2}(?:senses|people|persons|things|editions?|cuts|versions|bearers|towns|places|films|books|"
    r"songs|bases|entries|meanings|readings)",
    r"two (?:\w+ )*are (?:both )?called|both (?:are )?called|of the same name|under that name|by the same name|(?:is|"
    r"are) also the name of|share the name",
    r"in (?:one|the other) sense|of (?:one of them|the other)|for (?:one|the other) (?:edition|cut|version|release)|"
    r"on the former|on the latter",
    r"(?:it is|which (?:it|of the two|one) (?:was|is)|that is) (?:not said|left open|unclear|open)|left open|"
    r"which is not (?:said|stated|known)|say which|"
    r"leave open|open which",
    r"respectively|either [^.]{3,60} or|one of them|the other's|by (?:the )?(?:calendar|fiscal) year|by local time|"
    r"(?:both|two) (?:ways of counting|bases)",
    r"in (?:use|circulation) (?:side by side|under)|both in (?:use|circulation)|nothing in common|equal use|"
    r"equally usual",
)
_CLASHING: Final = any_of(
    r"another (?:source|account|record|report|version|date|document|edition|entry|copy)|other (?:sources|records)|"
    r"by contrast|to the contrary|on the contrary",
    r"(?:the|an?) (?:\w+ ){0,3}(?:archive|register|registers|handbook|record|records|reference work|statistics|"
    r"data sheet|gazette|chronicle|statement|version)"
    r"(?: \w+){0,6} (?:states?|says?|gives?|shows?|puts?|names?|has|confirms?|declares?|affirms?|maintains?)",
    r"no less reliable|equally reliable|of the same (?:authority|standing)|just as firmly|disagree\w*|contradict\w*|"
    r"conflict\w*|disput\w+",
    r"if and only if|but never both|never both|each excludes|excludes the other|at (?:exactly )?the same time|"
    r"cannot be|may be .{3,60} cannot",
    r"must be [^.]* cannot be|without (?:a single )?exception|none of (?:these|the|them)|before it (?:began|"
    r"had begun)|declares? both|second correction",
    r"died [^.]* (?:alive|never died)|is not (?:on|in|at|by)|was not (?:on|in|at|by)|however, says|"
    r"says in its preface|signed statement",
)
_GAPS: Final = any_of(
    r"\[[^\]]{2,40}\](?!\()|\[\.\.\.\]|_{2,}|n/a|– ?$|no rows|0 rows|empty result|redacted|unreadable|illegible|"
    r"withheld|removed",
    r"(?:not|never|nowhere) (?:given|stated|named|recorded|said|known|disclosed|specified|mentioned|shown|"
    r"reproduced)|un(?:named|stated|disclosed|specified|known)",
    r"see (?:note|table|figure|next page|the|below)|listed (?:here|in)|given in (?:table|note|figure)|"
    r"opens in a new tab|linked page|next page",
    r"can be (?:seen|heard) in|shown in the (?:video|image|recording)|as of \d{4}|at that (?:time|place)|"
    r"in several stages|on average|an average of",
    r"cookies?|log in|newsletter|subscribe|imprint|skip to content|shelf mark|keywords|catalogued|no abstract",
)


def ambiguous_context(text: str) -> frozenset[str]:
    """Return the turns by which a text offers two readings of one thing."""
    return shown(_TWO_READINGS, text)


def contradicting(text: str) -> frozenset[str]:
    """Return the turns by which a text sets one statement against another."""
    return shown(_CLASHING, text)


def missing(text: str) -> frozenset[str]:
    """Return the gaps of a text: placeholders, pointers to elsewhere, remarks that something is not given."""
    return shown(_GAPS, text)
