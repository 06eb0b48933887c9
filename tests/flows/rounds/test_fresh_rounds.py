"""An interrupted fresh round: which changes of its configuration it is gone on with."""

from pathlib import Path
from typing import Any

import yaml

from demur.flows.rounds.request import read_round_config
from tests.flows.rounds import ROOT


def digest(folder: Path, top: dict[str, Any], of_first_model: dict[str, Any]) -> str:
    config = yaml.safe_load((ROOT / "deployments" / "rounds" / "rehearsal.yaml").read_text(encoding="utf-8"))
    config["corpus"]["path"] = str(ROOT / "deployments" / "corpora" / "single.jsonl")
    config["models"][0] |= of_first_model
    path = folder / "round.yaml"
    path.write_text(yaml.safe_dump({**config, **top}), encoding="utf-8")
    return read_round_config(path).digest


def test_fresh_round_is_gone_on_with_where_a_change_decides_nothing(tmp_path: Path) -> None:
    changes: list[tuple[dict[str, Any], dict[str, Any]]] = [
        ({"budget": {"max_usd": 5}}, {}),
        ({"gates": {"failure_rate": 1.0, "acceptance": 0.0, "coverage": 0.0, "balance": 0.0}}, {}),
        ({"shard_size": 7, "batch_shard_size": 9, "shards_at_once": 2}, {}),
        ({}, {"limits": {"concurrency": 2, "retries": 9}}),
        ({}, {"base_url": "http://127.0.0.1:1/v1", "api_key_env": "OTHER_KEY", "mode": "batch"}),
        ({}, {"prices": {"input_usd_per_million": 9, "output_usd_per_million": 9}, "prompt_cache": False}),
    ]
    assert {digest(tmp_path, *change) for change in changes} == {digest(tmp_path, {}, {})}


def test_fresh_round_is_begun_anew_where_a_change_decides_results(tmp_path: Path) -> None:
    changes: list[tuple[dict[str, Any], dict[str, Any]]] = [
        ({"bases": 5}, {}),
        ({"items_per_stratum": 3}, {}),
        ({}, {"parameters": {"max_tokens": 3999}}),
        ({}, {"model": "recipes/other"}),
        ({}, {"structured_output": False}),
    ]
    digests = {digest(tmp_path, *change) for change in changes} | {digest(tmp_path, {}, {})}
    assert len(digests) == len(changes) + 1
