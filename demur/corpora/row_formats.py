"""The formats demur and GaRAGe, and checks of their fields."""

import re
import unicodedata
from dataclasses import dataclass
from datetime import datetime, time
from enum import StrEnum

from demur.corpora.corpus_rows import Acceptance, CorpusPassage, CorpusRow, FaultReason, RowFault, shown
from demur.corpora.jsonl import Json, Record
from demur.text.language_detection import LANGUAGE_CODES, is_language, says_yes_or_no
from demur.text.stated import Difference, differences, near_miss

# Checks of single fields. A check returns the clean value, or raises a fault that shows the value.
#
# Text is data and is not interpreted. Only its Unicode normalisation (to NFC) and its line ends (to LF) are changed.


def clean_text(value: Json, field: str, reason: FaultReason, allowed: str, remedy: str) -> str:
    """Return a non-empty text in NFC with LF line ends.

    Raises:
        RowFault: the value is no text, is blank, or holds NUL or a lone surrogate.
    """
    if not isinstance(value, str) or not value.strip():
        raise RowFault(reason, field, f"is {shown(value)}", allowed, remedy)
    if "\0" in value:
        raise RowFault(
            FaultReason.NUL_CHARACTER,
            field,
            f"holds a NUL character near {_around(value, value.index(chr(0)))}",
            "text without NUL",
            "remove the character",
        )
    try:
        value.encode("utf-8")
    except UnicodeEncodeError as exc:
        raise RowFault(
            FaultReason.LONE_SURROGATE,
            field,
            f"holds half a surrogate pair near {_around(value, exc.start)}",
            "whole Unicode characters",
            "export the row again; the text was cut in the middle of a character",
        ) from exc
    return unicodedata.normalize("NFC", value).replace("\r\n", "\n").replace("\r", "\n")


def _around(text: str, position: int) -> str:
    return shown(text[max(0, position - 10) : position + 10])


def required(record: Record, field: str, reason: FaultReason, remedy: str) -> str:
    """Return the non-empty text of a required field."""
    if field not in record:
        raise RowFault(reason, field, "is missing", "a non-empty string", remedy)
    return clean_text(record[field], field, reason, "a non-empty string", remedy)


def optional_label(record: Record, field: str, prefix: str = "") -> str | None:
    """Return a label such as domain or title; None if it is absent, null or empty."""
    value = record.get(field)
    if value is None or value == "":
        return None
    return clean_text(
        value, f"{prefix}{field}", FaultReason.BAD_LABEL, "a string, or nothing", "write a string, or leave it out"
    )


def optional_language(record: Record, field: str) -> str | None:
    """Return the declared language as a code of ISO 639-1; None if it is absent or null."""
    value = record.get(field)
    if value is None:
        return None
    if not isinstance(value, str) or not is_language(value):
        raise RowFault(
            FaultReason.BAD_LANGUAGE,
            field,
            f"is {shown(value)}",
            LANGUAGE_CODES,
            "give the language of question and passages, or leave the field out to have it detected",
        )
    return value


def as_written(value: object) -> str:
    """Return a cell's number or date as people write it: tables keep 1945 as 1945.0, and days as midnights."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, datetime) and value.time() == time():
        return str(value.date())
    return str(value)


def identifier(record: Record, field: str) -> str:
    """Return the row's id as text."""
    value = record.get(field)
    if isinstance(value, int | float) and not isinstance(value, bool) and value == value // 1:
        return as_written(value)
    if field not in record:
        raise RowFault(
            FaultReason.BAD_ID, field, "is missing", "a non-empty string or a whole number", "give each row its own id"
        )
    return clean_text(
        value, field, FaultReason.BAD_ID, "a non-empty string or a whole number", "give each row its own id"
    )


def answer_list(record: Record, field: str) -> tuple[str, ...]:
    """Return the accepted answers in the row's order, each once."""
    allowed = "a list of at least one non-empty string"
    remedy = "list every accepted answer as a string; numbers and dates too"
    value = record.get(field)
    if field not in record:
        raise RowFault(FaultReason.BAD_ANSWERS, field, "is missing", allowed, remedy)
    if not isinstance(value, list) or not value:
        raise RowFault(FaultReason.BAD_ANSWERS, field, f"is {shown(value)}", allowed, remedy)
    answers = (
        clean_text(answer, f"{field}[{index}]", FaultReason.BAD_ANSWERS, "a non-empty string", remedy)
        for index, answer in enumerate(value)
    )
    return tuple(dict.fromkeys(answers))


def acceptance_of(
    answers: tuple[str, ...], passages: tuple[CorpusPassage, ...], language: str | None, *, may_be_proved: bool
) -> tuple[Acceptance, frozenset[Difference]]:
    """Return why the answers count, and the differences between an answer and a relevant passage that states it.

    Args:
        answers: The accepted answers.
        passages: The passages of the row.
        language: The declared language.
        may_be_proved: Whether answers that no passage states are left to the screeners.

    Raises:
        RowFault: no passage is relevant, or none of the relevant ones states an accepted answer.
    """
    relevant = [passage.text for passage in passages if passage.relevant]
    if not relevant:
        raise RowFault(
            FaultReason.NO_RELEVANT_PASSAGE,
            "passages",
            f"has {len(passages)} entries, none of them with relevant: true",
            "at least one relevant passage",
            "mark the passages that bear on the answer",
        )
    if any(says_yes_or_no(answer) for answer in answers):
        return Acceptance.YES_NO, frozenset()
    met = [found for a in answers for text in relevant if (found := differences(a, text, language)) is not None]
    if met:
        least = min(met, key=len)
        return Acceptance.SPELLING if least else Acceptance.LETTERS, least
    if may_be_proved:
        return Acceptance.PROVED, frozenset()
    missed = next((miss for a in answers for text in relevant if (miss := near_miss(a, text))), None)
    raise RowFault(
        FaultReason.ANSWER_NOT_IN_TEXT,
        "answers",
        f"{shown(list(answers))} is in none of the {len(relevant)} relevant passages"
        + (f", though one has it with other {missed}" if missed else ""),
        "at least one answer that a relevant passage states, in any spelling (except for yes and no)",
        "add the wording of the passage to the answers, correct the passage, or let screeners prove it (--answers "
        "proved)",
    )


# GaRAGe's published format, with the filter and the normalisation that turn records into base instances.
#
# A record has `sample_id`, `question`, `question_category`, `answer_generate`, and the annotations that the filter
# reads. `grounding` is a list of passages: {"cite_1": text, "age", "date", "provider"}. `evidence_correct`,
# `evidence_relevant` and `evidence_cited` are lists with a label for each passage. In `evidence_correct`, the label
# ANSWER-THE-QUESTION marks a signal passage. The labels of the other two lists are YES and NO. Case, punctuation and
# spaces in labels do not matter. The values true and false mean YES and NO.
#
# The filter leaves out rows that miss a criterion. These rows are counted, but are not faulty. The criteria, in
# order:
#
# - Human-validated: `answer_validate` is YES. - Answerable: `question_valid` is YES, and `question_false_premise` is
# not YES. - Temporally stable: `question_sensitive` is NO, or `question_type` has the label Slow-Changing. - Low to
# moderate complexity: `question_complexity` is Simple, Simple w. condition, Set or Comparison. - At least one signal
# passage; a row without a signal passage is not answerable. - At least 10 passages with text, and enough noise
# passages among them for the normalisation.
#
# The normalisation takes 10 passages. Up to 5 are signal passages: passages that the human answer cites are taken
# first, then other signal passages in grounding order. The other passages are noise passages: passages labelled
# relevant are taken first. Further signal passages are left out and do not become noise passages. The ten passages
# are in grounding order. A person wrote the reference answer freely, so passages need not contain it. Its citation
# marks are removed, because the numbers refer to the original passages.
#
# Sources: GaRAGe (arXiv 2506.07671) and its data card; RefusalBench (arXiv 2510.10390), Appendix C.1. The appendix
# names the criteria without values; the values above are our interpretation.


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


# demur's own format: `id`, `question`, `answers`, and either `context` or `passages`, with optional labels.
#
# The labels are `domain`, `title` and `language` (a code of ISO 639-1). If neither the row nor the configuration
# gives a language, demur detects the language.
#
# {"id": "s1", "domain": "science", "title": "...", "question": "...", "answers": ["..."], "context": "..."} {"id":
# "m1", "question": "...", "answers": ["..."], "passages": [{"text": "...", "relevant": true, "title": "..."}]}
#
# A row with `is_impossible: true`, as in SQuAD 2.0, is left out. Other keys are ignored.


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
