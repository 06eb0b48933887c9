"""Checks that the rules models of a round know its policies; policies of users need language models."""

from demur.configuration.fit import ITEM_POLICY
from demur.engine.context import RoundContext
from demur.errors import ConfigError
from demur.levers.policies import Policy
from demur.rewards.prompts import own_prompts


def check_policies(context: RoundContext) -> None:
    """Return if every policy can be written and graded by the models that the round names for it, and has prompts.

    Raises:
        ConfigError: a rules model is to write or grade for a policy that no rules know, two policies have one name, or
            the prompts of one cannot be used.
        LeverError: a policy cannot be read.
    """
    roles = context.config.roles
    by_rules = {
        role: name
        for role, name in (("writer", roles.writer), ("grader", roles.grader))
        if context.config.model_spec(name).lane.by_rule
    }
    names = [policy.name for policy in context.policies]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ConfigError(
            f"fit.policies: {', '.join(twice)} is the name of several policies. Give each its own (`name`)"
        )
    problems = []
    for number, policy in enumerate(context.policies):
        place = f"fit.policies[{number}] '{policy.name}'"
        if "writer" in by_rules and not _is_written(policy):
            problems.append(
                f"{place}: roles.writer '{by_rules['writer']}' is a rules model, which has no phrases for this policy"
            )
        if "grader" in by_rules and (unknown := _ungraded(policy)):
            problems.append(
                f"{place}: roles.grader '{by_rules['grader']}' is a rules model, which has no patterns for "
                f"{', '.join(unknown[:5])}{' and others' if len(unknown) > 5 else ''}"
            )
    if problems:
        raise ConfigError("; ".join(problems) + ". Name a language model for that role, or one of our policies")
    for policy in context.policies:
        if policy.name != ITEM_POLICY:
            own_prompts(context, policy)


def _is_written(policy: Policy) -> bool:
    from demur.rules.roles.write import COMPOSERS

    return policy.name in COMPOSERS


def _ungraded(policy: Policy) -> list[str]:
    """Return the features of a policy that no pattern knows."""
    from demur.rules.roles.grade import has_patterns

    features = dict.fromkeys(name for behaviour in policy.behaviours for name in behaviour.features)
    return [name for name in features if not has_patterns(name, grounded_prompt=policy.name == ITEM_POLICY)]
