from pathlib import Path
from typing import Any

import pytest
import yaml

from demur.flows.stages.registry import ASSEMBLY, GENERATION, RESPONSES, VERIFICATION
from demur.lanes.simulator.behaviour import SimulatorConfig
from demur.lanes.simulator.server import serve
from tests.flows.other_languages import ROWS, replied, write_corpus
from tests.flows.rounds import NO_POLICY, demur_here, first_stages
from tests.flows.simulated import KEY, KEY_VARIABLE, ROUND, number, rows, simulated

pytestmark = [pytest.mark.slow(seconds=90), pytest.mark.usefixtures("prefect_api")]

ONE_STRATUM = {
    "lever_choice": "generator",
    "replicates": 1,
    "classes": ["P-MissingInfo"],
    "intensities": ["HIGH"],
}
ROLES = {
    "screeners": ["res-o"],
    "generators": ["gen-o", "rules-terse"],
    "verifiers": ["ver-o"],
    "respondents": ["res-o", "lexical-overlap", "defect-spotter"],
    "judges": ["judge"],
}

BY_RULE = {
    "rules-terse": "recipes/terse",
    "lexical-overlap": "respondent/lexical-overlap",
    "defect-spotter": "respondent/defect-spotter",
}
GATES: dict[str, Any] = {
    **{"failure_rate": 0.0, "acceptance": 0.0, "coverage": 0.0, "balance": 0.0, "screening": 0.0, "invalid": 1.0},
    "unreadable": 0.0,
}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home of a scored round of German, Chinese and English questions, and what its models were asked."""
    folder = tmp_path_factory.mktemp("languages")
    with pytest.MonkeyPatch.context() as patch, serve(config=SimulatorConfig(reply=replied)) as simulator:
        patch.setenv(KEY_VARIABLE, KEY)
        patch.setenv("DEMUR_HOME", str(folder / "home"))
        config = simulated(
            folder,
            simulator,
            bases=len(ROWS),
            corpus={"path": str(write_corpus(folder)), "format": "demur"},
            generation=ONE_STRATUM,
            roles=ROLES,
            items_per_stratum=6,
            gates=GATES,
            fit=NO_POLICY,
        )
        settings = yaml.safe_load(config.read_text(encoding="utf-8"))
        settings["models"] += [{"name": name, "provider": "rules", "model": model} for name, model in BY_RULE.items()]
        config.write_text(yaml.safe_dump(settings), encoding="utf-8")
        first_stages(config, folder / "home", *GENERATION, *VERIFICATION, *ASSEMBLY, *RESPONSES)
    return folder / "home"


def test_round_of_three_languages_tells_models_the_language_and_has_items_of_each(home: Path) -> None:
    bases = rows(home, "SELECT source_id, language, language_confidence IS NULL FROM base_instances ORDER BY 1")
    assert bases == [
        ("de-1", "de", False),
        ("de-2", "de", False),
        ("en-1", "en", False),
        ("en-2", "en", False),
        ("zh-1", "zh", False),
        ("zh-2", "zh", True),
    ]
    items = rows(home, "SELECT language, count(*) FROM live_items WHERE kind = 'perturbed' GROUP BY 1 ORDER BY 1")
    assert items == [("de", 2), ("en", 2), ("zh", 2)]


def test_rules_decline_other_languages_with_the_reason_and_stop_nothing(home: Path) -> None:
    declined = "SELECT DISTINCT b.language, p.reason FROM live_perturbations p JOIN base_instances b USING (base_id) "
    assert rows(home, declined + "WHERE generator = 'rules-terse' AND b.language <> 'en' ORDER BY 1") == [
        ("de", "recipes change English only, and these texts are German"),
        ("zh", "recipes change English only, and these texts are Chinese"),
    ]
    failed = rows(home, "SELECT stage, reason, count(*) FROM failures GROUP BY ALL")
    assert failed == [("respond", "language", 8)], "the defect-spotter, on two items and two controls of each language"
    [(detail,)] = rows(home, "SELECT DISTINCT detail FROM failures WHERE detail LIKE '%German%'")
    assert "rules read only English, but these texts are German. Name a language model as respondent" in detail
    answered = "SELECT count(*) FROM live_responses r JOIN live_items i USING (item_id) WHERE i.language <> 'en' "
    assert number(home, answered + "AND respondent = 'lexical-overlap'") == 8


def test_scores_and_yield_have_a_slice_for_each_language(home: Path) -> None:
    accuracy = rows(
        home,
        "SELECT slice_value, refusal_accuracy, answer_accuracy FROM score_rollups "
        "WHERE slice = 'language' AND respondent = 'res-o' ORDER BY 1",
    )
    assert [language for language, *_ in accuracy] == ["de", "en", "zh"]
    assert {value for _, value, _ in accuracy} == {1.0}
    yielded = rows(home, "SELECT language, bases, asked, declined, items FROM yield_by_language ORDER BY 1")
    assert [row[:3] for row in yielded] == [("de", 2, 4), ("en", 2, 4), ("zh", 2, 4)]
    shown = demur_here("rounds", ROUND, "--full", home=home)
    assert "Items by language" in shown.stdout and "Scores by language" in shown.stdout
