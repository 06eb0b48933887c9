"""Mentions of an accepted answer in a text, in English with paraphrases, and in texts of any language."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Final

from demur.levers.vocabulary import ENGLISH
from demur.text.dates_and_numbers import DateMention, DatePrecision, find_dates
from demur.text.language_detection import ARTICLES, YES_NO, TextPart, supports
from demur.text.lexicon import CURRENCY_SIGNS, DETERMINERS, FUNCTION_WORDS, MONTHS, PREPOSITIONS, lemmas
from demur.text.matching import Key, match_keys
from demur.text.names import NameKind, find_names, is_person_name, may_be_same_person, name_kind_of
from demur.text.tokens import Span, Taken, Token, fold, tokenise

# Accepted answers in texts of any language.
#
# Words are compared in Unicode form NFKC without case, so that full-width digits and letters match ordinary ones.
# Numbers are compared by value, read in the language's notation. Scripts without spaces are compared character by
# character. Different inflections of a word do not match.


_LARGEST_IN_WORDS: Final = 10_000
_GROUPED: Final = 3
"""Digits of each group of a number except the first group."""


def plain(text: str) -> str:
    """Return a text in NFKC form without case. Different spellings of the same word get the same form."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


@lru_cache(maxsize=4096)
def keys_in(text: str, language: str) -> tuple[Key, ...]:
    """Return the comparison keys of a text's words and numbers. In German, '1.000' and '1000' have the same key."""
    found: list[Key] = []
    tokens = [token for token in tokenise(text) if token.is_word]
    position = 0
    while position < len(tokens):
        last = _last_of_number(text, tokens, position, language)
        start, end = tokens[position].start, tokens[last].end
        written = text[start:end]
        position = last + 1
        if written[0].isdigit():
            found.append(Key(_number_key(written, language), start, end))
            continue
        for part in written.replace("’", "'").split("'"):  # l'usine: two words
            if part:
                found.append(Key(plain(part), start, start + len(part)))
            start += len(part) + 1
    return tuple(found)


def _last_of_number(text: str, tokens: list[Token], position: int, language: str) -> int:
    """Return the index of a number's last token. Some languages write spaces between the groups of a number."""
    if not tokens[position].text.isdigit() or len(tokens[position].text) > _GROUPED or not _spaced_groups(language):
        return position
    last = position
    while last + 1 < len(tokens):
        following = tokens[last + 1]
        between = text[tokens[last].end : following.start]
        whole = following.text.partition(",")[0].partition(".")[0]
        if len(between) != 1 or not between.isspace() or len(whole) != _GROUPED or not whole.isdigit():
            break
        last += 1
        if whole != following.text:
            break
    return last


@lru_cache(maxsize=256)
def _spaced_groups(language: str) -> bool:
    from babel.numbers import get_group_symbol

    return supports(language, TextPart.NUMBERS) and str(get_group_symbol(language)).isspace()


@lru_cache(maxsize=4096)
def _number_key(written: str, language: str) -> str:
    """Return the key of a number's value, or the text itself if it is not a number in this language."""
    from babel.numbers import NumberFormatError, get_group_symbol, parse_decimal

    digits = plain(written)
    if digits.isdecimal():
        return f"#{int(digits)}"
    if not supports(language, TextPart.NUMBERS):
        return digits
    grouped = "".join(str(get_group_symbol(language)) if c.isspace() else c for c in digits)
    try:
        return f"#{parse_decimal(grouped, locale=language, strict=True).normalize():f}"
    except NumberFormatError:
        return digits


@lru_cache(maxsize=2048)
def spellings(answer: str, language: str) -> tuple[tuple[str, ...], ...]:
    """Return the ways of writing an answer, as tuples of keys.

    Articles at the beginning of the answer are left out. If code reads the language's number words, a number has a
    spelling in digits and one in words. A yes or no has no spelling, since passages do not quote it.
    """
    if is_yes_no(answer, language):
        return ()
    keys = tuple(key.key for key in keys_in(answer, language))
    while len(keys) > 1 and keys[0] in ARTICLES.get(language, ()):
        keys = keys[1:]
    if not keys:
        return ()
    return tuple(dict.fromkeys((keys, *_other_numerals(keys, language))))


def is_yes_no(answer: str, language: str) -> bool:
    """Return whether an answer is a yes or a no of the language."""
    return plain(answer.strip().strip(".!。！")) in YES_NO.get(language, ())


def _other_numerals(keys: tuple[str, ...], language: str) -> Iterator[tuple[str, ...]]:
    if not supports(language, TextPart.NUMBER_WORDS):
        return
    if keys[0].startswith("#") and keys[0][1:].isdigit() and int(keys[0][1:]) <= _LARGEST_IN_WORDS:
        from num2words import num2words

        in_words = str(num2words(int(keys[0][1:]), lang=language))
        yield (*(key.key for key in keys_in(in_words, language)), *keys[1:])
    elif (value := _value_of_words(" ".join(keys), language)) is not None:
        yield (f"#{value}",)


def _value_of_words(written: str, language: str) -> int | None:
    from text_to_num import text2num

    try:
        return int(text2num(written, language))
    except (ValueError, KeyError, NotImplementedError):
        return None


def find_spellings(text: str, answer: str, language: str) -> Iterator[Span]:
    """Yield the spans of a text that give an answer in one of its spellings."""
    keys = keys_in(text, language)
    for wanted in spellings(answer, language):
        for start in range(len(keys) - len(wanted) + 1):
            if all(keys[start + i].key == key for i, key in enumerate(wanted)):
                span = Span(keys[start].start, keys[start + len(wanted) - 1].end)
                if not _inside_numeral(text, span):
                    yield span


def _inside_numeral(text: str, span: Span) -> bool:
    """Return whether a numeral of one character (三) is only part of a longer numeral (十三)."""
    if len(span) != 1 or not _is_numeral(span.of(text)):
        return False
    return _is_numeral(text[span.start - 1 : span.start]) or _is_numeral(text[span.end : span.end + 1])


def _is_numeral(character: str) -> bool:
    return bool(character) and unicodedata.numeric(character, None) is not None


# Mentions of an accepted answer in a text, including trivial paraphrases, and the answer's type.


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
    """Return the spans of `text` that give `date` in figures, or with the day as an ordinal in words.

    Figures are read both ways, day first and month first. Dates without a day have no such spans.
    """
    if date.precision not in (DatePrecision.DAY, DatePrecision.MONTH_DAY) or date.month is None or date.day is None:
        return ()
    return tuple(Span(*match.span()) for match in _pattern(date.year, date.month, date.day).finditer(text))


ENGLISH_YES_NO = frozenset({"yes", "no"})
_DOZENS = {"#6": ("half", "a", "dozen"), "#12": ("a", "dozen"), "#24": ("#2", "dozen"), "#36": ("#3", "dozen")}
_LEADING = DETERMINERS | PREPOSITIONS | {"estimated", "approximately", "circa", "credited"}


class MentionKind(StrEnum):
    """Forms of mentions of an answer: verbatim, in another spelling, or by a person's surname alone."""

    VERBATIM = "verbatim"
    PARAPHRASE = "paraphrase"
    PARTIAL = "partial"


@dataclass(frozen=True, slots=True)
class AnswerMention:
    """A mention of an accepted answer in a text."""

    span: Span
    text: str
    answer: str
    kind: MentionKind


def _singular(key: str) -> str:
    found = lemmas(key).get("NOUN") if key.isalpha() else None
    return found[0] if found else key


@dataclass(frozen=True, slots=True)
class _Pattern:
    """One way of writing an answer. `keys` are the words and numbers of the answer in the form of `match_keys`."""

    keys: tuple[str, ...]
    answer: str
    kind: MentionKind
    common_noun: bool
    case_sensitive: str | None


def _core(keys: tuple[str, ...]) -> tuple[str, ...]:
    start = 0
    while start < len(keys) - 1 and keys[start] in _LEADING:
        start += 1
    return keys[start:]


@lru_cache(maxsize=2048)
def _patterns(answer: str) -> tuple[_Pattern, ...]:
    full = tuple(k.key for k in match_keys(answer))
    if not full or fold(answer.strip()) in ENGLISH_YES_NO:
        return ()
    keys = _core(full)
    bare = answer.strip().strip("\"'“”")
    short_code = len(keys) == 1 and len(bare) <= 3 and bare.isalpha()
    if short_code and keys[0] in FUNCTION_WORDS and not bare.isupper():
        return ()
    sensitive = bare if short_code and bare.isupper() else None
    common = bare[-1:].isalpha() and bare == bare.lower()
    found = [_Pattern(keys, answer, MentionKind.VERBATIM, common, sensitive)]
    if keys[0] in _DOZENS:
        found.append(_Pattern((*_DOZENS[keys[0]], *keys[1:]), answer, MentionKind.PARAPHRASE, common, None))
    if is_person_name(answer) and len(keys) >= 2:
        family = keys[:-1] if keys[-1] in {"jr", "sr", "ii", "iii", "iv", "obe", "phd"} else keys
        if len(family) >= 3:
            found.append(_Pattern((family[0], family[-1]), answer, MentionKind.PARAPHRASE, False, None))
        if family != keys and len(family) >= 2:
            found.append(_Pattern(family, answer, MentionKind.PARAPHRASE, False, None))
        if len(family) >= 2:
            found.append(_Pattern((family[-1],), answer, MentionKind.PARTIAL, False, None))
    return tuple(found)


@lru_cache(maxsize=2048)
def answer_date(answer: str) -> DateMention | None:
    """Return the date that an answer consists of; None if the answer is not a date."""
    dates = find_dates(answer)
    if len(dates) != 1:
        return None
    rest = answer[: dates[0].span.start] + answer[dates[0].span.end :]
    return dates[0] if all(t.norm in _LEADING or not t.is_word for t in tokenise(rest)) else None


@lru_cache(maxsize=4096)
def _key_set(text: str) -> frozenset[str]:
    return frozenset(k.key for k in match_keys(text))


def _key_matches(text: str, pattern: _Pattern) -> list[Span]:
    keys = match_keys(text)
    size = len(pattern.keys)
    found = list[Span]()
    if size > 1 and pattern.keys[0] not in _key_set(text):
        return found
    for start in range(len(keys) - size + 1):
        last = keys[start + size - 1]
        if size > 1 and keys[start].key != pattern.keys[0]:
            continue
        if not (
            last.key == pattern.keys[-1] or (pattern.common_noun and _singular(last.key) == _singular(pattern.keys[-1]))
        ):
            continue
        if all(keys[start + i].key == pattern.keys[i] for i in range(size - 1)):
            span = Span(keys[start].start, last.end)
            if pattern.case_sensitive is None or pattern.case_sensitive == span.of(text).replace(".", ""):
                found.append(span)
    return found


def _allowed(span: Span, text: str, pattern: _Pattern) -> bool:
    if pattern.kind is MentionKind.PARTIAL:
        if not span.of(text)[:1].isupper():
            return False
        holder = next((n for n in find_names(text) if n.span.covers(span)), None)
        return holder is None or holder.norm == pattern.keys[0] or may_be_same_person(holder.norm, pattern.answer)
    if len(pattern.keys) == 1 and pattern.keys[0].startswith("#"):
        inside = next((d for d in find_dates(text) if d.span.covers(span) and d.span != span), None)
        if inside is not None and inside.year is not None and str(inside.year) not in span.of(text):
            return False
    return True


@lru_cache(maxsize=4096)
def find_answers(text: str, answers: tuple[str, ...], language: str = ENGLISH) -> tuple[AnswerMention, ...]:
    """Return the mentions of accepted answers in `text`, in order.

    If mentions overlap, only the longest is returned.
    """
    found = (
        _in_english(text, answers) if supports(language, TextPart.WORDS) else list(_spelled(text, answers, language))
    )
    found.sort(key=lambda m: (-len(m.span), m.kind is not MentionKind.VERBATIM, m.span.start))
    kept: list[AnswerMention] = []
    taken = Taken(text)
    for mention in found:
        if not taken.overlaps(mention.span):
            kept.append(mention)
            taken.add(mention.span)
    return tuple(sorted(kept, key=lambda m: m.span))


def _spelled(text: str, answers: tuple[str, ...], language: str) -> Iterator[AnswerMention]:
    for answer in dict.fromkeys(answers):
        for span in find_spellings(text, answer, language):
            said = span.of(text)
            kind = MentionKind.VERBATIM if plain(said) in plain(answer) else MentionKind.PARAPHRASE
            yield AnswerMention(span, said, answer, kind)


def _in_english(text: str, answers: tuple[str, ...]) -> list[AnswerMention]:
    found: list[AnswerMention] = []
    for answer in dict.fromkeys(answers):
        for pattern in _patterns(answer):
            for span in _key_matches(text, pattern):
                if _allowed(span, text, pattern):
                    said = span.of(text)
                    kind = pattern.kind
                    if kind is MentionKind.VERBATIM and fold(said) not in fold(answer):
                        kind = MentionKind.PARAPHRASE
                    found.append(AnswerMention(span, said, answer, kind))
        date = answer_date(answer)
        if date is not None and date.precision in (DatePrecision.DAY, DatePrecision.MONTH, DatePrecision.MONTH_DAY):
            found += [
                AnswerMention(d.span, d.text, answer, MentionKind.PARAPHRASE)
                for d in find_dates(text)
                if d.key == date.key
            ]
            found += [
                AnswerMention(span, span.of(text), answer, MentionKind.PARAPHRASE) for span in other_forms(text, date)
            ]
    return found


class AnswerType(StrEnum):
    """Types of accepted answers."""

    PERSON = "person"
    PLACE = "place"
    ORGANISATION = "organisation"
    DATE = "date"
    NUMBER = "number"
    MONEY = "money"
    YES_NO = "yes or no"
    TITLE = "title"
    LIST = "list"
    OTHER = "other"


_LISTED = re.compile(r"[A-Z][^,]*,[^,]+(?:,| and ) ?(?:and )?\S|^[A-Z][^,]* and (?:the )?[A-Z]")
_NUMERIC = re.compile(r"[$£€]?\d")


_ASKS_PLACE = re.compile(
    r"^where\b|\b(?:what|which|whose) (?:other |\w+ )?(?:city|town|village|country|state|county|province|region|"
    r"continent|island|territory|place|neighbou?rhood|capital|nation)\b"
)
_ASKS_TITLE = re.compile(r"\b(?:song|film|movie|book|album|show|episode|novel|single|series|band)\b")


def answer_type_in(language: str, answer: str) -> AnswerType:
    """Return the type of an answer in a language other than English, from its digits, words and currency signs."""
    if is_yes_no(answer, language):
        return AnswerType.YES_NO
    if any(sign in answer for sign in CURRENCY_SIGNS):
        return AnswerType.MONEY
    return AnswerType.NUMBER if answer.strip()[:1].isdigit() else AnswerType.OTHER


def answer_type(answer: str, question: str, named: NameKind | None = None) -> AnswerType:
    """Guess the type of an answer from its form, the question, and its mentions in passages."""
    folded = fold(answer.strip())
    asked = fold(question)
    if folded in ENGLISH_YES_NO:
        return AnswerType.YES_NO
    if answer_date(answer) is not None or re.search(r"\b(?:1\d{3}|20\d\d)s?\b", answer) and len(answer) < 40:
        return AnswerType.DATE
    if answer[:1] in "$£€" or re.search(r"\d.*\b(?:dollars|pounds|euros|cents|million dollars)\b", folded):
        return AnswerType.MONEY
    first = _core(tuple(k.key for k in match_keys(answer)))[:1]
    if _NUMERIC.match(answer.strip()) or (first and first[0].startswith("#") and not first[0].endswith("th")):
        return AnswerType.NUMBER
    if answer.strip()[:1] in '"“':
        return AnswerType.TITLE
    if _LISTED.search(answer) and not re.search(r", (?:Jr|Sr|Inc|[A-Z][a-z]+)\.?$", answer):
        return AnswerType.LIST
    kind = name_kind_of(answer)
    if kind is NameKind.OTHER and named is not None:
        kind = named
    capitalised = any(t.is_capitalised for t in tokenise(answer))
    if kind is NameKind.PLACE or (_ASKS_PLACE.search(asked) and capitalised):
        return AnswerType.PLACE
    if kind is NameKind.ORGANISATION:
        return AnswerType.ORGANISATION
    if capitalised and (kind is NameKind.PERSON or re.match(r"who\b|whose\b|whom\b", asked)):
        return AnswerType.PERSON
    if capitalised and (kind is NameKind.TITLE or _ASKS_TITLE.search(asked[:60])):
        return AnswerType.TITLE
    return AnswerType.OTHER
