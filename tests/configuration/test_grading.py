"""How a round says how propositions are asked about, and which models can be asked that way."""

from pathlib import Path

import pytest

from demur.errors import ConfigError
from demur.flows.rounds.request import read_round_config
from tests.flows.finished_rounds import RULES_ROLES
from tests.flows.rounds import FIT, NO_POLICY, small


def test_grading_one_by_one_by_a_model_without_log_probabilities_is_refused(tmp_path: Path) -> None:
    config = small(tmp_path, fit={**FIT, "grading": "one_by_one"})
    with pytest.raises(
        ConfigError, match="one_by_one needs log-probabilities, but the provider rules of roles.grader 'rules-grader'"
    ):
        read_round_config(config)


def test_grading_unknown_is_refused_with_those_there_are(tmp_path: Path) -> None:
    config = small(tmp_path, fit={**FIT, "grading": "guessing"})
    with pytest.raises(ConfigError, match="grading 'guessing'.*propositions.*one_by_one"):
        read_round_config(config)


def test_models_that_only_policies_need_may_be_left_out_without_policies(tmp_path: Path) -> None:
    roles = {role: names for role, names in RULES_ROLES.items() if role not in ("writer", "grader")}
    with pytest.raises(ConfigError, match=r"roles\.writer is needed with fit\.policies\. Name a model, or set"):
        read_round_config(small(tmp_path, roles=roles))
    assert "writer" not in read_round_config(small(tmp_path, roles=roles, fit=NO_POLICY)).named()
    assert "writer" not in read_round_config(small(tmp_path, roles=RULES_ROLES, fit=NO_POLICY)).named()
