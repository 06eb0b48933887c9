"""Files of labelled responses, one JSON object per line, for the calibration of judges."""

from pathlib import Path
from typing import Final

from pydantic import Field

from demur.engine.context import digest_of
from demur.engine.instances import passage_records
from demur.flows.evaluations.calibration import HumanVerdict
from demur.levers.instances import Passage
from demur.levers.models import Strict
from demur.levers.vocabulary import Code
from demur.rewards.jsonl import read_lines

SHAPE: Final = (
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
    return dict(read_lines(LabelledResponse, path, SHAPE)[1])
