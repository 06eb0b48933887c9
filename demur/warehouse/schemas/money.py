"""Schema of the table about money: the cost estimate of a round."""

from demur.warehouse.schemas.base import Instant, Real, TableModel, Text, Whole, column, count, filled, names
from demur.warehouse.tables import Table


class Estimates(TableModel, table=Table.ESTIMATES, key="round_id stage role model", primary=True):
    """One row per round, stage, role and model."""

    round_id: Text = names(Table.ROUNDS, "id of the round")
    stage: Text = filled("stage of the round")
    role: Text = filled("role of the model, such as `generator`")
    model: Text = filled("name of the model in the round configuration")
    units: Whole = count("expected number of units")
    calls: Whole = count("expected number of requests, repairs included")
    input_tokens: Whole = count("expected input tokens of all requests; null for rules", null=True)
    output_tokens: Whole = count("expected output tokens of all requests; null for rules", null=True)
    cost_usd: Real = column("expected cost in dollars; null if prices are unknown", null=True, ge=0)
    ceiling_usd: Real = column(
        "upper bound of the cost in dollars, if each unit is asked once and replies have the largest allowed length; "
        "null if prices are unknown",
        null=True,
        ge=0,
    )
    basis: Text = filled(
        "source of the expected length of replies, such as `410 calls of earlier rounds`, `recorded replies`, `25% "
        "of max_tokens`, `rules`"
    )
    config_digest: Text = filled("digest of the configuration that was estimated")
    planned_at: Instant = column("time of the estimate")
