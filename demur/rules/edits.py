"""Pure functions on text that keep grammar, capitals, spacing and punctuation; recipes consist of them."""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING

from demur.text.analysis import PassageAnalysis, Question, leans_back
from demur.text.lexicon import can_be, word_set
from demur.text.names import NameKind
from demur.text.tokens import Sentence, Span, sentences, tokenise

if TYPE_CHECKING:
    import inflect


# Functions for English grammar: articles, plurals, numbers in words, sentence case, spacing after a cut.


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


# Cutting out, replacing and adding pieces of a passage.


def _at_sentence_start(text: str, position: int) -> bool:
    return any(s.span.start == position for s in sentences(text)) or not text[:position].strip()


def replace_span(text: str, span: Span, replacement: str) -> str:
    """Replace `span`.

    At a sentence start the replacement gets a capital. An 'a' or 'an' before the replacement is made to agree with it.
    """
    opens = _at_sentence_start(text, span.start)
    fitted = sentence_case(replacement) if opens else replacement
    return fix_article_before(text[: span.start] + fitted + text[span.end :], span.start)


def replace_spans(text: str, replacements: Iterable[tuple[Span, str]]) -> str:
    """Replace several spans; the spans must not overlap."""
    for span, replacement in sorted(replacements, key=lambda pair: pair[0].start, reverse=True):
        text = replace_span(text, span, replacement)
    return text


def excise(text: str, span: Span) -> str:
    """Cut `span` out and close the gap: spacing, commas, a/an, capital at a sentence start."""
    opens = _at_sentence_start(text, span.start)
    left = text[: span.start]
    right = text[span.end :]
    if opens:
        right = sentence_case(right.lstrip(" ,;"))
        return left + right
    if left.endswith((" ", "(")) or not left:
        right = right.lstrip(" ") if right[:1] == " " else right
    joined = fix_article_before(left + right, len(left))
    return tidy_around(joined, len(left), len(left))


def excise_sentence(text: str, sentence: Sentence) -> str:
    """Cut a whole sentence out, with the following space."""
    left = text[: sentence.span.start].rstrip(" ")
    right = text[sentence.span.end :].lstrip(" ")
    return f"{left} {right}".strip() if left and not left.endswith("\n") else (left + right).strip()


def excise_sentences(text: str, cut: Iterable[Sentence]) -> str:
    """Cut several sentences out."""
    for sentence in sorted(cut, key=lambda s: s.span.start, reverse=True):
        text = excise_sentence(text, sentence)
    return text


# Case and closing mark of new questions, as in the base question.


def in_register(question: Question, text: str) -> str:
    """Return the new question `text` with the case and the closing mark of the base question."""
    body = re.sub(r"\s+", " ", text).strip().rstrip("?").rstrip()
    if question.lower_case:
        body = body.lower()
        return body + "?" if question.has_mark else body
    return sentence_case(body) + ("?" if question.has_mark or not question.text.endswith(".") else ".")


# Removal of the sentences that have the answer, and of sentences that refer to removed sentences.


_BACK = word_set("he she it they this that these those such his her its their")
_PERSONAL = word_set("he she they his her their him them")
_SUBORDINATE = word_set("while when after before as although though since during upon once in at on with")
_SUBJECTS = word_set("he she they")
_ADDING = word_set("also similarly likewise additionally furthermore moreover conversely however")
_TIMES = word_set("days years months weeks times decades centuries hours minutes")
_BEARERS = (NameKind.PERSON, NameKind.ORGANISATION, NameKind.PLACE)
_EVENT_NOUNS = word_set("sudden move change decision step act event result effect process practice law plan policy")
_OPENING_WORDS = 8
_ALL_OF_THEM = re.compile(r"(?:All|Both|None|Some|Most|Each|One)(?: \w+)? of (?:these|those|them)\b")


def leaning(passage: PassageAnalysis, gone: set[int]) -> set[int]:
    """Return `gone`, and the indices of sentences that refer back to a removed sentence."""
    wider = set(gone)
    for sentence in passage.sentences:
        first = next((t.norm for t in tokenise(sentence.text) if t.is_word), "")
        if sentence.index - 2 in wider and _ALL_OF_THEM.match(sentence.text):
            wider.add(sentence.index)
        if sentence.index - 1 not in wider:
            continue
        orphaned = all(i in wider for i in range(sentence.index))
        if leans_back(sentence.text) and first in _BACK or _points_back(passage, sentence, orphaned):
            wider.add(sentence.index)
    return wider


def _points_back(passage: PassageAnalysis, sentence: Sentence, orphaned: bool) -> bool:
    """Return whether the opening words point at something in an earlier sentence, such as 'of those workers'.

    A personal pronoun points back if all earlier sentences were removed (`orphaned`), and if the pronoun cannot stand
    for an earlier word of its own sentence.
    """
    words = [t for t in tokenise(sentence.text) if t.is_word][:_OPENING_WORDS]
    if words and words[0].norm in _ADDING:
        return True
    for at, token in enumerate(words):
        following = words[at + 1] if at + 1 < len(words) else None
        if at and token.norm == "this" and following is not None and following.norm in _EVENT_NOUNS:
            return True
        if token.norm == "only" and following is not None and following.norm == "other":
            return True
        if token.norm == "another" and following is not None and following.norm in {"example", "application", "reason"}:
            return True
        if token.norm in {"those", "these"} and following is not None and can_be(following.norm, "NOUN"):
            return following.norm not in {"who", "that", "which", "of"} and following.norm not in _TIMES
        if orphaned and token.norm in _PERSONAL:
            start = sentence.span.start
            named = any(start <= n.span.start < start + token.start and n.kind in _BEARERS for n in passage.names)
            meant = any(can_be(w.norm, "NOUN") and w.text.islower() for w in words[:at])
            introduced = words[0].norm in _SUBORDINATE and token.norm in _SUBJECTS  # 'while working at home, he ...'
            return not (named or meant and not introduced)
    return False


def without_sentences(passage: PassageAnalysis, gone: set[int]) -> str | None:
    """Return the passage without the sentences `gone`; None if `gone` is empty, or fewer than eight words remain."""
    cut = [s for s in passage.sentences if s.index in gone]
    left = excise_sentences(passage.text, cut) if cut else ""
    return left if len(left.split()) >= 8 else None


def answer_indices(passage: PassageAnalysis) -> set[int]:
    """Return the indices of the sentences that have an accepted answer."""
    return {s.index for s in passage.answer_sentences}
