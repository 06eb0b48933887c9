"""Languages: detection in texts, codes and English names, and which parts of a text rules can read."""

from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from demur.levers.vocabulary import ENGLISH
from demur.text.lexicon import word_set

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier


# Languages: detection in texts, and their codes and English names.
#
# A language is written as its ISO 639-1 code. Codes and names come from CLDR, which Babel contains.


LEAST_CONFIDENCE: Final = 0.5
"""Below this confidence, texts are too short or too mixed to tell their language; docs/decisions/0019 has figures."""
LANGUAGE_CODES: Final = "a language code of ISO 639-1 (two small letters, such as en, de, es or zh)"
"""What is allowed where a language is named, for messages."""
_NO_LANGUAGE: Final = "zxx"
"""The detector's label for numbers, markup and identifiers."""
_DEPRECATED: Final = frozenset({"sh"})
"""Codes of two letters that CLDR still names and ISO 639-1 has withdrawn."""
_LONGEST_READ: Final = 4000
"""Characters after which more text changes no detection."""


@dataclass(frozen=True, slots=True)
class Language:
    """A detected language. `code` is ISO 639-1, or None if the language is uncertain. `confidence` is from 0 to 1."""

    code: str | None
    confidence: float


UNSURE: Final = Language(None, 0.0)


def detect(text: str) -> Language:
    """Return the language of a text.

    The code is None if the confidence is below LEAST_CONFIDENCE, or if the text is in no language, such as numbers or
    markup.
    """
    code, confidence = _identifier().classify(text[:_LONGEST_READ])
    if code == _NO_LANGUAGE or confidence < LEAST_CONFIDENCE:
        return Language(None, round(confidence, 4))
    return Language(code, round(confidence, 4))


@lru_cache(maxsize=1)
def language_names() -> dict[str, str]:
    """Return the English names of all languages by their ISO 639-1 codes."""
    from babel import Locale

    names = Locale(ENGLISH).languages
    return {code: names[code] for code in sorted(names) if len(code) == 2 and code not in _DEPRECATED}


def language_name(code: str) -> str:
    """Return the English name of a language, such as 'German' for 'de'."""
    return language_names()[code]


@lru_cache(maxsize=1)
def _codes() -> dict[str, str]:
    return {name: code for code, name in language_names().items()}


def language_code(name: str) -> str:
    """Return the code of a language from its English name, such as 'de' for 'German'."""
    return _codes()[name]


def is_language(code: str) -> bool:
    """Return whether a text is a code of ISO 639-1."""
    return code in language_names()


def checked_language(code: str) -> str:
    """Return `code` unchanged.

    Raises:
        ValueError: the code is not in ISO 639-1.
    """
    if not is_language(code):
        raise ValueError(f"'{code}' is not {LANGUAGE_CODES}")
    return code


@lru_cache(maxsize=1)
def _identifier() -> "LanguageIdentifier":
    """Return the detector for languages with a code of ISO 639-1.

    Loading takes 1 to 2 s and 70 MB. The detector keeps only the weights of these languages, although the weights of
    all languages (28 MB) must be loaded first.
    """
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    every = LanguageIdentifier.from_model_file(MODEL_FILE)
    every.set_languages([label for label in every.labels if len(label) == 2 or label == _NO_LANGUAGE])
    columns = every.nb_ptc, every.nb_pc, every.nb_classes
    return LanguageIdentifier(*columns, every.tk_nextmove, every.tk_output, norm_probs=True, tk_row=every.tk_row)


def free_detector() -> None:
    """Free the memory of the detector. The next detection loads it again."""
    _identifier.cache_clear()


# Support of languages: which parts of a text rules can read.
#
# English is read in full. In other languages, code reads only those parts for which this module or a library has
# data. Other parts are left to language models.


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
"""Articles at the beginning of an accepted answer. They are not compared, since a text may have another form."""
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
