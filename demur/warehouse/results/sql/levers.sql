-- Levers on offer: numbers of their perturbations, difficulty, and how well they separate respondents.
WITH scored AS (
    SELECT respondent, judge, avg(CAST(is_right AS DOUBLE)) AS share_right
    FROM response_outcomes
    WHERE round_id = $round AND kind = 'perturbed' AND is_right IS NOT NULL
    GROUP BY ALL
), answered AS (
    SELECT
        o.lever_id, count(*) AS responses, 1 - avg(CAST(o.is_right AS DOUBLE)) AS difficulty,
        corr(CAST(o.is_right AS DOUBLE), s.share_right) AS discrimination
    FROM response_outcomes o
    JOIN scored s USING (respondent, judge)
    WHERE o.round_id = $round AND o.kind = 'perturbed' AND o.is_right IS NOT NULL
    GROUP BY ALL
), audited AS (
    SELECT i.lever_id, count(*) AS audited, count(*) FILTER (a.passed) AS audit_passes
    FROM audit_items a JOIN live_items i USING (round_id, item_id)
    WHERE a.round_id = $round AND a.criterion = 'overall'
    GROUP BY ALL
)
SELECT
    l.lever_id, l.lever, l.class, l.intensity, l.origin, l.recipe, l.asked, l.pulled, l.rejected, l.duplicates,
    l.candidates, l.accepted, l.yield, l.acceptance, l.items, coalesce(a.responses, 0) AS responses, a.difficulty,
    CASE WHEN isfinite(a.discrimination) THEN a.discrimination END AS discrimination,
    coalesce(u.audited, 0) AS audited, u.audit_passes,
    CASE
        WHEN l.candidates >= 4 AND l.acceptance < 0.5 THEN 'drop: verifiers accept few'
        WHEN u.audited >= 4 AND u.audit_passes < u.audited / 2 THEN 'drop: readers accept few'
        WHEN l.pulled >= 4 AND l.candidates < l.pulled / 2 THEN 'drop: code rejects many'
        WHEN a.responses >= 12 AND a.difficulty = 0 THEN 'drop: all respondents are right'
        WHEN a.responses >= 12 AND a.difficulty = 1 THEN 'look: all respondents are wrong'
        WHEN a.responses >= 12 AND a.discrimination <= 0 THEN 'look: weak respondents do better'
        WHEN l.pulled = 0 AND coalesce(l.assigned >= 4, l.asked >= 3 * c.on_offer) THEN 'look: never pulled'
    END AS advice
FROM lever_coverage l
LEFT JOIN answered a USING (lever_id)
LEFT JOIN audited u USING (lever_id)
JOIN lever_coverage_by_stratum c ON c.round_id = l.round_id AND c.class = l.class AND c.intensity = l.intensity
WHERE l.round_id = $round
    AND l.lever_id = $lever -- if lever
    AND l.class = $class -- if class
    AND l.intensity = $intensity -- if intensity
ORDER BY l.class, CASE l.intensity WHEN 'LOW' THEN 1 WHEN 'MEDIUM' THEN 2 ELSE 3 END, l.lever_id;
