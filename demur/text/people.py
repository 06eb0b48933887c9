"""First and last names of people in many countries. They distinguish full names from other capitalised words."""

import importlib
from functools import lru_cache

from demur.text.lexicon import word_list
from demur.text.tokens import fold

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
