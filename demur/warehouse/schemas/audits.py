"""Model of readers' marks on items."""

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
    names,
)
from demur.warehouse.tables import Table


class Audits(TableModel, table=Table.AUDITS, key="round_id item_id reader", primary=True):
    """One row per item and reader."""

    round_id: Text = names(Table.ROUNDS, "the round")
    item_id: Text = names(Table.ITEMS, "the item that was read")
    reader: Text = filled("who read it, as the reader wrote it")
    lever_class: Text = class_of_stratum("class of the item")
    intensity: Text = intensity_of_stratum("intensity of the item")
    seed: Whole = column("seed of the sample that it was read in")
    lever_fidelity: Flag = column("was this lever pulled, and nothing else; null: left open", null=True)
    intensity_achieved: Flag = column("is the defect as strong as the intensity says", null=True)
    uncertainty_induced: Flag = column("is the class's uncertainty really there", null=True)
    linguistic_soundness: Flag = column("is the text grammatical, fluent and coherent", null=True)
    ground_truth_alignment: Flag = column("is the expected behaviour the right one", null=True)
    note: Text = column("what the reader noted; may be null", null=True)
    imported_at: Instant = column("when it was stored")
    suspected: Flag = column("whether it was read because responses cast doubt on it, not by lot")
