"""Extensions by other packages: the examples of docs/extending.md, and what is said of broken ones."""

import json
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pydantic import ValidationError

from demur import plugins
from demur.configuration.models import chosen_model, serves
from demur.corpora.corpus import read_corpus
from demur.corpora.corpus_rows import OnBadRow
from demur.errors import ConfigError, CorpusError
from demur.flows.rounds.request import read_round_config
from demur.lanes.engine import open_models
from demur.lanes.spec import ModelSpec
from demur.plugins import PluginError
from demur.programs.call_scope import CallScope, call_scope
from demur.programs.errors import LaneError
from demur.programs.model import Model
from demur.programs.respondent import System, respond
from tests.flows.finished_rounds import FinishedRound
from tests.flows.rounds import ROOT, demur_here, write_config
from tests.lanes.asking import PASSAGES, QUESTION, MemoryCallStore, ask

EXAMPLES = ROOT / "examples" / "extensions"
KINDS = ("lane", "respondent", "corpus", "metric", "exporter")
Install = Callable[..., None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Put packages on the path as installers do: modules, and metadata with their entry points."""
    site = tmp_path / "site"
    site.mkdir()
    known = set(sys.modules)

    def installed(name: str, group: str, entries: str, source: str = "") -> None:
        folder = site / f"{name}-1.0.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n", encoding="utf-8")
        (folder / "entry_points.txt").write_text(f"[{group}]\n{entries}\n", encoding="utf-8")
        (site / f"{name}.py").write_text(source, encoding="utf-8")
        plugins._installed.cache_clear()

    monkeypatch.syspath_prepend(site)
    yield installed
    plugins._installed.cache_clear()
    for name in set(sys.modules) - known:
        if (site / f"{name}.py").exists():
            del sys.modules[name]


@pytest.fixture
def examples(install: Install) -> None:
    """All example packages."""
    for kind in KINDS:
        project = tomllib.loads((EXAMPLES / kind / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        [(group, entries)] = project["entry-points"].items()
        [(entry, value)] = entries.items()
        module = EXAMPLES / kind / f"{project['name']}.py"
        install(project["name"], group, f"{entry} = {value}", module.read_text(encoding="utf-8"))


async def said_by(model: Model) -> str:
    """Return what a system says to the question."""
    with call_scope(CallScope("round-1", "respond", "unit-1", MemoryCallStore())):
        return (await respond(System(), model, QUESTION, PASSAGES)).text


def test_page_shows_the_examples_as_they_are() -> None:
    page = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
    for kind in KINDS:
        [module] = (EXAMPLES / kind).glob("*.py")
        text = module.read_text(encoding="utf-8")
        assert text in page and len(text.splitlines()) <= 26


@pytest.mark.usefixtures("examples")
async def test_lane_and_respondent_of_packages_answer() -> None:
    call_store = MemoryCallStore()
    echo = ModelSpec(name="echo", provider="echo", model="hello")
    mine = ModelSpec(name="mine", provider="respondent", model="last-words")
    async with open_models([echo, mine], "respondent", {}) as models:
        assert (await ask(models["echo"], call_store))[0] == "hello"
        assert (await said_by(models["mine"])).endswith(".")
    assert serves(mine, "respondent") and not serves(mine, "judge")
    assert chosen_model("respondent:last-words", (), "--model").fingerprint == mine.fingerprint


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("raise KeyError('index')", "system 'mine' raised KeyError: 'index'"),
        ("return None", "system 'mine' returned NoneType, which has no text"),
        ("return b'bytes'", "system 'mine' returned bytes, which has no text"),
    ],
)
async def test_respondent_that_fails_is_a_failed_request(install: Install, body: str, said: str) -> None:
    install("broken", "demur.respondents", "mine = broken:respond", f"def respond(question, passages):\n    {body}\n")
    spec = ModelSpec(name="mine", provider="respondent", model="mine")
    async with open_models([spec], "respondent", {}) as models:
        with pytest.raises(LaneError, match=said.replace("'", ".")):
            await said_by(models["mine"])


@pytest.mark.usefixtures("examples")
def test_corpus_reader_of_a_package_reads_and_its_rows_are_checked(tmp_path: Path) -> None:
    path = tmp_path / "nq.jsonl"
    good = {"qid": "a", "query": "who forged it", "answer": "Greta Holm", "gold_docs": ["A text.", "Greta Holm did."]}
    wrong = good | {"qid": "b", "answer": ["Ada"]}
    path.write_text(f"{json.dumps(good)}\n{json.dumps(wrong)}\n", encoding="utf-8")
    reading = read_corpus(path, "reference", on_bad_row=OnBadRow.SKIP)
    [row] = reading
    assert (row.source_id, row.answers, row.passages[0].text) == ("a", ("Greta Holm",), "Greta Holm did.")
    assert "answer_not_in_text 1" in str(reading.report)
    path.write_text("no JSON\n", encoding="utf-8")
    with pytest.raises(CorpusError, match=r"row 1: entry point reference = .* of demur.corpora in .* JSONDecodeError"):
        list(read_corpus(path, "reference"))


@pytest.mark.usefixtures("examples")
def test_metric_of_a_package_stands_beside_ours(tmp_path: Path) -> None:
    row = {"item_id": "i", "source_id": "q", "class": "P-Ambiguity", "intensity": "HIGH", "model": "mine"}
    row |= {"expected": "REFUSE_AMBIGUOUS_QUERY"}
    said = ("REFUSE_AMBIGUOUS_QUERY", "REFUSE_OTHER", "ANSWER_ATTEMPT")
    lines = (json.dumps(row | {"item_id": f"i{at}", "predicted": one}) for at, one in enumerate(said))
    path = tmp_path / "responses.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    done = demur_here("score", str(path), "--metric", "precise_share", "--format", "json", home=tmp_path)
    [model] = json.loads(done.stdout)["models"]
    assert model["metrics"]["precise_share"]["value"] == 0.5
    assert "demur_precision 1.0" in model["metrics"]["precise_share"]["reason"]
    assert "precise_share" not in demur_here("score", str(path), home=tmp_path).stdout
    refused = demur_here("score", str(path), "--metric", "nothing", home=tmp_path)
    assert (
        refused.returncode == 2 and "'nothing' is not an entry point of demur.metrics (precise_share)" in refused.stderr
    )


@pytest.mark.usefixtures("examples")
def test_exporter_of_a_package_writes_a_release(rules_round: FinishedRound, tmp_path: Path) -> None:
    home = rules_round.home.root
    done = demur_here("release", "export", "embedded", "--to", "cards", str(tmp_path / "cards"), home=home)
    assert done.returncode == 0 and f"open {tmp_path}/cards/cards.md" in "".join(done.stdout.split("\n"))
    assert (tmp_path / "cards" / "cards.md").read_text(encoding="utf-8").startswith("# embedded/1")
    refused = demur_here("release", "export", "embedded", "--to", "paper", str(tmp_path / "paper"), home=home)
    assert (
        refused.returncode == 2
        and "'paper' is not one of inspect, lm-eval, promptfoo, hf, training, cards" in refused.stderr
    )


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("import nothing_of_this_name", "cannot be imported (ModuleNotFoundError: No module named 'nothing_of"),
        ("export = 5", "is of type int, but must be a function"),
    ],
)
def test_broken_package_is_an_error_of_the_command_that_names_it(
    install: Install, rules_round: FinishedRound, tmp_path: Path, source: str, said: str
) -> None:
    install("broken", "demur.exporters", "cards = broken:export", source)
    home = rules_round.home.root
    done = demur_here("release", "export", "embedded", "--to", "cards", str(tmp_path / "cards"), home=home)
    told = " ".join(done.stderr.split())
    assert done.returncode == 2 and said in told
    assert "entry point cards = broken:export of demur.exporters in broken 1.0" in told
    assert demur_here("release", "list", home=home).returncode == 0


def test_names_that_clash_are_named_with_both_packages(install: Install, tmp_path: Path) -> None:
    for package in ("one", "two"):
        install(package, "demur.lanes", f"mine = {package}:LANE")
    with pytest.raises(PluginError, match=r"'mine' is given by several packages: .* in one 1.0; .* in two 1.0"):
        ModelSpec(name="m", provider="mine", model="m")
    install("three", "demur.lanes", "openai = three:LANE")
    with pytest.raises(PluginError, match=r"in three 1.0: the name 'openai' is taken by demur"):
        ModelSpec(name="m", provider="openai", model="m", parameters={"max_tokens": 1})
    assert ModelSpec(name="m", provider="rules", model="respondent/always-answers").lane.by_rule
    with pytest.raises(ValidationError, match="'nothing' is not one of openai, anthropic, .*, mine"):
        ModelSpec(name="m", provider="nothing", model="m")


def test_configuration_with_unknown_names_says_which_there_are(tmp_path: Path) -> None:
    corpus = {"path": "single", "format": "reference"}
    with pytest.raises(ConfigError, match=r"corpus.format.* 'reference' is not one of demur, garage"):
        read_round_config(write_config(tmp_path, corpus=corpus))
    with pytest.raises(ConfigError, match=r"metrics.*'mine' is not a metric of an installed package"):
        read_round_config(write_config(tmp_path, metrics=["mine"]))


@pytest.mark.exhaustive
def test_examples_install_with_pip_and_are_found(tmp_path: Path) -> None:
    for kind in KINDS:
        copied = tmp_path / kind
        copied.mkdir()
        for file in (EXAMPLES / kind).iterdir():
            if file.is_file():
                (copied / file.name).write_bytes(file.read_bytes())
    pip = [
        "-m",
        "pip",
        "install",
        "--no-deps",
        "--no-index",
        "--no-build-isolation",
        "--target",
        str(tmp_path / "site"),
    ]
    folders = [str(tmp_path / kind) for kind in KINDS]
    done = subprocess.run([sys.executable, *pip, *folders], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    shown = "from demur.plugins import PluginKind, names; print([names(kind) for kind in PluginKind])"
    found = subprocess.run(
        [sys.executable, "-c", shown], env={"PYTHONPATH": f"{tmp_path / 'site'}:{ROOT}"}, capture_output=True, text=True
    )
    assert found.stdout.split("\n")[0] == (
        "[('echo', 'gguf'), ('last-words',), ('reference',), ('precise_share',), ('cards',)]"
    ), found.stderr
