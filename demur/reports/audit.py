"""The page for reading and marking a sample of items: self-contained, and it sends nothing anywhere."""

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import zip_longest
from typing import Final

from markupsafe import Markup

from demur.reports.pages.compared import is_changed
from demur.reports.pages.rendering import TEMPLATES, render
from demur.reports.pages.worddiff import Change, Stretch, word_diff

SHOWN_CHANGES: Final = {"original": {Change.SAME, Change.DELETED}, "perturbed": {Change.SAME, Change.INSERTED}}
"""Which stretches of a difference stand on which side."""


@dataclass(frozen=True, slots=True)
class AuditItem:
    """An accepted item beside its base instance; passages in the same order on both sides.

    `relevant` is True for signal passages; `instruction` is empty if unknown. Readers do not see `suspected`.
    """

    item_id: str
    lever_class: str
    class_note: str
    intensity: str
    lever: str
    instruction: str
    expected: str
    original_question: str
    question: str
    answers: Sequence[str]
    original_passages: Sequence[str]
    passages: Sequence[str]
    relevant: Sequence[bool]
    suspected: bool = False


@dataclass(frozen=True, slots=True)
class AuditSample:
    """Data of an audit page; `short` names strata with fewer items than requested."""

    round_id: str
    seed: int
    per_stratum: int
    items: Sequence[AuditItem]
    short: Sequence[tuple[str, str, int]]
    """Class, intensity and how many there are."""


@dataclass(frozen=True, slots=True)
class ComparedPart:
    """A question or a passage on both sides."""

    title: str
    is_noise: bool
    is_changed: bool
    original: tuple[Stretch, ...]
    perturbed: tuple[Stretch, ...]


def render_audit(sample: AuditSample) -> str:
    """Return the page for a sample, in the order of its items; the same sample gives the same page."""
    script = _script()
    digest = base64.b64encode(hashlib.sha256(str(script).encode()).digest()).decode()
    return render(
        "sample",
        sample=sample,
        cards=[(item, *_parts(item)) for item in sample.items],
        script=script,
        script_digest=Markup(digest),
        own_style=Markup((TEMPLATES / "sample.css").read_text("utf-8")),
    )


@cache
def _script() -> Markup:
    return Markup((TEMPLATES / "sample.js").read_text("utf-8"))


def _parts(item: AuditItem) -> tuple[list[ComparedPart], list[ComparedPart]]:
    """The changed parts, shown side by side, and the unchanged passages, shown once."""
    question = _part("Question", False, item.original_question, item.question)
    texts = zip_longest(item.original_passages, item.passages, item.relevant, fillvalue="")
    alone = max(len(item.original_passages), len(item.passages)) == 1
    passages = [
        _part("Passage" if alone else f"Passage {number}", relevant is False, str(old), str(new))
        for number, (old, new, relevant) in enumerate(texts, start=1)
    ]
    shown = [part for part in passages if alone or part.is_changed]
    return [question, *shown], [part for part in passages if part not in shown]


def _part(title: str, is_noise: bool, old: str, new: str) -> ComparedPart:
    stretches = word_diff(old, new)
    sides = {
        side: tuple(stretch for stretch in stretches if stretch.change in kept) for side, kept in SHOWN_CHANGES.items()
    }
    return ComparedPart(title, is_noise, is_changed(stretches), sides["original"], sides["perturbed"])
