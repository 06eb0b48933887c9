"""GaRAGe's published format, with the filter and the normalisation that turn records into base instances.

A record has `sample_id`, `question`, `question_category`, `answer_generate`, and the annotations that the filter reads.
`grounding` is a list of passages: {"cite_1": text, "age", "date", "provider"}. `evidence_correct`, `evidence_relevant`
and `evidence_cited` are lists with a label for each passage. In `evidence_correct`, the label ANSWER-THE-QUESTION marks
a signal passage. The labels of the other two lists are YES and NO. Case, punctuation and spaces in labels do not
matter. The values true and false mean YES and NO.

The filter leaves out rows that miss a criterion. These rows are counted, but are not faulty. The criteria, in order:

- Human-validated: `answer_validate` is YES.
- Answerable: `question_valid` is YES, and `question_false_premise` is not YES.
- Temporally stable: `question_sensitive` is NO, or `question_type` has the label Slow-Changing.
- Low to moderate complexity: `question_complexity` is Simple, Simple w. condition, Set or Comparison.
- At least one signal passage; a row without a signal passage is not answerable.
- At least 10 passages with text, and enough noise passages among them for the normalisation.

The normalisation takes 10 passages. Up to 5 are signal passages: passages that the human answer cites are taken first,
then other signal passages in grounding order. The other passages are noise passages: passages labelled relevant are
taken first. Further signal passages are left out and do not become noise passages. The ten passages are in grounding
order. A person wrote the reference answer freely, so passages need not contain it. Its citation marks are removed,
because the numbers refer to the original passages.

Sources: GaRAGe (arXiv 2506.07671) and its data card; RefusalBench (arXiv 2510.10390), Appendix C.1. The appendix names
the criteria without values; the values above are our interpretation.
"""

import re
from dataclasses import dataclass
from enum import StrEnum

from demur.corpora.faults import FaultReason, RowFault, shown
from demur.corpora.fields import clean_text, identifier, optional_label, required
from demur.corpora.jsonl import Json, Record
from demur.corpora.rows import Acceptance, CorpusPassage, CorpusRow

PASSAGES_PER_ROW = 10
MOST_SIGNAL_PASSAGES = 5
SIGNAL_LABEL = "answerthequestion"
ALLOWED_COMPLEXITIES = frozenset({"simple", "simplewcondition", "simplewithcondition", "set", "comparison"})

_CITATION_MARK = re.compile(r"[ \t]*\[(?:cite_)?\d+(?:\s*,\s*(?:cite_)?\d+)*\]")


class FilterReason(StrEnum):
    """Reasons for leaving out a sound row. Reports use these names.

    Other formats use only NOT_ANSWERABLE and ONE_PASSAGE.
    """

    NOT_VALIDATED = "not_validated"
    NOT_ANSWERABLE = "not_answerable"
    NOT_STABLE = "not_temporally_stable"
    TOO_COMPLEX = "too_complex"
    TOO_FEW_PASSAGES = "too_few_passages"
    TOO_LITTLE_NOISE = "too_little_noise"
    ONE_PASSAGE = "one_passage"


@dataclass(frozen=True, slots=True)
class _Grounded:
    text: str
    signal: bool
    relevant: bool
    cited: bool


def parse_garage(record: Record) -> CorpusRow | FilterReason:
    """Return the row of 10 passages in a record of GaRAGe, or the filter's reason for leaving it out.

    Raises:
        RowFault: a field that the filter does not check is missing or wrong.
    """
    source_id = identifier(record, "sample_id")
    question = required(record, "question", FaultReason.BAD_QUESTION, "write the question as one string")
    if reason := _left_out(record):
        return reason
    grounding = _grounding(record)
    if not any(passage.signal for passage in grounding):
        return FilterReason.NOT_ANSWERABLE
    if len(grounding) < PASSAGES_PER_ROW:
        return FilterReason.TOO_FEW_PASSAGES
    passages = _normalised(grounding)
    if len(passages) < PASSAGES_PER_ROW:
        return FilterReason.TOO_LITTLE_NOISE
    return CorpusRow(
        source_id=source_id,
        domain=optional_label(record, "question_category"),
        title=None,
        question=question,
        answers=(_reference_answer(record),),
        passages=passages,
        acceptance=Acceptance.REFERENCE,
    )


def _left_out(record: Record) -> FilterReason | None:
    if _label(record, "answer_validate") != "yes":
        return FilterReason.NOT_VALIDATED
    if _label(record, "question_valid") != "yes" or _label(record, "question_false_premise") == "yes":
        return FilterReason.NOT_ANSWERABLE
    if _label(record, "question_sensitive") != "no" and _label(record, "question_type") != "slowchanging":
        return FilterReason.NOT_STABLE
    if _label(record, "question_complexity") not in ALLOWED_COMPLEXITIES:
        return FilterReason.TOO_COMPLEX
    return None


def _label(record: Record, field: str) -> str:
    return _folded(record.get(field), field)


def _folded(value: Json, field: str) -> str:
    """Return a label as lower-case letters; empty if there is no label."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if not isinstance(value, str):
        raise RowFault(
            FaultReason.BAD_LABEL, field, f"is {shown(value)}", "a label as a string", "keep GaRAGe's own labels"
        )
    return re.sub(r"[^a-z]", "", value.casefold())


def _grounding(record: Record) -> tuple[_Grounded, ...]:
    grounding = record.get("grounding")
    if not isinstance(grounding, list) or not grounding:
        problem = f"is {shown(grounding)}" if "grounding" in record else "is missing"
        raise RowFault(
            FaultReason.BAD_CONTEXT,
            "grounding",
            problem,
            "a list of passages such as {cite_1: text}",
            "take grounding unchanged from GaRAGe",
        )
    correct = _labels(record, "evidence_correct", len(grounding))
    relevant = _labels(record, "evidence_relevant", len(grounding))
    cited = _labels(record, "evidence_cited", len(grounding))
    texts = [_passage_text(entry, f"grounding[{index}]") for index, entry in enumerate(grounding)]
    return tuple(
        _Grounded(text, correct[i] == SIGNAL_LABEL, relevant[i] == "yes", cited[i] == "yes")
        for i, text in enumerate(texts)
        if text is not None
    )


def _labels(record: Record, field: str, count: int) -> list[str]:
    value = record.get(field)
    if not isinstance(value, list) or len(value) != count:
        problem = f"has {len(value)} labels" if isinstance(value, list) else f"is {shown(value)}"
        raise RowFault(
            FaultReason.BAD_LABEL,
            field,
            problem,
            f"a list of {count} labels, one for each passage of grounding",
            "take the labels unchanged from GaRAGe, in the order of the passages",
        )
    return [_folded(label, f"{field}[{index}]") for index, label in enumerate(value)]


def _passage_text(entry: Json, place: str) -> str | None:
    """Return the text under the entry's `cite_` key; None if the text is empty."""
    if not isinstance(entry, dict):
        raise RowFault(
            FaultReason.BAD_CONTEXT,
            place,
            f"is {shown(entry)}",
            "{cite_1: text, ...}",
            "take grounding unchanged from GaRAGe",
        )
    key = next((key for key in entry if key.startswith("cite_")), None)
    text = entry.get(key) if key else None
    if text is None or (isinstance(text, str) and not text.strip()):
        return None
    return clean_text(
        text, f"{place}.{key}", FaultReason.BAD_CONTEXT, "a string", "take grounding unchanged from GaRAGe"
    )


def _normalised(grounding: tuple[_Grounded, ...]) -> tuple[CorpusPassage, ...]:
    positions = range(len(grounding))
    signal = sorted((i for i in positions if grounding[i].signal), key=lambda i: not grounding[i].cited)
    noise = sorted((i for i in positions if not grounding[i].signal), key=lambda i: not grounding[i].relevant)
    kept = signal[:MOST_SIGNAL_PASSAGES]
    kept += noise[: PASSAGES_PER_ROW - len(kept)]
    return tuple(CorpusPassage(text=grounding[i].text, relevant=grounding[i].signal) for i in sorted(kept))


def without_citation_marks(answer: str) -> str:
    """Return an answer without citations such as [1], whose numbers refer to the passages of the source."""
    return _CITATION_MARK.sub("", answer).strip()


def _reference_answer(record: Record) -> str:
    remedy = "give the answer that a person wrote"
    answer = required(record, "answer_generate", FaultReason.BAD_ANSWERS, remedy)
    return clean_text(
        without_citation_marks(answer),
        "answer_generate",
        FaultReason.BAD_ANSWERS,
        "an answer beside its citations",
        remedy,
    )
