"""Wider words for nouns of a question, used where no other thing of the genus is in sight."""

import random
import re

from demur.programs.rules.edits.grammar import article_for, plural
from demur.programs.text.analysis import Analysis
from demur.programs.text.lexicon import AUXILIARIES, FUNCTION_WORDS, can_be, lemmas, verb_tags

_GENERA: dict[str, tuple[str, ...]] = {
    "screen production": ("film", "movie", "sitcom", "miniseries"),
    "musical piece": ("song", "anthem", "hymn", "ballad"),
    "recording": ("album", "single", "soundtrack"),
    "written work": ("novel", "book", "poem", "epistle"),
    "broadcast": ("tv show", "television series", "tv series"),
    "publication": ("magazine", "newspaper", "journal"),
    "work for the stage": ("musical", "opera", "play"),
    "performer": ("actor", "actress", "singer"),
    "vehicle": ("car", "truck"),
    "vessel": ("ship", "boat", "ferry"),
    "armed conflict": ("war", "battle"),
    "place of learning": ("university", "college", "school"),
    "body of water": ("lake", "river", "ocean"),
    "landform": ("mountain", "waterfall", "valley", "island"),
    "place": ("city", "town", "village"),
    "place of worship": ("church", "cathedral", "mosque", "temple"),
    "sports ground": ("stadium", "arena", "ballpark"),
    "musical act": ("band", "duo"),
    "business": ("company", "corporation", "airline", "chain"),
    "parent": ("mother", "father", "mom", "dad"),
    "sibling": ("brother", "sister"),
    "child": ("son", "daughter"),
    "marriage partner": ("wife", "husband"),
    "animal": ("dog", "horse", "salmon", "shark", "tiger", "monster"),
    "piece of legislation": ("act", "statute", "law"),
    "office-holder": ("president", "governor", "mayor", "premier", "senator"),
    "monarch": ("king", "queen", "emperor"),
    "body part": ("finger", "muscle", "organ"),
    "artist": ("composer", "painter", "sculptor"),
    "sports contest": ("match", "final", "championship", "tournament"),
    "athlete": ("footballer", "boxer", "cricketer", "player"),
    "scholar": ("scientist", "anthropologist", "philosopher", "mathematician"),
    "creator": ("author", "inventor", "designer"),
    "territory": ("country", "state"),
    "administrative district": ("county", "province"),
    "event": ("festival", "ceremony", "concert"),
}
_SPECIES = {species: genus for genus, all_species in _GENERA.items() for species in all_species}
_LONGEST_FIRST = sorted(_SPECIES, key=len, reverse=True)
_COMPOUND_TAIL = re.compile(
    r"^ (?:of (?:the|arms)|star|director|industry|character|theme|sales|school|cup|league|players?)\b"
)


def genus_for(analysis: Analysis, rng: random.Random) -> str | None:
    """Return the question with one noun widened to its genus, None where no noun can be widened safely.

    A noun is safe if it is not part of a name, no noun modifies it tightly, and the question holds no second species of
    its genus.
    """
    text = analysis.question.bare
    for species in _LONGEST_FIRST:
        for match in re.finditer(rf"\b{re.escape(species)}s?\b", text):
            if _is_safe(analysis, text, match, species):
                return _swapped(text, match, species)
    return None


def _is_safe(analysis: Analysis, text: str, match: re.Match[str], species: str) -> bool:
    before, after = text[: match.start()], text[match.end() :]
    introduced = re.search(r"(?:^|\b)(?:the|a|an|this|what|which|first|last|whose|\w+['’]s) $", before.lower())
    if introduced is None or after.startswith(("'", "’", "-")) or _COMPOUND_TAIL.match(after):
        return False
    follows = re.match(r" (\w+)", after)
    joined = follows is not None and follows[1].islower() and can_be(follows[1], "NOUN")
    joined = joined and follows is not None and follows[1] not in FUNCTION_WORDS
    if match.group() == "finals" or (
        joined and follows is not None and follows[1].islower() and not _is_verb(follows[1])
    ):
        return False
    if len(re.findall(rf"\b{re.escape(species)}s?\b", text, re.IGNORECASE)) > 1:
        return False  # one of two would seem to be something else
    genus = _SPECIES[species]
    siblings = [s for s in _GENERA[genus] if s != species and re.search(rf"\b{s}s?\b", text, re.IGNORECASE)]
    named = any(
        f" {match.group()}" in f" {name.text.lower()} " and name.norm in text.lower()
        for passage in analysis.signal
        for name in passage.names
        if " " in name.norm
    )
    verbal = introduced.group().strip() in {"what", "which"} and not lemmas(species.split()[-1]).get("NOUN")
    return not siblings and not named and not verbal


def _is_verb(word: str) -> bool:
    """Say whether a word after a noun is its verb and not a noun that it leads: 'the ship arrived'."""
    return word in AUXILIARIES or bool(verb_tags(word) & {"VBD", "VBZ"})


def _swapped(text: str, match: re.Match[str], species: str) -> str:
    genus = _SPECIES[species]
    head, _, tail = genus.partition(" of ")
    many = match.group() != species
    said = genus if not many else (f"{plural(head)} of {tail}" if tail else _plural_phrase(genus))
    before = text[: match.start()]
    article = re.search(r"\b([Aa]n?) $", before)
    if article:
        fitting = article_for(said)
        before = before[: article.start()] + (fitting.capitalize() if article[1][0].isupper() else fitting) + " "
    return before + said + text[match.end() :]


def _plural_phrase(genus: str) -> str:
    head, _, last = genus.rpartition(" ")
    return f"{head} {plural(last)}".strip()
