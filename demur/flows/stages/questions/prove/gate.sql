-- Expectations of the stage prove for proofs.

-- without_candidate: question_id
-- Every proof belongs to a question that passed the code checks.
SELECT t.unit_id, t.question_id
FROM live_proofs t
ANTI JOIN (FROM live_questions WHERE status = 'candidate') q USING (round_id, question_id)
WHERE t.round_id = $round_id;

-- prover_unknown: prover
-- Every proof comes from the prover of the round.
SELECT t.unit_id, t.question_id, t.prover
FROM live_proofs t
JOIN rounds r USING (round_id)
WHERE t.round_id = $round_id AND t.prover IS DISTINCT FROM r.config ->> '$.roles.prover';

-- passed_without_agreement: passed, agrees
-- A proof from all passages passes only with an accepted answer, and a proof from one of two only without one.
SELECT unit_id, question_id, given, agrees
FROM live_proofs
WHERE round_id = $round_id AND passed AND CASE given WHEN 'all' THEN agrees IS DISTINCT FROM true ELSE coalesce(agrees, false) END;

-- share asked: at least
-- Share of the passages and pairs of passages given to the asker that have an accepted question.
SELECT 'passages asked' AS subject, count(*) FILTER (accepted > 0) AS successes, count(*) AS trials
FROM passages_asked
WHERE round_id = $round_id;
