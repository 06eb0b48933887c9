"""The name of who started a round: kept with the round, and in no file of a release."""

import os

import pytest

from demur.configuration.settings import LONGEST_NAME, started_by
from demur.errors import ConfigError
from tests.flows.finished_rounds import STARTED_BY, FinishedRound
from tests.flows.simulated import rows


def test_round_is_of_who_started_it_and_no_file_of_its_release_says_so(rules_round: FinishedRound) -> None:
    assert rows(rules_round.home.root, "SELECT started_by, status FROM rounds") == [(STARTED_BY, "finished")]
    files = [path for path in (rules_round.home.root / "releases").rglob("*") if path.is_file()]
    assert files and not [path for path in files if STARTED_BY.encode() in path.read_bytes()]


@pytest.mark.parametrize("named", ["two\nlines", " ", "x" * (LONGEST_NAME + 1)])
def test_name_that_is_no_line_is_refused(named: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEMUR_STARTED_BY", named)
    with pytest.raises(ConfigError, match="DEMUR_STARTED_BY .* is not a name"):
        started_by()


def test_nobody_is_named_without_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DEMUR_STARTED_BY", raising=False)
    assert started_by() is None
    assert "DEMUR_STARTED_BY" not in os.environ
