"""What tests of the lanes share: specs of models at the local provider, a call store in memory, a question to ask."""

from dataclasses import dataclass, field
from typing import Any

from demur.lanes.engine import open_models
from demur.lanes.simulator.server import Simulator
from demur.lanes.spec import ModelSpec
from demur.levers.instances import Passage
from demur.programs.call_scope import CallRecord, CallScope, KnownReply, Reply, call_scope
from demur.programs.judge import Judge, Judgement, judge
from demur.programs.model import Model
from demur.programs.respondent import Respondent, respond

LANES = ("openai", "anthropic", "litellm")
KEY = "sk-planted-0123456789abcdef"
KEYS = {"PLANTED_KEY": KEY}
QUESTION = "When was the lighthouse at Cape Harrow built?"
PASSAGES = (Passage(index=0, text="The lighthouse at Cape Harrow was built in 1874. It is white.", relevant=True),)
OVERLAP = "respondent/lexical-overlap"


def spec(provider: Simulator, lane: str, model: str = OVERLAP, **changes: Any) -> ModelSpec:
    """Return the spec of a rules model that is reached over HTTP."""
    limits = {"timeout_seconds": 20, "retries": 2, "retry_seconds": 60, **changes.pop("limits", {})}
    return ModelSpec.model_validate(
        {
            "name": "served",
            "provider": lane,
            "model": f"openai/{model}" if lane == "litellm" else model,
            "base_url": provider.anthropic_url if lane == "anthropic" else provider.openai_url,
            "api_key_env": "PLANTED_KEY",
            "parameters": {"max_tokens": 512, "temperature": 0},
            "prices": {"input_usd_per_million": 2, "output_usd_per_million": 10, "cached_usd_per_million": 1},
            "limits": limits,
            **changes,
        }
    )


@dataclass
class MemoryCallStore:
    """Keeps calls in a list, in the order in which they were written down."""

    calls: list[CallRecord] = field(default_factory=list)

    async def record(self, call: CallRecord) -> None:
        """Keep a call."""
        self.calls.append(call)

    def known(self) -> tuple[KnownReply, ...]:
        """Return the successful calls as an order gives them to a unit that is worked on again."""
        return tuple(
            KnownReply(
                call.call_id,
                call.request_digest,
                Reply(call.reply or "", finish_reason=call.finish_reason or "stop"),
                (call.role, call.model, call.fingerprint),
                call.started_at,
            )
            for call in self.calls
            if call.status == "ok"
        )


async def ask(
    model: Model, call_store: MemoryCallStore, *, unit: str = "unit-1", known: tuple[KnownReply, ...] = ()
) -> tuple[str, CallScope]:
    """Ask the respondent's question in the name of a unit; return the response and the unit's scope."""
    with call_scope(CallScope("round-1", "respond", unit, call_store, known)) as scope:
        return (await respond(Respondent(), model, QUESTION, PASSAGES)).text, scope


async def ask_once(provider: Simulator, lane: str, call_store: MemoryCallStore, **changes: Any) -> str:
    """Ask the respondent's question of a model that is opened for it alone; return the response."""
    async with open_models([spec(provider, lane, **changes)], "respondent", KEYS) as models:
        return (await ask(models["served"], call_store))[0]


async def judge_once(
    provider: Simulator,
    lane: str,
    *,
    call_store: MemoryCallStore | None = None,
    known: tuple[KnownReply, ...] = (),
    **changes: Any,
) -> Judgement:
    """Let a model that is opened for it alone judge a right answer to the question."""
    async with open_models([spec(provider, lane, "judge/patterns", **changes)], "judge", KEYS) as models:
        with call_scope(CallScope("round-1", "judge", "unit-1", call_store, known)):
            return await judge(Judge(), models["served"], QUESTION, ("1874",), "In 1874.", PASSAGES)
