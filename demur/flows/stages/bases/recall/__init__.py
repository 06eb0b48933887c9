"""The stage recall asks probes questions of the corpus without passages, to find the answers that all probes know.

The draw of base instances then has at least the share `generation.known.min_share` of questions with such answers. Not
every question that probes are asked becomes part of the round.
"""

import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from demur.engine.context import RoundContext
from demur.engine.models import InRole, ModelLoad, ModelUse, WithModels, YieldRates
from demur.engine.recordings import ReplyKey
from demur.engine.stage import Stage
from demur.engine.units import PlannedUnit, Rows, Unit, UnitWork, planned_unit
from demur.flows.stages.bases.draw import Draw, drawn_rows, possible_draw
from demur.levers.instances import language_of, without_english
from demur.programs.installation import recall_version
from demur.programs.language_variants import fingerprint_in
from demur.programs.model import Model
from demur.programs.respondent import Recaller, recall, recaller_prompts
from demur.rules.roles.judge import knows
from demur.warehouse.transactions import Connection

FOLDER: Final = Path(__file__).parent
NAME: Final = "recall"
KEY: Final = ReplyKey(NAME, ("question",), "probe")
PROBES: Final = InRole(NAME)


def _plan(context: RoundContext, con: Connection) -> Iterator[PlannedUnit]:
    known = context.config.generation.known
    if known is None:
        return
    recaller = Recaller()
    draw = possible_draw(context, con)
    asked = draw.first(_asked(draw, known.asked))
    rows = drawn_rows(context, con, asked.keys())
    probes = PROBES.specs(context)
    for base_id in asked:
        row = rows[base_id]
        for probe in probes:
            inputs = {
                "base_id": base_id,
                "source_id": row.source_id,
                "probe": probe.name,
                "question": row.question,
                "answers": list(row.answers),
                **without_english({"language": row.language}),
            }
            program = fingerprint_in(recaller, language_of(inputs))
            yield planned_unit(
                context, NAME, ("base_id", "probe"), inputs, program, recall_version(), probe.fingerprint
            )


def _asked(draw: Draw, number: int) -> dict[str | None, int]:
    """Divide `number` questions among the domains, in proportion to the wanted numbers of base instances."""
    bases = sum(draw.wanted.values())
    return {domain: math.ceil(number * wanted / bases) for domain, wanted in draw.wanted.items()}


def _work(context: RoundContext, models: Mapping[str, Model]) -> UnitWork:
    program = Recaller()

    async def work(unit: Unit) -> Rows:
        inputs = unit.inputs
        language = language_of(inputs)
        response = await recall(program, models[inputs["probe"]], inputs["question"], language)
        row = {
            **unit.row(context.round_id, "base_id", "source_id", "probe"),
            "response": response,
            "is_right": knows(response, inputs["answers"], language),
        }
        return {"recalls": [row]}

    return work


def _loads(context: RoundContext, rates: YieldRates) -> Iterator[ModelLoad]:
    known = context.config.generation.known
    if known is not None:
        yield from PROBES.loads(context, known.asked, recaller_prompts)


_OPEN: Final = WithModels(_work, (PROBES,))
RECALL: Final = Stage(NAME, "recalls", FOLDER, _plan, _OPEN, ModelUse(_OPEN.models, _loads, KEY))
