"""The self-contained page on which people read and mark a sample of accepted items, without a network."""

import base64
import hashlib
import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any, Final

from markupsafe import Markup

from demur.errors import FlowError
from demur.levers.catalogue import load_catalogue
from demur.levers.taxonomy import load_taxonomy
from demur.levers.vocabulary import STRATA, LeverClass, ReadObject
from demur.reports import names
from demur.reports.audits.marks import seed_of_page
from demur.reports.pages.rendering import TEMPLATES, render
from demur.reports.pages.word_differences import Change, is_changed, word_diff
from demur.reports.texts import Row, counted
from demur.warehouse.connection import reading
from demur.warehouse.home import Home
from demur.warehouse.statements import records
from demur.warehouse.transactions import Connection

# The self-contained page on which people read and mark a sample, whatever is read, without a network.
#
# What is read, the object, gives the page its cards, and the questions that a reader answers about each card.


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
    keyboard for each answer. A question without keys has its own number as its key, which switches between PASS and
    FAIL. A question without answers is a field with the card's lines of text, which the reader may change. It needs no
    mark, and its one key leads into the field.
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
    digest = hashlib.sha256(script.encode()).digest()
    return render(
        "sample",
        page=page,
        file=FILES[page.kind],
        command=IMPORT,
        script=Markup(script),
        script_digest=Markup(base64.b64encode(digest).decode()),
        own_style=Markup((TEMPLATES / "sample.css").read_text("utf-8")),
    )


# A sample of accepted items, and the self-contained page on which human readers mark the items without a network.
#
# Suspected items come first, then a random draw from each stratum.


AUDITS: Final = "audits.jsonl"
"""The file of a release with the findings of its readers."""
SUSPECTED_FROM: Final = 0.02
"""Least suspicion of an item that is read for its suspicion alone."""
HOW_TO_READ: Final = (
    "Each item was made from an answerable question by pulling one lever, and every verifier passed it. Read both "
    "sides, then mark five criteria PASS or FAIL. An item passes if all five do."
)
SHOWN_CHANGES: Final = {"original": {Change.SAME, Change.DELETED}, "perturbed": {Change.SAME, Change.INSERTED}}
"""The stretches of a difference that each side shows."""


@dataclass(frozen=True, slots=True)
class AuditSample:
    """A sample of a round's accepted items, in the order of reading.

    `items` are rows of the SQL statement `audit_items`. Each row also has `class_note`, `instruction` (empty if
    unknown) and `suspected`. Readers do not see `suspected`. `short` lists the strata with fewer than `per_stratum`
    items, each as class, intensity and number of items.
    """

    round_id: str
    seed: int
    per_stratum: int
    items: Sequence[Row]
    short: Sequence[tuple[str, str, int]]


def sample_audit(
    home: Home,
    round_id: str,
    *,
    per_stratum: int,
    seed: int | None,
    suspected: int = 0,
    catalogues: Sequence[Path] = (),
) -> AuditSample:
    """Draw `per_stratum` items of each stratum of a round, or all items of a smaller stratum.

    The default seed is the round's own. The same round and seed give the same items in the same order.

    The sample begins with at most `suspected` items, those with the highest suspicion. The other items follow in random
    order across the strata. A reader who stops early has therefore read items of many strata. Pass rates leave out a
    suspected item that is not part of the random draw.

    Raises:
        FlowError: there is no such round, or the round has no accepted items.
        LeverError: a catalogue cannot be read.
    """
    instructions = {lever.id: lever.instruction for lever in load_catalogue(None, *catalogues)}
    with reading(home) as con:
        lot = seed_of_page(con, round_id, seed)
        found = list(records(con, "audit_items", [round_id]))
    if not found:
        raise FlowError(f"round {round_id}: has no accepted items to read. Run the round at least up to assemble")
    rows = drawn(found, round_id, per_stratum, lot)
    doubted = doubtful(found, suspected)
    items = [
        {
            **row,
            "class_note": load_taxonomy().definition(LeverClass(row["class"])),
            "instruction": instructions.get(row["lever_id"], ""),
            "suspected": row not in rows,
        }
        for row in [*doubted, *(row for row in rows if row not in doubted)]
    ]
    return AuditSample(round_id, lot, per_stratum, items, list(_short(rows, per_stratum)))


def released_audits(con: Connection, round_id: str) -> dict[str, str]:
    """Return the file `audits.jsonl` of a release, as {file name: text}. The dict is empty if nobody read items."""
    lines = [json.dumps(row) + "\n" for row in records(con, "release_audits", [round_id])]
    return {AUDITS: "".join(lines)} if lines else {}


def drawn(rows: Sequence[Row], round_id: str, per_stratum: int, seed: int) -> list[Row]:
    """Draw at most `per_stratum` rows of each stratum in random order; the order of `rows` has no influence."""
    rng = random.Random(f"audit|{round_id}|{seed}")
    chosen: list[Row] = []
    for lever_class, intensity in STRATA:
        own = [row for row in rows if (row["class"], row["intensity"]) == (lever_class, intensity)]
        own.sort(key=lambda row: str(row["item_id"]))
        chosen += rng.sample(own, k=min(per_stratum, len(own)))
    rng.shuffle(chosen)
    return chosen


def doubtful(rows: Sequence[Row], most: int) -> list[Row]:
    """Return at most `most` rows with a suspicion of SUSPECTED_FROM or more, the most suspicious first."""
    known = [row for row in rows if (row["suspicion"] or 0.0) >= SUSPECTED_FROM]
    return sorted(known, key=lambda row: (-row["suspicion"], str(row["item_id"])))[:most]


def _short(rows: Sequence[Row], per_stratum: int) -> Iterator[tuple[str, str, int]]:
    strata = [(row["class"], row["intensity"]) for row in rows]
    for lever_class, intensity in STRATA:
        number = strata.count((lever_class.value, intensity.value))
        if number < per_stratum:
            yield lever_class.value, intensity.value, number


def render_audit(sample: AuditSample) -> str:
    """Return the HTML page of a sample; the same sample gives the same page."""
    return render_page(
        ReadingPage(
            kind=ReadObject.ITEMS,
            one="item",
            title=f"Audit of {sample.round_id}",
            round_id=sample.round_id,
            seed=sample.seed,
            how=HOW_TO_READ,
            questions=tuple(
                ReaderQuestion(name, title, names.CRITERION_NOTES[name]) for name, title in names.CRITERIA.items()
            ),
            cards=[Card(item["item_id"], {**item, **_parts(item)}, item["suspected"]) for item in sample.items],
            remark=_remark(sample),
        )
    )


def _remark(sample: AuditSample) -> str:
    """Return which strata have fewer items than were asked for; empty if none has."""
    if not sample.short:
        return ""
    short = "; ".join(
        f"{names.CLASSES.get(lever_class, lever_class)}, {names.INTENSITIES.get(level, level).lower()} ({number:,})"
        for lever_class, level, number in sample.short
    )
    wanted = f"Asked were {counted(sample.per_stratum, 'item')} of each stratum."
    return f"{wanted} Fewer exist in {len(sample.short):,}: {short}."


def _parts(item: Row) -> Row:
    """Return the changed parts (`shown`), side by side, and the `unchanged` passages, which are shown once."""
    question = _part("Question", False, item["original_question"], item["question"])
    texts = zip_longest(item["original_passages"], item["passages"], item["relevant"], fillvalue="")
    alone = max(len(item["original_passages"]), len(item["passages"])) == 1
    passages = [
        _part("Passage" if alone else f"Passage {number}", relevant is False, str(old), str(new))
        for number, (old, new, relevant) in enumerate(texts, start=1)
    ]
    shown = [part for part in passages if alone or part["is_changed"]]
    return {"shown": [question, *shown], "unchanged": [part for part in passages if part not in shown]}


def _part(title: str, is_noise: bool, old: str, new: str) -> dict[str, Any]:
    stretches = word_diff(old, new)
    sides = {}
    for side, kept in SHOWN_CHANGES.items():
        sides[side] = [stretch for stretch in stretches if stretch.change in kept]
    return {"title": title, "is_noise": is_noise, "is_changed": is_changed(stretches), **sides}
