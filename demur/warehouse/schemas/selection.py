"""Schema of the table `recalls`: questions that probes answered without passages."""

from demur.warehouse.schemas.base import (
    AnswerRow,
    Flag,
    Text,
    column,
    filled,
    names,
)
from demur.warehouse.tables import Table


class Recalls(AnswerRow, table=Table.RECALLS, key="base_id probe"):
    """One row per question and probe; the probe answered the question without passages."""

    base_id: Text = names(
        Table.BASE_INSTANCES,
        "id of the base instance with the question; not every such base instance becomes part of the round",
    )
    source_id: Text = filled("id of the source question in the corpus")
    probe: Text = filled("model that was asked without passages")
    response: Text = column("text of the response")
    is_right: Flag = column("whether the response gives an accepted answer; always false for the answers yes and no")
