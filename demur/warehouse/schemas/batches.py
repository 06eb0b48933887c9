"""Schema of the table `batches`."""

from demur.warehouse.schemas.base import Instant, TableModel, Text, Whole, column, count, filled, names, one_of
from demur.warehouse.tables import Table
from demur.warehouse.vocabulary import BATCH_STATUSES


class Batches(TableModel, table=Table.BATCHES, primary=True):
    """One row per batch that a stage submitted to a provider."""

    batch_id: Text = filled("id of the batch", unique=True)
    round_id: Text = names(Table.ROUNDS, "id of the round that sent the batch")
    stage: Text = filled("stage of the round")
    model: Text = filled("name of the model in the round configuration")
    provider: Text = filled("`openai` or `anthropic`")
    provider_model: Text = filled("name of the model at the provider")
    provider_batch_id: Text = filled("id of the batch at the provider; null while it is unknown", null=True)
    status: Text = one_of(
        "`intended`, `running`, `cancelling`, `ended`, `collected`, or `void` if the provider never accepted the "
        "batch or lost it",
        BATCH_STATUSES,
    )
    requests: Whole = count("number of requests")
    done: Whole = count("number of answered requests")
    failed: Whole = count("number of requests that ended without an answer: errors, expired, cancelled")
    problem: Text = filled(
        "reason why the batch is void or was refused, or list of missing results; null if there is no problem",
        null=True,
    )
    intended_at: Instant = column("time at which the batch was recorded, before submission")
    submitted_at: Instant = column("time at which the provider accepted the batch; may be null", null=True)
    ended_at: Instant = column("time at which the end of the batch was noticed; may be null", null=True)
