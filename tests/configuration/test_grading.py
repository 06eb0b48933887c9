"""How a round says how propositions are asked about, and which models can be asked that way."""

from pathlib import Path

import pytest

from demur.errors import ConfigError
from demur.flows.rounds.config_files import read_round_config
from tests.flows.rounds import FIT, small


def test_grading_one_by_one_by_a_model_without_log_probabilities_is_refused(tmp_path: Path) -> None:
    config = small(tmp_path, fit={**FIT, "grading": "one_by_one"})
    with pytest.raises(ConfigError, match="one_by_one needs log-probabilities, and roles.grader 'rules-grader' is a"):
        read_round_config(config)


def test_grading_unknown_is_refused_with_those_there_are(tmp_path: Path) -> None:
    config = small(tmp_path, fit={**FIT, "grading": "guessing"})
    with pytest.raises(ConfigError, match="grading 'guessing'.*propositions.*one_by_one"):
        read_round_config(config)
