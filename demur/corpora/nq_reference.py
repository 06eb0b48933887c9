"""The NaturalQuestions reference format of the published pipeline: `query`, `answer`, `gold_docs`, `qid`.

Tolerated, as the published reader does: `answer` as one bare string. Beyond it: a gold document may be an object
{text, title} instead of a string, and the context is the first gold document in which an accepted answer stands (the
published reader takes the first one, and its screen then drops the row if the answer is elsewhere). `retrieved_docs`
is never read: a retrieved document is not known to hold the answer. Other keys are left alone.
"""

from demur.corpora.faults import FaultReason, RowFault, shown
from demur.corpora.fields import (
    answer_list,
    clean_text,
    identifier,
    optional_label,
    require_answer_in_text,
    required,
)
from demur.corpora.jsonl import Json, Record
from demur.corpora.rows import CorpusPassage, CorpusRow

_REMEDY = "give the documents known to hold the answer"


def parse_nq_reference(record: Record) -> CorpusRow:
    """Return the single-document row that a record of the NaturalQuestions reference holds.

    Raises:
        RowFault: a field is missing or wrong, or no accepted answer stands in a gold document.
    """
    source_id = identifier(record, "qid")
    question = required(record, "query", FaultReason.BAD_QUESTION, "write the question as one string")
    answers = answer_list(record, "answer", single_allowed=True)
    documents = _gold_documents(record)
    context = next((doc for doc in documents if any(answer in doc.text for answer in answers)), documents[0])
    require_answer_in_text(answers, (context,), "answer")
    return CorpusRow(
        source_id=source_id,
        domain=optional_label(record, "domain"),
        title=context.title,
        question=question,
        answers=answers,
        passages=(context,),
    )


def _gold_documents(record: Record) -> tuple[CorpusPassage, ...]:
    value = record.get("gold_docs")
    if not isinstance(value, list) or not value:
        problem = f"is {shown(value)}" if "gold_docs" in record else "is missing"
        raise RowFault(FaultReason.BAD_CONTEXT, "gold_docs", problem, "a list of at least one text", _REMEDY)
    return tuple(_document(entry, f"gold_docs[{index}]") for index, entry in enumerate(value))


def _document(entry: Json, place: str) -> CorpusPassage:
    title = None
    text = entry
    if isinstance(entry, dict):
        title = optional_label(entry, "title", f"{place}.")
        place = f"{place}.text"
        text = entry.get("text")
    return CorpusPassage(
        text=clean_text(text, place, FaultReason.BAD_CONTEXT, "a non-empty string", _REMEDY),
        relevant=True,
        title=title,
    )
