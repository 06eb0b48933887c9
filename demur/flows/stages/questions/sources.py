"""Sources of questions: questions of people, and the passages or pairs of passages that the asker gets."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from operator import itemgetter
from pathlib import Path
from typing import Any, Final

from demur.configuration.corpus_section import Fresh, FreshBy
from demur.corpora.corpus import OwnQuestion, read_questions
from demur.corpora.documents.passages import shown_text
from demur.engine.context import RoundContext
from demur.text.stated import is_unspaced
from demur.warehouse.statements import records
from demur.warehouse.transactions import Connection

FOLDER: Final = Path(__file__).parent / "ask"
_WORD: Final = re.compile(r"[^\W_]{3,}")


@dataclass(frozen=True, slots=True)
class DocumentPassage:
    """A passage of a document. `digest` is a hash of the text alone, so equal texts have the same digest everywhere."""

    passage_id: str
    document_id: str
    digest: str
    headings: str | None
    text: str
    document: str | None
    date: str | None
    language: str | None

    @property
    def shown(self) -> str:
        """The title of the document, the headings and the text of the passage, as models and readers see them."""
        return shown_text(self.document, self.headings, self.text)


@dataclass(frozen=True, slots=True)
class AskedOf:
    """One or two passages for the asker.

    Attributes:
        turn: The key by which passages are sorted into the round's seeded order.
        passages: One passage, or a pair of passages.
        asked: Questions that were asked about these passages before.
    """

    turn: str
    passages: tuple[DocumentPassage, ...]
    asked: tuple[str, ...]

    def inputs(self) -> dict[str, Any]:
        """Return the inputs of the unit that asks about these passages."""
        first = self.passages[0]
        documents = dict.fromkeys(one.document_id for one in self.passages)
        titles = dict.fromkeys(one.document for one in self.passages if one.document)
        dates = dict.fromkeys(one.date for one in self.passages if one.date)
        return {
            "turn": self.turn,
            "passage_ids": [one.passage_id for one in self.passages],
            "document_ids": list(documents),
            "written_in": first.language,
            "document": "; ".join(titles) or None,
            "date": ", ".join(dates) or None,
            "passages": [one.shown for one in self.passages],
            "asked": list(self.asked),
        }


def own_questions(context: RoundContext) -> Sequence[OwnQuestion]:
    """Return the questions that people asked; empty if the round has none.

    Raises:
        CorpusError: the file of the questions cannot be read.
    """
    given = None if context.config.documents is None else context.config.documents.questions
    return () if given is None else read_questions(context.file(given))


def round_passages(context: RoundContext, con: Connection) -> dict[str, DocumentPassage]:
    """Return the passages of the round's documents, by passage id. If several have the same text, one is returned."""
    rows = records(con, FOLDER / "passages.sql", [context.round_id])
    return {str(row["passage_id"]): _passage(row) for row in rows}


def askable_passages(context: RoundContext, con: Connection) -> dict[str, DocumentPassage]:
    """Return the passages for the asker, by passage id.

    If `corpus.fresh` is `since_last_round`, passages from which other rounds made base instances are left out. With
    `corpus.fresh_by: document`, all passages of their documents are left out.
    """
    choice = context.documents
    if choice.fresh is Fresh.ALL:
        return round_passages(context, con)
    used = list(records(con, FOLDER / "used.sql", [context.round_id]))
    of = "document_digest" if choice.fresh_by is FreshBy.DOCUMENT else "digest"
    unavailable = {row[of] for row in used}
    rows = records(con, FOLDER / "passages.sql", [context.round_id])
    return {str(row["passage_id"]): _passage(row) for row in rows if row[of] not in unavailable}


def _passage(row: Mapping[str, Any]) -> DocumentPassage:
    return DocumentPassage(**{name: value for name, value in row.items() if name != "document_digest"})


def sources(context: RoundContext, con: Connection, number: int) -> Iterator[AskedOf]:
    """Yield the first `number` passages in the round's seeded order: one of each document before a second of any.

    The share `asking.pairs` of these passages is paired with another passage, as `_Partners` finds it.
    """
    passages = askable_passages(context, con)
    before = _asked_before(context, con)
    share = context.config.asking.pairs
    ordered = list(spread((context.place("ask", one.passage_id)[:16], one) for one in passages.values()))
    partners = _Partners(passages) if share else None
    for place, (turn, passage) in islice(enumerate(ordered), number):
        together = [passage]
        if partners is not None and int((place + 1) * share) > int(place * share):
            together += partners.of(passage)
        asked = dict.fromkeys(question for one in together for question in before.get(one.digest, ()))
        yield AskedOf(turn, tuple(together), tuple(asked))


def spread(passages: Iterable[tuple[str, DocumentPassage]]) -> Iterator[tuple[str, DocumentPassage]]:
    """Yield the passages, with their turns, so that large documents do not take the turns of small ones."""
    numbers: Counter[str] = Counter()
    turns = []
    for place, passage in sorted(passages, key=itemgetter(0)):
        turns.append((f"{numbers[passage.document_id]:06}-{place}", passage))
        numbers[passage.document_id] += 1
    yield from sorted(turns, key=itemgetter(0))


class _Partners:
    """Finds the partner of a passage: the most similar passage that has a name or a number in common with it."""

    def __init__(self, passages: Mapping[str, DocumentPassage]) -> None:
        from demur.corpora.documents.passages import NearestPassages

        self._passages = passages
        self._index = NearestPassages((one.passage_id, one.shown) for one in passages.values())

    def of(self, passage: DocumentPassage) -> list[DocumentPassage]:
        """Return the most similar passage with a name or number of `passage`, in a list; empty if there is none."""
        named = names_in(passage.shown)

        def suits(passage_id: str) -> bool:
            other = self._passages[passage_id]
            return other.digest != passage.digest and not named.isdisjoint(names_in(other.shown))

        return [self._passages[found] for found in self._index.nearest(passage.text, 1, suits)]


@lru_cache(maxsize=8192)
def names_in(text: str) -> frozenset[str]:
    """Return possible names and numbers in a text, casefolded.

    A possible name is a word that has a capital letter or a digit and that the text does not also contain in lower
    case. In scripts without spaces, every pair of neighbouring characters is a possible name.
    """
    from demur.corpora.documents.passages import terms

    if is_unspaced(text):
        return frozenset(terms(text))
    words = set(_WORD.findall(text))
    small = {word for word in words if word.islower()}
    return frozenset(word.casefold() for word in words if not word.islower() and word.casefold() not in small)


def _asked_before(context: RoundContext, con: Connection) -> dict[str, list[str]]:
    asked: dict[str, list[str]] = defaultdict(list)
    for row in records(con, FOLDER / "asked_before.sql", [context.round_id]):
        asked[str(row["digest"])].append(str(row["question"]))
    return asked
