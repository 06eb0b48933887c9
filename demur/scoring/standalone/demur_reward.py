"""Load fitted rule-based rewards and score graded completions; this needs only Python's standard library.

Every release has a copy of this module beside its reward files, for use in other projects. The copy is one file
(`scoring.standalone`). Use:

    from demur_reward import load_reward

    reward = load_reward("selective_refusal@4.json")
    reward.score("refuse", {"states_refusal_code": 0.98, "expected_code": 0.97, ...})

For trainers, `reward_function` combines a reward and a grader into a reward function for TRL's GRPOTrainer, and
`served_rewards` returns a reward function that asks a server (`demur rbr serve`).

As a program, the module reads graded completions as JSON lines and writes them with their rewards:

    python demur_reward.py selective_refusal@4.json < graded.jsonl > rewarded.jsonl
"""

import hashlib
import json
import math
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from demur.scoring.standalone.reply_text import split_reply

FORMAT = "demur-reward/1"


class RewardError(ValueError):
    """A reward file cannot be used, or graded features do not fit the reward; the message names the remedy."""


def reward_checksum(content: Mapping[str, Any]) -> str:
    """Return the SHA-256 of a reward's content without the field `checksum`.

    Spacing and the order of fields in the file do not matter.
    """
    rest = {name: value for name, value in content.items() if name != "checksum"}
    return hashlib.sha256(json.dumps(rest, sort_keys=True, separators=(",", ":")).encode("ascii")).hexdigest()


@dataclass(frozen=True)
class Scored:
    """The reward of one completion, with its parts.

    `total` is the base reward plus `rules`. `parts` has the product of weight and value for each feature. `rules` is
    the sum of `parts`. `standardised` is (`rules` - mean) / standard deviation. The mean and the standard deviation are
    those of the completions to which the weights were fitted. `standardised` is None if the standard deviation is 0.
    `undetermined` is true if no class was possible, so that all classes have the same probability.
    """

    total: float
    rules: float
    standardised: float | None
    classes: Mapping[str, float]
    parts: Mapping[str, float]
    undetermined: bool


@dataclass(frozen=True)
class FittedReward:
    """A fitted reward; `content` is the JSON content of its file."""

    content: Mapping[str, Any]

    @property
    def behaviours(self) -> tuple[str, ...]:
        """The behaviours that have weights."""
        return tuple(self.content["behaviours"])

    def score(
        self,
        behaviour: str,
        probabilities: Mapping[str, float],
        facts: Mapping[str, bool] | None = None,
        base_reward: float = 0.0,
    ) -> float:
        """Return the reward of one completion: the base reward plus the weighted features.

        Args:
            behaviour: the expected behaviour, one of `behaviours`.
            probabilities: probability within [0, 1] that each proposition holds, for all features of the behaviour.
                The proposition of a fault holds if the completion has the fault.
            facts: whether each fact about the prompt is true; missing facts have the policy's defaults.
            base_reward: the reward of another model, in its own units.

        Raises:
            RewardError: a proposition or behaviour is missing or unknown, or a value is out of range.
        """
        return self.explain(behaviour, probabilities, facts, base_reward).total

    def explain(
        self,
        behaviour: str,
        probabilities: Mapping[str, float],
        facts: Mapping[str, bool] | None = None,
        base_reward: float = 0.0,
    ) -> Scored:
        """Return the reward of one completion and its parts; arguments and errors are those of `score`."""
        chosen = self._behaviour(behaviour)
        phi = self._checked(behaviour, chosen, probabilities)
        base = _number(base_reward, "base_reward")
        classes, undetermined = self._classes(chosen, {**phi, **self._facts(facts or {})})
        values = {**phi, **classes}
        parts = {name: weight * values[name] for name, weight in chosen["weights"].items()}
        rules = math.fsum(parts.values())
        scaling = chosen["scaling"]
        spread = scaling["standard_deviation"]
        standardised = (rules - scaling["mean"]) / spread if spread else None
        return Scored(base + rules, rules, standardised, classes, parts, undetermined)

    def class_features(
        self, behaviour: str, probabilities: Mapping[str, float], facts: Mapping[str, bool] | None = None
    ) -> dict[str, float]:
        """Return the probability of every class, from the best class to the worst. The probabilities sum to 1."""
        return dict(self.explain(behaviour, probabilities, facts).classes)

    def _behaviour(self, name: str) -> Mapping[str, Any]:
        if name not in self.content["behaviours"]:
            raise RewardError(f"behaviour {name!r} is not one of {', '.join(self.behaviours)}, which have weights")
        found: Mapping[str, Any] = self.content["behaviours"][name]
        return found

    def _checked(
        self, behaviour: str, chosen: Mapping[str, Any], probabilities: Mapping[str, float]
    ) -> dict[str, float]:
        """Return the features of a behaviour; missing, unknown and invalid probabilities are errors."""
        if unknown := [name for name in probabilities if name not in self.content["propositions"]]:
            raise RewardError(f"{', '.join(map(str, unknown))}: not propositions of policy '{self.content['policy']}'")
        if absent := [name for name in chosen["features"] if name not in probabilities]:
            raise RewardError(
                f"{', '.join(absent)}: no probability is given for these features of behaviour '{behaviour}'"
            )
        phi = {}
        for name in chosen["features"]:
            phi[name] = _number(probabilities[name], name)
            if not 0.0 <= phi[name] <= 1.0:
                raise RewardError(f"{name}: {probabilities[name]!r} is not a probability within [0, 1]. Grade it again")
        return phi

    def _facts(self, given: Mapping[str, bool]) -> dict[str, float]:
        known: Mapping[str, bool] = self.content["facts"]
        for name, holds in given.items():
            if name not in known:
                raise RewardError(f"fact {name!r} is not one of {', '.join(known) or 'none: the policy has no facts'}")
            if holds not in (0, 1):
                raise RewardError(f"fact {name!r} is {holds!r}, but must be true or false")
        return {name: float(given.get(name, default)) for name, default in known.items()}

    def _classes(self, chosen: Mapping[str, Any], values: Mapping[str, float]) -> tuple[dict[str, float], bool]:
        names = self.content["classes"]
        if chosen["tree"] is None:
            return _normalised(names, chosen["products"], values)
        return branch_probabilities(names, chosen["tree"], values), False


def load_reward(path: str | Path) -> FittedReward:
    """Return the reward of a file after a check of its checksum.

    Raises:
        RewardError: the file cannot be read, is no reward file, or was altered.
    """
    try:
        content = json.loads(Path(path).read_bytes())
    except OSError as exc:
        raise RewardError(f"{path}: cannot be read ({exc.strerror}). Name a reward file") from exc
    except ValueError as exc:
        raise RewardError(f"{path}: is not JSON ({exc}). Name a reward file") from exc
    found = content.get("format") if isinstance(content, dict) else None
    if found != FORMAT:
        raise RewardError(f"{path}: has format {found!r}, but this loader reads {FORMAT!r}")
    actual = reward_checksum(content)
    if content.get("checksum") != actual:
        raise RewardError(
            f"{path}: was altered: its content has checksum {actual}, not {content.get('checksum')}. Copy the file "
            "from the release again"
        )
    return FittedReward(content)


def text_of(value: str | Sequence[Mapping[str, Any]]) -> str:
    """Return a prompt or completion as text; for messages, the content of the last message.

    Content may be a list of parts. Parts that are not text, such as thinking, are left out.

    Raises:
        RewardError: the value is neither a text nor messages with texts.
    """
    if isinstance(value, str):
        return value
    try:
        content = value[-1]["content"]
        if not isinstance(content, str):
            content = "".join(part["text"] for part in content if part["type"] == "text")
    except (IndexError, KeyError, TypeError):
        content = None
    if not isinstance(content, str):
        raise RewardError("a prompt or completion is neither a text nor messages whose last one has a text")
    return content


def response_text(value: str | Sequence[Mapping[str, Any]]) -> str:
    """Return the text of a completion that counts, without its reasoning.

    Raises:
        RewardError: as `text_of`.
    """
    return split_reply(text_of(value)).response


Grader = Callable[[list[dict[str, Any]]], Sequence[Mapping[str, float] | None]]
"""Function from a batch of dicts (prompt, completion, behaviour) to the probabilities of each completion.

None stands for a completion that could not be graded.
"""
Rewards = Callable[..., list[float | None]]
"""Reward function of trainers. A reward of None is left out by the trainer, and training goes on."""
COLUMNS = ("behaviour", "facts", "base_reward", "grounding")
"""The columns of a data set that decide rewards."""


def reward_function(reward: FittedReward, grade: Grader, behaviour: str | None = None) -> Rewards:
    """Return a reward function for GRPO trainers: `reward(prompts, completions, **columns) -> list[float | None]`.

    A completion without a text, such as None or the call of a tool, has the reward None.

    Prompts and completions are texts or messages. Reasoning, such as a text in <think> tags, is no part of a completion
    and is not graded. The function reads the columns `behaviour`, `facts` (an object for
    each prompt), `base_reward` and `grounding` (what a completion is judged against, which `grade` gets), and ignores
    all other columns. It calls `grade` once for each batch.

    Args:
        reward: the fitted reward.
        grade: the grader.
        behaviour: the behaviour of all completions if the data set has no column `behaviour`.

    Raises:
        RewardError: raised by the returned function if a behaviour is missing, grades do not fit the reward, or the
            arguments have different lengths.
    """

    def rewarded(batch: Mapping[str, Sequence[Any]]) -> list[float | None]:
        count = len(batch["completions"])
        behaviours = batch.get("behaviour", [behaviour] * count)
        facts = batch.get("facts", [None] * count)
        base = batch.get("base_reward", [0.0] * count)
        texts = [
            {"prompt": text_of(prompt), "completion": response_text(completion), "behaviour": _named(each)}
            for prompt, completion, each in zip(batch["prompts"], batch["completions"], behaviours, strict=True)
        ]
        if "grounding" in batch:
            texts = [{**text, "grounding": each} for text, each in zip(texts, batch["grounding"], strict=True)]
        graded = grade(texts)
        if len(graded) != count:
            raise RewardError(f"{len(graded)} of {count} completions were graded. Grade all of them, in their order")
        return [
            None if found is None else reward.score(each, found, known, own)
            for each, found, known, own in zip(behaviours, graded, facts, base, strict=True)
        ]

    def rewards(prompts: Sequence[Any], completions: Sequence[Any], **columns: Any) -> list[float | None]:
        return _of_texts(rewarded, prompts, completions, columns)

    rewards.__name__ = f"demur_{reward.content['policy']}"  # what trainers call its column in their logs
    return rewards


def _of_texts(
    rewarded: Callable[[Mapping[str, Sequence[Any]]], Sequence[float | None]],
    prompts: Sequence[Any],
    completions: Sequence[Any],
    columns: Mapping[str, Any],
) -> list[float | None]:
    """Return the rewards of the completions that have a text, and None for the others.

    `rewarded` gets the completions with a text, their prompts, and the given ones of COLUMNS.
    """
    count = len(completions)
    given = {name: columns[name] for name in COLUMNS if columns.get(name) is not None}
    given = {name: [column] * count if isinstance(column, str) else column for name, column in given.items()}
    batch = {"prompts": prompts, "completions": completions, **given}
    for name, column in batch.items():
        if len(column) != count:
            raise RewardError(f"{name}: {len(column)} for {count} completions. Give one for each completion")
    kept = [number for number, completion in enumerate(completions) if _has_text(completion)]
    found: Sequence[float | None] = ()
    if kept:
        found = rewarded({name: [column[number] for number in kept] for name, column in batch.items()})
    by_number = dict(zip(kept, found, strict=True))
    return [by_number.get(number) for number in range(count)]


def _has_text(completion: Any) -> bool:
    try:
        text_of(completion)
    except RewardError:
        return False
    return True


def _named(behaviour: object) -> str:
    if not isinstance(behaviour, str):
        raise RewardError("a completion has no behaviour. Give a column `behaviour`, or one for all completions")
    return behaviour


def served_rewards(url: str, key: str | None = None, seconds: float = 600) -> Rewards:
    """Return a reward function that asks a server (`demur rbr serve`), with one request for each batch.

    A completion without a text has the reward None, as in `reward_function`.

    Args:
        url: address of the server.
        key: key of the server, if it needs one.
        seconds: time limit of a request.

    Raises:
        RewardError: raised by the returned function if the server refuses or does not answer.
    """

    def asked(batch: Mapping[str, Sequence[Any]]) -> list[float | None]:
        body = json.dumps({name: list(column) for name, column in batch.items()}).encode()
        headers = {"Content-Type": "application/json", **({"Authorization": f"Bearer {key}"} if key else {})}
        request = urllib.request.Request(f"{url.rstrip('/')}/rewards", body, headers)
        try:
            with urllib.request.urlopen(request, timeout=seconds) as answer:
                found: list[float | None] = json.load(answer)["rewards"]
        except urllib.error.HTTPError as exc:
            raise RewardError(f"{url}: {exc.code} {exc.read().decode(errors='replace')[:500]}") from exc
        except (OSError, ValueError, KeyError) as exc:
            raise RewardError(f"{url}: sent no rewards ({exc}). Is `demur rbr serve` running there?") from exc
        return found

    def demur_served(prompts: Sequence[Any], completions: Sequence[Any], **columns: Any) -> list[float | None]:
        return _of_texts(asked, prompts, completions, columns)

    return demur_served


def _number(value: object, name: str) -> float:
    if not isinstance(value, (int, float)) or not math.isfinite(value):
        raise RewardError(f"{name}: {value!r} is not a finite number")
    return float(value)


def branch_probabilities(names: list[str], tree: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the probability of each class: products of probabilities along the branches of a tree of questions.

    A question is [variable, next node if true, next node if false]. A node is the number of a question or the name of a
    class. `values` has the probability of each variable: a number, or an array with one element per completion.
    """
    arriving: dict[int | str, Any] = dict.fromkeys(names, 0.0)
    arriving[tree["root"]] = 1.0
    for number, (variable, if_true, if_false) in enumerate(tree["questions"]):
        arrived = arriving.pop(number, 0.0)
        yes = arrived * values[variable]
        arriving[if_true] = arriving.get(if_true, 0.0) + yes
        arriving[if_false] = arriving.get(if_false, 0.0) + arrived - yes
    return {name: arriving[name] for name in names}


def _normalised(
    names: list[str], products: Mapping[str, Mapping[str, bool]], values: Mapping[str, float]
) -> tuple[dict[str, float], bool]:
    """Return products of probabilities of required states, scaled to sum to 1; uniform if all products are 0."""
    raw = {
        name: math.prod(values[each] if wanted else 1.0 - values[each] for each, wanted in products[name].items())
        for name in names
    }
    total = sum(raw.values())
    if total <= 0.0:
        return dict.fromkeys(names, 1.0 / len(names)), True
    return {name: value / total for name, value in raw.items()}, False


def main(arguments: list[str]) -> int:
    """Read graded completions from standard input as JSON lines, and write them with their rewards.

    A line has `behaviour` and `probabilities`, and optionally `facts` and `base_reward`. Other fields are copied.
    """
    if len(arguments) != 1:
        print("usage: python demur_reward.py REWARD.json < graded.jsonl > rewarded.jsonl", file=sys.stderr)
        return 2
    line = 0
    try:
        reward = load_reward(arguments[0])
        for text in sys.stdin:
            line += 1
            if not text.strip():
                continue
            row = json.loads(text)
            given = (row["behaviour"], row["probabilities"], row.get("facts"), row.get("base_reward", 0.0))
            scored = reward.explain(*given)
            found = {"reward": scored.total, "rules_reward": scored.rules, "classes": scored.classes}
            print(json.dumps({**row, **found}))
    except RewardError as exc:
        print(f"line {line}: {exc}" if line else exc, file=sys.stderr)
        return 2
    except (ValueError, KeyError, TypeError, AttributeError) as exc:
        print(f"line {line}: is not an object with behaviour and probabilities ({exc!r})", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
