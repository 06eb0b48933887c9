"""Names in a text: runs of capitalised words and quoted titles, names of people, and answers that are names."""

import importlib
import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from demur.text.dates_and_numbers import find_dates
from demur.text.lexicon import (
    FUNCTION_WORDS,
    MONTHS,
    first_names,
    is_known,
    last_names,
    parts_of_speech,
    places,
    word_list,
    word_set,
)
from demur.text.matching import match_keys
from demur.text.tokens import Span, Taken, Token, fold, sentences, tokenise

# First and last names of people in many countries. They distinguish full names from other capitalised words.


_LOCALES = word_list(
    "en_US en_GB en_IN en_IE en_NZ es_ES es_MX fr_FR de_DE it_IT pt_BR nl_NL sv_SE no_NO da_DK fi_FI pl_PL cs_CZ hu_HU "
    "ro_RO hr_HR tr_TR id_ID vi_VN zu_ZA yo_NG"
)


@lru_cache(maxsize=2)
def _names(part: str) -> frozenset[str]:
    """Return all first names or all last names, in the form of `fold`.

    Some locales have only separate lists for men and for women.
    """
    found: set[str] = set()
    for locale in _LOCALES:
        provider = importlib.import_module(f"faker.providers.person.{locale}").Provider
        for ending in ("", "_male", "_female"):
            found.update(fold(name) for name in getattr(provider, f"{part}_names{ending}", ()))
    return frozenset(found)


def is_first_name(word: str) -> bool:
    """Return whether a word in normal form is a first name in any of the countries."""
    return word in _names("first")


def is_last_name(word: str) -> bool:
    """Return whether a word in normal form is a last name in any of the countries."""
    return word in _names("last")


# Names in a text: runs of capitalised words and quoted titles. The kind of a name is a guess.


_CONNECTORS = word_set("of the de la le du des von van der den di da del bin ibn al el y and for")
_PARTICLES = _CONNECTORS - {"of", "the", "and", "for"}
_TITLES = word_set(
    "mr mrs ms miss dr prof professor sir dame lord lady king queen prince princess president senator governor "
    "captain general colonel major pope saint rev reverend judge justice chancellor emperor empress"
)
_ROLES = word_set(
    "singer actor actress author writer director producer composer player footballer politician president minister "
    "astronomer philosopher scientist physicist rapper musician comedian poet artist painter wife husband son "
    "daughter brother sister mother father captain conquistador novelist engineer inventor coach"
)
_ORGANISATION_WORDS = word_set(
    "university college school institute institution company corporation corp inc ltd llc plc club association "
    "committee council church party band records studios pictures entertainment group department ministry agency "
    "commission court army navy league federation union society foundation bank airlines museum orchestra police "
    "congress senate parliament assembly government network channel broadcasting press team hospital railway"
)
_PLACE_WORDS = word_set(
    "city town county state river lake island islands mountain mountains street road avenue park bay beach valley "
    "district province region ocean sea bridge castle palace stadium airport hall square kingdom republic desert "
    "coast peninsula village creek hill hills forest canyon"
)
_PLACE_CUES = word_set("in at near from to outside towards across around")
_QUOTED = re.compile(r"[\"“](?P<title>[A-Z0-9][^\"“”]{0,70}?)[,.]?[\"”]")


class NameKind(StrEnum):
    """Kinds of named things."""

    PERSON = "person"
    PLACE = "place"
    ORGANISATION = "organisation"
    TITLE = "title"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class NamedMention:
    """A mention of a name in a text. The span does not include a possessive ending."""

    span: Span
    text: str
    kind: NameKind
    norm: str

    @property
    def last_word(self) -> str:
        """The last word of the name, by which a person is often called."""
        return self.norm.rsplit(" ", 1)[-1]


def _starts_sentence(text: str) -> frozenset[int]:
    starts = set()
    for sentence in sentences(text):
        offset = len(sentence.text) - len(sentence.text.lstrip("\"'“‘(["))
        starts.add(sentence.span.start + offset)
    return frozenset(starts)


def _is_name_word(token: Token, following: Token | None, starts: frozenset[int], inner: frozenset[str]) -> bool:
    if not token.is_capitalised or not token.is_word:
        return False
    if token.norm in FUNCTION_WORDS and token.text != token.text.upper():
        return False
    if token.start not in starts:
        return True
    opens_name = (
        following is not None
        and following.is_word
        and following.is_capitalised
        and following.norm not in FUNCTION_WORDS
        and token.norm not in _ROLES
        and "ADV" not in parts_of_speech(token.norm)
        and not token.norm.endswith(("ing", "ed"))
    )
    return opens_name or token.norm in inner or token.text.isupper() and len(token.text) > 1 or not is_known(token.norm)


def _kind(mention: list[Token], before: Token | None, after: Token | None) -> NameKind:
    norms = [t.norm for t in mention]
    joined = " ".join(norms)
    if joined in places():
        return NameKind.PLACE
    if norms[0] in _TITLES or (before is not None and before.norm in _TITLES | _ROLES and len(norms) <= 4):
        return NameKind.PERSON
    if norms[-1] in _ORGANISATION_WORDS or (norms[0] in _ORGANISATION_WORDS and "of" in norms):
        return NameKind.ORGANISATION
    if norms[-1] in _PLACE_WORDS:
        return NameKind.PLACE
    first_is_name = is_first_name(norms[0]) or re.fullmatch(r"(?:[A-Z]\.)+|[A-Z]", mention[0].text) is not None
    if len(norms) >= 2 and first_is_name and "of" not in norms and "the" not in norms and len(norms) <= 5:
        return NameKind.PERSON
    if len(norms) in (2, 3) and is_last_name(norms[-1]) and "of" not in norms and not is_known(norms[-1]):
        return NameKind.PERSON
    placed = before is not None and before.norm in _PLACE_CUES
    if len(norms) == 1 and not placed and norms[0] in last_names() | first_names():
        return NameKind.PERSON
    if mention[0].text.isupper() and len(mention[0].text) > 2 and len(norms) == 1:
        return NameKind.ORGANISATION
    closed = after is None or not after.is_word or after.norm in FUNCTION_WORDS
    if before is not None and before.norm in _PLACE_CUES and len(norms) <= 2 and closed:
        return NameKind.PLACE
    return NameKind.OTHER


def _close(tokens: tuple[Token, ...], run: list[int], text: str) -> NamedMention | None:
    while run and tokens[run[-1]].norm in _CONNECTORS and not tokens[run[-1]].is_capitalised:
        run.pop()
    if not run:
        return None
    mention = [tokens[i] for i in run]
    end = mention[-1].end
    if mention[-1].text.endswith(("'s", "’s")):
        end -= 2
    before = tokens[run[0] - 1] if run[0] else None
    after = tokens[run[-1] + 1] if run[-1] + 1 < len(tokens) else None
    if after is not None and after.text == "." and len(mention) > 1 and mention[-1].norm in {"jr", "sr"}:
        end = after.end
    span = Span(mention[0].start, end)
    norm = " ".join(t.norm for t in mention if t.is_word)
    return NamedMention(span, span.of(text), _kind([t for t in mention if t.is_word], before, after), norm)


def _joins(tokens: tuple[Token, ...], position: int, run: list[int]) -> bool:
    """Return whether the token at `position` continues the name in `run`.

    Such a token is a small word, a hyphen, or the full stop after an initial.
    """
    token = tokens[position]
    previous = tokens[position - 1]
    following = tokens[position + 1] if position + 1 < len(tokens) else None
    if following is None or not run or run[-1] != position - 1 or previous.text.endswith(("'s", "’s")):
        return False
    if token.text in {".", "-", "–"}:
        tight = token.start == previous.end
        initial = token.text == "." and (len(previous.text) == 1 or previous.norm in {"jr", "sr", "st", "dr", "mr"})
        hyphen = token.text in "-–" and following.start == token.end
        return tight and (initial or hyphen) and following.is_capitalised
    titled = len(run) > 1 and tokens[run[0]].norm in _TITLES | first_names()
    if token.norm in _PARTICLES or (token.norm == "of" and not titled):
        nxt = following
        if nxt.norm == "the" and position + 2 < len(tokens):
            nxt = tokens[position + 2]
        return nxt.is_capitalised
    return token.norm == "the" and previous.norm == "of" and following.is_capitalised


@lru_cache(maxsize=2048)
def find_names(text: str) -> tuple[NamedMention, ...]:
    """Return the names in `text`, in order. Months, dates and ordinary words that begin a sentence are not names."""
    tokens = tokenise(text)
    starts = _starts_sentence(text)
    inner = frozenset(t.norm for t in tokens if t.is_capitalised and t.start not in starts)
    titles = [Span(*m.span("title")) for m in _QUOTED.finditer(text)]
    dates = [d.span for d in find_dates(text)]
    found: list[NamedMention] = [
        NamedMention(s, s.of(text), NameKind.TITLE, " ".join(t.norm for t in tokenise(s.of(text)) if t.is_word))
        for s in titles
    ]
    taken = Taken(text, (*titles, *dates))
    run: list[int] = []
    for position, token in enumerate(tokens):
        following = tokens[position + 1] if position + 1 < len(tokens) else None
        named = _is_name_word(token, following, starts, inner)
        blocked = taken.overlaps(Span(token.start, token.start + 1)) or token.norm in MONTHS
        possessive = bool(run) and tokens[run[-1]].text.endswith(("'s", "’s"))
        extends = named and not possessive and (not run or run[-1] == position - 1)
        if not blocked and (extends or (run and _joins(tokens, position, run))):
            run.append(position)
        elif run:
            mention = _close(tokens, run, text)
            found += [mention] if mention else []
            fresh = not blocked and named
            run = [position] if fresh else []
    if run and (mention := _close(tokens, run, text)):
        found.append(mention)
    return _agreed(tuple(sorted(found, key=lambda m: m.span)))


def _agreed(mentions: tuple[NamedMention, ...]) -> tuple[NamedMention, ...]:
    """Mark a single last name as a person if the text also has a person's full name that ends with it."""
    people = {m.last_word for m in mentions if m.kind is NameKind.PERSON and " " in m.norm}
    return tuple(
        NamedMention(m.span, m.text, NameKind.PERSON, m.norm)
        if m.kind is not NameKind.TITLE and m.norm in people
        else m
        for m in mentions
    )


def name_kind_of(text: str) -> NameKind:
    """Guess the kind of a name on its own, such as an accepted answer."""
    tokens = [t for t in tokenise(text) if t.is_word]
    if not tokens:
        return NameKind.OTHER
    if fold(text.strip()) in places():
        return NameKind.PLACE
    return _kind(tokens, None, None)


# Answers that are full names of people, and other forms of such a name.


_PERSON_TITLES = word_set(
    "president senator governor king queen prince princess emperor pope saint sir lord lady dame mr mrs ms dr doctor "
    "professor captain general colonel judge justice minister chancellor mayor bishop father brother sister"
)


@lru_cache(maxsize=2048)
def is_person_name(answer: str) -> bool:
    """Return whether an answer looks like a person's full name."""
    tokens = [t for t in tokenise(answer) if t.is_word]
    if not 2 <= len(tokens) <= 5:
        return False
    if not all(t.is_capitalised for t in tokens if t.norm not in {"de", "von", "van", "al", "bin", "la", "du"}):
        return False
    given = len(tokens) == 2 and is_first_name(tokens[0].norm) and not is_known(tokens[1].norm)
    kind = name_kind_of(answer)
    return kind is NameKind.PERSON or (given and kind is NameKind.OTHER)


def may_be_same_person(name: str, answer: str) -> bool:
    """Return whether a full name may mean the same person as an answer.

    The forms may differ by a middle name, an initial, or a missing first name.

    If both names have middle names and these differ, the names mean different people.
    """
    said = name.replace(".", "").split()
    known = [k.key for k in match_keys(answer)]
    if said and said[0] in _PERSON_TITLES:
        said = said[1:]
        if len(said) == 1:
            return said == known[-1:]
    if len(said) < 2 or len(known) < 2 or said[-1] != known[-1]:
        return False
    if said == known[-len(said) :]:
        return True
    first = said[0] == known[0] or said[0] == known[0][:1]
    return first and len(said) <= 4 and (said[1:-1] == known[1:-1] or len(known) == 2 or len(said) == 2)
