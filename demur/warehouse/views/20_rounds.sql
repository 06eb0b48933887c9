-- Origins of rounds, and the steps from base instances to items: solved base instances, candidates, counting verdicts,
-- accepted perturbations.

CREATE OR REPLACE VIEW round_origins AS
SELECT round_id, name, started_at, (config -> '$.imported') IS NOT NULL AS is_imported, config ->> '$.imported' AS files,
    config ->> '$.evaluates.release' AS release_evaluated,
    CASE
        WHEN is_imported THEN 'imported'
        WHEN release_evaluated IS NOT NULL THEN 'evaluation'
        ELSE coalesce(config ->> '$.asked_for', 'round')
    END AS kind
FROM rounds;
COMMENT ON VIEW round_origins IS 'One row per round: kind of the round, and digests of imported files.';
COMMENT ON COLUMN round_origins.name IS 'name of the configuration; for an imported round, name of the round';
COMMENT ON COLUMN round_origins.started_at IS 'time of the first start';
COMMENT ON COLUMN round_origins.is_imported IS 'whether the round was made by `demur import`';
COMMENT ON COLUMN round_origins.release_evaluated IS 'release that the round evaluates; null if the round is no evaluation';
COMMENT ON COLUMN round_origins.kind IS '`round`, `imported`, `evaluation`, `file` (grades or judges the lines of a file), `served` (serves rewards) or `set` (rows that others made)';
COMMENT ON COLUMN round_origins.files IS 'JSON: the SHA-256 of each imported file, by name; null if the round is not imported';

CREATE OR REPLACE VIEW solved_bases AS
SELECT b.*
FROM live_base_instances b
JOIN rounds r USING (round_id)
LEFT JOIN (
    SELECT
        round_id, base_id, count(DISTINCT screener) AS solved_by,
        CASE WHEN contains(any_value(screener), '#') THEN 2 ELSE 1 END AS times -- name#1 and name#2 prove an answer
    FROM live_screenings WHERE correct GROUP BY round_id, base_id
) s USING (round_id, base_id)
WHERE coalesce(s.solved_by, 0) = coalesce(s.times, 1) * len(r.screeners);
COMMENT ON VIEW solved_bases IS 'One row per base instance that every screener of the round answered correctly in unchanged form. Where passages do not state the answer, every screener was right twice.';

CREATE OR REPLACE VIEW known_bases AS
WITH probes_of AS (
    SELECT round_id, len(CAST(config -> '$.generation.known.probe' AS VARCHAR[])) AS probes FROM rounds
)
SELECT
    r.round_id, r.base_id, any_value(r.source_id) AS source_id, count(*) AS responses,
    count(*) FILTER (r.is_right) AS right_responses, right_responses = any_value(p.probes) AS is_known
FROM live_recalls r
JOIN probes_of p USING (round_id)
GROUP BY r.round_id, r.base_id;
COMMENT ON VIEW known_bases IS 'One row per base instance whose question was asked without passages, even if the round does not use the base instance.';
COMMENT ON COLUMN known_bases.source_id IS 'id of the source question in the corpus';
COMMENT ON COLUMN known_bases.responses IS 'number of responses of probes';
COMMENT ON COLUMN known_bases.right_responses IS 'number of responses that give an accepted answer';
COMMENT ON COLUMN known_bases.is_known IS 'whether every probe of the round gave an accepted answer';

CREATE OR REPLACE VIEW round_bases AS
WITH quotas AS (
    SELECT
        round_id, bases_wanted, CAST(config -> '$.corpus.domains' AS MAP(VARCHAR, BIGINT)) AS domains,
        coalesce(CAST(config ->> '$.generation.known.min_share' AS DOUBLE), 0) AS known_share
    FROM rounds
), placed AS (
    SELECT
        b.round_id, b.base_id, b.draw, q.known_share, coalesce(k.is_known, false) AS is_known,
        CASE WHEN cardinality(q.domains) > 0 THEN b.domain END AS quota,
        CASE WHEN cardinality(q.domains) > 0 THEN coalesce(q.domains[b.domain], 0) ELSE q.bases_wanted END AS wanted
    FROM solved_bases b
    JOIN quotas q USING (round_id)
    LEFT JOIN known_bases k USING (round_id, base_id)
), first_known AS (
    SELECT
        *, is_known AND row_number() OVER (PARTITION BY round_id, quota, is_known ORDER BY draw)
            <= ceil(wanted * known_share - 1e-9) AS is_first
    FROM placed
)
SELECT b.* FROM solved_bases b
JOIN first_known f USING (round_id, base_id)
QUALIFY row_number() OVER (PARTITION BY f.round_id, f.quota ORDER BY f.is_first DESC, f.draw) <= f.wanted;
COMMENT ON VIEW round_bases IS 'One row per base instance that the round works on: the first solved ones in the order of the draw, per domain if the corpus has quotas. Base instances with known answers come first, up to the wanted share.';

CREATE OR REPLACE VIEW candidates AS
SELECT p.* FROM live_perturbations p
SEMI JOIN (
    SELECT round_id, perturbation_id FROM live_checks WHERE check_name = 'no_duplicate' AND outcome = 'pass'
) USING (round_id, perturbation_id)
WHERE p.status = 'candidate';
COMMENT ON VIEW candidates IS 'One row per perturbation that passed all code checks, including the check for duplicates, and goes to the verifiers.';

CREATE OR REPLACE VIEW counting_verdicts AS
SELECT * FROM live_verdicts
WHERE outcome <> 'missing'
QUALIFY row_number() OVER (PARTITION BY round_id, perturbation_id, verifier ORDER BY attempt) = 1;
COMMENT ON VIEW counting_verdicts IS 'One row per perturbation and verifier: the first verdict that could be read.';

CREATE OR REPLACE VIEW consensus AS
WITH rules AS (
    SELECT
        round_id, verifiers,
        coalesce(CAST(config ->> '$.verification.exclude_self' AS BOOLEAN), false) AS exclude_self,
        CAST(config ->> '$.verification.k' AS BIGINT) AS k
    FROM rounds
), counted AS (
    SELECT
        p.round_id, p.perturbation_id, p.base_id, p.class, p.intensity, p.generator, p.replicate, p.lever_id, p.lever,
        any_value(len(r.verifiers) - CAST(r.exclude_self AND list_contains(r.verifiers, p.generator) AS BIGINT))
            AS verifiers,
        any_value(r.k) AS k,
        count(v.verifier) AS verdicts,
        count(v.verifier) FILTER (v.outcome = 'pass') AS passes
    FROM candidates p
    JOIN rules r USING (round_id)
    LEFT JOIN counting_verdicts v
        ON v.round_id = p.round_id AND v.perturbation_id = p.perturbation_id
        AND NOT (r.exclude_self AND v.verifier = p.generator)
    GROUP BY ALL
)
SELECT
    * EXCLUDE (k), verdicts = verifiers AND passes >= coalesce(k, verifiers) AND verifiers > 0 AS accepted
FROM counted;
COMMENT ON VIEW consensus IS 'One row per candidate: whether it is accepted by the round''s rule (all verifiers, or k of them; with or without the generator''s own verdict). If a verdict is missing, the candidate is not accepted.';
COMMENT ON COLUMN consensus.perturbation_id IS 'id of the candidate';
COMMENT ON COLUMN consensus.base_id IS 'id of the base instance';
COMMENT ON COLUMN consensus.verifiers IS 'number of verifiers whose verdicts count';
COMMENT ON COLUMN consensus.verdicts IS 'number of counting verdicts that could be read';
COMMENT ON COLUMN consensus.passes IS 'number of verdicts that are passes';
COMMENT ON COLUMN consensus.accepted IS 'whether no verdict is missing and enough verdicts are passes';

CREATE OR REPLACE VIEW accepted_perturbations AS
SELECT p.* FROM live_perturbations p
SEMI JOIN (SELECT round_id, perturbation_id FROM consensus WHERE accepted) USING (round_id, perturbation_id);
COMMENT ON VIEW accepted_perturbations IS 'One row per perturbation that is accepted by the round''s rule of verification.';
