"""Support of languages: which parts of a text rules can read.

English is read in full. In other languages, code reads only those parts for which this module or a library has data.
Other parts are left to language models.
"""

from enum import StrEnum
from functools import lru_cache
from typing import Final

from demur.levers.vocabulary import ENGLISH
from demur.text.lexicon import word_set

ARTICLES: Final[dict[str, frozenset[str]]] = {
    "da": word_set("en et den det de"),
    "de": word_set("der die das den dem des ein eine einen einem einer eines"),
    "es": word_set("el la los las lo un una unos unas"),
    "fr": word_set("le la les l un une des du d"),
    "it": word_set("il lo la i gli le l un uno una"),
    "nb": word_set("en ei et den det de"),
    "nl": word_set("de het een"),
    "no": word_set("en ei et den det de"),
    "pt": word_set("o a os as um uma uns umas"),
    "sv": word_set("en ett den det de"),
}
"""Articles with which an accepted answer may begin, and in whose place another form may stand."""
YES_NO: Final[dict[str, frozenset[str]]] = {
    "da": word_set("ja nej"),
    "de": word_set("ja nein"),
    "es": word_set("sí si no"),
    "fr": word_set("oui non"),
    "it": word_set("sì si no"),
    "ja": word_set("はい いいえ"),
    "ko": word_set("예 네 아니요 아니오"),
    "nb": word_set("ja nei"),
    "nl": word_set("ja nee"),
    "no": word_set("ja nei"),
    "pl": word_set("tak nie"),
    "pt": word_set("sim não"),
    "ru": word_set("да нет"),
    "sv": word_set("ja nej"),
    "zh": word_set("是 是的 对 否 不是 不"),
}
"""Words for yes and no by language. Passages do not quote these answers."""
YES_NO_WORDS: Final = frozenset({"yes", "no"}).union(*YES_NO.values())
"""Yes and no in all languages, English included."""


def says_yes_or_no(answer: str) -> bool:
    """Return whether an answer is a bare yes or no, in any language of `YES_NO_WORDS`."""
    return answer.strip().strip(".!。！").casefold() in YES_NO_WORDS


class TextPart(StrEnum):
    """Parts of texts. `supports` tells in which languages rules can read a part."""

    WORDS = "words"
    """Names, dates, kinds of answers, rival values, small words: what needs a lexicon."""
    SENTENCES = "sentences"
    NUMBERS = "numbers"
    """How digits are grouped, and what stands before decimals."""
    NUMBER_WORDS = "number words"
    ARTICLES = "articles"
    YES_NO = "yes and no"


@lru_cache(maxsize=1024)
def supports(language: str, part: TextPart) -> bool:
    """Return whether rules can read a part of texts in a language."""
    if language == ENGLISH:
        return True
    if part in (TextPart.ARTICLES, TextPart.YES_NO):
        return language in (ARTICLES if part is TextPart.ARTICLES else YES_NO)
    if part is TextPart.NUMBERS:
        from babel.localedata import exists

        return bool(exists(language))
    if part is TextPart.NUMBER_WORDS:
        from num2words import CONVERTER_CLASSES

        return language in CONVERTER_CLASSES
    return part is TextPart.SENTENCES
