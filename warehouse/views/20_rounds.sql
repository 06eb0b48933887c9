-- Where rounds come from, and how bases become items: who passed the screen, which verdict counts, what all verifiers accept.

CREATE OR REPLACE VIEW round_origins AS
SELECT round_id, name, started_at, (config -> '$.imported') IS NOT NULL AS is_imported, config ->> '$.imported' AS files,
    config ->> '$.evaluates.release' AS release_evaluated
FROM raw.rounds;
COMMENT ON VIEW round_origins IS 'One row per round: whether its responses were made elsewhere and imported, and the digests of the files.';
COMMENT ON COLUMN round_origins.name IS 'its configuration; for an imported round its own name';
COMMENT ON COLUMN round_origins.started_at IS 'UTC';
COMMENT ON COLUMN round_origins.is_imported IS 'true for the rounds of `demur import`';
COMMENT ON COLUMN round_origins.release_evaluated IS 'for an evaluation the release whose items are answered; null for rounds that make items';
COMMENT ON COLUMN round_origins.files IS 'JSON: the SHA-256 of each imported file, by name; may be null';

CREATE OR REPLACE VIEW solved_bases AS
SELECT b.*
FROM live_base_instances b
JOIN raw.rounds r USING (round_id)
LEFT JOIN (
    SELECT round_id, base_id, count(DISTINCT screener) AS solved_by
    FROM live_screenings WHERE correct GROUP BY ALL
) s USING (round_id, base_id)
WHERE coalesce(s.solved_by, 0) = len(r.screeners);
COMMENT ON VIEW solved_bases IS 'One row per base instance that every screener of its round answered correctly unperturbed.';

CREATE OR REPLACE VIEW round_bases AS
WITH quotas AS (
    SELECT round_id, bases_wanted, CAST(config -> '$.corpus.domains' AS MAP(VARCHAR, BIGINT)) AS domains FROM raw.rounds
)
SELECT b.* FROM solved_bases b
JOIN quotas q USING (round_id)
QUALIFY row_number() OVER (
    PARTITION BY b.round_id, CASE WHEN cardinality(q.domains) > 0 THEN b.domain END ORDER BY b.draw
) <= CASE WHEN cardinality(q.domains) > 0 THEN coalesce(q.domains[b.domain], 0) ELSE q.bases_wanted END;
COMMENT ON VIEW round_bases IS
'One row per base instance that a round works on: the first solved ones in the order of the draw, of each domain where the corpus has quotas.';

CREATE OR REPLACE VIEW candidates AS
SELECT p.* FROM live_perturbations p
SEMI JOIN (
    SELECT round_id, perturbation_id FROM live_checks WHERE check_name = 'no_duplicate' AND outcome = 'pass'
) USING (round_id, perturbation_id)
WHERE p.status = 'candidate';
COMMENT ON VIEW candidates IS 'One row per perturbation that goes to the verifiers: it fails no code check, that for duplicates included.';

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
    FROM raw.rounds
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
COMMENT ON VIEW consensus IS 'One row per candidate: accepted as the round''s verification says (all verifiers, or k of them; with or without the generator''s own); a missing verdict accepts nothing.';
COMMENT ON COLUMN consensus.perturbation_id IS 'candidate';
COMMENT ON COLUMN consensus.base_id IS 'base instance';
COMMENT ON COLUMN consensus.generator IS 'who made it';
COMMENT ON COLUMN consensus.replicate IS 'which try';
COMMENT ON COLUMN consensus.lever_id IS 'lever';
COMMENT ON COLUMN consensus.lever IS 'its name';
COMMENT ON COLUMN consensus.verifiers IS 'verifiers whose verdicts count for it';
COMMENT ON COLUMN consensus.verdicts IS 'verdicts that could be read';
COMMENT ON COLUMN consensus.passes IS 'of these, passes';
COMMENT ON COLUMN consensus.accepted IS 'whether no verdict is missing and enough are passes';

CREATE OR REPLACE VIEW accepted_perturbations AS
SELECT p.* FROM live_perturbations p
SEMI JOIN (SELECT round_id, perturbation_id FROM consensus WHERE accepted) USING (round_id, perturbation_id);
COMMENT ON VIEW accepted_perturbations IS 'One row per perturbation that the verifiers accept, as the round''s verification says.';
