"""Sizes of prompts in tokens, counted on rendered ones, which an estimate multiplies by requests and prices.

A program says which prompts are typical of it: a function from a `PromptSample` to signatures with their inputs.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import mean
from typing import Any, Final, TypeAlias

import dspy

from demur.levers.catalogue import Catalogue
from demur.levers.instances import BaseInstance
from demur.programs.adapter.contract import contract
from demur.programs.adapter.json_adapter import JsonAdapter
from demur.programs.signatures.registry import SIGNATURES
from demur.programs.token_count import count_tokens

CHARACTERS_PER_TOKEN: Final = 4.0
"""Where nothing can be counted. Errs on the dear side: our rendered English prompts measure 4.2 to 4.5."""
COUNTED_TEXTS: Final = 6
"""Rendered prompts that are counted of each kind, evenly picked; others have as many characters to a token."""
TYPICAL_RESPONSE: Final = "x" * 200


@dataclass(frozen=True, slots=True)
class PromptSample:
    """A base instance that typical prompts are made of: as generators see it (`own`), and as all others do (`base`)."""

    base: BaseInstance
    own: BaseInstance
    catalogue: Catalogue
    offered_at_once: int = 1
    elicit_confidence: bool = False


Prompt: TypeAlias = tuple[type[dspy.Signature], Mapping[str, Any]]
TypicalPrompts: TypeAlias = Callable[[PromptSample], Iterator[Prompt]]
"""Yields what a program asks about a sample, at least one prompt for some sample."""


class PromptSizes:
    """Mean sizes of prompts over samples; of compiled programs, instructions and demonstrations count as they are."""

    def __init__(self, samples: Sequence[PromptSample], compiled: Sequence[dspy.Module] = ()) -> None:
        self._samples = samples
        self._longer = dict(_characters_added(compiled))
        self._tokens: dict[TypicalPrompts, float] = {}
        self.counted = count_tokens("a prompt") is not None

    def tokens(self, prompts: TypicalPrompts) -> float:
        """Return the mean input tokens of these prompts, 0 where no sample has one."""
        if prompts not in self._tokens:
            self._tokens[prompts] = self._measured(prompts)
        return self._tokens[prompts]

    def _measured(self, prompts: TypicalPrompts) -> float:
        asked = [prompt for sample in self._samples for prompt in prompts(sample)]
        rendered = [(_text(signature, inputs), signature) for signature, inputs in asked]
        if not rendered:
            return 0.0
        texts = [text for text, _ in rendered]
        picked = texts[:: max(1, len(texts) // COUNTED_TEXTS)]
        counts = [count for text in picked if (count := count_tokens(text)) is not None]
        per_token = sum(map(len, picked)) / sum(counts) if counts else CHARACTERS_PER_TOKEN
        return mean(len(text) + self._longer.get(signature.__name__, 0) for text, signature in rendered) / per_token


def _text(signature: type[dspy.Signature], inputs: Mapping[str, Any]) -> str:
    messages = JsonAdapter().format(signature, [], dict(inputs))
    return "\n".join(message["content"] for message in messages)


def _characters_added(compiled: Sequence[dspy.Module]) -> Iterator[tuple[str, int]]:
    """Yield by task how much longer instructions and demonstrations of compiled programs make every prompt."""
    for program in compiled:
        for _, predictor in program.named_predictors():
            codec = contract(predictor.signature)
            longer = len(codec.system) - len(contract(SIGNATURES[codec.task]).system)
            for demo in predictor.demos:
                inputs = {name: demo[name] for name in predictor.signature.input_fields}
                reply = {name: demo[name] for name in predictor.signature.output_fields}
                longer += len(codec.write_inputs(inputs)) + len(codec.write_reply(reply))
            yield codec.task, longer
