"""demur's own format: `id`, `question`, `answers`, and either `context` or `passages`, with optional labels.

The labels are `domain`, `title` and `language` (a code of ISO 639-1). If neither the row nor the configuration gives a
language, demur detects the language.

    {"id": "s1", "domain": "science", "title": "...", "question": "...", "answers": ["..."], "context": "..."}
    {"id": "m1", "question": "...", "answers": ["..."], "passages": [{"text": "...", "relevant": true, "title": "..."}]}

A row with `is_impossible: true`, as in SQuAD 2.0, is left out. Other keys are ignored.
"""

from demur.corpora.faults import FaultReason, RowFault, shown
from demur.corpora.fields import (
    acceptance_of,
    answer_list,
    clean_text,
    identifier,
    optional_label,
    optional_language,
    required,
)
from demur.corpora.garage import FilterReason
from demur.corpora.jsonl import Json, Record
from demur.corpora.rows import CorpusPassage, CorpusRow

_PASSAGES = "a list of at least one {text, relevant} object"
_TEXT_REMEDY = "give the text in which the answer stands"


def parse_demur(record: Record, *, may_be_proved: bool = False) -> CorpusRow | FilterReason:
    """Return the row in a record, or the reason for leaving it out.

    If `may_be_proved`, answers that no passage states are left to the screeners.

    Raises:
        RowFault: a field is missing or wrong, or no relevant passage states an accepted answer.
    """
    if record.get("is_impossible") is True:
        return FilterReason.NOT_ANSWERABLE
    source_id = identifier(record, "id")
    question = required(record, "question", FaultReason.BAD_QUESTION, "write the question as one string")
    answers = answer_list(record, "answers")
    title = optional_label(record, "title")
    passages = _passages(record, title)
    language = optional_language(record, "language")
    acceptance, differences = acceptance_of(answers, passages, language, may_be_proved=may_be_proved)
    return CorpusRow(
        source_id=source_id,
        domain=optional_label(record, "domain"),
        title=title,
        question=question,
        answers=answers,
        passages=passages,
        language=language,
        acceptance=acceptance,
        differences=differences,
    )


def _passages(record: Record, title: str | None) -> tuple[CorpusPassage, ...]:
    if "context" in record and "passages" in record:
        raise RowFault(
            FaultReason.BAD_CONTEXT,
            "context and passages",
            "are both given",
            "one of them",
            "give context for one document, or passages for several",
        )
    if "passages" not in record:
        text = required(record, "context", FaultReason.BAD_CONTEXT, f"{_TEXT_REMEDY}, or passages")
        return (CorpusPassage(text=text, relevant=True, title=title),)
    value = record["passages"]
    if not isinstance(value, list) or not value:
        raise RowFault(FaultReason.BAD_CONTEXT, "passages", f"is {shown(value)}", _PASSAGES, _TEXT_REMEDY)
    return tuple(_passage(entry, f"passages[{index}]") for index, entry in enumerate(value))


def _passage(entry: Json, place: str) -> CorpusPassage:
    if not isinstance(entry, dict):
        raise RowFault(
            FaultReason.BAD_CONTEXT, place, f"is {shown(entry)}", "an object {text, relevant, title}", _TEXT_REMEDY
        )
    relevant = entry.get("relevant")
    if not isinstance(relevant, bool):
        problem = f"is {shown(relevant)}" if "relevant" in entry else "is missing"
        raise RowFault(
            FaultReason.BAD_CONTEXT,
            f"{place}.relevant",
            problem,
            "true or false",
            "give true if the passage bears on the answer, otherwise false",
        )
    text = clean_text(entry.get("text"), f"{place}.text", FaultReason.BAD_CONTEXT, "a non-empty string", _TEXT_REMEDY)
    return CorpusPassage(text=text, relevant=relevant, title=optional_label(entry, "title", f"{place}."))
