"""Rows of sets that others made: the published RefusalBench rows, and items in anybody's fields."""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from enum import StrEnum
from typing import Final, TypedDict

from demur.corpora.corpus_rows import CorpusPassage, FaultReason, RowFault, shown
from demur.corpora.jsonl import Json, Record
from demur.corpora.record_files import first_at, found_at
from demur.corpora.row_formats import (
    as_written,
    clean_text,
    identifier,
    optional_label,
    optional_language,
    without_citation_marks,
)
from demur.engine.context import digest_of
from demur.exchange.responses.response_fields import ResponseFault, expectation, stratum
from demur.levers.vocabulary import ENGLISH, AnyReason, Code, Expectation, Intensity, Layout, LeverClass, expected_code


class SetFormat(StrEnum):
    """Formats of rows: the published fields of RefusalBench, or anybody's items."""

    REFUSALBENCH = "refusalbench"
    ITEMS = "items"


class WithoutAnswers(StrEnum):
    """What is expected of items that name no expected behaviour and have no answers: a fault, or a refusal."""

    FAIL = "fail"
    REFUSE = "refuse"


@dataclass(frozen=True, slots=True)
class SetRow:
    """One item of a set.

    `original_question` and `original_passages` are None and empty if the row has only the changed texts. `textless` is
    the number of passages that were left out because they have no text.
    """

    id: str
    source_id: str
    question: str
    passages: tuple[CorpusPassage, ...]
    answers: tuple[str, ...]
    expected: Expectation
    lever_class: LeverClass | None = None
    intensity: Intensity | None = None
    generator: str | None = None
    lever: str | None = None
    domain: str | None = None
    title: str | None = None
    language: str | None = None
    original_question: str | None = None
    original_passages: tuple[str, ...] = ()
    reasoning: str | None = None
    votes: tuple[tuple[str, str], ...] = ()
    textless: int = 0

    @property
    def layout(self) -> Layout:
        """SINGLE for one passage, MULTI otherwise."""
        return Layout.SINGLE if len(self.passages) == 1 else Layout.MULTI


ITEM_FIELDS: Final = (
    "id", "source_id", "question", "context", "passages", "answers", "expected", "class", "intensity", "generator",
    "lever", "domain", "title", "language",
)  # fmt: skip
"""Fields of the format `items`."""
PUBLISHED_FIELDS: Final = (
    "id", "source_id", "generator_model", "perturbation_class", "intensity", "expected_rag_behavior", "lever_selected",
    "original_query", "original_context", "original_answers", "perturbed_query", "perturbed_context", "query",
    "grounding", "reference_answer", "signal_indices", "implementation_reasoning", "verifier_votes", "domain",
    "language",
)  # fmt: skip
"""Fields of the format `refusalbench` that are read, of both published layouts."""
FIELDS: Final[Mapping[SetFormat, tuple[str, ...]]] = {
    SetFormat.REFUSALBENCH: PUBLISHED_FIELDS,
    SetFormat.ITEMS: ITEM_FIELDS,
}
_OTHER_NAMES: Final = {"unique_id": "id", "question_category": "domain", "is_impossible": "expected"}
"""Fields of older dumps, of GaRAGe and of SQuAD, and the fields that they stand for."""
_LISTS: Final = ("context", "passages", "answers", "original_answers", "grounding")
_MARKS: Final = ("expected_rag_behavior", "perturbation_class", "perturbed_query", "perturbed_instance")
_CITED: Final = re.compile(r"cite_\d+")
_TEXTS: Final = ("text", "content", "passage", "context")
"""Keys of a passage's text, beside `cite_N`."""
_NUMBERS_AND_DATES: Final = (int, float, Decimal, date)
"""Values of JSON and Parquet that are answers as they are written."""
_TRUTHS: Final = {"true": "answer", "answerable": "answer", "false": "refuse", "unanswerable": "refuse"}


def read_fields(chosen: SetFormat) -> frozenset[str]:
    """Return the fields of rows of a format that are read, older names included."""
    return frozenset((*FIELDS[chosen], *_OTHER_NAMES, "title", "perturbed_instance", "noise_indices"))


def format_of(record: Record) -> SetFormat:
    """Return the format of a row, by its fields."""
    return SetFormat.REFUSALBENCH if any(name in record for name in _MARKS) else SetFormat.ITEMS


def parser(
    chosen: SetFormat, paths: Mapping[str, str], without_answers: WithoutAnswers = WithoutAnswers.FAIL
) -> Callable[[Record], SetRow]:
    """Return the function that parses a row; it raises RowFault for a row that cannot be used.

    Args:
        chosen: the format.
        paths: mapped fields, from `parse_map`.
        without_answers: what is expected of rows that do not say it and have no answers.
    """

    def parse(record: Record) -> SetRow:
        given = _mapped(record, paths)
        try:
            return _published(given) if chosen is SetFormat.REFUSALBENCH else _item(given, without_answers)
        except ResponseFault as exc:
            field, _, problem = str(exc).partition(" ")
            raise RowFault(
                FaultReason.BAD_EXPECTED if field == "expected" else FaultReason.BAD_STRATUM,
                field,
                problem,
                "one of the values named",
                "correct the value, map another field (--map), or leave the field out",
            ) from exc

    return parse


def _mapped(record: Record, paths: Mapping[str, str]) -> Record:
    """Return a row under our names of fields."""
    given: Record = {name: value for name, value in record.items() if not _is_nothing(value)}
    for theirs, ours in _OTHER_NAMES.items():
        if theirs in given and ours not in given:
            value = given[theirs]
            given[ours] = str(_false(value)).lower() if theirs == "is_impossible" else value
    for ours, path in paths.items():
        found: Json = list(found_at(record, path)) if ours in _LISTS else first_at(record, path)
        given.pop(ours, None)
        if found is not None and found != []:
            given[ours] = found
    return given


def _is_nothing(value: Json) -> bool:
    """Return whether a value stands for none: null, empty text, or NaN, as tables write it."""
    return value is None or value == "" or value != value


def _false(value: Json) -> bool:
    return str(value).strip().lower() in ("false", "0")


def _published(given: Record) -> SetRow:
    """Parse a row of RefusalBench, in the layout with one passage, with several passages, or of older dumps."""
    row_id = identifier(given, "id")
    lever_class, intensity = stratum({"class": given.get("perturbation_class"), "intensity": given.get("intensity")})
    stated = given.get("expected_rag_behavior")
    if stated is None and lever_class is not None and intensity is not None:
        stated = expected_code(lever_class, intensity).value
    named: Record = {} if stated is None else {"expected": stated}
    expected = expectation(named, lever_class, intensity)
    instance = given.get("perturbed_instance")
    inner: Record = instance if isinstance(instance, dict) else {}
    stated_question = given.get("perturbed_query", given.get("query", inner.get("query")))
    question = _question(given, stated_question, "perturbed_query")
    context = given.get("perturbed_context", inner.get("context", given.get("grounding")))
    passages, textless = _passages(given, context, _signals(given), "perturbed_context or grounding")
    original = given.get("original_context")
    answers = _texts(given.get("original_answers", given.get("reference_answer")), "original_answers")
    return SetRow(
        id=row_id,
        source_id=identifier(given, "source_id") if "source_id" in given else row_id,
        question=question,
        passages=passages,
        answers=_required_answers(tuple(map(without_citation_marks, answers)), expected),
        expected=expected,
        **_labels(given, lever_class, intensity, generator="generator_model", lever="lever_selected", language=ENGLISH),
        original_question=optional_label(given, "original_query"),
        original_passages=tuple(one.text for one in _passages(given, original, None, "original_context")[0])
        if original
        else (),
        reasoning=optional_label(given, "implementation_reasoning"),
        votes=_votes(given.get("verifier_votes")),
        textless=textless,
    )


def _item(given: Record, without_answers: WithoutAnswers) -> SetRow:
    """Parse an item in anybody's fields."""
    lever_class, intensity = stratum({name: given.get(name) for name in ("class", "intensity")})
    question = _question(given, given.get("question"), "question")
    name = "passages" if "passages" in given else "context"
    passages, textless = _passages(given, given.get(name), None, "context or passages")
    answers = _texts(given.get("answers"), "answers")
    stated = given.get("expected")
    if stated is None:
        stated = _without_expected(answers, without_answers)
    elif isinstance(stated, bool) or (isinstance(stated, str) and stated.strip().lower() in _TRUTHS):
        stated = _TRUTHS[str(stated).strip().lower()]
    expected = expectation({"expected": stated}, lever_class, intensity)
    shown_texts = [question, *(one.text for one in passages)]
    row_id = identifier(given, "id") if "id" in given else digest_of("item", shown_texts)
    return SetRow(
        id=row_id,
        source_id=identifier(given, "source_id") if "source_id" in given else row_id,
        question=question,
        passages=passages,
        answers=_required_answers(answers, expected),
        expected=expected,
        **_labels(given, lever_class, intensity, generator="generator", lever="lever", language=None),
        textless=textless,
    )


class _Labels(TypedDict):
    lever_class: LeverClass | None
    intensity: Intensity | None
    generator: str | None
    lever: str | None
    domain: str | None
    title: str | None
    language: str | None


def _labels(
    given: Record,
    lever_class: LeverClass | None,
    intensity: Intensity | None,
    *,
    generator: str,
    lever: str,
    language: str | None,
) -> _Labels:
    """Return the labels of a row: `generator` and `lever` are the names of their fields, `language` the usual one."""
    return {
        "lever_class": lever_class,
        "intensity": intensity,
        "generator": optional_label(given, generator),
        "lever": optional_label(given, lever),
        "domain": optional_label(given, "domain"),
        "title": optional_label(given, "title"),
        "language": optional_language(given, "language") or language,
    }


def _without_expected(answers: tuple[str, ...], otherwise: WithoutAnswers) -> str:
    if answers:
        return Code.ANSWER_CORRECTLY.value
    if otherwise is WithoutAnswers.REFUSE:
        return AnyReason.REFUSE.value
    raise RowFault(
        FaultReason.BAD_EXPECTED,
        "expected",
        "is missing, and the row has no answers",
        "answer, refuse, or a refusal code",
        "write it, map it (--map expected=…), or say what such rows expect: --without-answers refuse",
    )


def _required_answers(answers: tuple[str, ...], expected: Expectation) -> tuple[str, ...]:
    if expected is Code.ANSWER_CORRECTLY and not answers:
        raise RowFault(
            FaultReason.BAD_ANSWERS,
            "answers",
            "is missing or empty, but the row expects an answer",
            "at least one accepted answer",
            "add the answers, map them (--map answers=…), or correct what is expected",
        )
    return answers


def _question(given: Record, value: Json, field: str) -> str:
    remedy = f"write the question, or map yours: --map {field}=…"
    if value is None:
        raise RowFault(FaultReason.BAD_QUESTION, field, f"is missing; {_filled(given)}", "a non-empty string", remedy)
    return clean_text(value, field, FaultReason.BAD_QUESTION, "a non-empty string", remedy)


def _filled(given: Record) -> str:
    """Return which fields of a row have a value, for messages."""
    if len(given) == 1 and isinstance(next(iter(given.values())), list):
        [name] = given
        return f"the row is an object with the list {shown(name)} alone; with jq -c '.{name}[]' its entries become rows"
    return f"the row has {shown(list(given))}" if given else "the row has no field with a value"


def _signals(given: Record) -> frozenset[int] | None:
    """Return the positions of relevant passages; None if the row does not say which passages are relevant."""
    stated = given.get("signal_indices")
    if isinstance(stated, str):
        stated = _json(stated, "signal_indices")
    if stated is None:
        return None
    if not isinstance(stated, list) or not all(isinstance(one, int) and not isinstance(one, bool) for one in stated):
        raise RowFault(
            FaultReason.BAD_CONTEXT,
            "signal_indices",
            f"is {shown(stated)}",
            "a list of positions from 0",
            "list the relevant passages, or leave the field out: then all are relevant",
        )
    return frozenset(one for one in stated if isinstance(one, int))


def _passages(
    given: Record, context: Json, signals: frozenset[int] | None, field: str
) -> tuple[tuple[CorpusPassage, ...], int]:
    """Return the passages with text, and the number of passages without text."""
    listed = context if isinstance(context, list) else [context]
    if isinstance(context, str):
        in_cell = context.lstrip().startswith("[{")
        entries = _json(context, field) if in_cell else list(found_at({field: context}, field))
        listed = entries if isinstance(entries, list) else [entries]
    found = []
    for place, entry in enumerate(listed):
        text, relevant = _passage(entry, f"{field}[{place}]")
        if text is not None:
            stated = relevant if signals is None else place in signals
            found.append(CorpusPassage(text=text, relevant=stated))
    if not found:
        raise RowFault(
            FaultReason.BAD_CONTEXT,
            field,
            f"is missing; {_filled(given)}" if context is None else f"has no text: {shown(context)}",
            "a text, or a list with at least one passage with text",
            "give the passages that models are shown, or map them (--map context=…)",
        )
    if signals and not any(one.relevant for one in found):
        raise RowFault(
            FaultReason.BAD_CONTEXT,
            "signal_indices",
            f"is {shown(sorted(signals))}, and none of these {len(listed)} passages has text",
            f"positions from 0 to {len(listed) - 1} of passages with text",
            "list the relevant passages, or leave the field out: then all are relevant",
        )
    return tuple(found), len(listed) - len(found)


def _passage(entry: Json, place: str) -> tuple[str | None, bool]:
    """Return the text of a passage, None if it has none, and whether the passage is relevant."""
    text: Json = entry
    relevant = True
    if isinstance(entry, dict):
        keys = [key for key in entry if key in _TEXTS or _CITED.fullmatch(key)]
        text = next((entry[key] for key in keys if not _is_nothing(entry[key])), None)
        relevant = entry.get("relevant") is not False
    if _is_nothing(text) or (isinstance(text, str) and not text.strip()):
        return None, relevant
    allowed = f"a string, or an object with {', '.join(_TEXTS)} or cite_N"
    return clean_text(text, place, FaultReason.BAD_CONTEXT, allowed, "write the passage as a string"), relevant


def _texts(value: Json, field: str) -> tuple[str, ...]:
    """Return the different answers of a row: of a list, of one text, or of objects with `text` as SQuAD has them."""
    if isinstance(value, dict):
        value = value.get("text")
    entries: Iterable[Json] = value if isinstance(value, list) else found_at({field: value}, field)
    found = []
    for place, entry in enumerate(entries):
        text = entry.get("text") if isinstance(entry, dict) else entry
        if isinstance(text, _NUMBERS_AND_DATES) and not isinstance(text, bool) and not _is_nothing(text):
            text = as_written(text)
        found.append(
            clean_text(
                text, f"{field}[{place}]", FaultReason.BAD_ANSWERS, "a non-empty string", "write answers as text"
            )
        )
    return tuple(dict.fromkeys(found))


def _votes(value: Json) -> tuple[tuple[str, str], ...]:
    if isinstance(value, str):
        value = _json(value, "verifier_votes")
    if not isinstance(value, dict):
        return ()
    votes = sorted((str(name), str(vote).upper()) for name, vote in value.items() if vote is not None)
    if unknown := [vote for _, vote in votes if vote not in ("PASS", "FAIL")]:
        raise RowFault(
            FaultReason.BAD_LABEL,
            "verifier_votes",
            f"has the vote {shown(unknown[0])}",
            "PASS or FAIL for each model",
            "correct the vote, or leave the field out",
        )
    return tuple(votes)


def _json(text: str, field: str) -> Json:
    try:
        found: Json = json.loads(text)
    except ValueError as exc:
        raise RowFault(
            FaultReason.MALFORMED_JSON, field, f"is {shown(text)}, which is not JSON", "JSON", "export the field again"
        ) from exc
    return found
