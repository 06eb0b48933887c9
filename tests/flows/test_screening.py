"""What a round says where its screeners solved nothing."""

import pytest

from demur.flows.stage import StageReport
from demur.flows.stages.ingest import _remedy


@pytest.mark.parametrize(
    ("failed", "said"), [(0, "Use other screeners"), (69, "69 units ended without an answer: `demur sql")]
)
def test_screening_that_solved_nothing_tells_wrong_answers_from_none(failed: int, said: str) -> None:
    assert _remedy(StageReport("screen", 69, 69 - failed, failed)).startswith(said)
