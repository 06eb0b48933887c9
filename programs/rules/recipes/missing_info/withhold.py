"""MEDIUM and HIGH: the text says where the answer would be found: a cell, a link, a recording, an empty table."""

import random
import re

from demur.programs.rules.edits.answer_sentences import answer_indices, leaning, swap_sentences
from demur.programs.rules.edits.grammar import sentence_case
from demur.programs.rules.edits.style import Style, phrase
from demur.programs.rules.recipes.missing_info.everywhere import everywhere
from demur.programs.rules.recipes.missing_info.titles import passage_title
from demur.programs.rules.recipes.missing_info.wording import asked_noun, column_label, indirect_question
from demur.programs.rules.recipes.registry import Declined, DeclineReason, Draft, recipe
from demur.programs.text.analysis import Analysis, PassageAnalysis
from demur.programs.text.questions import content_words

_FEWEST_LEFT = 12
_OPENS = re.compile(r"[\"“'(]?[A-Z0-9¡¿]")
"""How a sentence opens that was not cut out of the middle of a table."""


def _instead(analysis: Analysis, said: str, reasoning: str) -> Draft | Declined:
    """Put `said` in the place of the sentences that answer, once; other passages just lose theirs."""
    told_in = _told_in(analysis)

    def edit(passage: PassageAnalysis) -> str | None:
        gone = leaning(passage, answer_indices(passage))
        around = gone | {number + 1 for number in gone}
        if not all(_OPENS.match(s.text) for s in passage.sentences if s.index in around):
            return None
        if len(analysis.passages) == 1 and _leaves_little(passage, gone):
            return None
        text = swap_sentences(passage, gone) if passage.index != told_in else None
        if text is None and passage.index != told_in and passage.relevant:
            return None
        text = text or swap_sentences(passage, gone, said)
        return re.sub(r" *\n *", "\n", text).strip() if text is not None else None

    return everywhere(analysis, edit, reasoning)


def _leaves_little(passage: PassageAnalysis, gone: set[int]) -> bool:
    """Say whether less than a quarter of the only passage would be left, which is more than a gap in it."""
    left = sum(len(s.text.split()) for s in passage.sentences if s.index not in gone)
    return left < max(_FEWEST_LEFT, len(passage.text.split()) // 4)


def _told_in(analysis: Analysis) -> int:
    """Return the passage in which something stands for what is gone: the first signal one that answers."""
    answering = analysis.answering or analysis.passages
    return next((p.index for p in answering if p.relevant), answering[0].index)


@recipe("missing_info.table_gap")
def table_gap(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Show the asked fact as a table row whose cell is empty."""
    noun = asked_noun(analysis)
    row = sentence_case(re.sub(r"^the ", "", noun)) if noun else None
    if row is None or "|" in row:
        return Declined(DeclineReason.QUESTION_NOT_PARSED)
    gap = rng.choice(("–", "—", "n/a"))
    head = phrase(style, f"Entry | {column_label(analysis)}", f"No. | Entry | {column_label(analysis)}")
    line = phrase(style, f"{row} | {gap}", f"{rng.randint(2, 40)} | {row} | {gap}")
    return _instead(analysis, f"\n{head}\n{line}\n", "The fact became a table row with an empty cell.")


@recipe("missing_info.link_without_its_target")
def link_without_its_target(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Put the text of a link where the answer was told."""
    clause = indirect_question(analysis)
    if clause is None:
        return Declined(DeclineReason.QUESTION_NOT_PARSED)
    said = phrase(
        style,
        rng.choice((f"Click here to see {clause}.", f"See the next page to learn {clause}.")),
        rng.choice(
            (
                f"Follow this link to find out {clause}.",
                f"Open the linked page in a new tab to see {clause}.",
            )
        ),
    )
    return _instead(analysis, said, "The answer is behind a link that was not followed.")


@recipe("missing_info.audio_only_reference")
def audio_only_reference(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Say that the answer is heard or seen in a recording that is not part of the text."""
    clause = indirect_question(analysis)
    if clause is None:
        return Declined(DeclineReason.QUESTION_NOT_PARSED)
    medium = rng.choice(
        phrase(
            style, "recording|audio clip|video", "recording that accompanies this article|interview clip above"
        ).split("|")
    )
    verb = "seen" if "video" in medium else "heard"
    told = re.search(r" (?:is|are|was|were)$", clause) is None
    forms = [f"{'Listen to' if verb == 'heard' else 'Watch'} the {medium} to learn {clause}."]
    forms += [f"{sentence_case(clause)} can be {verb} in the {medium}."] if told else []
    said = rng.choice(forms)
    return _instead(analysis, said, "The answer is only in a recording that is not part of the text.")


@recipe("missing_info.zero_row_table")
def zero_row_table(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Put the head of a table without rows where the sentences that bear on the question stood."""
    label = column_label(analysis)
    head = phrase(style, f"Entry | {label}", f"No. | Entry | {label} | Source")
    empty = rng.choice(("(0 rows)", "0 rows returned", "(no rows)", "Showing 0 of 0 entries"))
    told_in = _told_in(analysis)
    asked = content_words(analysis.question.text)

    def edit(passage: PassageAnalysis) -> str | None:
        bearing = {s.index for s in passage.sentences if len(asked & content_words(s.text)) >= min(2, len(asked))}
        gone = leaning(passage, answer_indices(passage) | bearing)
        table = f"\n{passage_title(analysis, passage)}\n{head}\n{empty}\n"
        text = (swap_sentences(passage, gone) if passage.index != told_in else None) or swap_sentences(
            passage, gone, table
        )
        return re.sub(r" *\n *", "\n", text).strip() if text is not None else None

    return everywhere(analysis, edit, "The sentences that bear on the question became a table without rows.")
