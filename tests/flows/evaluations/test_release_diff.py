"""Two releases compared: items, prompts, models, settings, and scores of respondents that are the same models."""

import json
import math
import shutil
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from demur.errors import FlowError
from demur.flows.evaluations.release_differences import broken, condition, release_diff
from demur.flows.stages.responses.score import FOLDER as SCORING
from demur.reports.comparison_pages import render_release_diff
from demur.scoring.refusal_scores import score
from demur.warehouse.connection import writing
from demur.warehouse.home import Home
from demur.warehouse.releases.freezing import freeze
from demur.warehouse.releases.manifest import Manifest, read_manifest, release_at
from demur.warehouse.statements import records
from tests.flows.rounds import demur_here
from tests.reports.pages import Page

pytestmark = [pytest.mark.slow(seconds=40), pytest.mark.usefixtures("prefect_api")]


@pytest.fixture(scope="module")
def two(released: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with embedded/1 and embedded/2: other settings, no item of intensity HIGH, and scores of the others."""
    home = Home(tmp_path_factory.mktemp("two-releases") / "home")
    shutil.copytree(released, home.root)
    made = read_manifest(release_at(home, "embedded/1").path)
    described = made.model_dump(exclude=set(Manifest.model_fields))
    described["configuration"]["generation"]["intensities"] = ["LOW", "MEDIUM"]
    described["configuration"]["seed"] = 7
    with writing(home, wait_seconds=10) as con:
        con.execute("DELETE FROM items WHERE intensity = 'HIGH'")
        for table in ("responses", "judgements"):
            con.execute(f"DELETE FROM {table} WHERE item_id NOT IN (SELECT item_id FROM items)")
        judged = pd.DataFrame(records(con, SCORING / "plan.sql", [made.round_id, None, None]))
        con.executemany(
            "UPDATE scores SET value = ? WHERE slice = 'overall' AND respondent = ? AND metric = ?",
            [
                [None if math.isnan(found.value) else found.value, model.model, metric]
                for model in score(judged, replicates=2, seed=0)
                for metric, found in model.metrics.items()
            ],
        )
        assert freeze(con, home, "embedded", made.round_id, described, lambda label: {}).label == "embedded/2"
    return home.root


def test_release_differs_from_itself_in_nothing(two: Path) -> None:
    diff = release_diff(Home(two), "embedded/1", str(two / "releases" / "embedded" / "1"))
    assert diff.same and not diff.prompts and not diff.models and not diff.settings
    assert {row["difference"] for row in diff.scores if row["first"] is not None} == {0.0}
    same = demur_here("release", "diff", "embedded/1", "embedded/1", "--fail-on", "crs change > 0", home=two)
    assert same.returncode == 0 and "the data files are the same" in same.stdout


def test_diff_counts_items_and_names_settings_and_compares_scores(two: Path, tmp_path: Path) -> None:
    diff = release_diff(Home(two), "embedded/1", "embedded/2")
    strata = {row["name"]: row for row in diff.strata}
    assert all(strata[name]["second"] == 0 for name in strata if name.endswith("HIGH"))
    assert {row["name"] for row in diff.settings} >= {"seed", "generation.intensities"}
    assert not diff.models and not diff.prompts
    scores = {(row["respondent"], row["metric"]): row for row in diff.scores}
    one = scores["always-refuses", "false_refusal_rate"]
    assert (one["first"], one["second"], one["difference"]) == (1.0, 1.0, 0.0)
    for row in diff.scores:
        if row["difference"] is not None:
            assert row["difference"] == pytest.approx(row["second"] - row["first"])
    page = Page(render_release_diff(diff, ["a <b>"]))
    assert not page.faults and "always-refuses" in page.section("scores")
    assert not page.all("script", "img", "b")


def test_unwanted_changes_end_with_exit_status_1(two: Path, tmp_path: Path) -> None:
    page = tmp_path / "diff.html"
    arguments = ("release", "diff", "embedded/1", "embedded/2", "--format", "json", "--page", str(page))
    moved = [row for row in release_diff(Home(two), "embedded/1", "embedded/2").scores if row["difference"]]
    assert moved, "releases of other items have other scores"
    row = moved[0]
    direction = "rise" if row["difference"] > 0 else "drop"
    failed = demur_here(*arguments, "--fail-on", f"{row['metric']} {direction} > 0", home=two)
    assert failed.returncode == 1
    assert any(row["respondent"] in text for text in json.loads(failed.stdout)["failed"])
    assert f"{row['metric']} {direction}" in page.read_text("utf-8")
    passed = demur_here(*arguments, "--fail-on", f"{row['metric']} {direction} > 1", home=two)
    assert passed.returncode == 0 and json.loads(passed.stdout)["failed"] == []


@pytest.mark.parametrize("wrong", ["crs", "crs drop < 0.02", "speed drop > 1", "crs drop > 1.2.3"])
def test_condition_that_is_none_is_refused(two: Path, wrong: str) -> None:
    refused = demur_here("release", "diff", "embedded/1", "embedded/2", "--fail-on", wrong, home=two)
    assert refused.returncode == 2 and "is not a condition. Write METRIC drop|rise|change > NUMBER" in refused.stderr


def test_scores_of_two_scoring_versions_are_refused_where_a_condition_needs_them(two: Path) -> None:
    same = release_diff(Home(two), "embedded/1", "embedded/2")
    assert same.scoring_versions == ()
    mixed = replace(same, scores=[], scoring_versions=(1, 2))
    assert list(broken(mixed, [])) == []
    with pytest.raises(FlowError, match=r"embedded/1 are of scoring version 1, those of embedded/2 of 2"):
        list(broken(mixed, [condition("crs drop > 0.02")]))
    assert "are of scoring versions 1 and 2" in Page(render_release_diff(mixed)).section("scores")
