"""Accepted questions about documents, of this round and of earlier rounds, as rows of a corpus.

With `asking.check: people`, these are only questions that people have read.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from demur.corpora.rows import CorpusPassage, CorpusRow, ProofSpan, Provenance
from demur.engine.context import RoundContext
from demur.flows.stages.ask.sources import DocumentPassage
from demur.levers.vocabulary import QuestionKind
from demur.programs.checks.questions import gives_answer
from demur.warehouse.connection import Connection
from demur.warehouse.records import records

FOLDER: Final = Path(__file__).parent


def rows_of_documents(
    context: RoundContext, con: Connection, *, own: bool = True, unread: bool = False
) -> Iterator[CorpusRow]:
    """Yield the accepted questions whose layout is the round's layout.

    Questions of earlier rounds are included if this round has read all their passages. If `own` is false, questions of
    this round are left out. If `unread` is true, questions of this round that still wait for people are included.
    """
    several = context.documents.neighbours > 0
    by_people = context.config.asking.check is not None
    for record in records(con, FOLDER / "accepted.sql", [context.round_id]):
        waits = by_people and not record["readers"]
        if (own or not record["is_own"]) and (not waits or unread and record["is_own"]):
            row = _row(record)
            if (len(row.passages) > 1) is several:
                yield row


def _row(record: Mapping[str, Any]) -> CorpusRow:
    signal = list(record["passage_ids"])
    answers = tuple(record["answers"])
    # noise was chosen by the answers of the asker; it must not state those of people either
    mended = answers if record["is_mended"] and record["kind"] != QuestionKind.YES_NO else ()
    shown = [
        one
        for one in (DocumentPassage(**passage) for passage in record["shown"])
        if one.passage_id in signal or not mended or not gives_answer(one.shown, mended, one.language)
    ]
    places = {one.passage_id: place for place, one in enumerate(shown)}
    titles = dict.fromkeys(one.document for one in shown if one.passage_id in signal and one.document)
    proof = (
        ProofSpan(places[signal[span["passage"]]], span["start"], span["end"], span["text"]) for span in record["proof"]
    )
    return CorpusRow(
        source_id=record["question_id"],
        domain=None,
        title="; ".join(titles) or None,
        question=record["question"],
        answers=answers,
        passages=tuple(CorpusPassage(one.shown, one.passage_id in signal, one.document) for one in shown),
        asked_of=Provenance(
            documents=tuple(record["document_ids"]),
            passage_ids=tuple(places),
            proof=tuple(proof),
            kind=record["kind"],
        ),
        language=record["language"],
    )
