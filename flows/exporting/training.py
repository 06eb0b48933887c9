"""Releases as training data by lever: who trains on some levers can be scored on others, which it never saw.

`sft.jsonl` and `dpo.jsonl` hold the items of training levers and the controls, with the right response and, to be
preferred over, the wrong one that an item invites: the answer that the defect forbids, or the refusal that its class
suggests. `held_out.jsonl` holds the items of the other levers, to be answered and scored, never to be trained on.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final

from demur.flows.exporting.items import CONTROL, ReleaseItems, Row, task_row
from demur.levers.held_out import is_held_out
from demur.levers.vocabulary import CLASS_CODE, Code, LeverClass
from demur.programs.options import Prompts

SFT: Final = "sft.jsonl"
DPO: Final = "dpo.jsonl"
HELD_OUT: Final = "held_out.jsonl"
LEVERS: Final = "levers.json"


def training_files(found: ReleaseItems, prompts: Prompts) -> dict[str, str]:
    """Return the files by name; the same release gives the same files."""
    digest = found.release.digest
    levers = sorted({row["lever_id"] for row in found.rows if row["lever_id"]})
    split = {
        "train": [lever for lever in levers if not is_held_out(lever)],
        "held_out": [lever for lever in levers if is_held_out(lever)],
    }
    train = [row for row in found.rows if not (row["lever_id"] and is_held_out(row["lever_id"]))]
    kept = [row for row in found.rows if row["lever_id"] and is_held_out(row["lever_id"])]
    asked = [(row, task_row(row, prompts, digest)) for row in train]
    return {
        SFT: _lines(_demonstration(row, task) for row, task in asked),
        DPO: _lines(_preference(row, task) for row, task in asked if row["kind"] != CONTROL),
        HELD_OUT: _lines(task_row(row, prompts, digest) for row in kept),
        LEVERS: json.dumps(split, indent=1) + "\n",
        "README.md": _readme(found, len(train), len(kept), split),
    }


def _demonstration(row: Mapping[str, Any], task: Row) -> Row:
    return {"messages": [*task["input"], _said(_right(row))], "item_id": row["id"], "lever_id": row["lever_id"]}


def _preference(row: Mapping[str, Any], task: Row) -> Row:
    return {
        "prompt": task["input"],
        "chosen": [_said(_right(row))],
        "rejected": [_said(_wrong(row))],
        "item_id": row["id"],
        "lever_id": row["lever_id"],
    }


def _right(row: Mapping[str, Any]) -> str:
    code = str(row["expected_rag_behavior"])
    return str(row["original_answers"][0]) if code == Code.ANSWER_CORRECTLY else code


def _wrong(row: Mapping[str, Any]) -> str:
    """Return what the item invites: an answer where it is to be refused, the class's refusal where it is not."""
    if row["expected_rag_behavior"] == Code.ANSWER_CORRECTLY:
        return CLASS_CODE[LeverClass(row["perturbation_class"])].value
    return str(row["original_answers"][0])


def _said(content: str) -> Row:
    return {"role": "assistant", "content": content}


def _lines(rows: Iterable[Row]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def _readme(found: ReleaseItems, train: int, kept: int, split: Mapping[str, list[str]]) -> str:
    return f"""# {found.release.label}, split by lever

Made from the release with digest {found.release.digest}.

- `{SFT}`: {train} conversations with the right response, of {len(split["train"])} levers and of untouched questions.
- `{DPO}`: the same items, without untouched questions, as prompt, chosen and rejected.
- `{HELD_OUT}`: {kept} items of {len(split["held_out"])} levers that nobody may train on: have them answered and scored.
- `{LEVERS}`: which lever is which. It is the same in every release.

Both sides were made from the same questions. Score whoever was trained on this on a later round too: the view
`score_drift_by_lever` compares the levers that could be seen with those that could not.
"""
