"""LOW in context: a side remark about names of the passage that are neither the answer nor asked about."""

import random
import re

from demur.programs.rules.edits.remarks import add_remark
from demur.programs.rules.edits.style import Style, phrase, pick
from demur.programs.rules.recipes.ambiguity.material import KEPT, in_bearing_passages, named_subject, side_names
from demur.programs.rules.recipes.registry import Declined, DeclineReason, Draft, recipe
from demur.programs.rules.subjects.kinds import SubjectKind
from demur.programs.text.analysis import Analysis, PassageAnalysis
from demur.programs.text.lexicon import is_known
from demur.programs.text.names import NameKind


def _with_names(
    analysis: Analysis, wanted: int, pattern: str, reasoning: str, rng: random.Random, *kinds: NameKind
) -> Draft | Declined:
    """Add a remark about names of each bearing passage that are no answer and not asked about."""

    def edit(passage: PassageAnalysis) -> str | None:
        names = [*side_names(analysis, passage, *kinds, inside=False), *side_names(analysis, passage, *kinds)]
        names = [n for n in dict.fromkeys(names) if f"the {n}" not in passage.text]  # 'the German Empire'
        if len(names) < wanted:
            return None
        chosen = names[:wanted] if rng.random() < 0.7 else names[: wanted + 1][-wanted:]
        return add_remark(passage, pattern.format(*chosen))

    return in_bearing_passages(analysis, edit, reasoning, KEPT)


@recipe("ambiguity.comparative_ellipsis_resolved")
def comparative_ellipsis_resolved(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Compare two names of the passage with words left out, and supply them."""
    pattern = phrase(
        style,
        "Readers ask about {0} more often than {1}, that is, more often than they ask about {1}.",
        "Later writers mention {0} more gladly than {1}, in other words, more gladly than they mention {1}.",
    )
    reasoning = "The comparison leaves words out and then supplies them."
    return _with_names(analysis, 2, pattern, reasoning, rng, NameKind.PERSON, NameKind.TITLE)


@recipe("ambiguity.possessive_split_disambiguated")
def possessive_split_disambiguated(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Give two names of the passage something in common or one each, and say which."""
    pattern = phrase(
        style,
        rng.choice(("{0} and {1}'s entries, one for each, stand elsewhere.", "{0} and {1}'s one joint page is short.")),
        rng.choice((
            "{0} and {1}'s entries in this collection, a separate one for each of the two, are longer than this one.",
            "{0} and {1}'s photograph, a single one that shows the two together, is kept in the picture archive.",
        )),
    )  # fmt: skip
    return _with_names(
        analysis, 2, pattern, "The shared possessive is settled in the same sentence.", rng, NameKind.PERSON
    )


_VARIANTS = (
    ("ph", "f"), ("ck", "k"), ("sch", "sh"), ("tt", "t"), ("ll", "l"), ("nn", "n"), ("rr", "r"), ("ss", "s"),
    ("oo", "u"), ("ey", "y"), ("ou", "u"), ("y", "i"), ("c", "k"), ("w", "v"), ("x", "ks"), ("z", "s"),
)  # fmt: skip


_ADJECTIVAL = re.compile(r"(?:ish|ese|ian|ean|can|ench|utch|istic)$")


def respelt(name: str) -> str | None:
    """Return a name as another transliteration might spell it, None where no letter lends itself."""
    words = name.split()
    for position in range(len(words) - 1, -1, -1):
        word = words[position]
        for old, new in _VARIANTS:
            at = word.find(old, 1)
            if (
                at > 0
                and len(word) > 3
                and not is_known(word.lower())
                and word[1:].islower()
                and not word.endswith("'s")
            ):
                changed = word[:at] + new + word[at + len(old) :]
                return " ".join([*words[:position], changed, *words[position + 1 :]])
    return None


@recipe("ambiguity.variant_spelling_of_one_name")
def variant_spelling_of_one_name(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Give a second spelling of a name and say that it is the same bearer's."""
    subject = named_subject(analysis)

    def edit(passage: PassageAnalysis) -> str | None:
        names = [*side_names(analysis, passage, inside=False), *side_names(analysis, passage)]
        if subject is not None and subject.name in passage.text and subject.kind is not SubjectKind.PERSON:
            names.append(subject.name)
        plain = [n for n in dict.fromkeys(names) if not _ADJECTIVAL.search(n)]
        pairs = [(n, v) for n in plain if (v := respelt(n)) and v not in passage.text]
        if not pairs:
            return None
        name, variant = pairs[0]
        said = phrase(
            style,
            f"Some catalogues spell {name} as {variant}; it is the same name.",
            f"Catalogues with another system of spelling have {variant} for {name}, with the same bearer in mind.",
        )
        return add_remark(passage, said)

    return in_bearing_passages(analysis, edit, "A name now stands in two spellings that belong to one bearer.", KEPT)


@recipe("ambiguity.distinguished_bystander_namesake")
def distinguished_bystander_namesake(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Mention another bearer of the subject's name and say that it has no part in this."""
    subject = named_subject(analysis)
    if subject is None:
        return Declined(DeclineReason.NO_TOPIC)
    frames = ("ferry", "racehorse", "garden rose", "tram stop", "brass band")
    more = () if subject.kind is SubjectKind.PERSON else ("bakery", "footpath", "guest house", "sailing boat")
    frame = rng.choice(frames + more)
    said = pick(
        style,
        rng,
        (
            f"A {frame} that is also called {subject.name} has nothing to do with this.",
            f"Not to be confused with this: a {frame} by the name of {subject.name} is something else.",
        ),
        (
            f"There is a {frame} of the same name, {subject.name}, which is another thing and plays no part here.",
            f"A {frame} that goes by the name of {subject.name} is a different matter and is not meant here.",
        ),
    )

    def edit(passage: PassageAnalysis) -> str | None:
        return add_remark(passage, said)

    return in_bearing_passages(analysis, edit, f"A {frame} of the same name is told apart at once.", KEPT)
