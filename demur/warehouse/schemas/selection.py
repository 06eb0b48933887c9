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

    base_id: Text = names(Table.BASE_INSTANCES, "the question with its passages; the round need not draw it")
    source_id: Text = filled("id that the corpus gives the question")
    probe: Text = filled("model that was asked; it has no scores")
    response: Text = column("text of the response")
    is_right: Flag = column("whether the response contains an accepted answer; always false for yes and no")
