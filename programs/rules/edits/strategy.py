"""Where a class's defect goes: the application strategies for one passage and for several."""

import random
from collections.abc import Callable

from demur.programs.text.analysis import Analysis, PassageAnalysis

Edit = Callable[[PassageAnalysis], str | None]
"""Returns the new text of a passage, or None where the edit does not apply to it."""


def apply_to_signal_passages(analysis: Analysis, edit: Edit, *, every: bool = True) -> dict[int, str] | None:
    """Edit the signal passages (Granularity, Epistemic, MissingInfo LOW); None if the strategy cannot be met.

    With `every`, each signal passage must take the edit; without, at least one.
    """
    return _apply(analysis.signal, edit, every=every)


def apply_to_answering_signal(analysis: Analysis, edit: Edit) -> dict[int, str] | None:
    """Edit every signal passage in which the answer stands (Ambiguity in context); None if one cannot take it."""
    return _apply(tuple(p for p in analysis.signal if p.gives_answer), edit, every=True)


def remove_answer_everywhere(analysis: Analysis, edit: Edit) -> dict[int, str] | None:
    """Edit every passage in which the answer stands, noise included (MissingInfo); None if an answer would remain."""
    changed = _apply(analysis.answering, edit, every=True)
    if changed is None or any(analysis.is_answer(text) for text in changed.values()):
        return None
    return changed


def choose_noise_passage(analysis: Analysis, rng: random.Random) -> PassageAnalysis | None:
    """Choose the noise passage to contradict the signal with (Contradiction); the signal passage of a single document.

    Noise passages that mention the topic come first; one that gives the answer itself is never chosen. None if
    there is none.
    """
    if len(analysis.passages) == 1:
        return analysis.passages[0]
    usable = [p for p in analysis.noise if not p.gives_answer]
    topic = analysis.topic.name if analysis.topic else None
    near = [p for p in usable if topic and topic in p.text]
    chosen = near or usable
    return rng.choice(chosen) if chosen else None


def _apply(passages: tuple[PassageAnalysis, ...], edit: Edit, *, every: bool) -> dict[int, str] | None:
    changed: dict[int, str] = {}
    for passage in passages:
        text = edit(passage)
        if text is not None and text != passage.text:
            changed[passage.index] = text
        elif every:
            return None
    return changed or None
