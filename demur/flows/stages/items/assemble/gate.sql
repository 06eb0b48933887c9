-- Expectations of the stage assemble for items.

-- sampled_twice: kind, base_id, perturbation_id
-- No perturbation has two items, and no base instance has two controls.
SELECT kind, base_id, perturbation_id, count(*) AS number
FROM live_items
WHERE round_id = $round_id
GROUP BY ALL
HAVING number > 1;

-- expected_fits_stratum: expected
-- Every perturbed item expects what its class and intensity demand, and every control expects an answer.
SELECT unit_id, item_id, kind, class, intensity, expected
FROM live_items
WHERE round_id = $round_id AND concat_ws(' ', class, intensity, expected) NOT IN (SELECT unnest($expected));

-- without_base_instance: base_id
-- Every item has a base instance of the round, which passed the screening.
SELECT unit_id, item_id, base_id
FROM live_items
ANTI JOIN round_bases USING (round_id, base_id)
WHERE round_id = $round_id;

-- not_accepted: perturbation_id
-- Every item except controls is a perturbation that the verifiers accept.
SELECT unit_id, item_id, perturbation_id
FROM live_items
ANTI JOIN accepted_perturbations USING (round_id, perturbation_id)
WHERE round_id = $round_id AND kind <> 'control';

-- unlike_perturbation: base_id, class, intensity, lever_id, lever, generator
-- Base instance, class, intensity, lever and generator of an item are those of its perturbation.
SELECT t.unit_id, t.item_id, t.perturbation_id
FROM live_items t
JOIN accepted_perturbations a USING (round_id, perturbation_id)
WHERE t.round_id = $round_id
    AND (t.base_id, t.class, t.intensity, t.lever_id, t.lever, t.generator)
    IS DISTINCT FROM (a.base_id, a.class, a.intensity, a.lever_id, a.lever, a.generator);

-- beyond_quota: class, intensity
-- No stratum has more items than the round wants.
SELECT class, intensity, items, wanted
FROM yield_by_stratum
WHERE round_id = $round_id AND items > wanted;

-- controls_perturbed: kind, question
-- Every control has the question of its base instance, and no perturbation.
SELECT t.unit_id, t.item_id, t.base_id
FROM live_items t
JOIN round_bases b USING (round_id, base_id)
WHERE t.round_id = $round_id AND t.kind = 'control' AND (
    coalesce(t.perturbation_id, t.class, t.intensity, t.lever_id, t.lever, t.generator) IS NOT NULL
    OR t.question <> b.question
);

-- without_control: kind, base_id
-- Every base instance of the round has a control.
SELECT base_id
FROM round_bases
ANTI JOIN (FROM live_items WHERE kind = 'control') USING (round_id, base_id)
WHERE round_id = $round_id;

-- share coverage: at least
-- Share of a stratum's wanted items that the round has.
SELECT s.class || ' ' || s.intensity AS subject, count(i.item_id) AS successes, any_value(s.wanted) AS trials
FROM round_strata s
LEFT JOIN live_items i
    ON i.round_id = s.round_id AND i.class = s.class AND i.intensity = s.intensity AND i.kind = 'perturbed'
WHERE s.round_id = $round_id
GROUP BY s.class, s.intensity
ORDER BY subject;

-- share near_copies: at most
-- Share of perturbed items whose planted text has a near copy in another item of the round.
SELECT 'items' AS subject, count(c.item_id) AS successes, count(*) AS trials
FROM live_items i
LEFT JOIN near_copies c USING (round_id, item_id)
WHERE i.round_id = $round_id AND i.kind = 'perturbed';

-- share last_sentence: at most
-- Share of perturbed items with changed passages whose change is their last sentence.
SELECT 'items' AS subject, count(*) FILTER (change_place = 'last sentence') AS successes, count(*) AS trials
FROM live_items
WHERE round_id = $round_id AND kind = 'perturbed' AND change_place NOT IN ('question', 'end of the question');

-- share balance: at least
-- Each generator's share of the perturbed items.
SELECT
    g.generator AS subject,
    count(i.item_id) AS successes,
    (SELECT count(*) FROM live_items WHERE round_id = $round_id AND kind = 'perturbed') AS trials
FROM rounds r
CROSS JOIN unnest(r.generators) AS g(generator)
LEFT JOIN live_items i ON i.round_id = r.round_id AND i.generator = g.generator AND i.kind = 'perturbed'
WHERE r.round_id = $round_id
GROUP BY g.generator
ORDER BY subject;
