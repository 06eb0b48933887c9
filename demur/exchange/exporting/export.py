"""A frozen release written to a folder, in the format of another tool."""

from collections.abc import Mapping
from pathlib import Path

from demur.configuration.formats import Tool
from demur.exchange.exporting.hub import hub_files
from demur.exchange.exporting.items import release_items, write_folder
from demur.exchange.exporting.tasks import inspect_files, lm_eval_files, task_name
from demur.exchange.exporting.training import DPO, training_files
from demur.programs.options import Prompts
from demur.warehouse.home import Home


def export_release(
    home: Home, label: str, tool: Tool, folder: Path, prompts: Prompts, licence: str, language: str
) -> str:
    """Write a release for a tool into a new folder, and return how it is used there.

    Raises:
        WarehouseError: there is no such release, or it is not as it was frozen.
        FlowError: the folder cannot be written.
    """
    found = release_items(home, label)
    files: Mapping[str, str | bytes]
    if tool is Tool.INSPECT:
        files = inspect_files(found, prompts)
        use = f"cd {folder} && inspect eval inspect_task.py --model PROVIDER/MODEL"
    elif tool is Tool.LM_EVAL:
        files = lm_eval_files(found, prompts)
        use = f"lm_eval --model hf --model_args pretrained=MODEL --tasks {task_name(found)} --include_path {folder}"
    elif tool is Tool.TRAINING:
        files = training_files(found, prompts)
        use = f"datasets.load_dataset('json', data_files='{folder}/{DPO}')"
    else:
        files = hub_files(found, prompts, licence, language)
        use = f"datasets.load_dataset('{folder}', 'items')"
    write_folder(folder, files)
    return use
