"""The plan of a round: calls, tokens, likely and highest costs per stage and model."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from functools import cache
from itertools import cycle, islice
from pathlib import Path
from typing import Any, Final

import yaml

from demur.configuration.labels import labelled_respondents
from demur.configuration.models import ROLES
from demur.configuration.round_config import CORPORA, Reuse
from demur.configuration.settings import demur_home, missing_keys
from demur.corpora.corpus import read_corpus
from demur.engine.context import RoundContext, loader_reading, loader_writing
from demur.engine.loading import make_loader
from demur.engine.models import ModelLoad, YieldRates
from demur.flows.rounds.corpus_identity import named_apart
from demur.flows.rounds.request import RoundRequest, requested_config
from demur.flows.rounds.session import check_contents
from demur.flows.stages.bases.draw import Draw, drawn_rows, possible_draw, shortage_of
from demur.flows.stages.items.generate.lever_choice import MOST_OFFERED
from demur.flows.stages.questions.question_waves import ASSUMED_YIELD
from demur.flows.stages.registry import round_loads, steps_of
from demur.flows.stages.responses.release_items import released_items
from demur.flows.stages.volumes import round_grader, round_verifier
from demur.lanes.costs import longest_reply
from demur.lanes.prices import prices_of
from demur.lanes.spec import Mode, Prices
from demur.levers.instances import BaseInstance
from demur.programs.prompt_sizes import PromptSample, PromptSizes
from demur.reports.tables import ShownTable, named_table
from demur.reports.tables.formats import dollars
from demur.reports.texts import count
from demur.warehouse.connection import reading
from demur.warehouse.round_rows import (
    past_asking,
    past_codes,
    past_replies,
    past_screening,
    past_yield,
    planned_with,
    record_estimates,
)
from demur.warehouse.transactions import Connection

# Estimate of a round: calls, tokens and dollars.
#
# The estimate uses the prompts of some base instances, and the lengths of replies and the yields of earlier rounds. A
# yield is the share of a stage's results that the next stage takes.


SAMPLED_BASES: Final = 10
SHARE_OF_LONGEST: Final = 0.25
"""Assumed length of a reply as a share of max_tokens, without earlier rounds and recordings."""
REPLY_LENGTHS: Final = Path(__file__).with_name("reply_lengths.yaml")
"""Mean tokens of recorded replies by role, without reasoning; benchmarks/reply_lengths.py writes it."""
_REASONING: Final = ("thinking", "reasoning", "reasoning_effort")
"""Parameters of models whose output is mostly reasoning. The length of reasoning is unknown."""
FINEST_ENCODING: Final = 1.35
"""Assumed ratio of a provider's token count to our token count, in a ceiling."""
FEWEST_CALLS: Final = 20
"""The fewest calls from which the length of replies, or a yield, is estimated."""
ASSUMED_MENDED: Final = 0.3
ASSUMED_DOUBTED: Final = 0.3
"""Assumed share of passages whose questions go back to the asker, and share of proofs that a judge decides."""
ASSUMED_CODES: Final = 0.5
"""Assumed share of responses that are exactly one refusal code and need no judge."""
FEWEST_PERTURBATIONS: Final = 50
"""The fewest perturbations from which a yield is estimated."""


@dataclass(frozen=True, slots=True)
class ReplyStats:
    """Statistics of a model's replies in a role.

    Attributes:
        basis: The source of the figures, in words.
        output_tokens: Mean output tokens of a call.
        calls_per_unit: Mean number of calls for a unit.
        cached_share: Share of the input tokens that the provider reads from its cache.
        bias: Ratio of counted input tokens to estimated input tokens.
    """

    basis: str
    output_tokens: float
    calls_per_unit: float = 1.0
    cached_share: float = 0.0
    bias: float = 1.0


@dataclass(frozen=True, slots=True)
class PlannedCalls:
    """The estimated calls of a stage to a model in a role.

    Fields that begin with `most_` or `ceiling_` are upper bounds. Dollars are None if prices are unknown. Tokens are
    None for free models. `basis` names the source of the expected length of replies.
    """

    stage: str
    role: str
    model: str
    units: int
    calls: int
    input_tokens: int | None
    output_tokens: int | None
    cost_usd: float | None
    most_units: int
    most_output_tokens: int | None
    ceiling_usd: float | None
    basis: str


@dataclass(frozen=True, slots=True)
class RoundEstimate:
    """The estimated calls of all stages of a round.

    Attributes:
        rows: One row for each stage, role and model, in the order of the stages.
        draw: The round's draw from its corpus; None for an evaluation and for a round from documents.
        counted: True if tokens were counted, False if they were estimated from characters.
    """

    rows: tuple[PlannedCalls, ...]
    draw: Draw | None
    counted: bool


def estimate_round(context: RoundContext, con: Connection) -> RoundEstimate:
    """Return the estimate of a round that would start now. No model is asked."""
    draw = None if context.release is not None or context.config.documents is not None else possible_draw(context, con)
    sizes = PromptSizes(prompt_samples(context, con, draw), (round_verifier(context), round_grader(context)))
    replies = {
        (row["stage"], row["role"], row["provider"], row["provider_model"]): row
        for row in past_replies(con, context.round_id)
    }
    likely = round_loads(context, _rates(context, con))
    most = round_loads(context, YieldRates())
    rows = tuple(
        _row(stage, one, ceiling, sizes, replies) for (stage, one), (_, ceiling) in zip(likely, most, strict=True)
    )
    return RoundEstimate(rows, draw, sizes.counted)


def expected_units(context: RoundContext) -> dict[str, float]:
    """Return the approximate number of requests in each step of a round, as a measure of the step's duration.

    Requests to embedded models (rules, recordings, functions) are left out, since they take little time. If all models
    of the round are embedded, their requests are included.
    """
    with loader_reading(context) as con:
        loads = list(round_loads(context, _rates(context, con)))
    slow = [(stage, load) for stage, load in loads if not load.spec.lane.embedded] or loads
    units = dict.fromkeys(steps_of(context), 0.0)
    for stage, load in slow:
        units[stage] += load.units * load.calls_per_unit
    return units


def record_estimate(context: RoundContext) -> None:
    """Store the estimate of a round that begins. If all models are free, nothing is stored.

    A stored estimate is replaced only if the configuration has changed.
    """
    if all(spec.lane.free for spec in context.config.models):
        return
    with loader_reading(context) as con:
        if planned_with(con, context.round_id) == context.config.digest:
            return
        estimate = estimate_round(context, con)
    rows = list(_records(context, estimate.rows))
    with loader_writing(context) as con:
        record_estimates(con, context.round_id, rows)


def _records(context: RoundContext, rows: Sequence[PlannedCalls]) -> Iterator[Mapping[str, object]]:
    planned_at = datetime.now(UTC)
    for row in rows:
        stored = {name: value for name, value in asdict(row).items() if not name.startswith("most_")}
        yield {
            "round_id": context.round_id,
            **stored,
            "config_digest": context.config.digest,
            "planned_at": planned_at,
        }


def prompt_samples(context: RoundContext, con: Connection, draw: Draw | None) -> list[PromptSample]:
    """Return up to `SAMPLED_BASES` base instances with what prompts about them need, to measure the length of prompts.

    The base instances are those of the round's draw or of the evaluated release. If `draw` is None in a round from
    documents, shipped base instances are taken.
    """
    config = context.config
    offered = MOST_OFFERED if config.generation.lever_choice == "generator" else 1
    if context.release is not None:
        items = {item.base_id: item for item in released_items(context.release)}
        bases = [item.typical() for item in islice(items.values(), SAMPLED_BASES)]
    elif draw is None:
        bases = _typical_bases(context)
    else:
        rows = drawn_rows(context, con, set(draw.order[:SAMPLED_BASES]))
        bases = [row.base_instance() for row in rows.values()]
    return [PromptSample(base, context.catalogue, offered, config.elicit_confidence) for base in bases]


def _typical_bases(context: RoundContext) -> list[BaseInstance]:
    """Return base instances of the shipped corpora, with as many passages as the round's base instances will have."""
    neighbours = context.documents.neighbours
    rows = islice(read_corpus(CORPORA / ("multi.jsonl" if neighbours else "single.jsonl"), "demur"), SAMPLED_BASES)
    wanted = neighbours + 1
    return [
        base.model_copy(update={"passages": tuple(islice(cycle(base.passages), wanted))})
        for base in (row.base_instance() for row in rows)
    ]


def _rates(context: RoundContext, con: Connection) -> YieldRates:
    """Return the yields that earlier rounds with the same screeners and generators had."""
    screened, solved = past_screening(con, context.round_id, context.config.roles.screeners)
    candidates: dict[str, float] = {}
    accepted: dict[str, float] = {}
    repaired: dict[str, float] = {}
    for row in past_yield(con, context.round_id):
        if row["asked"] >= FEWEST_PERTURBATIONS:
            candidates[row["generator"]] = row["candidates"] / row["asked"]
            repaired[row["generator"]] = row["repaired"] / row["asked"]
            if row["candidates"]:
                accepted[row["generator"]] = row["accepted"] / row["candidates"]
    rate = solved / screened if screened >= FEWEST_CALLS and solved else 1.0
    return replace(
        _asking_rates(context, con),
        solved=rate,
        candidates=candidates,
        accepted=accepted,
        repaired=repaired,
        repaired_at_most=0.0,
        codes=_codes_rate(context, con),
    )


def _codes_rate(context: RoundContext, con: Connection) -> float:
    judged, by_code = past_codes(con, context.round_id, list(labelled_respondents(context.config)))
    return by_code / judged if judged >= FEWEST_CALLS else ASSUMED_CODES


def _asking_rates(context: RoundContext, con: Connection) -> YieldRates:
    past = past_asking(con, context.round_id)
    if past["asked"] < FEWEST_CALLS or not past["accepted"]:
        return YieldRates(asked=ASSUMED_YIELD, mended=ASSUMED_MENDED, doubted=ASSUMED_DOUBTED)
    doubted = past["judged"] / past["proofs"] if past["proofs"] else ASSUMED_DOUBTED
    return YieldRates(asked=past["accepted"] / past["asked"], mended=past["mended"] / past["asked"], doubted=doubted)


def _row(
    stage: str,
    likely: ModelLoad,
    most: ModelLoad,
    sizes: PromptSizes,
    replies: Mapping[tuple[str, str, str, str], Mapping[str, Any]],
) -> PlannedCalls:
    spec = likely.spec
    likely = replace(likely, units=min(likely.units, most.units))
    units = round(likely.units)
    most_units = round(most.units)
    if spec.lane.free:
        return PlannedCalls(
            stage, likely.role, spec.name, units, units, None, None, 0.0, most_units, None, 0.0, spec.lane_name
        )
    longest = longest_reply(spec)
    reply = _reply_stats(likely, replies.get((stage, likely.role, spec.provider, spec.model)), longest)
    prompt_tokens = sizes.tokens(likely.prompts)
    calls = likely.units * max(reply.calls_per_unit, likely.calls_per_unit)
    sent = calls * prompt_tokens * reply.bias
    got = calls * reply.output_tokens
    most_calls = most.units * most.calls_per_unit
    most_sent = most_calls * prompt_tokens * FINEST_ENCODING
    most_got = round(most_calls) * longest
    prices = prices_of(spec, batch=spec.mode is Mode.BATCH)
    return PlannedCalls(
        stage=stage,
        role=likely.role,
        model=spec.name,
        units=units,
        calls=round(calls),
        input_tokens=round(sent),
        output_tokens=round(got),
        cost_usd=_usd(prices, sent, got, reply.cached_share),
        most_units=most_units,
        most_output_tokens=most_got,
        ceiling_usd=_usd(prices, most_sent, most_got, 0.0),
        basis=reply.basis,
    )


def _reply_stats(load: ModelLoad, past: Mapping[str, Any] | None, longest: int) -> ReplyStats:
    if past is None or past["calls"] < FEWEST_CALLS:
        recorded = recorded_lengths().get(ROLES[load.role].replies_as or load.role)
        if recorded is None or load.calls_per_unit > 1 or not load.spec.parameters.keys().isdisjoint(_REASONING):
            return ReplyStats(f"{SHARE_OF_LONGEST:.0%} of max_tokens", SHARE_OF_LONGEST * longest)
        return ReplyStats("recorded replies", min(recorded, float(longest)))
    return ReplyStats(
        f"{past['calls']} calls of earlier rounds",
        min(float(past["output_tokens"]), float(longest)),
        float(past["calls_per_unit"]),
        float(past["cached_share"]),
        float(past["bias"] or 1.0),
    )


@cache
def recorded_lengths() -> dict[str, float]:
    """Return the mean number of tokens of a recorded reply in each role."""
    rows = yaml.safe_load(REPLY_LENGTHS.read_text(encoding="utf-8"))
    return {role: float(row["tokens"]) for role, row in rows.items()}


def _usd(prices: Prices | None, sent: float, got: float, cached_share: float) -> float | None:
    if prices is None:
        return None
    cached = prices.input_usd_per_million if prices.cached_usd_per_million is None else prices.cached_usd_per_million
    of_input = prices.input_usd_per_million * (1 - cached_share) + cached * cached_share
    return (sent * of_input + got * prices.output_usd_per_million) / 1e6


# The plan of a round: calls, likely costs and highest costs per stage and model.
#
# Notes compare the highest costs with the caps.


@dataclass(frozen=True, slots=True)
class RoundPlan:
    """The estimated calls of a round, and notes: total costs, caps, the corpus, keys that are not set."""

    rows: tuple[PlannedCalls, ...]
    notes: tuple[str, ...]

    def table(self) -> ShownTable:
        """Return the table of the calls, as commands and pages show it."""
        return named_table("plan").shown(
            {**asdict(row), "estimated_usd": row.cost_usd, "most_usd": row.ceiling_usd} for row in self.rows
        )


def plan_round(request: RoundRequest) -> RoundPlan:
    """Return the plan of a round that would start now. No model is asked and no key is needed.

    Raises:
        ConfigError, CorpusError: the round could not start.
    """
    config, folder = requested_config(request)
    home = demur_home()
    if request.corpus is not None:
        config = named_apart(home, config, folder)
    seed = config.seed if isinstance(config.seed, int) else 0
    context = RoundContext(home, config, folder, "plan", seed)
    check_contents(context)
    if config.documents is not None:
        from demur.flows.stages.questions.read_documents import (
            check_documents,  # imports Prefect, which needs PREFECT_HOME
        )

        check_documents(context)
        context = replace(context, notes=(*context.notes, _documents(context)))
    return plan_of(context)


def _documents(context: RoundContext) -> str:
    """Read the documents, and return how many passages they have and about how many the round asks."""
    from demur.corpora.documents.folder import figures_of
    from demur.flows.stages.questions.read_documents import reading_of

    figures = asyncio.run(figures_of(reading_of(context)))
    most = context.config.asking.most_passages(context.config.bases)
    asked = f"the round asks about {most:,} passages at most, which is what the plan assumes"
    if figures.passages < most:
        asked = f"the plan assumes {most:,} asked passages, and these are fewer"
    return f"documents {context.documents.name}: {figures}; {asked}"


def plan_of(context: RoundContext) -> RoundPlan:
    """Return the plan of a round or an evaluation that would start now."""
    make_loader(context)
    with reading(context.home, "loader") as con:
        estimate = estimate_round(context, con)
    return RoundPlan(estimate.rows, tuple(_notes(context, estimate)))


def _notes(context: RoundContext, estimate: RoundEstimate) -> Iterator[str]:
    rows = estimate.rows
    likely = _sum(row.cost_usd for row in rows)
    most = _sum(row.ceiling_usd for row in rows)
    unpriced = sorted({row.model for row in rows if row.cost_usd is None})
    cost = f"about {dollars(likely)}, at most {dollars(most)}" if most or not unpriced else "cost not known"
    yield f"{count(sum(row.calls for row in rows))} calls, {cost}" + (
        f", without {', '.join(unpriced)}, whose prices are unknown (models.prices)" if unpriced else ""
    )
    if any(row.output_tokens is not None for row in rows):
        yield from _how(estimate)
    yield from _caps(context, rows, unpriced)
    yield from context.notes
    if estimate.draw is not None:
        yield _corpus(context, estimate.draw)
    if missing := missing_keys(context.config.models):
        names = ", ".join(sorted({variable for _, variable in missing}))
        yield f"not set: {names}; the round will not start without them"


def _how(estimate: RoundEstimate) -> Iterator[str]:
    measured = "counted (cl100k)" if estimate.counted else "four characters to a token"
    bases = {row.basis for row in estimate.rows if row.output_tokens is not None}
    lengths = ["earlier rounds' replies"] if any("earlier" in basis for basis in bases) else []
    lengths += ["the mean of recorded replies, without reasoning"] if "recorded replies" in bases else []
    if guessed := sorted({row.model for row in estimate.rows if "max_tokens" in row.basis}):
        lengths.append(f"a guess of {SHARE_OF_LONGEST:.0%} of max_tokens for {', '.join(guessed)}")
    yield f"input: rendered prompts, {measured}; output: {'; '.join(lengths)}"


def _caps(context: RoundContext, rows: tuple[PlannedCalls, ...], unpriced: list[str]) -> Iterator[str]:
    budget = context.config.budget
    if budget.caps and unpriced:
        yield f"a round with a cap does not start while the prices of {', '.join(unpriced)} are unknown"
    caps = [("budget.max_usd", budget.max_usd, rows)] if budget.max_usd is not None else []
    caps += [
        (f"budget.stages.{stage}", usd, tuple(row for row in rows if row.stage == stage))
        for stage, usd in budget.stages.items()
    ]
    for name, usd, capped in caps:
        likely = _sum(row.cost_usd for row in capped)
        share = f"{likely / usd:.0%} of it" if usd else "all of it and more"
        enough = "" if likely <= (usd or 0.0) else "; the round will stop there, and go on when it is raised"
        yield f"{name} {dollars(usd)}: the estimate takes {share}{enough}"


def _corpus(context: RoundContext, draw: Draw) -> str:
    if shortage := shortage_of(context, draw):
        return f"the round will not start: {shortage}"
    reuse = context.config.base_reuse.policy
    fresh = draw.fresh_rounds
    rounds = "any number of rounds" if reuse is Reuse.ALLOW else f"{fresh} round{'' if fresh == 1 else 's'}"
    read = "" if draw.report is None else f"; {draw.report}"
    return (
        f"corpus: {len(draw.order)} base instances available, {draw.resting} at rest (base_reuse: {reuse}); enough "
        f"for {rounds} of {context.config.bases}{read}"
    )


def _sum(dollars: Iterator[float | None]) -> float:
    return sum(usd for usd in dollars if usd is not None)
