"""Sizes of prompts in tokens, for cost estimates. Sizes are measured on complete prompts.

Each program has a function that yields typical prompts for a `PromptSample`. A prompt is a signature with inputs.
"""

import os
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

_FOLDER: Final = "litellm_core_utils/tokenizers"
_FILE: Final = "9b5ad71b2ce5302211f9c61530b329a4922fc6a4"
"""cl100k_base, under the name of tiktoken's cache; litellm brings the file."""


def token_encoding() -> "tiktoken.Encoding | None":
    """Return the encoding cl100k_base; None if the encoding is not installed.

    Loading takes 0.2 s and 45 MB. With other encodings, the number of tokens may be a tenth lower or a third higher.
    """
    package = find_spec("litellm")
    for place in (package.submodule_search_locations if package else None) or ():
        folder = Path(place) / _FOLDER
        if (folder / _FILE).is_file() and find_spec("tiktoken"):
            import tiktoken
            from tiktoken_ext.openai_public import cl100k_base  # type: ignore[import-untyped]

            os.environ["TIKTOKEN_CACHE_DIR"] = str(folder)  # tiktoken downloads nothing that is there
            return tiktoken.Encoding(**cl100k_base())  # tiktoken.get_encoding would keep it
    return None


CHARACTERS_PER_TOKEN: Final = 4.0
"""Assumed characters per token without an encoding. Our English prompts have 4.2 to 4.5, so estimates are too high."""
COUNTED_TEXTS: Final = 6
"""Prompts of each kind that are counted; the sizes of others follow from their characters."""
TYPICAL_RESPONSE: Final = "x" * 200


@dataclass(frozen=True, slots=True)
class PromptSample:
    """A base instance and settings for the typical prompts whose sizes are measured."""

    base: BaseInstance
    catalogue: Catalogue
    offered_at_once: int = 1
    elicit_confidence: bool = False


Prompt: TypeAlias = tuple[type[dspy.Signature], Mapping[str, Any]]
TypicalPrompts: TypeAlias = Callable[[PromptSample], Iterator[Prompt]]
"""Yields a program's typical prompts for a sample."""


class PromptSizes:
    """Mean sizes of prompts over several samples. Instructions and demonstrations of compiled programs are included."""

    def __init__(self, samples: Sequence[PromptSample], compiled: Sequence[dspy.Module] = ()) -> None:
        self._samples = samples
        self._longer = dict(_characters_added(compiled))
        self._tokens: dict[TypicalPrompts, float] = {}
        self._encoding = token_encoding()
        self.counted = self._encoding is not None

    def tokens(self, prompts: TypicalPrompts) -> float:
        """Return the mean input tokens of typical prompts; 0 if no sample has such a prompt."""
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
    """Yield each task and the number of characters that a compiled program adds to the task's prompts."""
    for program in compiled:
        for _, predictor in program.named_predictors():
            codec = contract(predictor.signature)
            longer = len(codec.system) - len(contract(SIGNATURES[codec.task]).system)
            for demo in predictor.demos:
                inputs = {name: demo[name] for name in predictor.signature.input_fields}
                reply = {name: demo[name] for name in predictor.signature.output_fields}
                longer += len(codec.write_inputs(inputs)) + len(codec.write_reply(reply))
            yield codec.task, longer
