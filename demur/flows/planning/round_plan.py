"""The plan of a round: calls, likely costs and highest costs per stage and model.

Notes compare the highest costs with the caps.
"""

import asyncio
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace

from demur.configuration.round_config import Reuse
from demur.configuration.settings import demur_home, missing_keys
from demur.engine.context import RoundContext
from demur.engine.following import make_loader
from demur.flows.planning.estimate import SHARE_OF_LONGEST, PlannedCalls, RoundEstimate, estimate_round
from demur.flows.rounds.corpus_identity import named_apart
from demur.flows.rounds.request import RoundRequest, requested_config
from demur.flows.rounds.session import check_contents
from demur.flows.stages.ingest.draw import Draw, shortage_of
from demur.reports.tables import ShownTable, named_table
from demur.reports.tables.formats import dollars
from demur.reports.text import count
from demur.warehouse.connection import reading


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
        from demur.flows.stages.read_documents.stage import check_documents  # imports Prefect, which needs PREFECT_HOME

        check_documents(context)
        context = replace(context, notes=(*context.notes, _documents(context)))
    return plan_of(context)


def _documents(context: RoundContext) -> str:
    """Read the documents, and return how many passages they have and about how many the round asks."""
    from demur.corpora.documents.folder import figures_of
    from demur.flows.stages.read_documents.stage import reading_of

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
