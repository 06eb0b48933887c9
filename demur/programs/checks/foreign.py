"""Detection of sentences that are not English.

The detection uses frequent words of eight other languages. Its only purpose is to notice that an English text is no
longer English.
"""

import unicodedata
from functools import lru_cache

from demur.text.lexicon import FUNCTION_WORDS, is_known, word_set
from demur.text.tokens import words

LEAST_WORDS = 4
"""Shorter sentences are not judged."""

_SMALL_WORDS = (
    word_set(
        "der das dem den des ein eine einer eines einem einen und ist sind wird wurde wurden war nicht auch von vom "
        "zum zur mit fur auf aus bei nach uber durch ich sie wir ihr dass wer wie wo warum wann welche welcher "
        "welches haben le la les un une des du de et est sont etait sera pas que qui quoi dans pour par sur avec sans "
        "ce cette ces ou il elle nous vous ils leur au aux ete comme plus quel quelle quels quelles ont fut "
        "el los las una unos y es son era fue por para con sin del al se lo su sus como mas pero cual cuando donde "
        "quien gli della delle dello dei degli di da che chi sono stato nel nella con per non piu anche questo questa "
        "os uma em na nas nos ao pelo pela foi sao nao qual quando onde quem "
        "het een van en zijn werd niet voor naar bij ook door wie wat waar hoe welke heeft "
        "och att som av till inte och ar var pa med den det "
        "jest nie sie oraz przez ktory ktora dla od czy gdzie kiedy"
    )
    - FUNCTION_WORDS
)
"""Frequent words without accents: German, French, Spanish, Italian, Portuguese, Dutch, Swedish, Polish."""


def _folded(word: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFD", word.casefold()) if not unicodedata.combining(c))


@lru_cache(maxsize=4096)
def is_foreign(sentence: str) -> bool:
    """Return whether a sentence in Latin letters is in a language other than English.

    A sentence is foreign in two cases. In the first, at least two words are frequent in other languages, and fewer
    words are frequent in English. In the second, no word is frequent in English, and at least half of the words are
    unknown in English. Capitalised words after the first word count as names and are ignored. A sentence of fewer than
    four words is never foreign.
    """
    found = words(sentence)
    if len(found) < LEAST_WORDS:
        return False
    plain = [_folded(t.text) for n, t in enumerate(found) if t.text.isalpha() and (n == 0 or t.text[:1].islower())]
    english = sum(t.norm in FUNCTION_WORDS and t.text.isascii() for t in found)
    other = sum(word in _SMALL_WORDS for word in plain)
    if other >= 2 and other > english:
        return True
    unknown = sum(not is_known(word) for word in plain)
    return english == 0 and len(plain) >= 2 and unknown + other >= 0.5 * len(plain) and unknown >= 1
