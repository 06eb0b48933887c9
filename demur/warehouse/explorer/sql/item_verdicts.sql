-- Its verdicts, one row per verifier and attempt.
SELECT
    verifier, attempt, outcome, lever_fidelity, intensity_achieved, target_compliance, strategy_compliance,
    uncertainty_induced, implementation_quality, answer_constraint, behaviour_prediction, refusal_class_alignment,
    predicted_behaviour, observed_intensity, issues, refusal_analysis, constraint_analysis, unit_id
FROM live_verdicts WHERE round_id = $round AND perturbation_id = $id
ORDER BY verifier, attempt;
