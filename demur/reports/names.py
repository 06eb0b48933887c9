"""Names and order of things on pages; unlisted ones keep their own name and come last."""

from collections.abc import Iterable, Mapping
from typing import Final

CLASSES: Final = {
    "P-Ambiguity": "Ambiguity",
    "P-Contradiction": "Contradiction",
    "P-MissingInfo": "Missing information",
    "P-FalsePremise": "False premise",
    "P-GranularityMismatch": "Granularity mismatch",
    "P-EpistemicMismatch": "Epistemic mismatch",
}
INTENSITIES: Final = {"LOW": "Low", "MEDIUM": "Medium", "HIGH": "High"}
INTENSITY_NOTES: Final = {
    "LOW": "A real defect in something peripheral: the question can still be answered, and should be.",
    "MEDIUM": "A defect in what is asked, with nothing to tip the balance: refuse with the code of the class.",
    "HIGH": "A defect that no context could mend: refuse with the code of the class.",
}
CODES: Final = {
    "ANSWER_CORRECTLY": "Answer",
    "ANSWER_ATTEMPT": "Answered",
    "REFUSE_AMBIGUOUS_QUERY": "Ambiguous",
    "REFUSE_CONTRADICTORY_CONTEXT": "Contradictory",
    "REFUSE_INFO_MISSING_IN_CONTEXT": "Info missing",
    "REFUSE_FALSE_PREMISE_IN_QUERY": "False premise",
    "REFUSE_GRANULARITY_MISMATCH": "Granularity",
    "REFUSE_NONFACTUAL_QUERY": "Non-factual",
    "REFUSE_OTHER": "Other refusal",
    "INVALID": "Invalid",
}
DEFECTS: Final = {
    "P-Ambiguity": "The question can be read in two ways that have different answers.",
    "P-Contradiction": "The text says two things that cannot both be true.",
    "P-MissingInfo": "The fact that is asked for is not in the text.",
    "P-FalsePremise": "The question takes something for granted that is not so.",
    "P-GranularityMismatch": "The question asks for finer or coarser detail than the text has.",
    "P-EpistemicMismatch": "The question wants an opinion or a forecast where the text has facts.",
}
"""What is wrong with an item of each class, in one sentence for people who are new to the field."""
RULES: Final = {
    "always-answers": "a rule: quotes what fits best",
    "always-refuses": "a rule: refuses, for one reason",
    "lexical-overlap": "a rule: quotes if words overlap",
    "defect-spotter": "a rule: refuses at typical marks",
}
"""How the rule baselines reply."""
CLASSES_AND_ALL: Final = {**CLASSES, "all": "All classes"}
COEFFICIENTS: Final = {"fleiss": "All, Fleiss' kappa", "alpha": "All, Krippendorff's alpha"}
AGREEMENT_COEFFICIENTS: Final = {**COEFFICIENTS, "cohen": "Pair, Cohen's kappa"}
CONFIDENCES: Final = {
    "VERY_CONFIDENT": "Very confident",
    "CONFIDENT": "Confident",
    "SOMEWHAT_CONFIDENT": "Somewhat confident",
    "UNCERTAIN": "Uncertain",
    "VERY_UNCERTAIN": "Very uncertain",
}
CONFIDENCE_PARTS: Final = {"all": "All responses", "answers": "Answers", "refusals": "Refusals"}
REWARD_PARTS: Final = {
    "base": "Base reward only",
    "base_held_out": "Base reward only, held-out prompts",
    "total": "Base reward and rules",
    "total_held_out": "Base reward and rules, held-out prompts",
    "rules": "Rules only",
    "rules_held_out": "Rules only, held-out prompts",
}
OTHER_WORDING: Final = " (ours)"
"""Ends the label of a model that was asked with demur's own instructions."""
ITEM_PARTS: Final = {"answers": "answered", "refusals": "refused"}
LAYOUTS: Final = {"single": "one passage per question", "multi": "several passages per question"}
KINDS: Final = {
    "correct_answer": "Correct answer",
    "correct_refusal": "Correct refusal",
    "wrong_answer": "Wrong answer",
    "wrong_category_refusal": "Wrong-category refusal",
    "false_refusal": "False refusal",
    "missed_refusal": "Missed refusal",
    "invalid": "Invalid",
}
KIND_NOTES: Final = {
    "correct_answer": "Answerable, answered rightly.",
    "correct_refusal": "Not answerable, refused with the code of its class.",
    "wrong_answer": "Answerable, answered wrongly.",
    "wrong_category_refusal": "Not answerable, refused with another code.",
    "false_refusal": "Answerable, refused.",
    "missed_refusal": "Not answerable, answered.",
    "invalid": "No response, or one that the judge could not classify.",
}
METRICS: Final = {
    "calibrated_refusal_score": "Calibrated refusal score",
    "answer_accuracy": "Answer accuracy",
    "answer_quality": "Answer quality",
    "refusal_accuracy": "Refusal accuracy",
    "false_refusal_rate": "False refusal rate",
    "missed_refusal_rate": "Missed refusal rate",
    "control_refusal_rate": "Controls refused",
    "refusal_rate": "Refusal rate",
    "correct_refusal_rate": "Correct refusal rate",
    "detection_precision": "Detection precision",
    "detection_recall": "Detection recall",
    "detection_f1": "Detection F1",
    "category_accuracy": "Category accuracy",
    "hierarchical_refusal_score": "Hierarchical refusal score",
    "hybrid_score": "Hybrid score",
    "ece": "Calibration error",
    "ece_answers": "Calibration error, answers",
    "ece_refusals": "Calibration error, refusals",
    "eligibility": "Eligibility",
    "factuality_all": "Factuality, all passages",
    "factuality_relevant": "Factuality, relevant passages",
    "raf_attempts": "RAF of attempts",
    "invalid_rate": "Invalid",
    "asked_back": "Asked back",
    "asked_back_if_ambiguous": "Asked back where ambiguous",
    "hedged_answers": "Answers with a caveat",
    "mean_reward": "Mean reward",
}
METRIC_NOTES: Final = {
    "calibrated_refusal_score": "The mean of answer accuracy (answer quality for several passages) and refusal "
    "accuracy: a model that always answers or always refuses gets at most half.",
    "answer_accuracy": "Correct answers among the answerable items; a refusal counts as not correct.",
    "answer_quality": "Several passages only: the mean over answerable items of answers that are to the point and "
    "wholly supported by relevant passages; a refusal counts 0.",
    "refusal_accuracy": "Refusals with the expected code among the items that are not answerable.",
    "false_refusal_rate": "Refusals among the answerable items. Lower is better.",
    "missed_refusal_rate": "Attempts to answer among the items that are not answerable. Lower is better.",
    "control_refusal_rate": "Refusals of the unperturbed originals, all of which are answerable: tells a model that "
    "refuses everything from one that reacts to the perturbation. Lower is better.",
    "refusal_rate": "Refusals among all items, right or wrong.",
    "correct_refusal_rate": "Refusals, whatever the code, among the items that are not answerable.",
    "detection_precision": "Of all refusals, those of items that are not answerable.",
    "detection_recall": "Refusals, whatever the code, among the items that are not answerable.",
    "detection_f1": "Harmonic mean of detection precision and detection recall.",
    "category_accuracy": "Of the refusals of items that are not answerable, those with the expected code.",
    "hierarchical_refusal_score": "Detection F1 times category accuracy: to see that something is wrong, and what.",
    "hybrid_score": "Several passages only: supported answers and refusals with the expected code among all items.",
    "ece": "Mean distance between stated confidence and share correct over the five verbal levels. Lower is better.",
    "ece_answers": "The calibration error of answers alone.",
    "ece_refusals": "The calibration error of refusals alone.",
    "eligibility": "Several passages only: attempts that are to the point of the question.",
    "factuality_all": "Several passages only: attempts whose every claim some passage supports.",
    "factuality_relevant": "Several passages only: attempts whose every claim a relevant passage supports.",
    "raf_attempts": "Several passages only: of the attempts on answerable items, those to the point and wholly "
    "supported by relevant passages.",
    "invalid_rate": "Responses that could not be obtained or classified. They stay in every denominator and count "
    "neither as refusals nor as attempts.",
    "asked_back": "Plain words only: responses that ask the user what is meant, in place of an answer.",
    "asked_back_if_ambiguous": "Plain words only: the same, among items that are to be refused as ambiguous.",
    "hedged_answers": "Plain words only: of the attempts, those that say that the passages do not carry all of them.",
    "mean_reward": "Mean rule-based reward of the responses under the fitted weights; comparable within a round only.",
}


CRITERIA: Final = {
    "lever_fidelity": "Lever fidelity",
    "intensity_achieved": "Intensity",
    "uncertainty_induced": "Uncertainty induced",
    "linguistic_soundness": "Linguistic soundness",
    "ground_truth_alignment": "Ground-truth alignment",
}
CRITERIA_AND_OVERALL: Final = {**CRITERIA, "overall": "All five"}
READER_COEFFICIENTS: Final = {"alpha": "All readers, Krippendorff's alpha", "cohen": "Two readers, Cohen's kappa"}
CRITERION_NOTES: Final = {
    "lever_fidelity": "Was this lever pulled, as its instruction says, and nothing else changed?",
    "intensity_achieved": "Is the defect as strong as the intensity says: no weaker, no stronger?",
    "uncertainty_induced": "Is the class's kind of uncertainty really there for an attentive reader?",
    "linguistic_soundness": "Does the text read as somebody could have written it: grammatical, fluent, coherent?",
    "ground_truth_alignment": "Is the expected behaviour the right one for this text?",
}


def in_order(values: Iterable[str], known: Mapping[str, str]) -> list[str]:
    """Return the distinct values: the known ones first, in their order, then the others as they come."""
    found = dict.fromkeys(values)
    return [value for value in known if value in found] + [value for value in found if value not in known]


def spoken(name: str) -> str:
    """Return a column-like name as words, such as `Pairwise error` for `pairwise_error`."""
    words = name.replace("_", " ").strip()
    return words[:1].upper() + words[1:]
