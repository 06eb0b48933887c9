"""The self-contained page on which people read and mark a sample, whatever is read, without a network.

What is read, the object, gives the page its cards, and the questions that a reader answers about each card.
"""

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from markupsafe import Markup

from demur.levers.vocabulary import ReadObject
from demur.reports.pages.rendering import TEMPLATES, render
from demur.reports.scores import Row

PASS_OR_FAIL: Final = (("pass", "PASS"), ("fail", "FAIL"))
"""Answers that the downloaded file holds as true and false."""
FILES: Final = {ReadObject.ITEMS: "audit", ReadObject.RESPONSES: "responses", ReadObject.QUESTIONS: "questions"}
"""The beginnings of the names of a page and of its downloaded file."""
IMPORT: Final = "demur audit import FILE"
"""The command that imports a downloaded file."""


@dataclass(frozen=True, slots=True)
class ReaderQuestion:
    """A question about each card: its name in the file, and its answers, each a value and a label.

    With `asked_if`, the question is asked only where the first question has this answer. `keys` has a key of the
    keyboard for each answer; without keys, the number of the question passes or fails it. A question without answers
    takes lines of text in place of those that the card gives. It needs no mark, and its one key leads into the field.
    """

    name: str
    title: str
    note: str
    answers: tuple[tuple[str, str], ...] = PASS_OR_FAIL
    asked_if: str = ""
    keys: str = ""


@dataclass(frozen=True, slots=True)
class Card:
    """What is read at once: its id in the file, and what the template of its kind shows.

    `suspected` marks a card outside of the random draw. `lacks` names a question that is not asked about this card.
    `lines` are the lines that a question without answers begins with.
    """

    id: str
    content: Row
    suspected: bool = False
    lacks: str = ""
    lines: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class ReadingPage:
    """A page with cards to read.

    `kind` is the object, and names the template of its cards; `one` is a card in words. `how` says how to read and what
    to mark. `remark` says what the sample lacks.
    """

    kind: ReadObject
    one: str
    title: str
    round_id: str
    seed: int
    how: str
    questions: tuple[ReaderQuestion, ...]
    cards: Sequence[Card]
    remark: str = ""

    @property
    def passes(self) -> bool:
        """Whether all questions are passed or failed, so that one key can pass all of them."""
        return all(question.answers == PASS_OR_FAIL for question in self.questions)


def render_page(page: ReadingPage) -> str:
    """Return the HTML of a page; the same page gives the same HTML."""
    script = (TEMPLATES / "sample.js").read_text("utf-8")
    return render(
        "sample",
        page=page,
        file=FILES[page.kind],
        command=IMPORT,
        script=Markup(script),
        script_digest=Markup(base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()),
        own_style=Markup((TEMPLATES / "sample.css").read_text("utf-8")),
    )
