"""`demur config`, completion, and what is told of a configuration that is wrong."""

import json
import re
import subprocess
from pathlib import Path

import jsonschema
import pytest
import yaml

from demur.configuration.round_config import SHIPPED
from demur.corpora.documents.found import find_documents
from demur.engine.context import RoundContext
from demur.flows.rounds.request import find_round_config, read_round_config
from demur.flows.stages.bases.draw import open_corpus
from demur.flows.stages.questions.read_documents import documents_of
from demur.warehouse.home import Home
from tests.flows.rounds import command, demur_here, environment
from tests.warehouse.gate_round import whole_round

OURS = sorted(path.stem for path in SHIPPED.glob("*.yaml"))


def test_config_schema_accepts_our_configurations(tmp_path: Path) -> None:
    schema = json.loads(demur_here("config", "schema", home=tmp_path).stdout)
    for name in OURS:
        written = yaml.safe_load(find_round_config(name).read_text("utf-8"))
        jsonschema.validate(written, schema)
        with pytest.raises(jsonschema.ValidationError, match="'basis' was unexpected"):
            jsonschema.validate(written | {"basis": 3}, schema)


@pytest.mark.parametrize("name", OURS)
def test_config_show_is_the_same_configuration_with_every_default(tmp_path: Path, name: str) -> None:
    shown = tmp_path / "shown.yaml"
    shown.write_text(demur_here("config", "show", name, home=tmp_path).stdout, encoding="utf-8")
    assert read_round_config(shown) == read_round_config(find_round_config(name))
    assert "shards_at_once: 1" in shown.read_text("utf-8")


@pytest.mark.parametrize("name", OURS)
def test_config_new_is_a_copy_of_ours_under_its_own_name_that_finds_its_corpora(tmp_path: Path, name: str) -> None:
    file = tmp_path / "my-round.yaml"
    done = demur_here("config", "new", str(file), "--from", name, home=tmp_path / "home")
    assert done.returncode == 0, done.stderr
    assert f"demur plan {file}" in done.stdout
    ours, mine = read_round_config(find_round_config(name)), read_round_config(file)
    assert mine.name == "my-round" and mine.round_id == ("my-round-{started}" if ours.fresh else "my-round")
    assert mine.model_copy(update={"name": ours.name, "round_id": ours.round_id}) == ours
    context = RoundContext(Home(tmp_path / "home"), mine, tmp_path, "r", 1)
    if mine.documents is None:
        assert next(open_corpus(context)).question
    else:
        assert next(find_documents(documents_of(context), 0)).path
    assert mine.fit.safety_prompts is None or context.file(mine.fit.safety_prompts).is_file()
    again = demur_here("config", "new", str(file), home=tmp_path / "home")
    assert again.returncode == 2 and "already exists" in again.stderr
    assert read_round_config(file) == mine


@pytest.mark.parametrize(
    ("file", "arguments", "message"),
    [
        ("a b.yaml", (), "'a b' is not a valid name for a round"),
        ("absent/my.yaml", (), "absent/my.yaml: No such file or directory; check the path"),
        ("my.yaml", ("--from", "nothing"), "round configuration 'nothing' is neither a file nor one of ours"),
    ],
)
def test_config_new_that_cannot_be_written_says_why(
    tmp_path: Path, file: str, arguments: tuple[str, ...], message: str
) -> None:
    done = demur_here("config", "new", str(tmp_path / file), *arguments, home=tmp_path)
    assert done.returncode == 2 and message in done.stderr
    assert not (tmp_path / file).exists()


@pytest.mark.parametrize("text", ["", "- a\n"])
def test_configuration_that_holds_no_fields_names_its_schema(tmp_path: Path, text: str) -> None:
    path = tmp_path / "round.yaml"
    path.write_text(text)
    done = demur_here("plan", str(path), home=tmp_path / "home")
    assert done.returncode == 2
    assert "`demur config schema` says what it must hold" in done.stderr


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("judges: [claude]", "judges: [cloud]", "roles.judges[0] 'cloud' is not one of the models"),
        (
            "writer: gpt",
            "writer: always-refuses",
            "roles.writer 'always-refuses' is respondent/always-refuses, whose rules",
        ),
        ("judges: [claude]", "judges: [gpt, gpt]", "roles.judges names a model twice"),
        ("l2: 0.01 ", "l2: chose ", "fit.l2 'chose' is neither a valid number nor 'choose'"),
        ("l2: 0.01 ", "l2: -1 ", "fit.l2 -1 is neither greater than 0 nor 'choose'"),
        ("seed: fresh", "seed: now", "seed 'now' is neither a valid integer nor 'fresh'"),
        ("round_id: frontier-{started}", "round_id: x", "round_id 'x' does not fit seed fresh: a fresh round"),
        ("margin: 1.0", "grading: one_by_one\n  margin: 1.0", ""),
        (
            "stop_on_sample: false",
            "stop_on_sample: false\nverification: {consensus: k_of_n, k: 9}",
            "verification.k 9 is",
        ),
    ],
)
def test_configuration_wrong_field_is_told_with_the_line_that_it_stands_on(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    text = find_round_config("frontier").read_text("utf-8")
    assert old in text
    path = tmp_path / "round.yaml"
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    done = demur_here("plan", str(path), home=tmp_path / "home")
    if not message:
        assert done.returncode == 0, done.stderr
        return
    line = path.read_text("utf-8")[: path.read_text("utf-8").index(new.split("\n")[-1])].count("\n") + 1
    assert done.stderr.startswith(f"demur: {path}:{line}: {message}")
    assert len(done.stderr.splitlines()) == 1


def test_completion_offers_configurations_rounds_and_releases(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = Home(tmp_path / "home")
    whole_round(home)
    home.loader.rename(home.published)
    (tmp_path / "fresh.yaml").write_text("")
    monkeypatch.setenv("_DEMUR_COMPLETE", "complete_bash")

    def asked(*words: str) -> None:
        monkeypatch.setenv("COMP_WORDS", " ".join(("demur", *words)))
        monkeypatch.setenv("COMP_CWORD", str(len(words)))

    def completed(home: Path, *words: str) -> list[str]:
        asked(*words)
        return demur_here(home=home).stdout.split()

    asked("round", "fr")
    done = subprocess.run(command(), env=environment(home.root), cwd=tmp_path, capture_output=True, text=True)
    assert (done.stdout.split(), done.stderr) == (["frontier", "fresh.yaml"], "")
    assert sorted(completed(home.root, "costs", "r")) == ["r0", "r1"]
    assert completed(tmp_path / "none", "costs", "r") == []
    for version in ("1", "2"):
        (home.releases / "weekly" / version).mkdir(parents=True)
        (home.releases / "weekly" / version / "manifest.json").write_text("")
    assert completed(home.root, "release", "verify", "we") == ["weekly", "weekly/1", "weekly/2"]


def test_version_is_printed(tmp_path: Path) -> None:
    from importlib.metadata import version

    done = demur_here("--version", home=tmp_path)
    assert done.returncode == 0
    assert re.fullmatch(rf"demur {re.escape(version('demur'))}( \([0-9a-f]{{7,40}}\+?\))?\n", done.stdout)


def test_configuration_names_a_file_of_its_folder_before_one_of_ours(tmp_path: Path) -> None:
    context = RoundContext(Home(tmp_path), read_round_config(find_round_config("rules")), tmp_path, "r", 1)
    assert context.file(Path("single")).name == "single.jsonl"
    (tmp_path / "single").write_text("")
    assert context.file(Path("single")) == tmp_path / "single"
    assert context.file(Path("nowhere")) == tmp_path / "nowhere"
