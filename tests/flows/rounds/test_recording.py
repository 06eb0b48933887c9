"""What language models replied in a round is recorded, and a round that reads the recording comes to the same."""

import gzip
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from demur.errors import ConfigError
from demur.flows.round import round_flow
from demur.flows.rounds.recorder import _without_folder, record_rounds
from demur.programs.errors import ProgramError
from demur.programs.perturbation import Generator
from demur.programs.recording import Entry, read_recording, write_recording
from demur.programs.signatures import perturbation
from demur.warehouse.errors import WarehouseError
from tests.flows.finished_rounds import FinishedRound
from tests.flows.rounds import demur_here
from tests.flows.simulated import KEY, KEY_VARIABLE, ROUND, TWO_CLASSES, number, rows

pytestmark = pytest.mark.slow(seconds=60)

MADE = '{\\"reasoning\\":\\"'
"""How what a generator replied begins, as it stands in a recording."""


@pytest.fixture
def made(simulated_round: FinishedRound) -> FinishedRound:
    """A round at a simulator, which is not there any more, and what was recorded of it."""
    return simulated_round


def replayed(config: Path, home: Path, file: Path | None = None) -> str:
    """Run a round without a key, from a recording where one is given."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv(KEY_VARIABLE, raising=False)
        patch.setenv("DEMUR_HOME", str(home))
        return round_flow(config=str(config), replay=None if file is None else str(file))


def without(file: Path, into: Path, dropped: Callable[[Entry], bool]) -> Path:
    """Copy a recording without some entries, and without the models of which none is left."""
    recording = read_recording(file)
    left = [entry for entry in recording.entries.values() if not dropped(entry)]
    heard = {entry.model for entry in left}
    write_recording(into, (one for name, one in recording.speakers.items() if name in heard), left)
    return into


def recorded_config(round_config: Path, recording: Path, folder: Path, **changes: Any) -> Path:
    """Write the round with recorded models in the place of those at the simulator, and a rules model for each."""
    config = yaml.safe_load(round_config.read_text(encoding="utf-8"))
    floors = [{"name": f"floor-{m['name']}", "provider": "rules", "model": m["model"]} for m in config["models"]]
    models = [
        {"name": m["name"], "provider": "recorded", "model": m["name"], "file": str(recording)}
        | {"fallback": f"floor-{m['name']}"}
        for m in config["models"]
    ]
    path = folder / "recorded.yaml"
    path.write_text(yaml.safe_dump(config | {"models": models + floors} | changes), encoding="utf-8")
    return path


def test_recording_is_the_same_bytes_each_time_and_holds_no_key_address_or_prompt(
    made: FinishedRound, tmp_path: Path
) -> None:
    again = tmp_path / "again.jsonl.gz"
    written = record_rounds(made.home, [ROUND], again, answered_by="rules")
    assert again.read_bytes() == made.recording.read_bytes()
    text = gzip.decompress(again.read_bytes()).decode()
    assert KEY not in text and KEY_VARIABLE not in text and "127.0.0.1" not in text and "http" not in text
    assert "Task: " not in text
    assert {one.name: one.roles for one in written.speakers}["res-o"] == ("respondent", "screener")
    generated = "SELECT count(*) FROM calls WHERE status = 'ok' AND role = 'generator' AND model = 'gen-o'"
    assert {one.name: one.replies for one in written.speakers}["gen-o"] == number(made.home.root, generated)


@pytest.mark.parametrize(
    ("model", "named"),
    [
        ("/models/small-Q4_1.gguf", "small-Q4_1.gguf"),
        ("~/small.gguf", "small.gguf"),
        ("models/small.gguf", "small.gguf"),
        ("Qwen/Qwen3-8B", "Qwen/Qwen3-8B"),
    ],
)
def test_recording_names_the_file_of_a_model_without_its_folder(model: str, named: str) -> None:
    assert _without_folder(model) == named


def test_reply_to_an_earlier_wording_is_used_and_counted(
    made: FinishedRound, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Levers and faults are those that were drawn when the replies were recorded, although all ids are others now."""
    worded = perturbation.GeneratePerturbation.instructions + " Take your time."
    reworded = perturbation.GeneratePerturbation.with_instructions(worded)
    monkeypatch.setattr("demur.programs.perturbation.GeneratePerturbation", reworded)
    monkeypatch.setattr("demur.flows.stages.items.generate._GENERATOR", Generator())
    recorded = TWO_CLASSES | {"lever_choice": "recorded"}
    config = recorded_config(made.config, made.recording, tmp_path, generation=recorded)
    home = tmp_path / "home"
    replayed(config, home)
    assert rows(home, "SELECT DISTINCT stage FROM calls WHERE earlier_prompt") == [("generate",)]
    made_anew = number(home, "SELECT count(*) FROM calls WHERE earlier_prompt")
    assert made_anew == number(made.home.root, "SELECT count(*) FROM calls WHERE status = 'ok' AND stage = 'generate'")
    folder = home / "releases" / ROUND / "1"
    manifest = json.loads((folder / "manifest.json").read_text())
    assert sum(model["earlier_prompts"] for model in manifest["recorded"]) == made_anew
    report = " ".join((folder / "report.html").read_text().split())
    assert f"{made_anew} of them answer an earlier wording of the prompts." in report
    # respondents that may fall back are judged by the judge's fallback, whatever they said
    assert rows(home, "SELECT DISTINCT role FROM calls WHERE provider = 'rules'") == [("judge",)], (
        "nobody else fell back"
    )
    completions = "SELECT prompt, label, variant, faults, completion FROM completions ORDER BY ALL"
    assert rows(home, completions) == rows(made.home.root, completions) != []
    texts = "SELECT question, passages FROM items WHERE round_id = 'simulated' ORDER BY ALL"
    assert rows(home, texts) == rows(made.home.root, texts)


def test_round_without_its_recording_or_with_one_of_other_models_does_not_start(
    made: FinishedRound, tmp_path: Path
) -> None:
    with pytest.raises(ConfigError, match=r"recording .*none.jsonl.gz: cannot be read"):
        replayed(made.config, tmp_path, tmp_path / "none.jsonl.gz")
    with pytest.raises(ConfigError, match=r"recording .*partial.jsonl.gz: has no model 'gen-o'; it has grader, "):
        partial = without(made.recording, tmp_path / "partial.jsonl.gz", lambda entry: entry.stage == "generate")
        replayed(made.config, tmp_path, partial)
    assert not (tmp_path / "releases").exists()


def test_recordings_are_merged_and_what_a_round_says_goes_before_a_file(made: FinishedRound, tmp_path: Path) -> None:
    judged = without(made.recording, tmp_path / "most.jsonl.gz", lambda entry: entry.stage == "judge")
    both = tmp_path / "both.jsonl.gz"
    written = record_rounds(made.home, [ROUND], both, beside=[judged], answered_by="rules")
    assert both.read_bytes() == made.recording.read_bytes() and written.replaced == 0
    halves = [
        without(
            made.recording, tmp_path / f"{half}.jsonl.gz", lambda entry, half=half: (entry.stage == "judge") is half
        )
        for half in (True, False)
    ]
    merged = [option for half in halves for option in ("--with", str(half))]
    assert demur_here("record", *merged, "--out", str(both), home=tmp_path).returncode == 0
    assert both.read_bytes() == made.recording.read_bytes()
    with pytest.raises(WarehouseError, match="round 'other' is not one of simulated"):
        record_rounds(made.home, ["other"], both)
    with pytest.raises(ProgramError, match="cannot be written"):
        record_rounds(made.home, [ROUND], both / "inside-a-file.jsonl.gz")


def rederived(made: FinishedRound, file: Path, *options: str) -> tuple[int, str, str]:
    """Make the release again, without a key."""
    assert KEY_VARIABLE not in os.environ
    ended = demur_here("release", "rederive", f"{ROUND}/1", "--replay", str(file), *options, home=made.home.root)
    return ended.returncode, ended.stdout, ended.stderr


@pytest.mark.exhaustive
def test_release_is_rederived_byte_for_byte_and_one_of_altered_replies_is_told_apart(
    made: FinishedRound, tmp_path: Path
) -> None:
    told = f"{ROUND}/1: 7 files were made again from replies.jsonl.gz, and all bytes are equal\n"
    assert rederived(made, made.recording)[:2] == (0, told)
    altered = tmp_path / "altered.jsonl.gz"
    lines = gzip.decompress(made.recording.read_bytes()).decode().replace(MADE, f"{MADE}Altered: ")
    altered.write_bytes(gzip.compress(lines.encode()))
    status, told, _ = rederived(made, altered)
    assert status == 1 and "items.jsonl: differs; frozen" in told and "responses.parquet" not in told


def test_release_of_another_configuration_is_not_rederived(made: FinishedRound, tmp_path: Path) -> None:
    other = tmp_path / "other.yaml"
    shutil.copy(made.config, other)
    other.write_text(other.read_text().replace("bases: 2", "bases: 1"))
    status, _, told = rederived(made, made.recording, "--config", str(other))
    assert status == 2 and f"{other}: is not the configuration of {ROUND}/1" in told
