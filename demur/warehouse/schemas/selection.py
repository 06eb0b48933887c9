"""Models of what probes and adjudicators land: answers known from memory, how hard perturbations are, what stands."""

from demur.levers.vocabulary import PREDICTED
from demur.warehouse.schemas.base import (
    AnswerRow,
    Flag,
    Text,
    Texts,
    UnitRow,
    class_of_stratum,
    column,
    filled,
    intensity_of_stratum,
    names,
    one_of,
)
from demur.warehouse.tables import Table
from demur.warehouse.vocabulary import ADJUDICATION_OUTCOMES, CODES


class Recalls(AnswerRow, table=Table.RECALLS, key="base_id probe"):
    """One row per question of the corpus and probe that was asked it without passages."""

    base_id: Text = names(Table.BASE_INSTANCES, "the question with its passages; the round need not draw it")
    source_id: Text = filled("id that the corpus gives the question")
    probe: Text = filled("model that was asked; it is on no leaderboard")
    response: Text = column("what it said")
    is_right: Flag = column("whether that gives an accepted answer plainly; of yes and no never")


class Pretests(UnitRow, table=Table.PRETESTS, key="perturbation_id probe"):
    """One row per accepted perturbation and probe, where a round chooses items by difficulty."""

    call_id: Text = names(Table.CALLS, "the last of these calls; may be null", null=True)
    perturbation_id: Text = names(Table.PERTURBATIONS, "what was responded to")
    lever_class: Text = class_of_stratum("class of the stratum")
    intensity: Text = intensity_of_stratum("intensity of the stratum")
    probe: Text = filled("model that responded; it is on no leaderboard")
    response: Text = column("what it said; may be null", null=True)
    predicted: Text = one_of("`ANSWER_ATTEMPT`, a `REFUSE_*` code, or `INVALID`", PREDICTED)
    is_right: Flag = column(
        "whether it is what is expected, by the first judge of the round; null where it could not be judged", null=True
    )


class Adjudications(AnswerRow, table=Table.ADJUDICATIONS):
    """One row per accepted perturbation that every probe missed."""

    perturbation_id: Text = names(Table.PERTURBATIONS, "what was adjudicated", unique=True)
    lever_class: Text = class_of_stratum("class of the stratum")
    intensity: Text = intensity_of_stratum("intensity of the stratum")
    generator: Text = filled("who made the perturbation; the adjudicator is not told")
    adjudicator: Text = filled("model that was shown item and responses: neither the generator's nor a probe's")
    outcome: Text = one_of(
        "`stands`: the responses are wrong; `faulty`: the item is; `inconsistent`: it blames the responses and yet "
        "does not agree with the item; `missing`: could not be read. Only what stands can become an item",
        ADJUDICATION_OUTCOMES,
    )
    right_behaviour: Text = one_of(
        "code that the adjudicator would give, or `ANSWER_CORRECTLY`; null if missing", CODES, null=True
    )
    reading: Text = column("what is right to do, and why; null if missing", null=True)
    issues: Texts = column("faults in a few words; if missing why it could not be read")
