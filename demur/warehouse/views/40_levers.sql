-- Levers of a round with the results of their perturbations, and outcomes of code checks.

CREATE OR REPLACE VIEW lever_coverage AS
WITH chosen AS (
    SELECT round_id, (config ->> '$.generation.lever_choice') = 'assigned' AS is_assigned FROM rounds
), asked AS (
    SELECT round_id, class, intensity, count(*) AS units FROM live_perturbations GROUP BY ALL
), assigned AS (
    SELECT round_id, assigned_lever_id AS lever_id, count(*) AS units FROM live_perturbations
    WHERE assigned_lever_id IS NOT NULL GROUP BY ALL
), pulled AS (
    SELECT
        round_id, lever_id,
        count(*) AS units,
        count(*) FILTER (status = 'rejected') AS rejected,
        count(*) FILTER (status = 'candidate') AS passing
    FROM live_perturbations WHERE lever_id IS NOT NULL GROUP BY ALL
), verified AS (
    SELECT round_id, lever_id, count(*) AS candidates, count(*) FILTER (accepted) AS accepted FROM consensus GROUP BY ALL
), sampled AS (
    SELECT round_id, lever_id, count(*) AS items FROM live_items WHERE kind = 'perturbed' GROUP BY ALL
), counted AS (
    SELECT
        l.round_id, l.class, l.intensity, l.lever_id, l.lever, l.origin, l.recipe,
        CASE WHEN c.is_assigned THEN coalesce(a.units, 0) ELSE coalesce(q.units, 0) END AS asked,
        CASE WHEN c.is_assigned THEN coalesce(a.units, 0) END AS assigned,
        coalesce(p.units, 0) AS pulled,
        coalesce(p.rejected, 0) AS rejected,
        coalesce(p.passing, 0) - coalesce(v.candidates, 0) AS duplicates,
        coalesce(v.candidates, 0) AS candidates,
        coalesce(v.accepted, 0) AS accepted,
        coalesce(s.items, 0) AS items
    FROM levers_on_offer l
    JOIN chosen c USING (round_id)
    LEFT JOIN asked q USING (round_id, class, intensity)
    LEFT JOIN assigned a USING (round_id, lever_id)
    LEFT JOIN pulled p USING (round_id, lever_id)
    LEFT JOIN verified v USING (round_id, lever_id)
    LEFT JOIN sampled s USING (round_id, lever_id)
)
SELECT
    *,
    round(candidates / nullif(coalesce(assigned, pulled), 0), 3) AS yield,
    round(accepted / nullif(candidates, 0), 3) AS acceptance
FROM counted
ORDER BY round_id, class, CASE intensity WHEN 'LOW' THEN 1 WHEN 'MEDIUM' THEN 2 ELSE 3 END, lever_id;
COMMENT ON VIEW lever_coverage IS 'One row per round and lever that generators may pull, unused levers included: numbers from units to items.';
COMMENT ON COLUMN lever_coverage.lever_id IS 'id of the lever';
COMMENT ON COLUMN lever_coverage.lever IS 'name of the lever';
COMMENT ON COLUMN lever_coverage.asked IS 'number of units of the stage `generate` that offered the lever';
COMMENT ON COLUMN lever_coverage.assigned IS 'number of units that offered no other lever; null if generators choose levers';
COMMENT ON COLUMN lever_coverage.pulled IS 'number of perturbations made with the lever';
COMMENT ON COLUMN lever_coverage.rejected IS 'number of perturbations with the lever that failed a code check other than the check for duplicates';
COMMENT ON COLUMN lever_coverage.duplicates IS 'number of perturbations with the lever that failed only the check for duplicates';
COMMENT ON COLUMN lever_coverage.accepted IS 'number of candidates that the verifiers accepted';
COMMENT ON COLUMN lever_coverage.items IS 'number of items made with the lever';
COMMENT ON COLUMN lever_coverage.yield IS 'candidates / assigned or, if generators choose levers, candidates / pulled; null if the denominator is 0';
COMMENT ON COLUMN lever_coverage.acceptance IS 'accepted / candidates; null without candidates';

CREATE OR REPLACE VIEW lever_coverage_by_stratum AS
SELECT
    round_id, class, intensity,
    count(*) AS on_offer,
    count(recipe) AS with_recipe,
    count(*) FILTER (asked > 0) AS asked,
    count(*) FILTER (pulled > 0) AS pulled,
    count(*) FILTER (candidates > 0) AS with_candidates,
    count(*) FILTER (accepted > 0) AS with_accepted,
    count(*) FILTER (items > 0) AS with_items
FROM lever_coverage
GROUP BY round_id, class, intensity
ORDER BY round_id, class, CASE intensity WHEN 'LOW' THEN 1 WHEN 'MEDIUM' THEN 2 ELSE 3 END;
COMMENT ON VIEW lever_coverage_by_stratum IS 'One row per round and stratum: number of levers that generators may pull, and how many of these levers got to each step.';
COMMENT ON COLUMN lever_coverage_by_stratum.on_offer IS 'number of levers that generators may pull';
COMMENT ON COLUMN lever_coverage_by_stratum.with_recipe IS 'number of levers that the rules lane can pull';
COMMENT ON COLUMN lever_coverage_by_stratum.asked IS 'number of levers that a generator was offered';
COMMENT ON COLUMN lever_coverage_by_stratum.pulled IS 'number of levers with a perturbation';
COMMENT ON COLUMN lever_coverage_by_stratum.with_candidates IS 'number of levers with a candidate';
COMMENT ON COLUMN lever_coverage_by_stratum.with_accepted IS 'number of levers with an accepted perturbation';
COMMENT ON COLUMN lever_coverage_by_stratum.with_items IS 'number of levers with an item';

CREATE OR REPLACE VIEW check_outcomes AS
SELECT
    round_id, check_name, class, intensity,
    count(*) AS perturbations,
    count(*) FILTER (outcome = 'pass') AS passes,
    count(*) FILTER (outcome = 'fail') AS fails
FROM live_checks
GROUP BY round_id, check_name, class, intensity
ORDER BY round_id, check_name, class, intensity;
COMMENT ON VIEW check_outcomes IS 'One row per round, code check and stratum: number of perturbations by outcome of the check.';
COMMENT ON COLUMN check_outcomes.perturbations IS 'number of checked perturbations';
COMMENT ON COLUMN check_outcomes.passes IS 'number of perturbations that passed the check';
COMMENT ON COLUMN check_outcomes.fails IS 'number of perturbations that failed the check';
