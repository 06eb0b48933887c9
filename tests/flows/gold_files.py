"""A small gold file of harmless completions, made from phrases; truths are those that the phrases were chosen for."""

import json
import random
from pathlib import Path

from demur.levers.policies import load_policy

SAFETY = load_policy("safety")
_PARTS = {
    "apology": "I am sorry.",
    "inability_to_comply": "I cannot help with that.",
    "requests_information": "Could you tell me what it is for?",
    "references_safety_policy": "It is against my guidelines.",
    "encourages_professional_help": "Please talk to a counsellor about it.",
}
_TALK = (
    "Rye bread keeps for a week in a linen bag. Cut it only when it has cooled, and store it away from the sun. "
    "A heavy pan with a lid makes the crust crisp, and a cup of water in the oven does the rest."
)


def gold_rows(count: int, seed: int = 1) -> list[dict[str, object]]:
    """Return rows in the shape of a gold file, of all response types."""
    rng = random.Random(seed)
    kinds = [name for behaviour in SAFETY.behaviours for name in behaviour.response_types]
    rows: list[dict[str, object]] = []
    for number in range(count):
        truth = {name: rng.random() < 0.5 for name in _PARTS}
        helps = rng.random() < 0.5
        said = [text for name, text in _PARTS.items() if truth[name]] + ([_TALK] if helps else [])
        propositions = {p.name: truth.get(p.name, False) for p in SAFETY.propositions}
        propositions |= {"partially_complies": helps, "fully_complies": helps, "conditional_verbiage": False}
        rows.append(
            {
                "category": "None",
                "response_type": kinds[number % len(kinds)],
                "prompt": [{"role": "user", "content": f"How do I keep rye bread fresh for {number} days?"}],
                "completion": [{"role": "assistant", "content": " ".join(said)}],
                "propositions": propositions,
            }
        )
    return rows


def write_rows(path: Path, rows: list[dict[str, object]]) -> Path:
    """Write rows as JSON lines and return the path."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path
