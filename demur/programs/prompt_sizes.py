"""Sizes of prompts in tokens, counted on rendered ones, which an estimate multiplies by requests and prices.

A program says which prompts are typical of it: a function from a `PromptSample` to signatures with their inputs.
"""

import base64
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from statistics import mean
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import dspy

from demur.levers.catalogue import Catalogue
from demur.levers.instances import BaseInstance
from demur.programs.adapter.contract import contract
from demur.programs.adapter.json_adapter import JsonAdapter
from demur.programs.signatures.registry import SIGNATURES

if TYPE_CHECKING:
    import tiktoken

_FILE: Final = "litellm_core_utils/tokenizers/9b5ad71b2ce5302211f9c61530b329a4922fc6a4"
"""cl100k_base, under the name that tiktoken gives to what it has downloaded."""
_PATTERN: Final = "|".join(
    (
        r"'(?i:[sdmt]|ll|ve|re)",
        r"[^\r\n\p{L}\p{N}]?+\p{L}++",
        r"\p{N}{1,3}+",
        r" ?[^\s\p{L}\p{N}]++[\r\n]*+",
        r"\s++$",
        r"\s*[\r\n]",
        r"\s+(?!\S)",
        r"\s",
    )
)


def token_encoding() -> "tiktoken.Encoding | None":
    """Return an encoding that tokens are counted with, None where it is not there (a fifth of a second, 45 MB).

    Models have encodings of their own: some count a tenth fewer, some a third more.
    """
    package = find_spec("litellm")
    for folder in (package.submodule_search_locations if package else None) or ():
        try:
            import tiktoken

            lines = (Path(folder) / _FILE).read_bytes().splitlines()
        except (OSError, ImportError):
            continue
        ranks = {base64.b64decode(token): int(rank) for token, rank in (line.split() for line in lines if line)}
        return tiktoken.Encoding("cl100k_base", pat_str=_PATTERN, mergeable_ranks=ranks, special_tokens={})
    return None


CHARACTERS_PER_TOKEN: Final = 4.0
"""Where nothing can be counted. Errs on the dear side: our rendered English prompts measure 4.2 to 4.5."""
COUNTED_TEXTS: Final = 6
"""Rendered prompts that are counted of each kind, evenly picked; others have as many characters to a token."""
TYPICAL_RESPONSE: Final = "x" * 200


@dataclass(frozen=True, slots=True)
class PromptSample:
    """A base instance that typical prompts are made of."""

    base: BaseInstance
    catalogue: Catalogue
    offered_at_once: int = 1
    elicit_confidence: bool = False


Prompt: TypeAlias = tuple[type[dspy.Signature], Mapping[str, Any]]
TypicalPrompts: TypeAlias = Callable[[PromptSample], Iterator[Prompt]]
"""Yields what a program asks about a sample, at least one prompt for some sample."""


class PromptSizes:
    """Mean sizes of prompts over samples; of compiled programs, instructions and demonstrations count as they are.

    `counted` is True if tokens are counted, False if they are estimated from characters.
    """

    def __init__(self, samples: Sequence[PromptSample], compiled: Sequence[dspy.Module] = ()) -> None:
        self._samples = samples
        self._longer = dict(_characters_added(compiled))
        self._tokens: dict[TypicalPrompts, float] = {}
        self._encoding = token_encoding()
        self.counted = self._encoding is not None

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
        per_token = CHARACTERS_PER_TOKEN
        if self._encoding is not None:
            per_token = sum(map(len, picked)) / sum(len(self._encoding.encode_ordinary(text)) for text in picked)
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
