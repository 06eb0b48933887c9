"""Turning a question and an answer into a statement of the fact asked for, where that can be done surely."""

import re

from demur.programs.rules.edits.grammar import as_sentence
from demur.programs.text.analysis import Analysis
from demur.programs.text.answers import answer_date
from demur.programs.text.asked_fact import asked_fact
from demur.programs.text.dates import DatePrecision, find_dates
from demur.programs.text.lexicon import PREPOSITIONS

_PLACED = PREPOSITIONS | frozenset({"between", "every"})


def state(analysis: Analysis, value: str) -> str | None:
    """Return a sentence that gives `value` as the answer to the question, None where it can't be phrased surely.

    'when was the movie the king and i made' and '1956' give 'The movie The King and I was made in 1956.'
    """
    clause = state_clause(analysis, value)
    return as_sentence(clause) if clause else None


def state_clause(analysis: Analysis, value: str) -> str | None:
    """Return the statement of `state` without capital and stop, to stand after 'that' or a source."""
    fact = asked_fact(analysis)
    return fact.state(value) if fact else None


def dated(value: str) -> str:
    """Return a date with its preposition: 'on 8 June 2001', 'in 1956'; what has one already, or is no date, stays."""
    first = value.split()[0].lower() if value.split() else ""
    if first in _PLACED or not find_dates(value):
        return value
    date = answer_date(value)
    by_day = date is not None and date.precision in (DatePrecision.DAY, DatePrecision.MONTH_DAY)
    return f"on {value}" if by_day and not re.search(r"\d[–-]\d", value) else f"in {value}"
