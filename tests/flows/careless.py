"""A provider whose generators do badly at first: what they spoil fails a code check or is turned down by verifiers."""

import json
from dataclasses import dataclass, field
from typing import Any

from demur.lanes.simulator.behaviour import answered
from demur.lanes.simulator.faults import SimulatedRequest

LEAK, POLITE = " REFUSE_OTHER", ", please"
"""Ends of questions: code checks reject the first, verifiers here turn down the second."""


@dataclass
class Careless:
    """A provider whose generators spoil every first attempt and heed what they are told; it keeps what it is told.

    `again` spoils the first repair too.
    """

    spoil: str
    again: str = ""
    earlier: list[dict[str, Any]] = field(default_factory=list)

    def __call__(self, asked: SimulatedRequest) -> str:
        """Return what the rules answer, spoilt where little is said of earlier attempts."""
        messages: Any = asked.body["messages"]
        turns = [(turn["role"], _whole(turn["content"])) for turn in messages if turn["role"] != "system"]
        system = _whole(asked.body.get("system") or messages[0]["content"])
        text = answered(str(asked.body["model"]), system, turns)
        inputs = json.loads(turns[-1][1]) if turns[-1][1].startswith("{") else {}
        if asked.task == "GeneratePerturbation":
            return _ending(text, self.spoil)
        if asked.task == "RepairPerturbation":
            self.earlier.append(inputs["earlier"])
            return _ending(text, "" if self.again in inputs["earlier"]["perturbed_question"] else self.again)
        if asked.task == "VerifyPerturbation" and POLITE in inputs["perturbed_question"]:
            fields = json.loads(text)
            fields |= {"implementation_quality": False, "overall": "FAIL", "issues": ["it begs"]}
            return _dumped(fields)
        return text


def _ending(text: str, end: str) -> str:
    """Return a generator's reply whose question, where it asks one, ends otherwise."""
    fields = json.loads(text)
    if fields["declined"] is None and end:
        fields["perturbed_question"] = fields["perturbed_question"].rstrip("?") + f"{end}?"
    return _dumped(fields)


def _dumped(fields: dict[str, Any]) -> str:
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":"))


def _whole(content: Any) -> str:
    """The text of a turn, which stands in several blocks where a provider is to cache its beginning."""
    return content if isinstance(content, str) else "".join(block["text"] for block in content)
