"""LOW: the passages disagree about a person's name or profession, which nobody asks for."""

import random
import re

from demur.programs.rules.edits.style import Style, pick
from demur.programs.rules.recipes.contradiction.conflict import written
from demur.programs.rules.recipes.contradiction.low_words import NICKNAMES, ROLES
from demur.programs.rules.recipes.registry import Declined, DeclineReason, Draft, recipe
from demur.programs.text.analysis import Analysis
from demur.programs.text.names import NamedMention, NameKind
from demur.programs.text.tokens import fold

_NOTE = "The answer stands as before; only something that is not asked for is contradicted."


def _people(analysis: Analysis) -> list[NamedMention]:
    seen: dict[str, NamedMention] = {}
    for passage in analysis.signal:
        for name in passage.names:
            if name.kind is NameKind.PERSON and 2 <= len(name.text.split()) <= 4 and "," not in name.text:
                seen.setdefault(name.norm, name)
    return list(seen.values())


@recipe("contradiction.nickname_vs_legal_name")
def nickname_vs_legal_name(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Name a person by a short form as well."""
    options = [
        (n.text, NICKNAMES[fold(n.text.split()[0])]) for n in _people(analysis) if fold(n.text.split()[0]) in NICKNAMES
    ]
    if not options:
        return Declined(DeclineReason.NO_SUITABLE_SPAN, "no person whose first name has a short form")
    name, short = rng.choice(options)
    nick = f"{short} {name.split()[-1]}"
    said = pick(
        style,
        rng,
        (
            f"in some listings {name} appears as {nick}, which is the same person",
            f"{nick}, as some listings have it, is the same person as {name}",
        ),
        (
            f"some older listings speak of {nick} throughout, by which they mean none other than {name}",
            f"a reader who comes across {nick} in older listings should know that this is {name}, the same person",
        ),
    )
    return written(analysis, rng, said, f"'{name}' is also called '{nick}'.", _NOTE)


@recipe("contradiction.speaker_title_clash")
def speaker_title_clash(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Give a person another title or profession than the passage does."""
    options = []
    for passage in analysis.signal:
        for name in passage.names:
            after = passage.text[name.span.end : name.span.end + 110]
            found = re.match(
                r"(?: \([^)]*\))?,? (?:is|was|,) ?(?:an?|the) [^.;]*?\b(" + "|".join(ROLES) + r")\b", after
            )
            if name.kind is NameKind.PERSON and found and found[1] not in fold(analysis.question.text):
                options.append((name.text, found[1]))
    options = [(n, r) for n, r in options if not analysis.is_answer(r)]
    if not options:
        return Declined(DeclineReason.NO_SUITABLE_SPAN, "no person whose profession is told and not asked for")
    person, role = rng.choice(options)
    other = rng.choice([r for r in ROLES[role].split() if r not in fold(analysis.question.text)] or ["consultant"])
    article = "an" if other[0] in "aeiou" else "a"
    old = "an" if role[0] in "aeiou" else "a"
    said = pick(
        style,
        rng,
        (
            f"one programme introduces {person} as {article} {other} rather than {old} {role}",
            f"one catalogue lists {person} as {article} {other} and not as {old} {role}",
        ),
        (
            f"the programme of one event, for its part, introduced {person} as {article} {other} rather than "
            f"as {old} {role}",
            f"in one catalogue, however, {person} is listed as {article} {other}, where others have {old} {role}",
        ),
    )
    return written(analysis, rng, said, f"'{role}' is set against '{other}'.", _NOTE)
