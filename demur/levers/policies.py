"""Behaviour policies by name or file: propositions, and each behaviour's demands on them.

A policy is data. Turning graded propositions into class probabilities and weights is scoring's work.
"""

from pathlib import Path

from pydantic import ValidationError

from demur.levers.errors import LeverError
from demur.levers.explain import explain
from demur.levers.policy_checks import problems_of
from demur.levers.policy_models import Behaviour, Fact, Fault, Label, Policy, Proposition, Status
from demur.levers.yaml_file import plain_data, read_source

__all__ = [
    "Behaviour",
    "Fact",
    "Fault",
    "Label",
    "Policy",
    "Proposition",
    "Status",
    "load_policy",
    "policy_schema",
]

OURS = Path(__file__).parent / "policies"


def load_policy(name_or_path: str | Path) -> Policy:
    """Return one of our policies by its name, or a user's by the path of its file.

    Raises:
        LeverError: with one line for every problem found.
    """
    ours = {path.stem: path for path in sorted(OURS.glob("*.yaml"))}
    path = ours.get(str(name_or_path), Path(name_or_path))
    if not path.exists() and path.suffix not in {".yaml", ".yml"}:
        raise LeverError(f"policy '{name_or_path}' is none of {', '.join(ours)}. Name one, or the path of a YAML file")
    source = read_source(path)
    try:
        policy = Policy.model_validate(plain_data(source))
    except ValidationError as exc:
        raise source.error(explain(exc, Policy)) from exc
    if problems := list(problems_of(policy)):
        raise source.error(problems)
    return policy


def policy_schema() -> dict[str, object]:
    """Return the JSON Schema of a policy file, for editors that check YAML as you type."""
    schema: dict[str, object] = Policy.model_json_schema(by_alias=True)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "title": "demur behaviour policy"}
