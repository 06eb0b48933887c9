"""Schemas of the tables about money: leases of shards under a cap, and the cost estimate of a round."""

from demur.warehouse.schemas.base import Instant, Real, TableModel, Text, Whole, column, count, filled, names
from demur.warehouse.tables import Table


class Leases(TableModel, table=Table.LEASES, primary=True):
    """One row per lease: the dollars that one shard of a capped stage may spend."""

    lease_id: Text = filled("key; `calls.lease_id` names it", unique=True)
    round_id: Text = names(Table.ROUNDS, "the round")
    stage: Text = filled("stage")
    shard: Text = filled("shard")
    granted_usd: Real = column("dollars granted at the end", ge=0)
    opened_at: Instant = column("start of the shard")


class Estimates(TableModel, table=Table.ESTIMATES, key="round_id stage role model", primary=True):
    """One row per round, stage, role and model."""

    round_id: Text = names(Table.ROUNDS, "the round")
    stage: Text = filled("stage")
    role: Text = filled("role")
    model: Text = filled("name of the model in the round configuration")
    units: Whole = count("units of work expected")
    calls: Whole = count("calls expected, repairs included")
    input_tokens: Whole = count("of all these calls; null for rules", null=True)
    output_tokens: Whole = count("of all these calls; null for rules", null=True)
    cost_usd: Real = column("expected; null where prices are unknown", null=True, ge=0)
    ceiling_usd: Real = column(
        "upper bound: each unit asked once, with replies of the largest allowed length; null where prices are unknown",
        null=True,
        ge=0,
    )
    basis: Text = filled(
        "source of the length of replies, as in `410 calls of earlier rounds`, `recorded replies`, "
        "`25% of max_tokens`, `rules`"
    )
    config_digest: Text = filled("digest of the configuration behind the estimate")
    planned_at: Instant = column("time of the estimate")
