"""Model of the table of batches."""

from demur.warehouse.schemas.base import Instant, TableModel, Text, Whole, column, count, filled, names, one_of
from demur.warehouse.tables import Table
from demur.warehouse.vocabulary import BATCH_STATUSES


class Batches(TableModel, table=Table.BATCHES, primary=True):
    """One row per batch that a stage submitted to a provider."""

    batch_id: Text = filled("key; ours", unique=True)
    round_id: Text = names(Table.ROUNDS, "the round that sent it")
    stage: Text = filled("stage")
    model: Text = filled("name of the model in the round configuration")
    provider: Text = filled("`openai` or `anthropic`")
    provider_model: Text = filled("what the provider was asked for")
    provider_batch_id: Text = filled("the provider's name for it; null as long as it is not known", null=True)
    status: Text = one_of(
        "`intended`, `running`, `cancelling`, `ended`, `collected`, or `void`: never taken, or lost, by the provider",
        BATCH_STATUSES,
    )
    requests: Whole = count("how many it holds")
    done: Whole = count("of these, answered")
    failed: Whole = count("of these, ended without an answer: errors, expired, cancelled")
    problem: Text = filled("why it is void, was not taken, or what is missing of its results; else null", null=True)
    intended_at: Instant = column("when it was written down, before it was sent")
    submitted_at: Instant = column("when the provider took it; may be null", null=True)
    ended_at: Instant = column("when it was seen to have ended; may be null", null=True)
