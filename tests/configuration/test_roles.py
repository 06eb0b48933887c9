"""The models of a round by role: names that no role can have."""

from demur.configuration.models import OF_ALL_JUDGES, Roles, role_problems
from demur.lanes.spec import ModelSpec
from demur.scoring.agreement import MAJORITY

ROLES = {role: ("a",) for role in ("screeners", "generators", "verifiers", "respondents")}


def test_judge_with_the_name_of_the_vote_is_refused_by_name() -> None:
    assert OF_ALL_JUDGES == MAJORITY
    models = {name: ModelSpec(name=name, provider="gguf", model="a.gguf") for name in ("a", MAJORITY)}
    for judges, told in (
        (("a",), []),
        (("a", MAJORITY), ["'majority' names the vote of several judges in results. Rename the model"]),
    ):
        roles = Roles.model_validate({**ROLES, "judges": judges})
        assert [str(fault) for fault in role_problems(roles, models)] == told
