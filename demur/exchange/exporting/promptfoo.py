"""A release as tests of promptfoo: question, contexts and expected refusal."""

import json
from typing import Any, Final

import yaml

from demur.exchange.exporting.items import ReleaseItems
from demur.flows.stages.unpack.items import ReleasedItem
from demur.levers.vocabulary import AnyReason, Code
from demur.programs.options import Prompts
from demur.programs.respondent import asked_messages

CONFIG: Final = "promptfooconfig.yaml"
TESTS: Final = "tests.jsonl"
PROMPT: Final = "prompt.json"
_CODE: Final = "REFUSE_"
_FILE: Final = "file://"


def promptfoo_files(found: ReleaseItems, prompts: Prompts) -> dict[str, str]:
    """Return the files of a configuration of promptfoo, `{name: text}`.

    A test of an answerable item passes if the response has no refusal code and has an accepted answer word for word,
    which is a lower bound. A test of another item passes if the response has the expected code.

    All texts of an item lie in one variable, `item`, an object: promptfoo inserts fields of objects as they are. Of
    variables that are texts, it renders templates, and reads files and runs modules that their beginnings name.
    """
    roles = list(dict.fromkeys(message["role"] for item in found.items[:1] for message in _messages(item, prompts)))
    config = {
        "description": f"{found.release.label}, a refusal benchmark of demur (digest {found.release.digest})",
        "prompts": [f"{_FILE}{PROMPT}"],
        "providers": ["openai:gpt-6-sol"],
        "tests": f"{_FILE}{TESTS}",
    }
    prompt = [{"role": role, "content": f"{{{{ item.{role} }}}}"} for role in roles]
    return {
        CONFIG: yaml.safe_dump(config, sort_keys=False, allow_unicode=True),
        PROMPT: json.dumps(prompt, indent=1) + "\n",
        TESTS: "".join(f"{json.dumps(_test(item, prompts), ensure_ascii=False)}\n" for item in found.items),
    }


def _messages(item: ReleasedItem, prompts: Prompts) -> list[dict[str, str]]:
    return asked_messages(item.perturbed_query, item.passages(), prompts)


def _test(item: ReleasedItem, prompts: Prompts) -> dict[str, Any]:
    expected = item.expected_rag_behavior
    texts = {
        **{message["role"]: message["content"] for message in _messages(item, prompts)},
        "question": item.perturbed_query,
        "contexts": [passage.text for passage in item.passages()],
        "answers": list(item.original_answers),
    }
    return {
        "description": f"{item.id}: {expected.value}",
        "vars": {"item": texts, "expected": expected.value},
        "assert": _asserts(item),
        "metadata": {
            "kind": item.kind.value,
            "class": item.perturbation_class and item.perturbation_class.value,
            "intensity": item.intensity and item.intensity.value,
        },
    }


def _asserts(item: ReleasedItem) -> list[dict[str, Any]]:
    expected = item.expected_rag_behavior
    if expected is AnyReason.REFUSE:
        return [{"type": "contains", "value": _CODE}]
    if expected is not Code.ANSWER_CORRECTLY:
        return [{"type": "contains", "value": expected.value}]
    accepted = [f"{{{{ item.answers[{place}] }}}}" for place in range(len(item.original_answers))]
    return [{"type": "not-contains", "value": _CODE}, {"type": "icontains-any", "value": accepted}]
