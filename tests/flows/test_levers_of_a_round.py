"""Levers of a round: a user's own beside ours or alone, what was assigned, what became of it; items made before."""

import os
from collections import Counter
from collections.abc import Iterator
from math import ceil
from pathlib import Path
from typing import Any

import pytest

from demur.engine.instances import base_of
from demur.errors import ConfigError
from demur.flows.rounds.request import RoundRequest
from demur.flows.rounds.session import check_round
from demur.levers.load import load_catalogue
from demur.levers.vocabulary import Intensity, LeverClass
from demur.programs.lever_needs import fitting
from demur.warehouse.connection import reading
from demur.warehouse.home import Home
from tests.flows.rounds import NO_POLICY, small

pytestmark = [pytest.mark.usefixtures("prefect_api"), pytest.mark.slow(seconds=60)]

MINE = """\
class: P-MissingInfo
levers:
  - id: missing-info.opening-hours-left-out
    name: Opening Hours Left Out
    intensity: MEDIUM
    origin: user
    target: context
    answer: removed
    instruction: Take out every opening or closing time. Leave the sentences around it sound.
    tags: [times]
    examples:
      - question: When does the mill at Orran open?
        answers: [9 am]
        passages:
          - text: The mill at Orran was built in 1820. It opens at 9 am on weekdays and sells flour at the door.
        change:
          passages: {0: The mill at Orran was built in 1820. It opens on weekdays and sells flour at the door.}
        expected: REFUSE_INFO_MISSING_IN_CONTEXT
      - question: When does the ferry office close?
        answers: [half past six]
        passages:
          - text: The ferry office stands on the quay. It closes at half past six, and tickets are sold on board then.
        change:
          passages: {0: "The ferry office stands on the quay. It closes early, and tickets are sold on board then."}
        expected: REFUSE_INFO_MISSING_IN_CONTEXT
"""
WITH_RECIPE = (
    MINE.replace("opening-hours-left-out", "token-blacked-out")
    .replace("Opening Hours Left Out", "Token Blacked Out")
    .replace("tags: [times]", "recipe: missing_info.strange_passages")
    .replace("answer: removed", "answer: removed\n    needs: [answer stands in the passages]")
    .partition("levers:\n")[2]
)
ROLES = {
    "screeners": [],
    "generators": ["rules-terse", "rules-elaborate"],
    "verifiers": ["rules-editor"],
    "respondents": ["always-refuses"],
    "judges": ["rules-judge"],
    "writer": "rules-writer",
    "grader": "rules-grader",
}
GENERATION = {
    "lever_choice": "assigned",
    "replicates": 4,
    "classes": ["P-MissingInfo", "P-EpistemicMismatch"],
    "intensities": ["MEDIUM"],
}


def configured(folder: Path, **changes: Any) -> Path:
    """A round of two strata whose catalogue has two levers of a user's own."""
    (folder / "mine.yaml").write_text(MINE + WITH_RECIPE, encoding="utf-8")
    catalogue = {"ours": True, "paths": ["mine.yaml"]}
    return small(
        folder,
        **{"bases": 3, "generation": GENERATION, "catalogue": catalogue, "roles": ROLES, "fit": NO_POLICY} | changes,
    )


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory, prefect_api: str) -> Iterator[Home]:
    """The home of a finished round, and of another with the same seed that generated after its release."""
    from demur.flows.round import generate, ingest, round_flow

    folder = tmp_path_factory.mktemp("levers")
    config = str(configured(folder))
    before = os.environ.get("DEMUR_HOME")
    os.environ["DEMUR_HOME"] = str(folder / "home")
    try:
        assert round_flow(config=config) == "embedded/1"
        for stage in (ingest, generate):
            stage(config=config, round_id="again")
        yield Home(folder / "home")
    finally:
        del os.environ["DEMUR_HOME"]
        if before is not None:
            os.environ["DEMUR_HOME"] = before


def rows(home: Home, text: str) -> list[tuple[Any, ...]]:
    with reading(home, "loader") as con:
        return con.execute(text).fetchall()


def test_round_offers_levers_of_a_user_beside_ours(finished: Home) -> None:
    origins = dict(
        rows(finished, "SELECT origin, count(*) FROM levers_on_offer WHERE round_id = 'embedded' GROUP BY ALL")
    )
    assert origins["user"] == 2
    assert origins["paper"] >= 20
    strata = rows(finished, "SELECT DISTINCT class, intensity FROM levers_on_offer")
    assert sorted(strata) == [("P-EpistemicMismatch", "MEDIUM"), ("P-MissingInfo", "MEDIUM")]


def test_round_assigns_no_lever_without_a_recipe_to_rules(finished: Home) -> None:
    assigned = rows(finished, "SELECT DISTINCT assigned_lever_id FROM live_perturbations WHERE round_id = 'embedded'")
    ids = {lever_id for (lever_id,) in assigned}
    assert "missing-info.opening-hours-left-out" not in ids
    assert ids <= {"missing-info.token-blacked-out"} | {lever.id for lever in load_catalogue() if lever.recipe}


def test_round_lever_of_a_user_with_a_recipe_is_pulled(finished: Home) -> None:
    of = "lever_id = 'missing-info.token-blacked-out' AND round_id = 'embedded'"
    [(asked, assigned, pulled, share)] = rows(
        finished, f"SELECT asked, assigned, pulled, yield FROM lever_coverage WHERE {of}"
    )
    assert asked == assigned >= pulled >= 1
    assert 0 <= share <= 1


def test_round_lever_coverage_counts_every_perturbation_once(finished: Home) -> None:
    [(assigned, pulled, candidates, accepted, items)] = rows(
        finished,
        "SELECT sum(assigned), sum(pulled), sum(candidates), sum(accepted), sum(items) FROM lever_coverage "
        "WHERE round_id = 'embedded'",
    )
    counted = [
        "live_perturbations",
        "live_perturbations WHERE lever_id IS NOT NULL",
        "candidates",
        "accepted_perturbations",
        "live_items WHERE kind = 'perturbed'",
    ]
    found = []
    for view in counted:
        joined = "AND" if "WHERE" in view else "WHERE"
        found.append(rows(finished, f"SELECT count(*) FROM {view} {joined} round_id = 'embedded'")[0][0])
    assert [assigned, pulled, candidates, accepted, items] == found
    assert found[0] == 2 * 3 * 4 * 2


def test_round_assigns_levers_that_fit_each_about_as_often_as_another(finished: Home) -> None:
    catalogue, bases = load_catalogue(), {}
    for base_id, question, answers, passages in rows(
        finished, "SELECT base_id, question, answers, passages FROM live_base_instances WHERE round_id = 'embedded'"
    ):
        bases[base_id] = base_of({"question": question, "answers": answers, "passages": passages})
    assigned = rows(
        finished,
        "SELECT generator, class, base_id, assigned_lever_id FROM live_perturbations WHERE round_id = 'embedded'",
    )
    ours = [(base_id, lever_id) for _, _, base_id, lever_id in assigned if lever_id in {x.id for x in catalogue}]
    assert len(ours) > 30
    for base_id, lever_id in ours:
        lever = catalogue.lever(lever_id)
        on_offer = [other for other in catalogue.stratum(lever.lever_class, lever.intensity) if other.recipe]
        assert lever in fitting(bases[base_id], on_offer), "one that fits, or any where none with a recipe does"
    slots = Counter((generator, lever_class, base_id) for generator, lever_class, base_id, _ in assigned)
    uses = Counter((generator, lever_class, lever_id) for generator, lever_class, _, lever_id in assigned)
    for (generator, lever_class, lever_id), count in uses.items():
        share = 0
        for base_id in {base_id for _, _, base_id, used in assigned if used == lever_id}:
            stratum = [x for x in catalogue.stratum(LeverClass(lever_class), Intensity.MEDIUM) if x.recipe]
            share += ceil(slots[generator, lever_class, base_id] / len(fitting(bases[base_id], stratum)))
        assert count <= share, "levers that fit one base instance share its slots"


def test_round_every_candidate_is_compared_and_every_check_has_evidence_and_spans(finished: Home) -> None:
    missing = rows(
        finished,
        "SELECT perturbation_id FROM live_perturbations p WHERE status = 'candidate' AND NOT EXISTS (SELECT 1 FROM "
        "live_checks c WHERE c.perturbation_id = p.perturbation_id AND c.check_name = 'no_duplicate')",
    )
    assert missing == []
    assert rows(finished, "SELECT count(*) FROM live_checks WHERE evidence = '' OR spans IS NULL") == [(0,)]
    [(spans,)] = rows(finished, "SELECT count(*) FROM live_checks WHERE check_name = 'no_duplicate' AND len(spans) > 0")
    [(fails,)] = rows(
        finished, "SELECT count(*) FROM live_checks WHERE check_name = 'no_duplicate' AND outcome = 'fail'"
    )
    assert fails >= spans  # what only took text out has nothing to point at


def test_round_after_a_release_drops_what_the_release_holds_and_no_verifier_sees_it(finished: Home) -> None:
    released = {key for (key,) in rows(finished, "SELECT content_key FROM released_items")}
    assert released
    again = rows(
        finished,
        "SELECT p.content_key, c.outcome, c.evidence FROM live_perturbations p JOIN live_checks c "
        "USING (round_id, perturbation_id) WHERE round_id = 'again' AND check_name = 'no_duplicate'",
    )
    met = [(outcome, evidence) for key, outcome, evidence in again if key in released]
    assert met
    assert all(outcome == "fail" and "release embedded/1 holds the same" in evidence for outcome, evidence in met)
    assert not released & {
        key for (key,) in rows(finished, "SELECT content_key FROM candidates WHERE round_id = 'again'")
    }


def test_round_that_is_released_keeps_what_it_released(finished: Home) -> None:
    from demur.flows.round import generate

    kept = "SELECT perturbation_id FROM candidates WHERE round_id = 'embedded' ORDER BY ALL"
    before = rows(finished, kept)
    os.environ["DEMUR_HOME"] = str(finished.root)
    reports = generate(config=str(finished.root.parent / "embedded.yaml"))
    assert [report.stage for report in reports] == ["generate", "deduplicate"]
    assert rows(finished, kept) == before


def test_round_shards_of_other_sizes_find_the_same_duplicates(
    finished: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from demur.flows.round import generate, ingest

    monkeypatch.setenv("DEMUR_HOME", str(tmp_path / "home"))
    config = str(configured(tmp_path, shard_size=10, shards_at_once=4))
    for stage in (ingest, generate):
        stage(config=config)
    found = "SELECT perturbation_id, outcome, evidence FROM live_checks WHERE check_name = 'no_duplicate' ORDER BY ALL"
    mine = rows(Home(tmp_path / "home"), found)
    theirs = rows(finished, found.replace("ORDER", "AND round_id = 'embedded' ORDER"))
    assert mine == theirs


def test_round_catalogue_of_a_user_alone_offers_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from demur.flows.round import generate, ingest

    monkeypatch.setenv("DEMUR_HOME", str(tmp_path / "home"))
    generation = GENERATION | {"classes": ["P-MissingInfo"]}
    alone = {"ours": False, "paths": ["mine.yaml"]}
    config = str(configured(tmp_path, generation=generation, catalogue=alone, bases=12))
    mine = tmp_path / "mine.yaml"
    mine.write_text(mine.read_text(encoding="utf-8").replace("strange_passages", "answer_sentences"))
    for stage in (ingest, generate):
        stage(config=config)
    home = Home(tmp_path / "home")
    assert rows(home, "SELECT count(*), min(origin), max(origin) FROM levers_on_offer") == [(2, "user", "user")]
    [(candidates, declined)] = rows(
        home,
        "SELECT count(*) FILTER (status = 'candidate'), count(*) FILTER (status = 'declined') FROM live_perturbations",
    )
    assert candidates >= 1
    assert declined >= 1


def test_configuration_catalogue_with_a_recipe_of_nobody_is_refused_before_the_round(
    tmp_path: Path, demur_home: Path
) -> None:
    path = configured(tmp_path)
    mine = tmp_path / "mine.yaml"
    mine.write_text(mine.read_text(encoding="utf-8").replace("strange_passages", "strange_pasages"))
    with pytest.raises(ConfigError, match=r"mine\.yaml:\d+: levers\[1\]\.recipe .* Did you mean .*strange_passages"):
        check_round(RoundRequest(str(path)))
