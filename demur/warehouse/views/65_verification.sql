-- Verdicts of verifiers on the perturbations of generators. Shares are over matched cells unless a comment says
-- otherwise. A matched cell is a base instance, class and intensity in which every generator has a candidate, and every
-- candidate a verdict of every verifier. Intervals and agreement of several verifiers, which SQL cannot compute, are
-- joined from the rows of the stage `agree`.

CREATE OR REPLACE VIEW matched_verdicts AS
WITH whole AS (
    SELECT p.round_id, p.base_id, p.class, p.intensity, p.generator, p.perturbation_id,
        count(v.verifier) AS verdicts, any_value(len(r.verifiers)) AS verifiers,
        any_value(len(r.generators)) AS generators
    FROM candidates p
    JOIN rounds r USING (round_id)
    LEFT JOIN counting_verdicts v USING (round_id, perturbation_id)
    GROUP BY ALL
), cells AS (
    SELECT round_id, base_id, class, intensity
    FROM whole
    GROUP BY ALL
    HAVING bool_and(verdicts = verifiers) AND count(DISTINCT generator) = any_value(generators)
)
SELECT w.round_id, w.base_id, w.class, w.intensity, w.generator, w.perturbation_id, v.verifier,
    v.outcome = 'pass' AS passed
FROM whole w
SEMI JOIN cells USING (round_id, base_id, class, intensity)
JOIN counting_verdicts v USING (round_id, perturbation_id);
COMMENT ON VIEW matched_verdicts IS 'One row per candidate in a matched cell and verifier: whether the verdict is a pass. An inconsistent verdict is not a pass.';
COMMENT ON COLUMN matched_verdicts.base_id IS 'id of the base instance';
COMMENT ON COLUMN matched_verdicts.perturbation_id IS 'id of the candidate';
COMMENT ON COLUMN matched_verdicts.passed IS 'whether the verdict is a pass; false for an inconsistent verdict';

CREATE OR REPLACE VIEW verifier_matrix AS
SELECT
    m.round_id, m.generator, m.verifier, m.generator = m.verifier AS is_self,
    count(*) AS verdicts,
    count(*) FILTER (m.passed) AS passes,
    count(*) FILTER (m.passed) / count(*) AS pass_rate,
    any_value(r.low) AS low, any_value(r.high) AS high
FROM matched_verdicts m
LEFT JOIN live_verification_rates r
    ON r.round_id = m.round_id AND r.generator = m.generator AND r.verifier = m.verifier
    AND r.statistic = 'pass_rate' AND r.slice = 'overall'
GROUP BY m.round_id, m.generator, m.verifier;
COMMENT ON VIEW verifier_matrix IS 'One row per round, generator and verifier: number of verdicts in matched cells, and share of passes with its 95 % interval.';
COMMENT ON COLUMN verifier_matrix.is_self IS 'whether generator and verifier are the same model';
COMMENT ON COLUMN verifier_matrix.verdicts IS 'number of verdicts in matched cells';

CREATE OR REPLACE VIEW self_preference AS
WITH counted AS (
    SELECT
        round_id, generator,
        count(*) FILTER (passed AND verifier = generator) / nullif(count(*) FILTER (verifier = generator), 0) AS self_rate,
        count(*) FILTER (passed AND verifier <> generator) / nullif(count(*) FILTER (verifier <> generator), 0)
            AS cross_rate
    FROM matched_verdicts
    GROUP BY ALL
)
SELECT
    b.round_id, b.generator, c.self_rate, c.cross_rate, c.self_rate - c.cross_rate AS bias,
    b.low, b.high, b.n AS verdicts, b.reason
FROM live_verification_rates b
LEFT JOIN counted c ON c.round_id = b.round_id AND c.generator = b.generator
WHERE b.statistic = 'bias' AND b.slice = 'overall';
COMMENT ON VIEW self_preference IS 'One row per round and generator: share of its candidates that the generator itself passes, share that other verifiers pass, and the difference with its 95 % interval.';
COMMENT ON COLUMN self_preference.self_rate IS 'share of its own candidates that the generator passes as a verifier; null if the generator is not a verifier';
COMMENT ON COLUMN self_preference.cross_rate IS 'share of passes in the verdicts of other verifiers on the generator''s candidates; null if there are no other verifiers';
COMMENT ON COLUMN self_preference.bias IS '`self_rate` minus `cross_rate`; null if one of the rates is null';
COMMENT ON COLUMN self_preference.low IS 'lower end of the 95 % interval of the bias; null if there is no interval';
COMMENT ON COLUMN self_preference.high IS 'upper end of the 95 % interval of the bias; null if there is no interval';
COMMENT ON COLUMN self_preference.verdicts IS 'number of verdicts from which the bias is computed';

CREATE OR REPLACE VIEW pass_rates_by_class AS
WITH counted AS (
    SELECT round_id, class, generator, count(*) AS verdicts, count(*) FILTER (passed) AS passes
    FROM matched_verdicts
    GROUP BY ALL
)
SELECT c.round_id, c.class, c.generator, c.verdicts, c.passes, c.passes / c.verdicts AS pass_rate, r.low, r.high
FROM counted c
LEFT JOIN live_verification_rates r
    ON r.round_id = c.round_id AND r.slice = 'class' AND r.slice_value = c.class AND r.generator = c.generator
    AND r.verifier IS NULL AND r.statistic = 'pass_rate';
COMMENT ON VIEW pass_rates_by_class IS 'One row per round, class and generator: number of verdicts in matched cells, and share of passes with its 95 % interval.';
COMMENT ON COLUMN pass_rates_by_class.verdicts IS 'number of verdicts in matched cells';

CREATE OR REPLACE VIEW pass_rates_by_intensity AS
WITH counted AS (
    SELECT round_id, intensity, generator, count(*) AS verdicts, count(*) FILTER (passed) AS passes
    FROM matched_verdicts
    GROUP BY ALL
)
SELECT c.round_id, c.intensity, c.generator, c.verdicts, c.passes, c.passes / c.verdicts AS pass_rate, r.low, r.high
FROM counted c
LEFT JOIN live_verification_rates r
    ON r.round_id = c.round_id AND r.slice = 'intensity' AND r.slice_value = c.intensity AND r.generator = c.generator
    AND r.verifier IS NULL AND r.statistic = 'pass_rate';
COMMENT ON VIEW pass_rates_by_intensity IS 'One row per round, intensity and generator: number of verdicts in matched cells, and share of passes with its 95 % interval.';
COMMENT ON COLUMN pass_rates_by_intensity.verdicts IS 'number of verdicts in matched cells';

CREATE OR REPLACE VIEW pass_rate_rollups AS
WITH counted AS (
    SELECT
        round_id, generator, coalesce(class, intensity, 'overall') AS slice_value,
        CASE grouping(class, intensity) WHEN 3 THEN 'overall' WHEN 1 THEN 'class' ELSE 'intensity' END AS slice,
        count(*) AS verdicts,
        count(*) FILTER (passed) AS passes
    FROM matched_verdicts
    GROUP BY GROUPING SETS ((round_id, generator), (round_id), (round_id, class), (round_id, intensity))
)
SELECT
    c.round_id, c.slice, c.slice_value, coalesce(c.generator, 'all') AS generator, c.verdicts, c.passes,
    c.passes / c.verdicts AS pass_rate, r.low, r.high
FROM counted c
LEFT JOIN live_verification_rates r
    ON r.round_id = c.round_id AND r.slice = c.slice AND r.slice_value = c.slice_value
    AND r.generator IS NOT DISTINCT FROM c.generator AND r.verifier IS NULL AND r.statistic = 'pass_rate';
COMMENT ON VIEW pass_rate_rollups IS 'One row per round, slice and generator: pass rates of each generator overall, and of all generators overall, by class and by intensity. Rows overlap: choose a slice and a generator, or `all`.';
COMMENT ON COLUMN pass_rate_rollups.generator IS 'generator of the candidates, or `all`';
COMMENT ON COLUMN pass_rate_rollups.verdicts IS 'number of verdicts in matched cells';

CREATE OR REPLACE VIEW verifier_agreement AS
WITH pairs AS (
    SELECT
        a.round_id, a.verifier AS first, b.verifier AS second,
        count(*) AS candidates,
        avg(CAST(a.passed = b.passed AS INTEGER)) AS observed,
        avg(CAST(a.passed AS INTEGER)) AS first_rate,
        avg(CAST(b.passed AS INTEGER)) AS second_rate
    FROM matched_verdicts a
    JOIN matched_verdicts b
        ON b.round_id = a.round_id AND b.perturbation_id = a.perturbation_id AND a.verifier < b.verifier
    GROUP BY ALL
), expected AS (
    SELECT *, first_rate * second_rate + (1 - first_rate) * (1 - second_rate) AS by_chance FROM pairs
)
SELECT
    g.round_id, g.coefficient, g.first, g.second,
    CASE
        WHEN g.coefficient <> 'cohen' THEN g.value
        WHEN e.first_rate IN (0, 1) OR e.second_rate IN (0, 1) THEN NULL
        ELSE (e.observed - e.by_chance) / (1 - e.by_chance)
    END AS value,
    g.low, g.high, e.observed, g.n AS candidates, g.reason
FROM live_verifier_agreements g
LEFT JOIN expected e ON e.round_id = g.round_id AND e.first = g.first AND e.second = g.second;
COMMENT ON VIEW verifier_agreement IS 'One row per round, coefficient and pair of verifiers: Cohen''s kappa of each pair, Fleiss'' kappa and Krippendorff''s alpha of all verifiers, with 95 % intervals.';
COMMENT ON COLUMN verifier_agreement.value IS 'value of the coefficient, from -1 to 1; null if undefined, for example if a verifier gives one verdict only';
COMMENT ON COLUMN verifier_agreement.observed IS 'share of candidates that both verifiers of the pair judge alike; null for all verifiers';
COMMENT ON COLUMN verifier_agreement.candidates IS 'number of candidates in matched cells';

CREATE OR REPLACE VIEW accepted_per_cell AS
WITH cells AS (
    SELECT c.round_id, c.base_id, c.class, c.intensity, count(*) FILTER (c.accepted) AS accepted, count(*) AS candidates
    FROM consensus c
    SEMI JOIN matched_verdicts USING (round_id, base_id, class, intensity)
    GROUP BY ALL
)
SELECT
    round_id, class, intensity, count(*) AS cells, CAST(sum(candidates) AS BIGINT) AS candidates,
    CAST(sum(accepted) AS BIGINT) AS accepted,
    avg(accepted) AS accepted_per_cell,
    count(*) FILTER (accepted = 0) AS cells_without
FROM cells
GROUP BY ALL;
COMMENT ON VIEW accepted_per_cell IS 'One row per round and stratum: numbers of matched cells, of their candidates and of accepted candidates, and mean number of accepted candidates per cell.';
COMMENT ON COLUMN accepted_per_cell.candidates IS 'number of candidates in matched cells';
COMMENT ON COLUMN accepted_per_cell.accepted IS 'number of accepted candidates in matched cells';
COMMENT ON COLUMN accepted_per_cell.accepted_per_cell IS 'accepted / cells';
COMMENT ON COLUMN accepted_per_cell.cells_without IS 'number of matched cells without an accepted candidate';

CREATE OR REPLACE VIEW verification_cost AS
WITH prices AS (
    SELECT round_id, model AS verifier, bool_or(unpriced) AS unpriced, sum(counted_usd) / count(DISTINCT unit_id) AS usd
    FROM call_costs WHERE stage = 'verify' GROUP BY ALL
), failing AS (
    SELECT round_id, perturbation_id, verifier, passed,
        count(*) FILTER (NOT passed) OVER (PARTITION BY round_id, perturbation_id) AS failures
    FROM matched_verdicts
), by_verifier AS (
    -- In a random order, a verifier is asked unless another verifier that fails the candidate comes earlier.
    SELECT
        f.round_id, f.verifier, CASE WHEN bool_or(p.unpriced) THEN NULL ELSE coalesce(any_value(p.usd), 0) END AS usd,
        avg(1 / (1 + f.failures - CAST(NOT f.passed AS INTEGER))) AS asked
    FROM failing f
    LEFT JOIN prices p USING (round_id, verifier)
    GROUP BY ALL
), ordered AS (
    SELECT v.round_id, count(*) AS verifiers, count(b.usd) = count(*) AS priced, sum(b.usd) AS full_usd,
        sum(b.asked) AS random_verdicts, sum(b.asked * b.usd) AS random_usd,
        sum(v.asked[list_position(v.stop_order, b.verifier)]) AS ordered_verdicts,
        sum(v.asked[list_position(v.stop_order, b.verifier)] * b.usd) AS ordered_usd
    FROM live_verifications v
    JOIN by_verifier b USING (round_id)
    GROUP BY ALL
)
SELECT
    v.round_id, v.cells, v.cells_seen, v.instances AS candidates,
    o.verifiers AS full_verdicts, o.random_verdicts, o.ordered_verdicts,
    CASE WHEN o.priced THEN o.full_usd END AS full_usd, CASE WHEN o.priced THEN o.random_usd END AS random_usd,
    CASE WHEN o.priced THEN o.ordered_usd END AS ordered_usd,
    1 - o.random_verdicts / o.verifiers AS random_saves, 1 - o.ordered_verdicts / o.verifiers AS ordered_saves,
    v.stop_order, v.remark
FROM live_verifications v
LEFT JOIN ordered o USING (round_id);
COMMENT ON VIEW verification_cost IS 'One row per round: mean verdicts and dollars per candidate if every verifier is asked, and if asking ends at the first failing verdict (in random order, or in the order `stop_order`). Saved shares are shares of verdicts.';
COMMENT ON COLUMN verification_cost.candidates IS 'number of candidates in matched cells';
COMMENT ON COLUMN verification_cost.full_verdicts IS 'number of verdicts per candidate if every verifier is asked';
COMMENT ON COLUMN verification_cost.random_verdicts IS 'mean number of verdicts per candidate if asking ends at the first failing verdict, in random order';
COMMENT ON COLUMN verification_cost.ordered_verdicts IS 'mean number of verdicts per candidate if asking ends at the first failing verdict, in the order `stop_order`';
COMMENT ON COLUMN verification_cost.full_usd IS 'dollars per candidate if every verifier is asked; null if the price of a verifier is unknown';
COMMENT ON COLUMN verification_cost.random_usd IS 'dollars per candidate if asking ends at the first failing verdict, in random order; null if the price of a verifier is unknown';
COMMENT ON COLUMN verification_cost.ordered_usd IS 'dollars per candidate if asking ends at the first failing verdict, in the order `stop_order`; null if the price of a verifier is unknown';
COMMENT ON COLUMN verification_cost.random_saves IS '1 minus `random_verdicts` / `full_verdicts`';
COMMENT ON COLUMN verification_cost.ordered_saves IS '1 minus `ordered_verdicts` / `full_verdicts`';
