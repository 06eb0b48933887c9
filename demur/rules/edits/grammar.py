"""Functions for English grammar: articles, plurals, numbers in words, sentence case, spacing after a cut."""

import re
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import inflect

_DOUBLE_SPACE = re.compile(r"[ \t]{2,}")
_SPACE_BEFORE = re.compile(r"[ \t]+(?=[,.;:!?)\]])")
_DOUBLE_COMMA = re.compile(r",(?:\s*,)+")
_COMMA_STOP = re.compile(r",\s*(?=[.;:!?])")
_EMPTY_BRACKETS = re.compile(r" ?\(\s*[,;]?\s*\)| ?\[\s*\]")


@lru_cache(maxsize=1)
def _engine() -> "inflect.engine":
    """Return the inflection engine, imported on first use, because the import takes 1.6 s of CPU."""
    import inflect

    return inflect.engine()


@lru_cache(maxsize=8192)
def indefinite(noun_phrase: str) -> str:
    """Return the noun phrase with 'a' or 'an' before it."""
    digits = re.match(r"\d+", noun_phrase)
    if digits:
        said = digits.group()[:2] if re.fullmatch(r"1\d{3}", digits.group()) else digits.group()  # nineteen, eighteen
        spoken = number_words(int(said))
        return f"{str(_engine().a(spoken)).split()[0]} {noun_phrase}"
    return str(_engine().a(noun_phrase)) if noun_phrase else noun_phrase


@lru_cache(maxsize=8192)
def article_for(word: str) -> str:
    """Return 'a' or 'an', whichever goes before `word`."""
    return indefinite(word).split(" ", 1)[0]


def fix_article_before(text: str, position: int) -> str:
    """Return `text` in which an 'a' or 'an' just before `position` agrees with the word that starts there."""
    match = re.search(r"\b([Aa]n?) $", text[:position])
    following = re.match(r"[\w'’-]+", text[position:])
    if not match or not following:
        return text
    article = article_for(following.group())
    article = article.capitalize() if match[1][0].isupper() else article
    return text[: match.start()] + article + " " + text[position:]


@lru_cache(maxsize=4096)
def plural(noun: str) -> str:
    """Return the plural of a singular noun."""
    return str(_engine().plural_noun(noun)) or noun


def number_words(number: int) -> str:
    """Return a whole number in words, without commas: 'one thousand two hundred'."""
    from num2words import num2words

    return str(num2words(number)).replace(",", "").replace(" and ", " ")


def sentence_case(text: str) -> str:
    """Return `text` with its first letter as a capital, also after an opening quotation mark."""
    for position, char in enumerate(text):
        if char.isalpha():
            return text[:position] + char.upper() + text[position + 1 :]
        if char.isdigit():
            return text
    return text


def as_sentence(text: str) -> str:
    """Return `text` with a capital at its start and a full stop at its end; a '!' or '?' at the end stays."""
    body = sentence_case(text.strip())
    if body.endswith(('."', ".”", '!"', '?"', '…"', "…”")) or body[-1:] in ".!?":
        return body
    return body.rstrip(",;:") + "."


def tidy(text: str) -> str:
    """Return `text` without the traces of a cut: doubled spaces and commas, spaces before stops, empty brackets."""
    text = _EMPTY_BRACKETS.sub("", text)
    text = _SPACE_BEFORE.sub("", text)
    text = _DOUBLE_COMMA.sub(",", text)
    text = _COMMA_STOP.sub("", text)
    return _DOUBLE_SPACE.sub(" ", text).strip()


def tidy_around(text: str, start: int, end: int) -> str:
    """Return `text` tidied in and near `[start, end)`; the rest stays byte for byte."""
    left = max(0, start - 3)
    right = min(len(text), end + 3)
    while left > 0 and not text[left - 1].isalnum():
        left -= 1
    while right < len(text) and not text[right].isalnum():
        right += 1
    middle = text[left:right]
    lead = middle[: len(middle) - len(middle.lstrip())] if left else ""
    trail = middle[len(middle.rstrip()) :] if right < len(text) else ""
    return text[:left] + (lead[:1] + tidy(middle) + trail[:1]) + text[right:]
