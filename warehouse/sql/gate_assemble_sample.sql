-- How much of each stratum's quota is filled, and how many of the perturbed items each generator gave.
SELECT
    'coverage' AS measure, s.class || ' ' || s.intensity AS subject,
    count(i.item_id) AS successes,
    any_value(s.wanted) AS trials
FROM round_strata s
LEFT JOIN live_items i
    ON i.round_id = s.round_id AND i.class = s.class AND i.intensity = s.intensity AND i.kind = 'perturbed'
WHERE s.round_id = $round_id
GROUP BY s.class, s.intensity
UNION ALL
SELECT
    'balance', g.generator,
    count(i.item_id),
    (SELECT count(*) FROM live_items WHERE round_id = $round_id AND kind = 'perturbed')
FROM rounds r
CROSS JOIN unnest(r.generators) AS g(generator)
LEFT JOIN live_items i ON i.round_id = r.round_id AND i.generator = g.generator AND i.kind = 'perturbed'
WHERE r.round_id = $round_id
GROUP BY g.generator
ORDER BY measure DESC, subject;
