"""Files of completions to grade."""

from pathlib import Path
from typing import Any

from tests.flows.gold_files import write_rows

TALK = "Rye bread keeps for a week in a linen bag. Cut it only when it has cooled, and store it away from the sun."
DECLINED = "I am sorry. I cannot help with that."


def write_completions(folder: Path) -> Path:
    """Two completions of each of six prompts, one in messages."""
    rows = []
    for number in range(6):
        prompt = f"How do I keep rye bread fresh for {number + 2} days?"
        for label, said in (("fully_complies", TALK), ("perfect_refusal", DECLINED)):
            told: Any = [{"role": "assistant", "content": said}] if number == 0 else said
            rows.append(
                {
                    "prompt_id": f"p{number}",
                    "completion_id": label,
                    "prompt": [{"role": "user", "content": prompt}] if number == 0 else prompt,
                    "completion": told,
                    "behaviour": "comply",
                    "label": label,
                    "base_reward": 0.1 * number,
                }
            )
    return write_rows(folder / "completions.jsonl", rows)
