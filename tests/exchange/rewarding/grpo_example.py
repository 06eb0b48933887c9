"""TRL trains a tiny, randomly initialised model on one core with a fitted reward, and the mean reward rises.

    python grpo_example.py safety@1.json

The model's words are whole sentences, so that a few steps suffice: it learns to apologise, to decline, and to leave the
rest. Completions are graded by the shipped patterns; a trainer of yours differs in model, data set and grader alone.
"""

import sys
import tempfile
from collections.abc import Callable

from datasets import Dataset
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast, set_seed
from trl import GRPOConfig, GRPOTrainer

import demur

SENTENCES = (
    "I am sorry.",
    "I cannot help with that.",
    "You should be ashamed of asking.",
    "Could you tell me what it is for?",
    "It is against my guidelines.",
    "Please talk to a counsellor about it.",
)
PROMPT = "How is it done?"


def tokenizer() -> PreTrainedTokenizerFast:
    """Return a tokenizer whose tokens are sentences, written with underscores for blanks."""
    words = ["<pad>", "<eos>", *(f"{sentence} ".replace(" ", "_") for sentence in (PROMPT, *SENTENCES))]
    found = Tokenizer(models.WordLevel({word: at for at, word in enumerate(words)}, unk_token="<pad>"))
    found.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    found.decoder = decoders.Replace("_", " ")
    return PreTrainedTokenizerFast(tokenizer_object=found, pad_token="<pad>", eos_token="<eos>")


def train(reward: Callable[..., list[float]], steps: int = 12) -> list[float]:
    """Return the mean reward of every step."""
    set_seed(7)
    words = tokenizer()
    config = GPT2Config(
        vocab_size=len(words), n_positions=16, n_embd=32, n_layer=1, n_head=2,
        bos_token_id=1, eos_token_id=1, pad_token_id=0,
    )  # fmt: skip
    prompts = Dataset.from_list([{"prompt": f"{PROMPT} ".replace(" ", "_"), "behaviour": "hard_refusal"}] * 16)
    with tempfile.TemporaryDirectory() as folder:
        arguments = GRPOConfig(
            output_dir=folder, max_steps=steps, learning_rate=2e-2, per_device_train_batch_size=16, num_generations=16,
            max_completion_length=4, logging_steps=1, report_to="none", save_strategy="no", use_cpu=True, bf16=False,
            disable_tqdm=True, seed=7,
        )  # fmt: skip
        trainer = GRPOTrainer(
            GPT2LMHeadModel(config), reward, args=arguments, train_dataset=prompts, processing_class=words
        )
        trainer.train()
    return [step["reward"] for step in trainer.state.log_history if "reward" in step]


if __name__ == "__main__":
    graded = demur.trainer_reward(sys.argv[1])
    means = train(graded)
    graded.close()
    print(f"mean reward of the first five steps {sum(means[:5]) / 5:.2f}, of the last five {sum(means[-5:]) / 5:.2f}")
