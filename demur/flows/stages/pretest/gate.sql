-- What the gate of pretest expects of pretests.

-- not_accepted: perturbation_id
-- Every pretest is of a perturbation that the verifiers accept.
SELECT unit_id, perturbation_id, probe
FROM live_pretests
ANTI JOIN accepted_perturbations USING (round_id, perturbation_id)
WHERE round_id = $round_id;

-- unlike_perturbation: class, intensity
-- Class and intensity are those of the perturbation.
SELECT t.unit_id, t.perturbation_id, t.probe
FROM live_pretests t
JOIN accepted_perturbations p USING (round_id, perturbation_id)
WHERE t.round_id = $round_id AND (t.class, t.intensity) IS DISTINCT FROM (p.class, p.intensity);

-- probes_on_the_board: probe
-- No probe is a respondent of the round.
SELECT unit_id, perturbation_id, probe
FROM live_pretests
WHERE round_id = $round_id
    AND probe IN (SELECT unnest(respondents) FROM rounds WHERE round_id = $round_id);

-- right_unlike_judgement: is_right, predicted
-- What could not be judged is neither right nor wrong.
SELECT unit_id, perturbation_id, probe, predicted, is_right
FROM live_pretests
WHERE round_id = $round_id AND (is_right IS NULL) IS DISTINCT FROM (predicted = 'INVALID');
