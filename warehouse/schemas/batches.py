"""The model of the book about batches."""

from demur.warehouse.schemas.base import Instant, TableModel, Text, Whole, column, count, filled, one_of
from demur.warehouse.vocabulary import BATCH_STATUSES


class Batches(TableModel):
    """One row per batch that a stage submitted to a provider."""

    batch_id: Text = filled(unique=True)
    round_id: Text = filled()
    stage: Text = filled()
    model: Text = filled()
    provider: Text = filled()
    provider_model: Text = filled()
    provider_batch_id: Text = filled(null=True)
    status: Text = one_of(BATCH_STATUSES)
    requests: Whole = count()
    done: Whole = count()
    failed: Whole = count()
    problem: Text = filled(null=True)
    intended_at: Instant = column()
    submitted_at: Instant = column(null=True)
    ended_at: Instant = column(null=True)

    class Config:
        """Name of the table."""

        name = "batches"
