-- A round in one row: configuration, models, and numbers of items, verdicts, judgements and audits.
WITH counted AS (
    SELECT
        count(*) FILTER (kind = 'perturbed') AS items,
        count(*) FILTER (kind = 'perturbed' AND expected = 'ANSWER_CORRECTLY') AS answerable,
        count(*) FILTER (kind = 'perturbed' AND expected <> 'ANSWER_CORRECTLY') AS to_refuse,
        count(*) FILTER (kind = 'control') AS controls,
        count(class) AS with_class, count(*) FILTER (expected = 'REFUSE') AS any_reason,
        count(DISTINCT base_id) FILTER (kind = 'perturbed') AS item_bases
    FROM live_items WHERE round_id = $round
), made AS (
    SELECT CAST(sum(candidates) AS BIGINT) AS candidates, CAST(sum(accepted) AS BIGINT) AS accepted
    FROM yield_by_stratum WHERE round_id = $round
), judged AS (
    SELECT CAST(sum(judged) AS BIGINT) AS judged, CAST(sum(planned) AS BIGINT) AS planned
    FROM evaluation_progress WHERE round_id = $round
), read AS (
    SELECT count(DISTINCT reader) AS readers, count(DISTINCT item_id) AS items_read
    FROM live_audits WHERE round_id = $round
), agreed AS (
    SELECT any_value(value) AS agreement FROM verifier_agreement WHERE round_id = $round AND coefficient = 'alpha'
)
SELECT
    r.round_id, r.name, (SELECT count(*) FROM round_bases b WHERE b.round_id = $round) AS bases, r.layout, r.seed, r.config, r.generators, r.verifiers, r.respondents, r.judges, o.is_imported,
    r.config ->> '$.evaluates.imported.benchmark' AS benchmark,
    o.kind = 'set' OR (r.config -> '$.evaluates.imported') IS NOT NULL AS is_set, o.release_evaluated,
    (SELECT coalesce(bool_or(e.audit = 'audited'), false) FROM evaluations e WHERE e.round_id = $round) AS is_audited,
    (SELECT count(DISTINCT d) FROM live_items i, unnest(i.documents) AS of(d) WHERE i.round_id = $round) AS documents,
    list_filter(
        [CASE WHEN (r.config ->> '$.corpus.questions') IS NOT NULL THEN 'people' END, r.config ->> '$.roles.asker'],
        lambda one: one IS NOT NULL
    ) AS asker,
    [r.config ->> '$.roles.prover'] AS prover,
    c.*, m.*, j.*, d.*, a.*
FROM rounds r
JOIN round_origins o USING (round_id), counted c, made m, judged j, read d, agreed a
WHERE r.round_id = $round;
