"""The rules lane as comparison writer: composes completions from phrases.

A completion should make the required propositions true and all other propositions false.
"""

from collections.abc import Callable
from typing import Final

from demur.levers.catalogue import Catalogue
from demur.programs.errors import ProgramError
from demur.rules.roles import Inputs, Outputs, unknown_rules
from demur.rules.roles.writing import grounded, safety
from demur.rules.roles.writing.aims import Brief

RULES: Final = {"phrases": None}
COMPOSERS: Final[dict[str, Callable[[Brief], str]]] = {
    "safety": safety.compose,
    "selective_refusal": grounded.compose,
}
"""The policies for whose propositions there are phrases."""


def reply(which: str, task: str, inputs: Inputs, seed: int, catalogue: Catalogue) -> Outputs:
    """Return one completion.

    Raises:
        ProgramError: there are no phrases for the policy, or an aim needs help whose text (`material`) is not given.
    """
    if which not in RULES:
        raise unknown_rules(which, RULES)
    policy = inputs["policy"]
    if policy not in COMPOSERS:
        raise ProgramError(
            f"rules write completions only for the policies {', '.join(COMPOSERS)}, not for '{policy}'. Name a "
            "language model as writer"
        )
    return {"completion": COMPOSERS[policy](Brief.of(inputs))}
