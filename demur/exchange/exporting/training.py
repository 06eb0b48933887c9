"""Releases as training data, split by lever: a model trained on some levers can be scored on the held-out levers.

`sft.jsonl` has items of training levers and controls with the right response. `dpo.jsonl` has items of training levers
with the right response and a plausible wrong one. `held_out.jsonl` has the items of held-out levers, for scoring only.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Final

from demur.errors import FlowError
from demur.exchange.exporting.items import CONTROL, ReleaseItems, Row, task_row
from demur.flows.stages.unpack.items import ReleasedItem
from demur.levers.held_out import is_held_out
from demur.levers.vocabulary import CLASS_CODE, Code
from demur.programs.options import Prompts

SFT: Final = "sft.jsonl"
DPO: Final = "dpo.jsonl"
HELD_OUT: Final = "held_out.jsonl"
LEVERS: Final = "levers.json"


def training_files(found: ReleaseItems, prompts: Prompts) -> dict[str, str]:
    """Return the files, `{name: text}`; the same release gives the same files.

    Raises:
        FlowError: items have no class, so that nothing says which lever or code is theirs.
    """
    without = sum(item.kind != CONTROL and item.perturbation_class is None for item in found.items)
    if without:
        raise FlowError(
            f"{found.release.label}: {without} items have no class, and training data is split by the levers of "
            "classes. Export a release with classes, such as one of a round"
        )
    digest = found.release.digest
    levers = sorted({item.lever_id for item in found.items if item.lever_id})
    split = {
        "train": [lever for lever in levers if not is_held_out(lever)],
        "held_out": [lever for lever in levers if is_held_out(lever)],
    }
    kept = [item for item in found.items if item.lever_id in split["held_out"]]
    train = [(item, task_row(item, prompts, digest)) for item in found.items if item.lever_id not in split["held_out"]]
    return {
        SFT: _lines(_demonstration(item, task) for item, task in train),
        DPO: _lines(_preference(item, task) for item, task in train if item.kind != CONTROL),
        HELD_OUT: _lines(task_row(item, prompts, digest) for item in kept),
        LEVERS: json.dumps(split, indent=1) + "\n",
        "README.md": _readme(found, len(train), len(kept), split),
    }


def _demonstration(item: ReleasedItem, task: Row) -> Row:
    return {"messages": [*task["input"], _said(_right(item))], **_about(item)}


def _preference(item: ReleasedItem, task: Row) -> Row:
    return {
        "prompt": task["input"],
        "chosen": [_said(_right(item))],
        "rejected": [_said(_wrong(item))],
        **_about(item),
    }


def _about(item: ReleasedItem) -> Row:
    """Return where a row comes from: by `source_id`, items of questions that are scored elsewhere can be left out."""
    return {"item_id": item.id, "source_id": item.source_id, "lever_id": item.lever_id}


def _right(item: ReleasedItem) -> str:
    code = item.expected_rag_behavior
    return item.original_answers[0] if code is Code.ANSWER_CORRECTLY else code.value


def _wrong(item: ReleasedItem) -> str:
    """Return a plausible wrong response.

    If the item is to be refused, the wrong response is the original answer. Otherwise the wrong response is the refusal
    code of the item's class.
    """
    if item.expected_rag_behavior is Code.ANSWER_CORRECTLY:
        assert item.perturbation_class is not None
        return CLASS_CODE[item.perturbation_class].value
    return item.original_answers[0] if item.original_answers else Code.OTHER.value


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

Both sides were made from the same questions: leave out the rows of some questions (`source_id`) to score questions that
were never seen too. Score whoever was trained on this on a later round too: the view
`score_drift_by_lever` compares the levers that could be seen with those that could not.
"""
