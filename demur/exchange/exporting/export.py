"""Exports of a release to a folder: in the formats of other tools, and as training data."""

import inspect
import json
import re
from collections.abc import Iterable, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any, Final, cast

import yaml

from demur.errors import OURS, FlowError
from demur.exchange.exporting.items import (
    CONTROL,
    Exported,
    Exporter,
    ExportRequest,
    ReleaseItems,
    Row,
    licence_of,
    release_items,
    scoring_content,
    task_row,
    write_folder,
)
from demur.exchange.exporting.publishing import hub_files
from demur.flows.stages.responses.release_items import FILE, ReleasedItem
from demur.levers.lever_models import is_held_out
from demur.levers.vocabulary import CLASS_CODE, AnyReason, Code, Intensity
from demur.plugins import PluginError, PluginKind, names, plugin
from demur.programs.adapter import reply_json
from demur.programs.options import Prompts
from demur.programs.replies import code_reader, declining, reply_reader
from demur.programs.respondent import asked_messages
from demur.rewards.prompts import item_behaviour
from demur.scoring.standalone import demur_scores, reply_text, standalone_source
from demur.warehouse.home import Home

# A release as tests of promptfoo: question, contexts and expected refusal.


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


# Releases as training data, split by lever: a model trained on some levers can be scored on the held-out levers.
#
# `sft.jsonl` has items of training levers and controls with the right response. `dpo.jsonl` has items of training
# levers with the right response and a plausible wrong one. `grpo.jsonl` has prompts with what a reward judges a
# completion by. `held_out.jsonl` has the items of held-out levers, for
# scoring only.


SFT: Final = "sft.jsonl"
DPO: Final = "dpo.jsonl"
GRPO: Final = "grpo.jsonl"
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
        GRPO: _lines(_prompt(item, task) for item, task in train),
        HELD_OUT: _lines(task_row(item, prompts, digest) for item in kept),
        LEVERS: json.dumps(split, indent=1) + "\n",
        "README.md": _training_readme(found, len(train), len(kept), split),
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


def _prompt(item: ReleasedItem, task: Row) -> Row:
    known = task["metadata"]
    grounding = {
        **{name: known[name] for name in ("question", "passages", "reference_answers")},
        "expected_behaviour": task["target"],
    }
    return {
        "prompt": task["input"],
        "behaviour": item_behaviour(task["target"]),
        "grounding": grounding,
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


def _training_readme(found: ReleaseItems, train: int, kept: int, split: Mapping[str, list[str]]) -> str:
    return f"""# {found.release.label}, split by lever

Made from the release with digest {found.release.digest}.

- `{SFT}`: {train} conversations with the right response, of {len(split["train"])} levers and of untouched questions.
- `{DPO}`: the same items, without untouched questions, as prompt, chosen and rejected.
- `{GRPO}`: all items of `{SFT}` as prompts, with behaviour and grounding for a reward of the policy selective_refusal.
- `{HELD_OUT}`: {kept} items of {len(split["held_out"])} levers that nobody may train on: have them answered and scored.
- `{LEVERS}`: which lever is which. It is the same in every release.

Both sides were made from the same questions: leave out the rows of some questions (`source_id`) to score questions that
were never seen too. Score whoever was trained on this on a later round too: the view
`score_drift_by_lever` compares the levers that could be seen with those that could not.
"""


# Exports of a release to a folder, in the format of another tool.


SCORING: Final = "scoring.json"
INSPECT_TASK: Final = "inspect_task.py"
INSPECT_COMMAND: Final = f"inspect eval {INSPECT_TASK} --model PROVIDER/MODEL -T grader=PROVIDER/MODEL"
PROCESSING: Final = "processing.py"
SHARES: Final = ("refusal_accuracy", "false_refusal_rate", "missed_refusal_rate", "category_accuracy", "invalid_rate")
"""Metrics that are means over items; lm-evaluation-harness computes their standard errors."""
LONGEST_REPLY: Final = 1_024
"""Most tokens of a reply in lm-evaluation-harness, which requires a limit."""


def inspect_files(found: ReleaseItems, prompts: Prompts) -> dict[str, str]:
    """Return the files of an Inspect task, `{name: text}`."""
    return {
        INSPECT_TASK: _text(INSPECT_TASK),
        **_shared(found, prompts, {}),
        "README.md": _readme(
            found,
            prompts,
            f"    {INSPECT_COMMAND}\n\n"
            "Without `-T grader` answers are not graded. Bring a log back: `demur import responses LOG.eval --from "
            "inspect --round NAME`.",
        ),
    }


def lm_eval_files(found: ReleaseItems, prompts: Prompts) -> dict[str, str]:
    """Return the files of a task of lm-evaluation-harness, `{name: text}`."""
    name = task_name(found)
    metrics = _metrics(found)
    return {
        f"{name}.yaml": _task_yaml(name, found, metrics),
        PROCESSING: _text(PROCESSING),
        **_shared(found, prompts, {"metrics": metrics, "shares": list(SHARES)}),
        "README.md": _readme(
            found,
            prompts,
            f"    {lm_eval_command(name, '.')}\n\n"
            "Instructions and item are one message. Answers are not graded; `reference_in_answer` is the share of "
            "answerable items whose response contains an accepted answer. Bring samples back: `demur import responses "
            "SAMPLES.jsonl --from lm-eval --round NAME`.",
        ),
    }


def lm_eval_command(task: str, folder: str) -> str:
    """Return the command that asks a model the items of a task in a folder and keeps its responses for an import."""
    return (
        f"lm_eval --model hf --model_args pretrained=MODEL --tasks {task} --include_path {folder} "
        "--apply_chat_template --log_samples --output_path results"
    )


def task_name(found: ReleaseItems) -> str:
    """Return the name of a release's task in lm-evaluation-harness."""
    words = re.sub(r"[^A-Za-z0-9]+", "_", found.release.name).strip("_").lower()
    return f"demur_{words}_{found.release.version}"


def _shared(found: ReleaseItems, prompts: Prompts, more: Mapping[str, Any]) -> dict[str, str]:
    rows = (json.dumps(task_row(item, prompts, found.release.digest), ensure_ascii=False) for item in found.items)
    content = {**scoring_content(found, prompts), **more}
    return {
        "reply_reader.py": standalone_source(reply_text, reply_json, code_reader, declining, reply_reader),
        "demur_scores.py": inspect.getsource(demur_scores),
        FILE: "".join(f"{row}\n" for row in rows),
        SCORING: json.dumps(content, ensure_ascii=False, indent=1) + "\n",
    }


def _text(name: str) -> str:
    return (files("demur.exchange.exporting.files") / name).read_text(encoding="utf-8")


def _readme(found: ReleaseItems, prompts: Prompts, how: str) -> str:
    release = found.release
    controls = sum(item.kind == CONTROL for item in found.items)
    return (
        f"# {release.name}, version {release.version}\n\n"
        f"{len(found.items) - controls} items and {controls} untouched questions of a demur release (digest "
        f"{release.digest}), asked with the {prompts} prompts.\n\n{how}\n"
    )


def _metrics(found: ReleaseItems) -> list[dict[str, str]]:
    """Return the exported metrics with their slices of items.

    Metrics are left out if they need graded answers, or the provider's reasons, which the harness does not pass on. So
    are metrics of reasons, if items are to be refused for whatever reason.
    """
    left_out = {"answer_accuracy", "calibrated_refusal_score", "provider_refusal_rate"}
    if any(item.expected_rag_behavior is AnyReason.REFUSE for item in found.items):
        left_out |= demur_scores.OF_REASONS
    kinds = {item.kind.value for item in found.items}
    classes = sorted({item.perturbation_class.value for item in found.items if item.perturbation_class})
    intensities = {item.intensity for item in found.items}
    slices = [(name, name, "kind", "perturbed") for name in demur_scores.METRICS]
    if CONTROL in kinds:
        slices.append(("controls_refused", "false_refusal_rate", "kind", CONTROL))
    for metric in ("refusal_accuracy", "false_refusal_rate"):
        slices += [(f"{metric}_{value}", metric, "class", value) for value in classes]
    slices += [
        (f"refusal_accuracy_{value}", "refusal_accuracy", "intensity", value.value)
        for value in (Intensity.MEDIUM, Intensity.HIGH)
        if value in intensities
    ]
    slices = [one for one in slices if one[1] not in left_out]
    return [dict(zip(("name", "metric", "slice", "value"), each, strict=True)) for each in slices]


def _task_yaml(name: str, found: ReleaseItems, metrics: list[dict[str, str]]) -> str:
    lower = {"false_refusal_rate", "missed_refusal_rate", "invalid_rate"}
    listed = [
        {
            "metric": each["name"],
            "aggregation": "mean"
            if each["metric"] in SHARES
            else _Function(f"{PROCESSING.removesuffix('.py')}.{each['metric']}"),
            "higher_is_better": each["metric"] not in lower,
        }
        for each in metrics
    ]
    listed.append({"metric": "reference_in_answer", "aggregation": "mean", "higher_is_better": True})
    content = {
        "task": name,
        "custom_dataset": _Function("processing.items"),
        "output_type": "generate_until",
        "test_split": "test",
        "doc_to_text": _Function("processing.asked"),
        "doc_to_target": "target",
        "process_results": _Function("processing.process_results"),
        "generation_kwargs": {"until": [], "max_gen_toks": LONGEST_REPLY, "do_sample": False},
        "metric_list": listed,
        "metadata": {"version": found.release.version, "release": found.release.digest},
    }
    return yaml.dump(content, Dumper=_TaskDumper, sort_keys=False, allow_unicode=True, width=120)


class _Function(str):
    """The name of a function in a module beside the task's file."""


class _TaskDumper(yaml.SafeDumper):
    """Writes functions with the YAML tag of lm-evaluation-harness."""


_TaskDumper.add_representer(_Function, lambda dumper, name: dumper.represent_scalar("!function", str(name)))


def _inspect(found: ReleaseItems, asked: ExportRequest) -> Exported:
    return Exported(inspect_files(found, asked.prompts), f"cd {{folder}} && {INSPECT_COMMAND}")


def _lm_eval(found: ReleaseItems, asked: ExportRequest) -> Exported:
    return Exported(lm_eval_files(found, asked.prompts), lm_eval_command(task_name(found), "{folder}"))


def _training(found: ReleaseItems, asked: ExportRequest) -> Exported:
    use = f"datasets.load_dataset('json', data_files='{{folder}}/{DPO}')"
    return Exported(training_files(found, asked.prompts), use)


def _hub(found: ReleaseItems, asked: ExportRequest) -> Exported:
    files = hub_files(found, asked.prompts, licence_of(found.release, asked.licence), asked.language)
    return Exported(files, "datasets.load_dataset('{folder}', 'items')")


def _promptfoo(found: ReleaseItems, asked: ExportRequest) -> Exported:
    files = promptfoo_files(found, asked.prompts)
    return Exported(files, f"promptfoo eval -c {{folder}}/{CONFIG}")


EXPORTERS: Final[Mapping[str, Exporter]] = {
    "inspect": _inspect,
    "lm-eval": _lm_eval,
    "promptfoo": _promptfoo,
    "hf": _hub,
    "training": _training,
}
"""Our exporters, by the name of the tool."""


def exporter(tool: str) -> Exporter:
    """Return the exporter of a tool, from demur or from another package.

    Raises:
        FlowError: there is no exporter of this name.
        PluginError: the package's exporter cannot be used.
    """
    found = plugin(PluginKind.EXPORTER, tool, EXPORTERS)
    if found is not None:
        return cast("Exporter", found.load(callable, "a function"))
    if tool not in EXPORTERS:
        raise FlowError(f"--to '{tool}' is not one of {', '.join(names(PluginKind.EXPORTER, EXPORTERS))}")
    return EXPORTERS[tool]


def export_release(home: Home, label: str, tool: str, folder: Path, asked: ExportRequest) -> str:
    """Write a release for a tool into a new folder, and return the command that uses the files.

    Raises:
        WarehouseError: there is no such release, or the release was altered.
        FlowError: there is no such tool, or the folder cannot be written.
        PluginError: the exporter of another package fails or returns no files.
    """
    write = exporter(tool)
    found = release_items(home, label)
    try:
        exported = write(found, asked)
        write_folder(folder, exported.files)
    except OURS:
        raise
    except Exception as exc:
        raise PluginError(f"exporter '{tool}' raised {type(exc).__name__}: {exc}") from exc
    return exported.use.replace("{folder}", str(folder))
