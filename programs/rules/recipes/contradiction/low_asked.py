"""LOW: another value for what is asked, from a source that plainly carries less weight."""

import random
import re

from demur.programs.rules.edits.style import Style, pick
from demur.programs.rules.recipes.contradiction.conflict import in_noise, read_conflict, written
from demur.programs.rules.recipes.registry import Declined, DeclineReason, Draft, recipe
from demur.programs.text.analysis import Analysis

_NOTE = "The answer stands as before; the other value comes from a source that plainly weighs less."
_LOOK_ALIKES = {"l": "1", "o": "0", "i": "1", "0": "O", "1": "l", "5": "S", "8": "B"}
_MOST_MISREAD = 2


@recipe("contradiction.fringe_vs_official_source")
def fringe_vs_official_source(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Oppose the answer with hearsay."""
    found = read_conflict(analysis, rng)
    if isinstance(found, Declined):
        return found
    if found.rival is None:
        return Declined(DeclineReason.ANSWER_TYPE, "no other value of this kind can be made")
    where = rng.choice(("under a holiday blog", "on a message board", "on a fan forum", "in a chat group"))
    opening = pick(
        style,
        rng,
        (
            f"an anonymous post {where} claims, without naming any source, that",
            f"somebody claims {where}, anonymously and without a source, that",
        ),
        (
            f"in an anonymous comment {where}, which gives neither a source nor a reason, somebody claims that",
            f"a rumour that goes round {where}, and for which nobody has ever named a source, has it that",
        ),
    )
    return written(analysis, rng, f"{opening} {found.opposite}", "Hearsay is set against the answer.", _NOTE)


@recipe("contradiction.superseded_version_flagged")
def superseded_version_flagged(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Quote an earlier version that has been withdrawn."""
    found = read_conflict(analysis, rng)
    if isinstance(found, Declined):
        return found
    if found.rival is None:
        return Declined(DeclineReason.ANSWER_TYPE, "no other value of this kind can be made")
    document = "the reference entry on this matter" if in_noise(analysis) else "this text"
    opening = pick(
        style,
        rng,
        (
            f"an earlier version of {document}, since withdrawn as mistaken, stated that",
            f"until it was withdrawn as mistaken, an earlier version of {document} stated that",
        ),
        (
            f"an earlier version of {document}, which has since been withdrawn as mistaken and replaced by the "
            "current one, had stated that",
            f"an earlier version of {document}, later found to be mistaken and taken out of circulation, stated that",
        ),
    )
    return written(analysis, rng, f"{opening} {found.opposite}", "A withdrawn version is quoted.", _NOTE)


@recipe("contradiction.scan_damage_beside_clean_text")
def scan_damage_beside_clean_text(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Repeat the answering statement as a scanner misread it."""
    found = read_conflict(analysis, rng)
    if isinstance(found, Declined):
        return found
    placed = found.fact.fill(found.answer)
    damaged = _damaged(found.answer, placed)
    if damaged is None or placed not in found.original:
        return Declined(DeclineReason.NO_SUITABLE_SPAN, "the answer has no characters that a scanner would misread")
    page = "the page on this matter" if in_noise(analysis) else "this page"
    opening = pick(
        style,
        rng,
        (
            f"in a poor machine scan of {page}, full of misprints, one reads that",
            f"a machine scan of {page}, full of misprints, has it that",
        ),
        (
            f"in a poor machine scan of {page}, in which many characters have come out as misprints, one reads that",
            f"{page} also exists as a machine scan with misprints in every line, in which one reads that",
        ),
    )
    said = f"{opening} {found.original.replace(placed, damaged, 1)}"
    return written(analysis, rng, said, "A garbled scan of the answer is added.", _NOTE)


def _damaged(answer: str, placed: str) -> str | None:
    """Return `placed` with look-alike characters in a figure or the longest word of the answer, None without such."""
    words = re.findall(r"[^\W_]{3,}", answer)
    for word in sorted(words, key=lambda w: (w.isdigit(), len(w)), reverse=True):
        places = [i for i, c in enumerate(word) if c in _LOOK_ALIKES and (i or c.isdigit())][:_MOST_MISREAD]
        if places and word in placed:
            new = "".join(_LOOK_ALIKES[c] if i in places else c for i, c in enumerate(word))
            return placed.replace(word, new, 1)
    return None
