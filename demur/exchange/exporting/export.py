"""Exports of a release to a folder, in the format of another tool."""

import inspect
import json
import re
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any, Final, cast

import yaml

from demur.errors import OURS, FlowError
from demur.exchange.exporting.hub import hub_files
from demur.exchange.exporting.items import (
    CONTROL,
    Exported,
    Exporter,
    ExportRequest,
    ReleaseItems,
    licence_of,
    release_items,
    scoring_content,
    task_row,
    write_folder,
)
from demur.exchange.exporting.promptfoo import CONFIG as PROMPTFOO
from demur.exchange.exporting.promptfoo import promptfoo_files
from demur.exchange.exporting.training import DPO, training_files
from demur.flows.stages.unpack.items import FILE
from demur.levers.vocabulary import AnyReason, Intensity
from demur.plugins import PluginError, PluginKind, names, plugin
from demur.programs import code_reader, declining, reply_reader
from demur.programs.adapter import reply_json
from demur.programs.options import Prompts
from demur.scoring import demur_scores, reply_text
from demur.scoring.standalone import standalone_source
from demur.warehouse.home import Home

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
    return Exported(files, f"promptfoo eval -c {{folder}}/{PROMPTFOO}")


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
