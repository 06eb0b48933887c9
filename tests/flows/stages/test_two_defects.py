"""Two defects at once: made of two sound candidates, expected by precedence, and verified as both."""

from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest
from prefect import flow

from demur.engine.stage import Stage, run_stage
from demur.errors import ConfigError
from demur.flows.rounds.config_files import read_round_config
from demur.flows.rounds.request import RoundRequest
from demur.flows.rounds.session import round_session
from demur.flows.stages.deduplicate.stage import DEDUPLICATE
from demur.flows.stages.generate.lever_choice import EVEN_SHARE
from demur.flows.stages.generate.stage import GENERATE
from demur.flows.stages.generate.two_defects import ARMS, KNOB, NONE, drawn_arm
from demur.flows.stages.screen.waves import ingest_and_screen
from demur.flows.stages.verify.stage import VERIFY
from demur.levers.load import load_catalogue
from demur.levers.vocabulary import Target
from demur.programs.signatures.strata import both_defects, stratum_brief
from demur.scoring.lever_bandit import LeverEstimate, lever_states
from demur.warehouse.connection import reading
from demur.warehouse.home import Home
from tests.flows.rounds import small, write_config

pytestmark = pytest.mark.usefixtures("demur_home", "prefect_api")


def generation(defects: int, *classes: str) -> dict[str, Any]:
    return {
        "lever_choice": "generator",
        "replicates": 1,
        "classes": [f"P-{name}" for name in classes],
        "intensities": ["LOW", "HIGH"],
        "defects": defects,
    }


@flow(name="generate-only")
def generate_only(path: Path, *more: Stage) -> None:
    with round_session(RoundRequest(str(path))) as context:
        ingest_and_screen(context)
        for stage in (GENERATE, *more):
            run_stage(context, stage)


def test_second_defect_is_planted_in_the_passages_of_a_candidate_whose_question_was_changed(
    tmp_path: Path, demur_home: Path
) -> None:
    path = small(tmp_path, bases=3, generation=generation(2, "FalsePremise", "Contradiction"))

    generate_only(path, DEDUPLICATE, VERIFY)
    with reading(Home(demur_home), "loader") as con:
        made = con.execute(
            "SELECT p.class, p.intensity, p.question <> b.question, len(p.changed), p.lever_id, p.second_lever_id, "
            "p.changed, p.base_id, p.generator "
            "FROM live_perturbations p JOIN live_base_instances b USING (round_id, base_id) "
            "WHERE p.status = 'candidate'"
        ).fetchall()
        [(asked, cells)] = con.execute(
            "SELECT count(*), count(DISTINCT (base_id, class, intensity, generator)) FROM live_perturbations"
        ).fetchall()
        [(twice, failed)] = con.execute(
            "SELECT count(*) - count(DISTINCT (perturbation_id, check_name)), count(*) FILTER (outcome = 'fail') "
            "FROM live_checks JOIN live_perturbations USING (round_id, perturbation_id) "
            "WHERE second_lever_id IS NOT NULL AND check_name <> 'no_duplicate'"
        ).fetchall()
        verdicts = con.execute(
            "SELECT count(*) FROM live_verdicts v JOIN live_perturbations p USING (round_id, perturbation_id) "
            "WHERE p.second_lever_id IS NOT NULL AND v.outcome IN ('pass', 'fail')"
        ).fetchall()
    two = [row for row in made if row[5] is not None]
    assert two
    assert asked == cells == 3 * 2 * 2 * 2
    for lever_class, intensity, asks_otherwise, changed, first, second, passages, base_id, generator in two:
        assert (lever_class, intensity, asks_otherwise) == ("P-FalsePremise", "HIGH", True)
        assert changed
        assert (first.split(".")[0], second.split(".")[0]) == ("false-premise", "contradiction")
        beside = [row for row in made if row[5] is None and (row[7], row[8], row[4]) == (base_id, generator, second)]
        assert passages in [row[6] for row in beside]
    assert all(row[5] is None for row in made if row[0] == "P-Contradiction" or row[1] == "LOW")
    assert (twice, failed) == (0, 0)
    assert verdicts == [(3 * len(two),)]


def test_second_defect_never_comes_before_the_first_in_the_order_of_codes(tmp_path: Path, demur_home: Path) -> None:
    path = small(tmp_path, bases=2, generation=generation(2, "EpistemicMismatch", "Contradiction"))

    generate_only(path)
    with reading(Home(demur_home), "loader") as con:
        assert con.execute("SELECT count(second_lever_id), count(lever_id) > 4 FROM live_perturbations").fetchall() == [
            (0, True)
        ]


def test_verifiers_are_told_both_defects_and_which_one_decides() -> None:
    catalogue = load_catalogue()
    first = next(lever for lever in catalogue if lever.lever_class == "P-FalsePremise" and lever.intensity == "HIGH")
    second = next(lever for lever in catalogue if lever.lever_class == "P-MissingInfo" and lever.intensity == "HIGH")
    lever, brief = both_defects(first, second)
    assert first.instruction in lever.instruction
    assert second.instruction in lever.instruction
    assert (lever.name, lever.target) == (first.name, Target.QUERY_AND_CONTEXT)
    assert brief.expected_behaviour == first.expected
    assert stratum_brief(second.lever_class, second.intensity).answer_constraint in brief.answer_constraint
    assert brief.digest != stratum_brief(first.lever_class, first.intensity).digest


def test_more_than_two_defects_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"generation.defects 3"):
        read_round_config(write_config(tmp_path, generation=generation(3, "FalsePremise")))


def test_arms_of_the_knob_are_taken_alike_until_rounds_tell_and_never_less_than_the_even_share() -> None:
    arms = set(ARMS)
    unknown = {state.lever_id: state for state in lever_states(ARMS, [])}
    rng = Random(5)
    alike = Counter(drawn_arm(arms, unknown, rng) for _ in range(1_500))
    assert min(alike.values()) > 400
    best = f"{KNOB}=P-Contradiction"
    told = [LeverEstimate(arm, 40, value := 0.4 if arm == best else 0.1, value - 0.02, value + 0.02) for arm in ARMS]
    known = {state.lever_id: state for state in lever_states(ARMS, [told])}
    drawn = Counter(drawn_arm(arms, known, rng) for _ in range(1_500))
    assert drawn[best] > 1_000
    assert min(drawn[arm] for arm in ARMS) > 1_500 * EVEN_SHARE / 3 * 0.7
    assert drawn_arm({NONE}, known, rng) == NONE


def test_informative_round_leaves_some_candidates_with_one_defect_and_knows_its_arms(
    tmp_path: Path, demur_home: Path
) -> None:
    informative = generation(2, "FalsePremise", "Contradiction", "MissingInfo")
    informative |= {"lever_choice": "informative", "intensities": ["HIGH"]}
    path = small(tmp_path, bases=24, generation=informative)

    generate_only(path)
    with reading(Home(demur_home), "loader") as con:
        states = con.execute("SELECT lever_id FROM lever_states WHERE lever_id LIKE 'second%' ORDER BY 1").fetchall()
        one, two = con.execute(
            "SELECT count(*) FILTER (second_lever_id IS NULL), count(second_lever_id) FROM live_perturbations "
            "WHERE class = 'P-FalsePremise' AND status = 'candidate'"
        ).fetchall()[0]
    assert [arm for (arm,) in states] == sorted(ARMS)
    assert one and two
