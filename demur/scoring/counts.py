"""Counts of responses for all metrics, and the indicator columns whose sums are the counts."""

from dataclasses import dataclass, fields
from typing import Self

import numpy as np

from demur.levers.vocabulary import Code, Confidence, Reaction
from demur.scoring.bootstrap import FloatArray
from demur.scoring.responses import EXPECTED, REACTIONS, UNKNOWN, ResponseArrays

BINS = len(Confidence)
AMBIGUOUS = EXPECTED.index(Code.AMBIGUOUS)
ASKED_BACK = REACTIONS.index(Reaction.ASKED_BACK)
HEDGED = REACTIONS.index(Reaction.PARTIAL_ANSWER)


def ratio(part: FloatArray, whole: FloatArray) -> FloatArray:
    """Divide elementwise; NaN where the whole is 0."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(whole > 0, part / whole, np.nan))


@dataclass(frozen=True, slots=True, eq=False)
class OutcomeCounts:
    """Counts of responses, as arrays of equal shape; `stated_*` have an additional first axis of confidence bins.

    In bootstrap replicates the counts are weighted sums. `multi_*` count responses to items of several documents.
    `graded_*` count attempts with a known grade on answerable items of several documents. `ungraded*` count attempts
    without known correctness on answerable items. `any_reason` counts responses to items to be refused for whatever
    reason; all their refusals are among the `matches`. `plain*` count responses in plain words.
    `provider_refusals` are counted among the refusals too.
    """

    answerable: FloatArray
    unanswerable: FloatArray
    attempts_on_answerable: FloatArray
    refusals_of_answerable: FloatArray
    correct_answers: FloatArray
    attempts_on_unanswerable: FloatArray
    refusals_of_unanswerable: FloatArray
    matches: FloatArray
    multi_answerable: FloatArray
    multi_unanswerable: FloatArray
    multi_attempts: FloatArray
    multi_correct: FloatArray
    multi_matches: FloatArray
    graded_eligible: FloatArray
    eligible: FloatArray
    graded_supported_all: FloatArray
    supported_all: FloatArray
    graded_supported_relevant: FloatArray
    supported_relevant: FloatArray
    ungraded: FloatArray
    ungraded_multi: FloatArray
    ungraded_with_confidence: FloatArray
    any_reason: FloatArray
    plain: FloatArray
    plain_ambiguous: FloatArray
    plain_attempts: FloatArray
    asked_back: FloatArray
    asked_back_on_ambiguous: FloatArray
    hedged: FloatArray
    provider_refusals: FloatArray
    stated_answers: FloatArray
    stated_answers_accurate: FloatArray
    stated_refusals: FloatArray
    stated_refusals_accurate: FloatArray
    stated_invalid: FloatArray
    stated_answers_claimed: FloatArray
    stated_refusals_claimed: FloatArray
    stated_invalid_claimed: FloatArray

    @classmethod
    def of(cls, sums: FloatArray) -> Self:
        """Return counts from sums, shape (sums, ...), in the order of `indicators`."""
        parts: list[FloatArray] = []
        at = 0
        for field in fields(cls):
            if field.name.startswith("stated_"):
                parts.append(sums[at : at + BINS])
                at += BINS
            else:
                parts.append(sums[at])
                at += 1
        return cls(*parts)

    @property
    def responses(self) -> FloatArray:
        """All responses, INVALID ones included."""
        return self.answerable + self.unanswerable

    @property
    def refusals(self) -> FloatArray:
        """Refusals of any item with any code."""
        return self.refusals_of_answerable + self.refusals_of_unanswerable

    @property
    def attempts(self) -> FloatArray:
        """Answer attempts on any item."""
        return self.attempts_on_answerable + self.attempts_on_unanswerable

    @property
    def invalid(self) -> FloatArray:
        """Responses that are neither refusals nor attempts."""
        return self.responses - self.refusals - self.attempts

    @property
    def multi_responses(self) -> FloatArray:
        """All responses to items of several documents."""
        return self.multi_answerable + self.multi_unanswerable

    @property
    def stated(self) -> FloatArray:
        """Responses with a stated confidence, per bin."""
        return self.stated_answers + self.stated_refusals + self.stated_invalid

    @property
    def stated_accurate(self) -> FloatArray:
        """Accurate responses with a stated confidence, per bin."""
        return self.stated_answers_accurate + self.stated_refusals_accurate

    @property
    def stated_claimed(self) -> FloatArray:
        """Sum of the stated probabilities of being right, per bin."""
        return self.stated_answers_claimed + self.stated_refusals_claimed + self.stated_invalid_claimed


def indicators(responses: ResponseArrays) -> FloatArray:
    """Return the columns whose sums are counts, shape (sums, rows).

    The columns of `stated_*_claimed` have stated probabilities. All other columns have 0 or 1.
    """
    yes = responses.answerable
    no = ~responses.answerable
    attempted = responses.attempted
    refused = responses.refused
    correct = yes & responses.accurate
    multi = responses.several_documents
    tried = multi & yes & attempted
    grades = (responses.eligible, responses.supported_all, responses.supported_relevant)
    plain = responses.reaction != UNKNOWN
    asked_back = responses.reaction == ASKED_BACK
    ambiguous = responses.expected == AMBIGUOUS
    bins = responses.confidence[None, :] == np.arange(BINS)[:, None]
    columns = [
        yes,
        no,
        yes & attempted,
        yes & refused,
        correct,
        no & attempted,
        no & refused,
        responses.matched,
        multi & yes,
        multi & no,
        tried,
        multi & correct,
        multi & responses.matched,
        *(column for grade in grades for column in (tried & (grade != UNKNOWN), tried & (grade == 1))),
        responses.ungraded,
        multi & responses.ungraded,
        responses.ungraded & (responses.confidence != UNKNOWN),
        responses.any_reason,
        plain,
        plain & ambiguous,
        plain & attempted,
        asked_back,
        asked_back & ambiguous,
        attempted & (responses.reaction == HEDGED),
        responses.refused_by_provider == 1,
    ]
    stated = (
        attempted,
        attempted & responses.accurate,
        refused,
        refused & responses.accurate,
        responses.invalid,
    )
    claimed = np.where(np.isnan(responses.claimed), 0.0, responses.claimed)
    claims = [(bins & part) * claimed for part in (attempted, refused, responses.invalid)]
    return np.concatenate([np.stack(columns), *(bins & part for part in stated), *claims]).astype(np.float64)
