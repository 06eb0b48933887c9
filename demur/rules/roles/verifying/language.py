"""What is wrong with a changed text by itself: scars of a cut, articles, doubled words, pairs, capitals, verbs."""

import re
from collections.abc import Iterator
from typing import Final

from demur.programs.checks.diff import TextDiff
from demur.text.lexicon import FUNCTION_WORDS, is_known, verb_tags, word_set
from demur.text.names import find_names
from demur.text.tokens import sentences, tokenise, words

_SCARS: Final = tuple(
    (what, re.compile(pattern))
    for what, pattern in (
        ("two spaces in a row", r"(?<=\S) {2,}(?=\S)"),
        ("a space before a mark", r"\w [,;:.?!](?=\s|$)"),
        ("two marks in a row", r"[,;:] ?[,;:.](?!\.)|(?<!\.)\.\.(?!\.)|[?!] ?[,;]"),
        ("a word left hanging", r"\b(?:the|an?|and|or|to the|in the|of the|with the) ?[.;!?](?=\s|$)"),
        ("a preposition before a comma", r"\b(?:of|the|an?|from|with|and|or) ?,"),
        ("empty brackets", r"\(\s*[,;]?\s*\)|\[\s*\]"),
        ("a bracket before a mark", r"\([,;.]"),
    )
)
_LETTER = re.compile(r"(?<=\s)[b-hj-zB-HJ-Z](?=\s[a-z])")
_DOUBLED = re.compile(r"\b(\w+) \1\b", re.IGNORECASE)
_MAY_DOUBLE: Final = frozenset({"that", "had", "is", "bora", "new", "duran", "very", "so", "long", "1", "pago", "ha"})
_ARTICLE = re.compile(r"\b([Aa]n?) [\"“'‘(]?([A-Za-z][\w'’-]*)")
_SOUNDS_LIKE_CONSONANT = re.compile(r"(?:uni(?!n)|us[aeu]|eu|one\b|once\b|ubi|ura|uro|ut[ie]|ewe|u-)")
_SILENT_H = re.compile(r"(?:hour|honest|honou?r|heir)")
_AGREEMENT = re.compile(
    r"\b(?:they|we) (?:is|was|has|does)\b|\b(?:he|she) (?:are|have|do)\b|\bthis (?:are|were)\b|"
    r"\bthese (?:is|was)\b|"
    r"\ban? (?:\w+ )?(?:people|children|men|women)\b|\b(?:did|does|do) (?:\w+ ){1,3}(?:was|were|is|are)\b",
    re.IGNORECASE,
)
_LEADS_ASKING: Final = word_set("what where when who whom how why which as than and or nor so only that it he she they")
_NUMBER_WORDS: Final = word_set("two three four five six seven eight nine ten eleven twelve around more less")
_PAIRS: Final = (("(", ")"), ("[", "]"), ("“", "”"))


def scars(part: TextDiff) -> Iterator[str]:
    """Yield what a careless cut or paste leaves behind."""
    for what, pattern in _SCARS:
        found = list(pattern.finditer(part.new))
        if len(found) > len(pattern.findall(part.old)):
            fresh = next((m for m in found if _around(part.new, m.span()) not in part.old), found[-1])
            yield f"{what} ('{_around(part.new, fresh.span())}')"
    known = {t.norm for t in tokenise(part.old)}
    for match in _LETTER.finditer(part.new):
        if match[0].casefold() not in known:
            yield f"a stray letter ('{_around(part.new, match.span())}')"
            return


def _around(text: str, at: tuple[int, int]) -> str:
    return text[max(0, at[0] - 12) : at[1] + 12].strip()


def grammar(part: TextDiff) -> Iterator[str]:
    """Yield doubled words, articles that do not fit and verbs that do not agree."""
    for match in _DOUBLED.finditer(part.new):
        if match[1].casefold() not in _MAY_DOUBLE and match[0].casefold() not in part.old.casefold():
            yield f"a word stands twice ('{match[0]}')"
    for match in _ARTICLE.finditer(part.new):
        if match[0] in part.old or len(match[2]) == 1 or match[2].isupper():
            continue
        if _article_of(match[2]) != match[1].casefold():
            yield f"the article does not fit ('{match[0]}')"
    for match in _AGREEMENT.finditer(part.new):
        if match[0].casefold() not in part.old.casefold():
            yield f"the verb does not agree ('{match[0]}')"


def _article_of(word: str) -> str:
    """Return the article that goes before a word by its first sound, as far as spelling shows it."""
    low = word.casefold()
    if _SOUNDS_LIKE_CONSONANT.match(low):
        return "a"
    return "an" if low[:1] in "aeiou" or _SILENT_H.match(low) else "a"


def inverted(part: TextDiff) -> Iterator[str]:
    """Yield statements with the order of a question: 'four schools does the university run'."""
    for sentence in part.touched_sentences:
        tokens = words(sentence.text)
        for before, token, after in zip(tokens, tokens[1:], tokens[2:], strict=False):
            asks = (
                token.norm in {"does", "did"} and after.norm not in {"not", "so"} and before.norm not in _LEADS_ASKING
            )
            if asks and not sentence.text.rstrip().endswith("?") and sentence.text not in part.old:
                yield f"a statement has the order of a question ('{before.text} {token.text} {after.text}')"


def balance(part: TextDiff) -> Iterator[str]:
    """Yield brackets and quotation marks that lost their other half."""
    for opening, closing in _PAIRS:
        gap = part.new.count(opening) - part.new.count(closing)
        if gap and gap != part.old.count(opening) - part.old.count(closing):
            yield f"'{opening}' and '{closing}' do not pair"
    if part.new.count('"') % 2 and not part.old.count('"') % 2:
        yield "a quotation mark is alone"


def capitals(part: TextDiff, asked: str) -> Iterator[str]:
    """Yield small words and numbers that were given a capital in the middle of a sentence."""
    starts = {s.span.start for s in sentences(part.new)}
    tokens = tokenise(part.new)
    known = {t.text for text in (part.old, asked) for t in tokenise(text)}
    for before, token in zip(tokens, tokens[1:], strict=False):
        runs_on = before.text[-1].isalnum() or before.text == ","
        if not runs_on or not token.is_capitalised or token.start in starts or token.text in known:
            continue
        small = token.text.isalpha() and token.text[1:].islower() and _is_small(token.norm)
        fresh = any(span.start <= token.start < span.end for span in part.added)
        if small and fresh and "\n" not in part.new[before.end : token.start]:
            yield f"a capital inside a sentence ('{token.text}')"
            return


def _is_small(word: str) -> bool:
    """Whether a word is a number word or a function word, which seldom opens a name."""
    return word in _NUMBER_WORDS or word in FUNCTION_WORDS and word not in {"the", "a", "us", "i", "may", "will"}


def small_names(part: TextDiff, asked: str) -> Iterator[str]:
    """Yield names of the original that were written into the new text without their capitals."""
    added = "\n".join(span.of(part.new) for span in part.added)
    low = added.casefold()
    for name in find_names(part.old):
        plain = all(is_known(t.norm) for t in tokenise(name.text) if t.is_word)
        if " " not in name.norm and (plain or name.norm in _NUMBER_WORDS) or len(name.text) < 4:
            continue
        said = name.text.casefold()
        if said in low and said in added and said not in part.old and (said not in asked or asked.islower()):
            yield f"a name without its capitals ('{said}')"
            return


def verbless(part: TextDiff) -> Iterator[str]:
    """Yield added sentences in which nothing can be a verb."""
    for sentence in sentences(part.new):
        if (
            sentence.text in part.old
            or len(words(sentence.text)) < 4
            or "|" in sentence.text
            or sentence.text[-1:] == ":"
        ):
            continue
        covered = any(a.start <= sentence.span.start and sentence.span.end <= a.end for a in part.added)
        if covered and not any(verb_tags(t.norm) for t in words(sentence.text)):
            yield f"a sentence without a verb ('{sentence.text[:40]}')"
