"""Loading of behaviour policies by name or file.

A policy is data; scoring turns graded propositions into class probabilities and weights.
"""

from pathlib import Path

from pydantic import ValidationError

from demur.levers.errors import LeverError
from demur.levers.explain import explain
from demur.levers.policy_checks import problems_of
from demur.levers.policy_models import Policy
from demur.levers.yaml_file import plain_data, read_source

OURS = Path(__file__).parent / "policies"


def load_policy(name_or_path: str | Path) -> Policy:
    """Return a policy of demur by its name, or a user's by the path of its file.

    Raises:
        LeverError: with one line for each fault.
    """
    ours = {path.stem: path for path in sorted(OURS.glob("*.yaml"))}
    path = ours.get(str(name_or_path), Path(name_or_path))
    if not path.exists() and path.suffix not in {".yaml", ".yml"}:
        raise LeverError(
            f"policy '{name_or_path}' is not one of {', '.join(ours)}. Name one of these, or the path of a YAML file"
        )
    source = read_source(path)
    try:
        policy = Policy.model_validate(plain_data(source))
    except ValidationError as exc:
        raise source.error(explain(exc, Policy)) from exc
    if problems := list(problems_of(policy)):
        raise source.error(problems)
    return policy
