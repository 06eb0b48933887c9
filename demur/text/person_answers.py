"""Answers that are full names of people, and other forms of such a name."""

from functools import lru_cache

from demur.text.lexicon import is_known, word_set
from demur.text.match_keys import match_keys
from demur.text.names import NameKind, name_kind_of
from demur.text.people import is_first_name
from demur.text.tokens import tokenise

_TITLES = word_set(
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
    if said and said[0] in _TITLES:
        said = said[1:]
        if len(said) == 1:
            return said == known[-1:]
    if len(said) < 2 or len(known) < 2 or said[-1] != known[-1]:
        return False
    if said == known[-len(said) :]:
        return True
    first = said[0] == known[0] or said[0] == known[0][:1]
    return first and len(said) <= 4 and (said[1:-1] == known[1:-1] or len(known) == 2 or len(said) == 2)
