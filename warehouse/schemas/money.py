"""Models of the books about money: leases of shards under a cap, and what a round was estimated to cost."""

from demur.warehouse.schemas.base import Instant, Real, TableModel, Text, Whole, column, count, filled


class Leases(TableModel):
    """One row per shard that spent under a cap."""

    lease_id: Text = filled(unique=True)
    round_id: Text = filled()
    stage: Text = filled()
    shard: Text = filled()
    granted_usd: Real = column(ge=0)
    opened_at: Instant = column()

    class Config:
        """Name of the table."""

        name = "leases"


class Estimates(TableModel):
    """One row per round, stage, role and model."""

    round_id: Text = filled()
    stage: Text = filled()
    role: Text = filled()
    model: Text = filled()
    units: Whole = count()
    calls: Whole = count()
    input_tokens: Whole = count(null=True)
    output_tokens: Whole = count(null=True)
    cost_usd: Real = column(null=True, ge=0)
    ceiling_usd: Real = column(null=True, ge=0)
    basis: Text = filled()
    config_digest: Text = filled()
    planned_at: Instant = column()

    class Config:
        """Name of the table and its key."""

        name = "estimates"
        unique = ["round_id", "stage", "role", "model"]
