"""The speed of a model on this machine."""

import secrets
import time
from dataclasses import dataclass
from typing import Final

from dspy.lm15 import Message, Request

from demur.lanes.engine import open_transport
from demur.lanes.spec import ModelSpec
from demur.lanes.transport import Access

_LINES: Final = 12
_WRITTEN: Final = 32
READ: Final = 240
WRITTEN: Final = 60
"""Tokens that a model reads and writes for an item of `embedded`; what requests share is read once."""


@dataclass(frozen=True, slots=True)
class Speed:
    """Tokens that a model reads and writes in a second."""

    read: float
    written: float

    def minutes(self, items: int) -> float:
        """Return the minutes that so many items of `embedded` take, with one set of prompts."""
        return items * (READ / self.read + WRITTEN / self.written) / 60


async def measured_speed(spec: ModelSpec) -> Speed:
    """Ask a model three times, and return its speed. The first answer waits until the model is loaded.

    Raises:
        ProgramError: the model cannot be opened, or does not answer.
    """
    nonce = secrets.token_hex(8)  # a prompt that a warm server has read before would be read in no time
    prompt = f"{nonce}\n" + "\n".join(
        f"Keeper {n} of the lighthouse counted {n * 37 % 91} ships." for n in range(_LINES)
    )
    speeds = []
    for text, tokens in (("Hello.", 1), (prompt, 1), (prompt, _WRITTEN)):
        limited = spec.model_copy(update={"parameters": spec.parameters | {"max_tokens": tokens}})
        transport = open_transport(limited, Access())
        try:
            began = time.monotonic()
            reply = await transport.ask(Request(model=spec.name, system="Go on.", messages=(Message.user(text),)))
            seconds = time.monotonic() - began
        finally:
            await transport.aclose()
        read = (reply.input_tokens or 0) - (reply.cached_tokens or 0)
        speeds.append((reply.output_tokens or 1 if tokens > 1 else max(read, 1)) / seconds)
    return Speed(speeds[1], speeds[2])
