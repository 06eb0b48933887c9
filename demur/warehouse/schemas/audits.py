"""Schemas of the tables `audits` and `question_marks`: the marks that readers give to items and to questions."""

from demur.warehouse.schemas.base import (
    Flag,
    Instant,
    TableModel,
    Text,
    Texts,
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

    round_id: Text = names(Table.ROUNDS, "id of the round")
    item_id: Text = names(Table.ITEMS, "id of the item")
    reader: Text = filled("name of the reader, as the reader wrote it")
    lever_class: Text = class_of_stratum("class of the item")
    intensity: Text = intensity_of_stratum("intensity of the item")
    seed: Whole = column("seed of the sample with this item")
    lever_fidelity: Flag = column(
        "whether the lever was pulled and nothing else was changed; null if the reader gave no mark", null=True
    )
    intensity_achieved: Flag = column(
        "whether the defect has the strength of the intensity; null if the reader gave no mark", null=True
    )
    uncertainty_induced: Flag = column(
        "whether the item has the uncertainty of the class; null if the reader gave no mark", null=True
    )
    linguistic_soundness: Flag = column(
        "whether the text is grammatical, fluent and coherent; null if the reader gave no mark", null=True
    )
    ground_truth_alignment: Flag = column(
        "whether the expected behaviour is right; null if the reader gave no mark", null=True
    )
    note: Text = column("note of the reader; null if there is none", null=True)
    imported_at: Instant = column("time at which the marks were stored")
    suspected: Flag = column("whether the item was chosen for its suspicion, and not at random")


class QuestionMarks(TableModel, table=Table.QUESTION_MARKS, key="round_id question_id reader", primary=True):
    """One row per question of documents and reader."""

    round_id: Text = names(Table.ROUNDS, "id of the round that accepted the question")
    question_id: Text = names(Table.QUESTIONS, "id of the question")
    reader: Text = filled("name of the reader, as the reader wrote it")
    seed: Whole = column("seed of the page with this question")
    keep: Flag = column("true to keep the question, false to drop it; null if the reader gave no mark", null=True)
    answers: Texts = column("accepted answers in place of those of the asker; null if they are right", null=True)
    note: Text = column("note of the reader; null if there is none", null=True)
    imported_at: Instant = column("time at which the marks were stored")
