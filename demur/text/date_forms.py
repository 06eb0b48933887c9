"""Further ways of writing a day, looked for but never written: 7.11.1959, 11/7/59, the seventh of November."""

import re
from functools import lru_cache

from demur.text.dates import DateMention, DatePrecision
from demur.text.lexicon import MONTHS
from demur.text.spans import Span

_MARKS = r"[./-]"


@lru_cache(maxsize=2048)
def _pattern(year: int | None, month: int, day: int) -> re.Pattern[str]:
    from num2words import num2words

    name = MONTHS[month - 1]
    ordinal = str(num2words(day, to="ordinal")).replace("-", "[ -]")
    tail = rf",? (?:of )?{year}" if year else r"(?!,? (?:of )?(?:1\d{3}|20\d{2}))"
    forms = [rf"{ordinal} (?:day )?(?:of )?{name}{tail}", rf"{name}(?: the)? {ordinal}{tail}"]
    if year:
        short = rf"(?:{year}|['’]?{year % 100:02d})"
        forms += [
            rf"0?{first}{_MARKS} ?0?{second}{_MARKS} ?{short}(?![\d.]\d)"
            for first, second in {(day, month), (month, day)}
        ]
        forms.append(rf"{year}[./]0?{month}[./]0?{day}")
    return re.compile(rf"(?<![\w.]){'|'.join(f'(?:{form})' for form in forms)}(?!\w)", re.IGNORECASE)


def other_forms(text: str, date: DateMention) -> tuple[Span, ...]:
    """Return where `text` writes the day that `date` is in figures or with its ordinal in words.

    Figures are read both ways, day first and month first: either may be meant.
    """
    if date.precision not in (DatePrecision.DAY, DatePrecision.MONTH_DAY) or date.month is None or date.day is None:
        return ()
    return tuple(Span(*match.span()) for match in _pattern(date.year, date.month, date.day).finditer(text))
