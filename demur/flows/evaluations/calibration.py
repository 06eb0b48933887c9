"""Agreement of judges with people: files of labelled responses, compared with the judgements of a round."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import pandas as pd
from pydantic import Field, field_validator

from demur.engine.context import digest_of, home_reading
from demur.engine.loading import published_change
from demur.errors import FlowError
from demur.flows.evaluations import REPLICATES
from demur.levers.instances import Passage, passage_records
from demur.levers.lever_models import Strict
from demur.levers.vocabulary import PREDICTED, Code
from demur.programs.judge import BY_CODE, BY_REPLY
from demur.reports.score_provenance import CODE, CORRECT
from demur.rewards.graded_files import read_lines
from demur.scoring import SEED
from demur.scoring.agreement import cohen_estimate, share_estimate
from demur.scoring.intervals import known
from demur.warehouse.home import Home
from demur.warehouse.releases.manifest import sha256
from demur.warehouse.round_rows import record_judge_calibrations
from demur.warehouse.statements import records

# Agreement of judges with people: compares people's labels of responses with the judgements of a round.


SHAPE: Final = (
    'A label is {"item_id", "respondent", "predicted"}, with "correct" for answers and "replicate" where there are '
    "several"
)


class HumanVerdict(Strict):
    """A person's label of a response."""

    predicted: str
    correct: bool | None = None

    @field_validator("predicted")
    @classmethod
    def _is_known(cls, value: str) -> str:
        if value not in PREDICTED:
            raise ValueError(f"'{value}' is not one of {', '.join(PREDICTED)}")
        return value


class HumanLabel(HumanVerdict):
    """A person's label of one response of a round: one line of the file."""

    item_id: str = Field(min_length=1)
    respondent: str = Field(min_length=1)
    replicate: int = Field(default=0, ge=0)

    @property
    def response(self) -> tuple[str, str, int]:
        """The key of the labelled response: item_id, respondent, replicate."""
        return self.item_id, self.respondent, self.replicate


def calibrate_judges(home: Home, round_id: str, path: Path) -> list[dict[str, Any]]:
    """Compute the agreement of a round's judges with the labels in a file, store it in the warehouse, and return it.

    Each judge has two rows: one compares the codes, the other compares the grades correct and wrong. A row contains the
    share of responses on which judge and person agree, and Cohen's kappa with its 95 % interval, bootstrapped over
    source questions. A row is missing if there are no responses to compare.

    Raises:
        FlowError: the file cannot be read, a line is malformed, or a labelled response does not exist.
    """
    labels = read_labels(path)
    found = agreements(judged_responses(home, round_id), labels, path)
    return keep_calibrations(home, round_id, sha256(path), list(found))


def judged_responses(home: Home, round_id: str) -> pd.DataFrame:
    """Return the judgements of a round, one row per response and judge.

    Raises:
        FlowError: the round has no judged responses of a release.
    """
    with home_reading(home) as con:
        judged = pd.DataFrame(list(records(con, "judged_responses", [round_id])))
    if judged.empty:
        raise FlowError(
            f"round '{round_id}': has no judged responses of a release. Name an evaluation or a released round; "
            "`demur evaluations list` shows both"
        )
    return judged


def keep_calibrations(
    home: Home, round_id: str, digest: str, found: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Store agreements of judges with people in the warehouse, and return the stored rows.

    `digest` is the SHA-256 of the file with people's labels.
    """
    rows = [{"round_id": round_id, "labels_digest": digest, **row} for row in found]
    now = datetime.now(UTC)
    with published_change(home) as con:
        record_judge_calibrations(con, [{**row, "calibrated_at": now} for row in rows])
    return rows


def read_labels(path: Path) -> dict[tuple[str, str, int], HumanLabel]:
    """Return the labels of a file. The keys are the item, respondent and replicate of the labelled response.

    Raises:
        FlowError: the file cannot be read or is empty, a line is malformed, or two labels name one response.
    """
    found: dict[tuple[str, str, int], HumanLabel] = {}
    for number, label in read_lines(HumanLabel, path, SHAPE)[1]:
        if label.response in found:
            raise FlowError(f"{path}:{number}: an earlier line has a label of this response too. Keep one of the two")
        found[label.response] = label
    return found


def agreements(
    judged: pd.DataFrame, labels: dict[tuple[str, str, int], HumanLabel], path: Path
) -> Iterator[dict[str, Any]]:
    """Yield the agreement of each judge with the labels: a row for codes, and a row for correct and wrong answers.

    Responses that are exactly one refusal code are left out, unless the judge was asked about them (`judge_codes`).

    Raises:
        FlowError: a labelled response is not in `judged`.
    """
    there = set(zip(judged["item_id"], judged["respondent"], judged["replicate"], strict=True))
    if missing := [response for response in labels if response not in there]:
        item, respondent, replicate = missing[0]
        raise FlowError(
            f"{path}: item_id '{item}', respondent '{respondent}', replicate {replicate} is not a judged response of "
            f"this round ({len(missing)} such labels). Take item_id and respondent from `responses`"
        )
    for (judge, judge_digest), rows in judged.groupby(["judge", "judge_digest"], sort=True):
        pairs = [
            (row, labels[key])
            for row in rows.to_dict("records")
            if (key := (row["item_id"], row["respondent"], row["replicate"])) in labels
            and row["judged_by"] not in (BY_CODE, BY_REPLY)
        ]
        graded = [(row, label) for row, label in pairs if label.correct is not None and not pd.isna(row["correct"])]
        for aspect, judgements, people, about in (
            (CODE, [r["predicted"] for r, _ in pairs], [one.predicted for _, one in pairs], pairs),
            (CORRECT, [str(bool(r["correct"])) for r, _ in graded], [str(one.correct) for _, one in graded], graded),
        ):
            if about:
                sources = pd.Series([row["source_id"] for row, _ in about])
                yield {
                    "judge": str(judge),
                    "judge_digest": str(judge_digest),
                    "aspect": aspect,
                    **_agreement(judgements, people, sources),
                }


def _agreement(first: Sequence[str], second: Sequence[str], sources: pd.Series) -> dict[str, Any]:
    kappa = cohen_estimate(first, second, sources, replicates=REPLICATES, seed=SEED)
    observed = share_estimate(
        [one == other for one, other in zip(first, second, strict=True)], sources, replicates=REPLICATES, seed=SEED
    )
    return {
        "responses": len(first),
        "sources": int(sources.nunique()),
        "observed": observed.value,
        "observed_low": known(observed.low),
        "observed_high": known(observed.high),
        "kappa": known(kappa.value),
        "low": known(kappa.low),
        "high": known(kappa.high),
        "reason": kappa.reason or None,
    }


# Files of labelled responses, one JSON object per line, for the calibration of judges.


LABELLED_SHAPE: Final = (
    'A line is {"question", "passages": ["..."], "answers": ["..."], "response", "predicted"}, without answers where '
    'it should be refused, with "correct" for answers and "source_id" where several lines have one source question'
)


class FilePassage(Strict):
    """A passage of a labelled response. `relevant` is true for a signal passage and false for a noise passage."""

    text: str = Field(min_length=1)
    relevant: bool = True


class LabelledResponse(HumanVerdict):
    """A response with its question and a person's label: one line of the file."""

    question: str = Field(min_length=1)
    passages: tuple[str | FilePassage, ...] = Field(min_length=1)
    answers: tuple[str, ...] = ()
    response: str
    source_id: str | None = Field(default=None, min_length=1)

    def row(self, number: int) -> dict[str, object]:
        """Return this response as a row of the table `file_lines`; `number` is the number of its line in the file."""
        given = (FilePassage(text=one) if isinstance(one, str) else one for one in self.passages)
        shown = [Passage(index=at, text=one.text, relevant=one.relevant) for at, one in enumerate(given)]
        judged = {
            "question": self.question,
            "answers": list(self.answers),
            "passages": passage_records(shown),
            "expected": Code.ANSWER_CORRECTLY.value if self.answers else None,
            "completion": self.response,
        }
        return {
            "line": number,
            "subject_id": digest_of("response", judged),
            "policy": None,
            "behaviour": None,
            "propositions": None,
            "prompt": self.question,
            **judged,
        }


def read_labelled(path: Path) -> dict[int, LabelledResponse]:
    """Return the labelled responses of a file by line number.

    Raises:
        FlowError: the file cannot be read, or a line is malformed.
    """
    return dict(read_lines(LabelledResponse, path, LABELLED_SHAPE)[1])
