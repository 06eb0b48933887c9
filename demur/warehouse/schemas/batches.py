"""Schema of the table `batches`."""

from demur.warehouse.schemas.base import Instant, TableModel, Text, Whole, column, count, filled, names, one_of
from demur.warehouse.tables import Table
from demur.warehouse.vocabulary import BATCH_STATUSES


class Batches(TableModel, table=Table.BATCHES, primary=True):
    """One row per batch that a stage submitted to a provider."""

    batch_id: Text = filled("key", unique=True)
    round_id: Text = names(Table.ROUNDS, "the round that sent it")
    stage: Text = filled("stage")
    model: Text = filled("name of the model in the round configuration")
    provider: Text = filled("`openai` or `anthropic`")
    provider_model: Text = filled("name of the model at the provider")
    provider_batch_id: Text = filled("id at the provider; null while it is unknown", null=True)
    status: Text = one_of(
        "`intended`, `running`, `cancelling`, `ended`, `collected`, or `void`: never taken, or lost, by the provider",
        BATCH_STATUSES,
    )
    requests: Whole = count("number of requests")
    done: Whole = count("answered requests")
    failed: Whole = count("requests that ended without an answer: errors, expired, cancelled")
    problem: Text = filled("why the batch is void or was refused, or which results are missing; else null", null=True)
    intended_at: Instant = column("time of the record before submission")
    submitted_at: Instant = column("time of acceptance by the provider; may be null", null=True)
    ended_at: Instant = column("time at which the end was observed; may be null", null=True)
