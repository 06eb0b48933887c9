"""The gate at the end of a stage, with expectations of two kinds.

If an integrity expectation fails, the round stops. If a sample expectation fails, the round gives a warning.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields
from itertools import groupby

from demur.engine.context import LOADER_WAIT_SECONDS, RoundContext
from demur.engine.progress import observer
from demur.errors import StageStopped
from demur.warehouse.expectations import (
    ExpectationResult,
    Gate,
    GateBounds,
    StageGate,
    is_accounting,
    look_up,
    meaning,
    run_gate,
    standing_results,
    write_data_docs,
)


def enforce_gate(context: RoundContext, gate: StageGate, *, changed: bool = True) -> bool:
    """Check the rows of a stage against its expectations. Return False if earlier results were used.

    Args:
        context: The round.
        gate: The gate of the stage.
        changed: Whether rows may have changed. If False, valid earlier results are used in place of a new evaluation.

    Raises:
        StageStopped: an integrity expectation failed, or a sample expectation failed and gates.stop_on_sample is set.
            The caller must then publish the warehouse.
    """
    bounds = bounds_of(context)
    place = context.home, context.round_id, gate, bounds
    wait = LOADER_WAIT_SECONDS
    waiting = observer().notice
    standing = None if changed else standing_results(*place, wait_seconds=wait, on_wait=waiting)
    results = run_gate(*place, wait_seconds=wait, on_wait=waiting) if standing is None else standing
    failed = [result for result in results if not result.success]
    integrity = [result for result in failed if result.gate is Gate.INTEGRITY]
    if integrity:
        raise StageStopped(_integrity_message(context, gate, integrity))
    messages = list(_sample_messages(context, gate, failed))
    if messages and context.config.gates.stop_on_sample:
        raise StageStopped(
            f"{'; '.join(messages)}. gates.stop_on_sample is set, so the round stops here: set it to false to go on"
        )
    for message in messages:
        observer().notice(message)
    return standing is None


def document_gates(context: RoundContext, gates: Iterable[StageGate]) -> None:
    """Write Great Expectations' Data Docs of the round's gates."""
    wait = LOADER_WAIT_SECONDS
    waiting = observer().notice
    write_data_docs(context.home, context.round_id, gates, bounds_of(context), wait_seconds=wait, on_wait=waiting)


def bounds_of(context: RoundContext) -> GateBounds:
    """Return the bounds of a round's sample expectations."""
    return GateBounds(**{each.name: getattr(context.config.gates, each.name) for each in fields(GateBounds)})


def _integrity_message(context: RoundContext, gate: StageGate, failed: Sequence[ExpectationResult]) -> str:
    first, *others = failed
    more = f" {', '.join(other.expectation for other in others)} failed too." if others else ""
    remedy = "works on the missing units" if any(map(is_accounting, failed)) else "looks again"
    return (
        f"{gate.stage}: the integrity gate stops the round. {meaning(gate, first)} But "
        f"{first.expectation} ({first.subject}): observed {first.observed}, allowed {first.bound}. "
        f'`demur sql "{look_up(gate, context.round_id, first)}"` shows the rows.{more} All results stand in '
        f"expectation_results and {context.home.gate_pages(context.round_id) / 'index.html'}; the same command {remedy}"
    )


def _sample_messages(context: RoundContext, gate: StageGate, failed: Sequence[ExpectationResult]) -> Iterator[str]:
    for measure, results in groupby(failed, key=lambda result: result.expectation):
        first, *others = results
        more = f" and for {len(others)} more" if others else ""
        yield (
            f"{gate.stage}: the sample gate warns: {measure} is {first.observed} for {first.subject}{more}, "
            f'gates.{measure} wants {first.bound}. `demur sql "{look_up(gate, context.round_id, first)}"` shows more'
        )
