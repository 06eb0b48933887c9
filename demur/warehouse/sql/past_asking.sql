-- Numbers of passages, questions of askers, and proofs in rounds other than this one.
SELECT
    (SELECT count(*) FROM passages_asked WHERE round_id <> $1) AS asked,
    (SELECT count(*) FROM accepted_questions WHERE round_id <> $1 AND asker <> 'people') AS accepted,
    (SELECT count(DISTINCT unit_id) FROM live_questions WHERE round_id <> $1 AND repairs > 0) AS mended,
    (SELECT count(*) FROM live_proofs WHERE round_id <> $1 AND naturalness IS NOT NULL) AS proofs,
    (SELECT count(*) FROM live_proofs WHERE round_id <> $1 AND judged) AS judged;
