"""What writers and graders see of a policy: its propositions with examples, and the refusal codes it knows."""

from typing import Final, Self

from demur.levers.instances import Frozen
from demur.levers.policy_models import Policy, Proposition
from demur.programs.signatures.taxonomy_text import CODE_LINES


class PropositionQuestion(Frozen):
    """A proposition as a grader is asked about it; of a completion like `example_true` it holds."""

    name: str
    question: str
    definition: str
    example_true: str
    example_false: str

    @classmethod
    def of(cls, proposition: Proposition) -> Self:
        """Return a proposition of a policy with the first of its examples."""
        return cls(**_shown(proposition))


class PropositionAim(PropositionQuestion):
    """A proposition that a completion must make true or false."""

    holds: bool

    @classmethod
    def aimed(cls, proposition: Proposition, *, holds: bool) -> Self:
        """Return a proposition of a policy that a completion must make true, or false."""
        return cls(**_shown(proposition), holds=holds)


TYPICAL_PROPOSITIONS: Final = 11
"""Of a policy, where the size of a prompt is estimated."""


def typical_proposition() -> PropositionQuestion:
    """Return a proposition as long as they are, for estimates of the size of a prompt."""
    text = "x" * 150
    return PropositionQuestion(
        name="name", question=text, definition=text, example_true=text[:80], example_false=text[:80]
    )


def _shown(proposition: Proposition) -> dict[str, str]:
    return {
        "name": proposition.name,
        "question": proposition.question,
        "definition": proposition.definition,
        "example_true": proposition.positive_examples[0],
        "example_false": proposition.negative_examples[0],
    }


def codes_of(policy: Policy) -> tuple[str, ...]:
    """Return the refusal codes in words where responses may give them, else none."""
    return CODE_LINES if policy.refusal_codes else ()
