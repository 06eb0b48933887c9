"""The stage ingest stores the base instances that the round draws from its corpus."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Final

from demur.corpora.corpus_rows import CorpusRow
from demur.engine.context import RoundContext
from demur.engine.stage import Stage
from demur.engine.units import Plan, PlannedUnit, Rows, Unit, WithoutModels, planned_unit
from demur.flows.stages.bases.draw import Draw, draw_order, drawn_rows
from demur.text.language_detection import detect
from demur.warehouse.transactions import Connection

FOLDER: Final = Path(__file__).parent
NAME: Final = "ingest"


def _plan_of(draw: Draw, drawn: Mapping[str | None, int]) -> Plan:
    def plan(context: RoundContext, con: Connection) -> Iterator[PlannedUnit]:
        places = draw.first(drawn)
        rows = drawn_rows(context, con, places.keys())
        for base_id, number in places.items():
            row = rows[base_id]
            inputs = {
                "base_id": base_id,
                "source_id": row.source_id,
                "draw": number,
                "layout": row.layout.value,
                "domain": row.domain,
                "title": row.title,
                "question": row.question,
                "answers": list(row.answers),
                "passages": [
                    {"index": index, "text": p.text, "relevant": p.relevant, "title": p.title}
                    for index, p in enumerate(row.passages)
                ],
                **_asked_of(row),
            }
            if language := row.language:
                inputs["language"] = language
            yield planned_unit(context, NAME, ("base_id",), inputs)

    return plan


def _asked_of(row: CorpusRow) -> dict[str, Any]:
    """Return the columns with the documents and passages of a question. For a question from a file, return {}."""
    if row.asked_of is None:
        return {}
    source = row.asked_of
    return {
        "documents": list(source.documents),
        "passage_ids": list(source.passage_ids),
        "proof": [asdict(span) for span in source.proof],
        "question_kind": source.kind,
    }


def _plan(context: RoundContext, con: Connection) -> Iterator[PlannedUnit]:
    draw = draw_order(context, con)
    return _plan_of(draw, draw.wanted)(context, con)


def _rows(context: RoundContext, unit: Unit) -> Rows:
    return {"base_instances": [{**unit.key(context.round_id), **_language(unit.inputs), **unit.inputs}]}


def _language(inputs: Mapping[str, Any]) -> dict[str, object]:
    """Detect the language of a base instance, and return the columns for it. If a language is declared, return {}.

    The detector reads the question together with the signal passages, since a question alone is often too short.
    """
    if "language" in inputs:
        return {}
    relevant = [passage["text"] for passage in inputs["passages"] if passage["relevant"]]
    found = detect("\n".join((inputs["question"], *relevant)))
    return {"language": found.code, "language_confidence": found.confidence}


INGEST: Final = Stage(NAME, "base_instances", FOLDER, _plan, WithoutModels(_rows))


def wave(draw: Draw, drawn: Mapping[str | None, int]) -> Stage:
    """Return the stage `ingest`, restricted to the first `drawn[domain]` base instances of each domain of a draw."""
    return replace(INGEST, plan=_plan_of(draw, drawn))
