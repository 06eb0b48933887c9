"""Model of what people found when they read items."""

from demur.warehouse.schemas.base import (
    Flag,
    Instant,
    TableModel,
    Text,
    Whole,
    class_of_stratum,
    column,
    filled,
    intensity_of_stratum,
)


class Audits(TableModel):
    """One row per item and reader."""

    round_id: Text = filled()
    item_id: Text = filled()
    reader: Text = filled()
    lever_class: Text = class_of_stratum()
    intensity: Text = intensity_of_stratum()
    seed: Whole = column()
    lever_fidelity: Flag = column(null=True)
    intensity_achieved: Flag = column(null=True)
    uncertainty_induced: Flag = column(null=True)
    linguistic_soundness: Flag = column(null=True)
    ground_truth_alignment: Flag = column(null=True)
    note: Text = column(null=True)
    imported_at: Instant = column()

    class Config:
        """Name of the table and its key."""

        name = "audits"
        unique = ["round_id", "item_id", "reader"]
