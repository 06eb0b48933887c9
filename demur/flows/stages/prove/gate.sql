-- What the gate of prove expects of proofs.

-- without_candidate: question_id
-- Every proof has a question that passed the code checks.
SELECT t.unit_id, t.question_id
FROM live_proofs t
ANTI JOIN (FROM live_questions WHERE status = 'candidate') q USING (round_id, question_id)
WHERE t.round_id = $round_id;

-- prover_unknown: prover
-- The prover is that of the round.
SELECT t.unit_id, t.question_id, t.prover
FROM live_proofs t
JOIN rounds r USING (round_id)
WHERE t.round_id = $round_id AND t.prover IS DISTINCT FROM r.config ->> '$.roles.prover';

-- passed_without_agreement: passed, agrees
-- A question passes only with an accepted answer from all passages, and without one from half of them.
SELECT unit_id, question_id, given, agrees
FROM live_proofs
WHERE round_id = $round_id AND passed AND CASE given WHEN 'all' THEN agrees IS DISTINCT FROM true ELSE coalesce(agrees, false) END;

-- share asked: at least
-- Passages that were asked, or pairs of them, that gave an accepted question.
SELECT 'passages asked' AS subject, count(*) FILTER (accepted > 0) AS successes, count(*) AS trials
FROM passages_asked
WHERE round_id = $round_id;
