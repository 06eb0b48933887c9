"""The documentation is true: its SQL runs, its data model is complete, its links lead somewhere, its commands exist."""

import ast
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

from demur.engine.context import RoundContext
from demur.engine.models import YieldRates
from demur.flows.rounds.request import read_round_config
from demur.levers.catalogue import load_catalogue
from demur.levers.policies import load_policy
from demur.rules.operators.registry import DeclineReason
from demur.scoring.metrics import DISTRIBUTION, METRIC_NAMES
from demur.warehouse.connection import reading, writing
from demur.warehouse.errors import WarehouseError
from demur.warehouse.home import Home
from demur.warehouse.publication import publish
from demur.warehouse.results.query import confine, query, run_statement
from demur.warehouse.tables import Table
from demur.warehouse.tables.data_model import updated
from tests.flows.finished_rounds import FinishedRound

ROOT = Path(__file__).parents[1]
DATA_MODEL = ROOT / "docs" / "data-model.md"
PAGES = sorted(
    path
    for path in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"))
    if not any(part.startswith(".") for part in path.relative_to(ROOT).parts)
)

FENCE = re.compile(r"^```(?P<language>\w*)[^\n]*\n(?P<text>.*?)^```", re.M | re.S)
INDENTED = re.compile(r"^    (?P<line>[^\s].*)$", re.M)
HEADING = re.compile(r"^#{2,4} (?P<title>.+)$", re.M)
COLUMN = re.compile(r"^\| `(?P<name>\w+)` \| `(?P<kind>[^`]+)` \|", re.M)
SAME_AS = re.compile(r"Columns:\s+those\s+of\s+`(?P<table>\w+)`")
LIVE = re.compile(r"^\| `(?P<view>live_\w+)` \| `(?P<table>\w+)` \|", re.M)
LINK = re.compile(r"\[[^\]]*\]\((?P<target>[^)\s]+)\)")
CODE_PATH = re.compile(
    r"`(?P<path>(?:demur|flows|programs|levers|warehouse|deployments|benchmarks|tests|docs|\.ci)/[\w./-]+)`"
)

Columns = list[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Snippet:
    """A piece of a page; printing it names the page and line."""

    page: Path
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def pieces(pattern: re.Pattern[str], group: str) -> Iterator[tuple[Snippet, re.Match[str]]]:
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for match in pattern.finditer(text):
            yield Snippet(page, text.count("\n", 0, match.start()) + 1, match[group]), match


def sql_blocks() -> list[Snippet]:
    return [snippet for snippet, match in pieces(FENCE, "text") if match["language"] == "sql"]


def command_lines() -> list[Snippet]:
    """Return every line of shell blocks and indented blocks, without a prompt sign before it."""
    lines = []
    for block, match in pieces(FENCE, "text"):
        if match["language"] in ("", "sh", "bash", "console", "shell", "text"):
            joined = block.text.replace("\\\n", " ")
            lines += [Snippet(block.page, block.line + n, line) for n, line in enumerate(joined.splitlines(), start=1)]
    lines += [snippet for snippet, _ in pieces(INDENTED, "line")]
    return [Snippet(s.page, s.line, s.text.strip().removeprefix("$ ").strip()) for s in lines]


def demur_commands() -> list[tuple[Snippet, list[str]]]:
    found = []
    for snippet in command_lines():
        if snippet.text.startswith("demur ") and not snippet.text.startswith("demur: "):
            words = shlex.split(snippet.text, comments=True)
            for stop in ("|", ">", "&&", ";"):
                words = words[: words.index(stop)] if stop in words else words
            found.append((snippet, words[1:]))
    return found


def sql_commands() -> list[Snippet]:
    commands = demur_commands()
    return [Snippet(found.page, found.line, words[1]) for found, words in commands if words[0] == "sql"]


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """An empty warehouse with all tables and views, published."""
    home = Home(tmp_path_factory.mktemp("empty"))
    with writing(home, wait_seconds=0):
        pass
    publish(home)
    return home


@pytest.fixture(scope="module")
def columns(empty: Home) -> dict[str, Columns]:
    """Columns and types of every table and view, in their order."""
    listed = (
        "SELECT table_name, column_name, data_type FROM duckdb_columns() "
        "WHERE schema_name = 'main' AND NOT internal ORDER BY table_name, column_index"
    )
    found: dict[str, Columns] = {}
    for table, column, kind in query(empty, listed, limit=None).rows:
        found.setdefault(str(table), []).append((str(column), str(kind)))
    return found


def sections(page: Path) -> dict[str, str]:
    """The text under every heading, by heading without its code marks."""
    text = page.read_text(encoding="utf-8")
    headings = list(HEADING.finditer(text))
    ends = [heading.start() for heading in headings[1:]] + [len(text)]
    return {h["title"].strip("`"): text[h.end() : end] for h, end in zip(headings, ends, strict=True)}


def documented_columns(columns: dict[str, Columns]) -> dict[str, Columns]:
    found: dict[str, Columns] = {}
    for title, text in sections(DATA_MODEL).items():
        if re.fullmatch(r"[a-z_]+", title):
            same = SAME_AS.search(text)
            found[title] = columns[same["table"]] if same else [(m["name"], m["kind"]) for m in COLUMN.finditer(text)]
    for match in LIVE.finditer(DATA_MODEL.read_text(encoding="utf-8")):
        found[match["view"]] = columns[match["table"]]
    return found


def test_data_model_names_every_table_and_view_and_no_other(columns: dict[str, Columns]) -> None:
    assert sorted(documented_columns(columns)) == sorted(columns)


def test_data_model_names_every_column_with_its_type_in_order(columns: dict[str, Columns]) -> None:
    documented = documented_columns(columns)
    for table, actual in columns.items():
        assert documented.get(table) == actual, f"docs/data-model.md: {table}"


def test_data_model_gives_the_meanings_of_the_catalog(empty: Home) -> None:
    page = DATA_MODEL.read_text(encoding="utf-8")
    with reading(empty, "loader") as con:
        assert updated(page, con) == page, "run `make docs`"


def test_data_model_shows_a_query_for_every_view(columns: dict[str, Columns]) -> None:
    shown = " ".join(block.text for block in sql_blocks() if block.page == DATA_MODEL)
    tables = {table.value for table in Table} | {"schema_views"}
    used = set(re.findall(r"\b[a-z_]+\b", shown))
    derived = {"live_base_instances", "live_checks", "live_completions", "live_rewards"}
    assert {view for view in columns if view not in tables} - derived - used <= set()


def test_data_model_defines_every_metric() -> None:
    defined = set(re.findall(r"`(\w+)`", sections(DATA_MODEL)["scores"]))
    assert set(METRIC_NAMES) | {f"share_{metric.name}" for metric in DISTRIBUTION} <= defined


def test_sql_shown_runs_on_an_empty_warehouse(empty: Home) -> None:
    blocks, commands = sql_blocks(), sql_commands()
    assert blocks and commands
    faults = []
    with reading(empty) as con:
        confine(con)
        for shown in (*blocks, *commands):
            try:
                run_statement(con, shown.text, limit=1)
            except WarehouseError as error:
                faults.append(f"{shown}: {error}")
    assert faults == []


def test_sql_shown_does_not_mix_rounds_unawares(columns: dict[str, Columns]) -> None:
    with_rounds = {table for table, found in columns.items() if "round_id" in dict(found)}
    for shown in (*sql_blocks(), *sql_commands()):
        asked = with_rounds.intersection(re.findall(r"\b(?:FROM|JOIN) (\w+)", shown.text))
        assert not asked or re.search(r"round_id|SELECT \*", shown.text), f"{shown} adds up all rounds of {asked}"


def test_demur_commands_exist_with_the_options_shown() -> None:
    from typer.main import get_command

    from demur.cli import app

    everything, faults = get_command(app), []
    for snippet, shown in demur_commands():
        known, words = everything, list(shown)
        while words and hasattr(known, "commands") and words[0] in known.commands:
            known = known.commands[words.pop(0)]
        if hasattr(known, "commands") and words and not words[0].startswith("-"):
            faults.append(f"{snippet}: {words[0]}")
        options = {option for parameter in known.params for option in parameter.opts} | {"--help", "-h"}
        given = {word.partition("=")[0] for word in words if word.startswith("-")}
        faults += [f"{snippet}: {option}" for option in sorted(given - options)]
    assert faults == []


def test_levers_page_shows_a_valid_lever_and_every_reason_for_declining(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "levers.md").read_text(encoding="utf-8")
    shown = tmp_path / "my-levers.yaml"
    shown.write_text(next(FENCE.finditer(page))["text"], encoding="utf-8")
    assert [lever.name for lever in load_catalogue(shown)] == ["Opening Hours Left Out"]
    reasons = re.findall(r"^\| `(\w+)` \|", page.partition("## Reasons for declining")[2], re.M)
    assert sorted(reasons) == sorted(reason.value for reason in DeclineReason)


def test_make_targets_shown_exist() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M))
    for snippet in command_lines():
        if snippet.text.startswith("make "):
            for word in shlex.split(snippet.text, comments=True)[1:]:
                assert "=" in word or word in targets, f"{snippet}: {snippet.text}"


def test_page_links_lead_to_files() -> None:
    for page in PAGES:
        for match in LINK.finditer(page.read_text(encoding="utf-8")):
            target = match["target"].partition("#")[0]
            if target and "://" not in target and not target.startswith("mailto:"):
                assert (page.parent / target).exists(), f"{page.relative_to(ROOT)} links to {target}"


def test_site_builds_without_a_warning_and_loads_nothing_from_other_hosts(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--site-dir", str(tmp_path / "site")]
    done = subprocess.run(
        command, cwd=ROOT, env=os.environ | {"NO_MKDOCS_2_WARNING": "1"}, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
    api = (tmp_path / "site" / "api.html").read_text(encoding="utf-8")
    assert "Run or continue a round" in api
    loaded = re.compile(r"""<(?:script|img|iframe)[^>]+src=["']?https?:|<link[^>]+rel=["']?stylesheet[^>]+https?:""")
    for page in (tmp_path / "site").rglob("*.html"):
        assert not loaded.search(page.read_text(encoding="utf-8")), page.name


def test_paths_named_in_pages_exist() -> None:
    for snippet, match in pieces(CODE_PATH, "path"):
        assert (ROOT / match["path"]).exists(), f"{snippet} names {match['path']}"


def python_blocks() -> list[Snippet]:
    return [snippet for snippet, match in pieces(FENCE, "text") if match["language"] == "python"]


@pytest.mark.parametrize("block", python_blocks(), ids=str)
def test_python_shown_can_be_read_and_imports_what_is_there(block: Snippet) -> None:
    for node in ast.walk(ast.parse(block.text)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "demur":
            module = import_module(str(node.module))
            assert not [name.name for name in node.names if not hasattr(module, name.name)]


def test_stage_shown_plans_its_units_and_says_whom_it_asks(
    rules_round: FinishedRound, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    [code] = [one.text for one in python_blocks() if "SUMMARISE: Final = Stage" in one.text]
    [statement] = re.findall(r"`plan.sql` beside it is\s+`(.*?)`", page)
    (tmp_path / "plan.sql").write_text(statement, encoding="utf-8")
    shown = ModuleType("shown")
    shown.__file__ = str(tmp_path / "stage.py")
    monkeypatch.setitem(sys.modules, "shown", shown)
    exec(compile(code, shown.__file__, "exec"), vars(shown))
    config = read_round_config(rules_round.config)
    context = RoundContext(rules_round.home, config, tmp_path, rules_round.round_id, 1)
    with reading(rules_round.home) as con:
        units = list(shown.SUMMARISE.plan(context, con))
        responses = con.execute("SELECT count(*) FROM live_responses").fetchall()
    assert [(len(units),)] == responses
    assert len({unit.unit_id for unit in units}) == len(units)
    assert shown.SUMMARISE.use.models(context) == ("rules-judge",)
    [load] = shown.SUMMARISE.use.loads(context, YieldRates())
    assert load.units > 0


def test_reward_files_shown_have_the_versions_of_their_policies() -> None:
    texts = [
        path.read_text(encoding="utf-8")
        for path in (*PAGES, ROOT / "demur" / "scoring" / "standalone" / "demur_reward.py")
    ]
    shown = {(name, int(version)) for text in texts for name, version in re.findall(r"\b(\w+)@(\d+)\.json\b", text)}
    assert {name for name, _ in shown} == {"safety", "selective_refusal"}
    assert shown == {(name, load_policy(name).version) for name, _ in shown}
