"""An invented round for the tests of reports: rows of its named tables with numbers and texts that nobody measured."""

import json
from itertools import product
from random import Random
from typing import Any

import pandas as pd

from demur.levers.vocabulary import CLASS_CODE, STRATA, Intensity, LeverClass, expected_code
from demur.reports.cells import rows as rows_of
from demur.reports.reward_results import behaviours
from demur.reports.round_report import overview, topics
from demur.reports.round_report.page import Report, ReportFacts
from demur.reports.tables import named_table

GENERATORS = ("rules-terse", "rules-elaborate")
VERIFIERS = ("rules-rederive", "rules-strict", "rules-wording")
RESPONDENTS = ("defect-spotter", "lexical-overlap", "always-answers", "always-refuses")
JUDGE = "rules-judge"
CODES = ("ANSWER_ATTEMPT", *CLASS_CODE.values(), "REFUSE_OTHER", "INVALID")
KINDS = (
    "correct_answer",
    "wrong_answer",
    "correct_refusal",
    "wrong_category_refusal",
    "false_refusal",
    "missed_refusal",
    "invalid",
)
ORIGINAL = (
    "The harbour light of Sennick was built in 1868 from grey granite. The keeper's house burnt down in 1901 and was "
    "rebuilt with a slate roof. Since 1979 the light has worked without a keeper; it is 31 metres high."
)
NOISE = "The ferry to Sennick leaves twice a day in summer, and once in winter if the sea allows it."


Frames = dict[str, pd.DataFrame]


def facts(**changes: Any) -> ReportFacts:
    """Return what a report says beside its tables."""
    known = {"title": "embedded", "release": "embedded/3", "date": "2026-11-20", "corpus": "harbours.jsonl"}
    return ReportFacts(**{**known, "demur": "0.1.0", **changes})


def overview_row(items: int = 196, rules: tuple[str, ...] = RESPONDENTS, **changes: Any) -> dict[str, Any]:
    """Return the one row of the overview, of a round in which these respondents are fixed rules."""
    everybody = (*GENERATORS, *VERIFIERS, JUDGE, *RESPONDENTS)
    models = [
        {
            "name": name,
            "provider": "recorded" if name in RESPONDENTS and name not in rules else "rules",
            "model": f"respondent/{name}",
        }
        for name in everybody
    ]
    return {
        "round_id": "embedded", "name": "embedded", "bases": 24, "layout": "single", "seed": 20261120,
        "config": json.dumps({"models": models}), "generators": list(GENERATORS), "verifiers": list(VERIFIERS),
        "respondents": list(RESPONDENTS), "judges": [JUDGE], "is_imported": False, "items": items, "with_class": items,
        "any_reason": 0, "is_set": False, "benchmark": None,
        "answerable": items // 3, "to_refuse": items - items // 3, "controls": 24, "item_bases": 24,
        "candidates": 500, "accepted": 400, "judged": 4 * items, "planned": 4 * items, "readers": 2, "items_read": 30,
        "is_audited": False, "agreement": 0.41, **changes,
    }  # fmt: skip


def report_of(frames: Frames, fact: ReportFacts | None = None) -> Report:
    """Return the report of a round that has these rows and no others."""
    names = dict.fromkeys((*overview.TABLES, *topics.TABLES))
    tables = {name: named_table(name).shown(rows_of(frames.get(name, pd.DataFrame()))) for name in names}
    return Report("embedded", fact or facts(), tables)


def full_report(frames: Frames | None = None, **changes: Any) -> Report:
    """Return the report of the invented round."""
    given = full_round() if frames is None else frames
    fitted = behaviours(given["weights"], given["fits"], given["rewards"])
    return report_of(given, facts(**{"behaviours": fitted, **changes}))


def empty_report() -> Report:
    """Return the report of a round in which nothing has happened yet."""
    nothing = {"items": 0, "answerable": 0, "to_refuse": 0, "controls": 0, "item_bases": 0, "candidates": None,
               "accepted": None, "judged": None, "planned": None, "readers": 0, "items_read": 0,
               "agreement": None}  # fmt: skip
    return report_of({"overview": pd.DataFrame([overview_row(**nothing)])}, facts(release=""))


def full_round() -> Frames:
    """Return the rows of a round by named table, among them short strata and undefined values."""
    random = Random(7)
    strata = _strata(random)
    items = int(strata["items"].sum())
    return {
        "overview": pd.DataFrame([overview_row(items)]),
        "strata": strata,
        "verifiers": _verifiers(random),
        "leaderboard": _leaderboard(items),
        **_scores(random),
        "confusion": _confusion(random),
        "telling_items": _telling_items(),
        "weights": _weights(random),
        "fits": _fits(),
        "rewards": _rewards(random),
        "expectations": _expectations(),
        "failures": pd.DataFrame(
            {
                "stage": ["verify", "judge"],
                "reason": ["verdict could not be read", "timeout after 60 s"],
                "units": [2, 1],
            }
        ),
        **compared_frames(),
        **trust_frames(),
    }


def compared_frames() -> dict[str, pd.DataFrame]:
    """Return the frames that set respondents against each other."""
    first, second = RESPONDENTS[:2]
    pair = {
        "judge": JUDGE,
        "first": first,
        "second": second,
        "items": 196,
        "difference": 0.162,
        "low": 0.08,
        "high": 0.25,
    }
    code = {"respondent": first, "judge": JUDGE, "refusals": 120, "entropy_bits": 1.9, "expected_entropy_bits": 2.58}
    hard = {"judge": JUDGE, "items": 8, "responses": 32, "difficulty": 0.7, "low": 0.5, "high": 0.9, "reason": None}
    size = {"judge": JUDGE, "metric": "calibrated_refusal_score", "value": 0.5, "low": 0.45, "high": 0.56}
    effect = {"judge": JUDGE, "metric": "refusal_accuracy", "value": -0.78, "models": 30, "reason": None}
    top = {"top_code": "REFUSE_OTHER", "top_share": 0.6, "top_share_low": 0.5, "top_share_high": 0.7, "reason": None}
    copy = {"item_id": "a1", "other_id": "b2", "lever": "Two Referents", "generator": "rules-terse", "shared": 0.8,
            "question": "When was the light built, or the mast?", "copies": 7, "with_copy": 12, "items": 196,
            "other_question": "When was the mill built, or the dam?"}  # fmt: skip
    return {
        "near_copies": pd.DataFrame([copy]),
        "pairs": pd.DataFrame(
            [{**pair, "p_value_holm": 0.003, "is_distinguishable": True, "minimum_detectable": 0.11, "reason": None}]
        ),
        "codes": pd.DataFrame(
            [{**code, **top, "never_given": ["REFUSE_NONFACTUAL_QUERY"], "constant_calibrated_refusal_score": 0.083,
              "calibrated_refusal_score": 0.583}]
        ),
        "preference": pd.DataFrame(
            [{"generator": GENERATORS[0], "self_rate": 0.9, "cross_rate": 0.8, "bias": 0.1, "low": 0.02, "high": 0.18,
              "reason": None}]
        ),
        "agreement": pd.DataFrame(
            [{"coefficient": "cohen", "first": VERIFIERS[0], "second": VERIFIERS[1], "value": None, "low": None,
              "high": None, "candidates": 8, "reason": f"{VERIFIERS[0]} gives one verdict only"},
             {"coefficient": "fleiss", "first": None, "second": None, "value": 0.41, "low": 0.2, "high": 0.6,
              "candidates": 8, "reason": None}]
        ),
        "noise": pd.DataFrame(
            [{"respondent": first, "first_judge": JUDGE, "second_judge": "other", "noise_floor": 0.058,
              "same_class": 0.9}]
        ),
        "hardest_levers": pd.DataFrame([{**hard, "lever_id": "ambiguity.two-readings", "class": "P-Ambiguity",
                                         "intensity": "HIGH"}]),
        "key_agreement": pd.DataFrame(
            [{"class": "P-FalsePremise", "intensity": "LOW", "items": 9, "readings": 18, "agreement": 0.1,
              "defensible_share": 0.6, "is_contested": True, "contested": 1, "strata": 18}]
        ),
        "uncontested_scores": pd.DataFrame(
            [{"respondent": first, "judge": JUDGE, "calibrated_refusal_score": 0.583, "uncontested_score": 0.61,
              "responses": 160, "contested": ["P-FalsePremise, LOW"], "left_out": "P-FalsePremise, LOW"}]
        ),
        "hardness_scores": pd.DataFrame(
            [{"respondent": first, "judge": JUDGE, "hardness": "2.8 or more", "answerable": 12, "answer_accuracy": 0.5,
              "refusable": 20, "refusal_accuracy": 0.7, "calibrated_refusal_score": 0.6}]
        ),
        "change_places": pd.DataFrame(
            [{"class": "all classes", "items": 196, "question_end": 0.1, "with_passages": 98, "last_sentence": 0.22,
              "whole_passage": 0.13, "words_added": 11.0}]
        ),
        "domains": pd.DataFrame([{**hard, "domain": "harbours"}]),
        "factors": pd.DataFrame(
            [{**size, "respondent": first, "parameters_billion": 7.0, "thinking_tokens": None},
             {**size, "respondent": second, "parameters_billion": 70.0, "thinking_tokens": None}]
        ),
        "associations": pd.DataFrame(
            [{**effect, "statistic": "correlation", "factor": "false_refusal_rate", "first": None, "second": None,
              "low": -0.9, "high": -0.5},
             {**effect, "statistic": "slope", "factor": "parameters_billion", "first": None, "second": None,
              "low": None, "high": None, "reason": "fewer than 3 models"},
             {**effect, "statistic": "difference", "factor": "alignment", "first": "dpo", "second": "sft", "low": -0.1,
              "high": 0.1}]
        ),
    }  # fmt: skip


def trust_frames() -> dict[str, pd.DataFrame]:
    """Return the frames that say what stands behind the scores."""
    level = {"respondent": RESPONDENTS[0], "judge": JUDGE, "part": "all", "reason": None}
    read = {"readers": 2, "items": 30, "low": 0.79, "high": 0.98}
    agreed = {"criterion": "overall", "items": 30, "observed": 0.9, "reason": None}
    stratum = {"judge": JUDGE, "class": "P-Ambiguity", "respondent": RESPONDENTS[0]}
    return {
        "saturation": pd.DataFrame(
            [{**stratum, "intensity": "LOW", "metric": "answer_accuracy", "value": 0.9, "low": 0.7, "high": 0.97,
              "is_saturated": True},
             {**stratum, "intensity": "HIGH", "metric": "refusal_accuracy", "value": 0.5, "low": 0.3, "high": 0.7,
              "is_saturated": False}]
        ),
        "saturated": pd.DataFrame(
            [{"judge": JUDGE, "respondent": RESPONDENTS[0], "calibrated_refusal_score": 0.91, "crs_low": 0.85,
              "crs_high": 0.96, "is_saturated": True, "strata": 2, "separating": ["P-Ambiguity, HIGH"]}]
        ),
        "calibration": pd.DataFrame(
            [{**level, "confidence": "VERY_CONFIDENT", "midpoint": 0.95, "responses": 60, "accuracy": 0.7, "low": 0.6,
              "high": 0.8},
             {**level, "confidence": "UNCERTAIN", "midpoint": 0.4, "responses": 12, "accuracy": 0.45, "low": 0.2,
              "high": 0.7},
             {**level, "confidence": "CONFIDENT", "midpoint": 0.8, "responses": 0, "accuracy": None, "low": None,
              "high": None, "reason": "no responses"}]
        ),
        "precision": pd.DataFrame(
            [{"respondent": RESPONDENTS[0], "judge": JUDGE, "items": 196, "sources": 24, "share_right": 0.55,
              "half_width": 0.277, "rounds": 3, "half_width_all_rounds": 0.316, "bootstrap_half_width": 0.061,
              "crs_bootstrap_half_width": 0.052, "design_effect": 1.8, "effective_items": 108.9, "reason": None}]
        ),
        "drift": pd.DataFrame(
            [{"respondent": RESPONDENTS[0], "judge": JUDGE, "earlier_round_id": "weekly-1", "earlier_value": 0.55,
              "value": 0.583, "difference": 0.033, "low": -0.04, "high": 0.11, "p_value": 0.37, "reason": None}]
        ),
        "audit_rates": pd.DataFrame(
            [{**read, "class": "P-Ambiguity", "passes": 28, "pass_rate": 0.933, "published_pass_rate": 0.883},
             {**read, "class": "all", "passes": 28, "pass_rate": 0.933, "published_pass_rate": 0.931}]
        ),
        "audit_agreement": pd.DataFrame(
            [{**agreed, "coefficient": "alpha", "first": None, "second": None, "value": 0.62},
             {**agreed, "coefficient": "cohen", "first": "Ada", "second": "Grace", "value": None,
              "reason": "one of the two never varies"}]
        ),
    }  # fmt: skip


def _strata(random: Random) -> pd.DataFrame:
    rows = []
    for lever_class, intensity in STRATA:
        asked, declined = 48, random.randint(2, 14)
        rejected, duplicates = random.randint(3, 9), random.randint(0, 3)
        candidates = asked - declined - rejected - duplicates
        accepted = (
            7
            if (lever_class, intensity) == (LeverClass.EPISTEMIC, Intensity.LOW)
            else candidates - random.randint(3, 14)
        )
        items = min(accepted, 12)
        rows.append((lever_class, intensity, asked, declined, rejected, duplicates, candidates, accepted, items, 12))
    columns = [
        "class",
        "intensity",
        "asked",
        "declined",
        "rejected",
        "duplicates",
        "candidates",
        "accepted",
        "items",
        "wanted",
    ]
    found = pd.DataFrame(rows, columns=columns)
    return found.assign(shortfall=found["wanted"] - found["items"], acceptance=found["accepted"] / found["candidates"])


def _verifiers(random: Random) -> pd.DataFrame:
    rows = [(v, g, 300, random.randint(190, 290), random.randint(0, 4)) for v, g in product(VERIFIERS, GENERATORS)]
    return pd.DataFrame(rows, columns=["verifier", "generator", "verdicts", "passes", "inconsistent"])


def _leaderboard(items: int) -> pd.DataFrame:
    columns = (
        "respondent", "calibrated_refusal_score", "crs_low", "crs_high", "answer_accuracy", "refusal_accuracy",
        "false_refusal_rate", "missed_refusal_rate", "control_refusal_rate", "invalid_rate", "mean_reward",
        "answer_reason",
    )  # fmt: skip
    reason = "no answerable items"
    rows = [
        ("defect-spotter", 0.583, 0.531, 0.634, 0.712, 0.454, 0.181, 0.322, 0.042, 0.0, 0.87, None),
        ("lexical-overlap", 0.421, 0.377, 0.469, 0.515, 0.327, 0.076, 0.541, 0.0, 0.0, 0.12, None),
        ("always-answers", 0.402, 0.371, 0.433, 0.803, 0.0, 0.0, 1.0, 0.0, 0.0, -0.61, None),
        ("always-refuses", None, None, None, None, 0.167, 1.0, 0.0, 1.0, 0.012, None, reason),
    ]
    found = pd.DataFrame(rows, columns=list(columns))
    for name, metric in (("answer", "answer_accuracy"), ("refusal", "refusal_accuracy")):
        found = found.assign(**{f"{name}_low": found[metric] * 0.9, f"{name}_high": found[metric] * 1.1})
    state = {"judge": JUDGE, "responses": items, "judged": items, "planned": items, "state": "complete"}
    return found.assign(**state)


def _scores(random: Random) -> Frames:
    """Return kinds of response, refusals by intensity, and defects that are noticed."""
    kinds = []
    intensities = []
    recognised = []
    for who in RESPONDENTS:
        same = {"respondent": who, "judge": JUDGE}
        shares = [random.random() for _ in KINDS[:-1]] + [0.02]
        kinds.append({**same, **{kind: share / sum(shares) for kind, share in zip(KINDS, shares, strict=True)}})
        rates = {level: min(1.0, 0.12 + 0.27 * at) for at, level in enumerate(("low", "medium", "high"))}
        parts = [
            {f"{level}_rate": rate, f"{level}_low": rate - 0.06, f"{level}_high": rate + 0.05}
            for level, rate in rates.items()
        ]
        intensities.append(same | parts[0] | parts[1] | parts[2])
        recognised.append({**same, **{name: random.random() for name in overview.DEFECTS},
                           **{f"{name}_items": 24 for name in overview.DEFECTS}})  # fmt: skip
    frames = {"kinds": kinds, "intensities": intensities, "recognised": recognised}
    return {name: pd.DataFrame(rows) for name, rows in frames.items()}


def _confusion(random: Random) -> pd.DataFrame:
    rows = []
    for who, expected in product(RESPONDENTS, ("ANSWER_CORRECTLY", *CLASS_CODE.values())):
        right = "ANSWER_ATTEMPT" if expected == "ANSWER_CORRECTLY" else expected
        rows.append((who, JUDGE, expected, right, random.randint(5, 24)))
        for predicted in random.sample([code for code in CODES if code != right], 4):
            rows.append((who, JUDGE, expected, predicted, random.randint(1, 9)))
    return pd.DataFrame(rows, columns=["respondent", "judge", "expected", "predicted", "responses"]).assign(share=0.5)


def _telling_items() -> pd.DataFrame:
    question = "When was the harbour light of Sennick built?"
    changes = (
        (LeverClass.AMBIGUITY, Intensity.MEDIUM, "When was the light of Sennick renewed or built?", ORIGINAL),
        (
            LeverClass.CONTRADICTION,
            Intensity.HIGH,
            question,
            ORIGINAL.replace("1868", "1868, or 1871 by the parish book,"),
        ),
        (
            LeverClass.MISSING_INFO,
            Intensity.MEDIUM,
            question,
            ORIGINAL.replace(" was built in 1868 from", " stands on a foot of"),
        ),
        (
            LeverClass.FALSE_PREMISE,
            Intensity.HIGH,
            "When was the harbour light of Sennick moved to the moon?",
            ORIGINAL,
        ),
        (
            LeverClass.GRANULARITY,
            Intensity.MEDIUM,
            "On which day, at what hour, was the first stone of the harbour light of Sennick laid?",
            ORIGINAL.replace("in 1868", "in the 1860s"),
        ),
        (
            LeverClass.EPISTEMIC,
            Intensity.LOW,
            "When was the beautiful harbour light of Sennick built?",
            ORIGINAL.replace("grey", "lovely grey"),
        ),
    )
    rows = [
        {
            "item_id": f"item-{number}",
            "class": lever_class,
            "intensity": intensity,
            "answers": ["1868"],
            "replies": [_reply(who, at + number) for at, who in enumerate(RESPONDENTS)],
            "lever": f"Invented lever {number}",
            "expected": expected_code(lever_class, intensity),
            "original_question": question,
            "question": asked,
            "original_passages": [ORIGINAL, NOISE],
            "passages": [passage, NOISE],
        }
        for number, (lever_class, intensity, asked, passage) in enumerate(changes)
    ]
    return pd.DataFrame(rows)


def _reply(who: str, number: int) -> dict[str, Any]:
    """Return a reply that is right, or not, in turn."""
    right = number % 2 == 0
    return {
        "respondent": who, "replicate": 0, "judge": JUDGE, "response": "REFUSE_OTHER" if right else "It was 1868.",
        "predicted": "REFUSE_OTHER" if right else "ANSWER_ATTEMPT", "explanation": f"{who} was read by a rule.",
        "is_right": right,
    }  # fmt: skip


def _weights(random: Random) -> pd.DataFrame:
    features = {
        "proposition": (
            "states_refusal_code",
            "expected_code",
            "names_defect",
            "attempts_answer",
            "hedges",
            "apologises",
        ),
        "class": ("ideal", "minimum_acceptable_style", "unacceptable", "illogical", "fabricated"),
    }
    rows = []
    for behaviour, (kind, names) in product(("answer", "refuse"), features.items()):
        for name in names:
            value = random.uniform(-1.4, 1.6)
            known = name != "fabricated"
            rows.append(
                (
                    "selective_refusal",
                    behaviour,
                    name,
                    kind,
                    value,
                    *((value - 0.4, value + 0.3) if known else (None, None)),
                )
            )
    return pd.DataFrame(rows, columns=["policy", "behaviour", "feature", "kind", "value", "low", "high"])


def _fits() -> pd.DataFrame:
    shares = {"hinge_loss": (0.113, 0.131), "pairwise_error": (0.021, 0.034), "ideal_first": (0.964, 0.93)}
    counts = {"prompts": (42, 18), "pairs": (1260, 540)}
    both = {
        f"{name}_{part}": pair[at]
        for name, pair in {**shares, **counts}.items()
        for at, part in enumerate(("train", "held_out"))
    }
    common = {
        "policy": "selective_refusal",
        "grader": "rules-grader",
        "margin": 1.0,
        "l2": 0.01,
        "objective": 0.14,
        "relative_gap": 3.1e-9,
    }
    return pd.DataFrame(
        [
            {**common, **both, "behaviour": "answer"},
            {**common, **both, "behaviour": "refuse", "ideal_first_held_out": None},
        ]
    )


def _rewards(random: Random) -> pd.DataFrame:
    labels = {"perfect": 2.1, "acceptable": 0.8, "bad": -0.9, "worst": -2.2}
    rows = [
        (label, behaviour, "selective_refusal", random.gauss(middle, 0.5))
        for behaviour, (label, middle) in product(("answer", "refuse"), labels.items())
        for _ in range(40)
    ]
    return pd.DataFrame(rows, columns=["label", "behaviour", "policy", "reward"])


def _expectations() -> pd.DataFrame:
    rows = [
        ("generate", "integrity", "expect_column_values_to_not_be_null", "perturbation_id", True, "0 of 864", "0"),
        ("generate", "integrity", "expect_column_values_to_be_unique", "perturbation_id", True, "0 of 864", "0"),
        ("assemble", "sample", "coverage", "P-EpistemicMismatch, LOW", False, "7 of 12", "at least 0.5"),
        ("verify", "sample", "acceptance", None, True, "0.61", "at least 0.3"),
    ]
    return pd.DataFrame(rows, columns=["stage", "gate", "expectation", "subject", "success", "observed", "bound"])
