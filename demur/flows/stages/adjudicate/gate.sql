-- What the gate of adjudicate expects of adjudications.

-- not_missed: perturbation_id
-- Every adjudication is of a perturbation that a probe missed and none got right.
SELECT t.unit_id, t.perturbation_id
FROM live_adjudications t
LEFT JOIN (
    SELECT round_id, perturbation_id, bool_or(is_right) AS solved FROM live_pretests GROUP BY ALL
) p USING (round_id, perturbation_id)
WHERE t.round_id = $round_id AND coalesce(p.solved, true);

-- by_the_involved: adjudicator
-- Nobody adjudicates what they made or probed.
SELECT unit_id, perturbation_id, adjudicator
FROM live_adjudications
WHERE round_id = $round_id AND (
    adjudicator = generator OR adjudicator IN (SELECT probe FROM live_pretests WHERE round_id = $round_id)
);

-- unlike_perturbation: class, intensity, generator
-- Class, intensity and generator are those of the perturbation.
SELECT t.unit_id, t.perturbation_id
FROM live_adjudications t
JOIN accepted_perturbations p USING (round_id, perturbation_id)
WHERE t.round_id = $round_id
    AND (t.class, t.intensity, t.generator) IS DISTINCT FROM (p.class, p.intensity, p.generator);

-- without_reading: right_behaviour, reading
-- Whatever could be read says what is right to do.
SELECT unit_id, perturbation_id, outcome
FROM live_adjudications
WHERE round_id = $round_id
    AND (outcome <> 'missing') IS DISTINCT FROM (right_behaviour IS NOT NULL AND reading IS NOT NULL);
