-- Questions of documents: outcomes, and yield by passage, document, kind and language.

CREATE OR REPLACE VIEW questions_read AS
SELECT
    round_id, question_id, count(*) AS readers, count(*) FILTER (keep) * 2 > count(*) AS kept,
    arg_max(answers, imported_at) FILTER (keep AND answers IS NOT NULL) AS answers
FROM question_marks
WHERE keep IS NOT NULL
GROUP BY ALL;
COMMENT ON VIEW questions_read IS 'One row per question of documents that people have read: whether it is kept, and the answers that they mended.';
COMMENT ON COLUMN questions_read.readers IS 'number of people who marked the question as kept or dropped';
COMMENT ON COLUMN questions_read.kept IS 'whether more than half of the readers keep the question';
COMMENT ON COLUMN questions_read.answers IS 'accepted answers of the newest mark that mended them; null if nobody did';

CREATE OR REPLACE VIEW question_outcomes AS
WITH proved AS (
    SELECT
        round_id, question_id, count(*) AS proofs, bool_and(passed) AS passed,
        arg_min(reason, CASE given WHEN 'all' THEN 0 WHEN 'first' THEN 1 ELSE 2 END) FILTER (NOT passed) AS reason,
        any_value(prover) AS prover, any_value(naturalness) FILTER (given = 'all') AS naturalness,
        any_value(passage_ids) FILTER (given = 'all') AS shown_ids
    FROM live_proofs GROUP BY ALL
)
SELECT
    q.round_id, q.question_id, q.unit_id, q.turn, q.number, q.asker, p.prover, q.question,
    coalesce(r.answers, q.answers) AS answers, q.kind, q.language,
    q.passage_ids, q.document_ids, q.proof, p.shown_ids, p.naturalness,
    coalesce(r.readers, 0) AS readers, r.answers IS NOT NULL AS is_mended,
    CASE
        WHEN q.status <> 'candidate' THEN q.status
        WHEN p.proofs IS NULL OR (p.passed AND p.proofs < CASE len(q.passage_ids) WHEN 1 THEN 1 ELSE 3 END) THEN 'waiting'
        WHEN p.passed AND coalesce(r.kept, true) THEN 'accepted'
        ELSE 'rejected'
    END AS outcome,
    CASE
        WHEN q.status = 'declined' THEN 'asker'
        WHEN q.status = 'rejected' AND q.asker = 'people' AND q.reason IN ('not_answered', 'several_answers') THEN 'prover'
        WHEN q.status = 'rejected' OR p.reason = 'near_duplicate' THEN 'code check'
        WHEN NOT p.passed THEN 'prover'
        WHEN p.passed AND NOT r.kept THEN 'people'
    END AS by_whom,
    CASE
        WHEN q.status <> 'candidate' THEN q.reason
        WHEN p.passed AND NOT r.kept THEN 'dropped'
        ELSE p.reason
    END AS reason
FROM live_questions q
LEFT JOIN proved p USING (round_id, question_id)
LEFT JOIN questions_read r USING (round_id, question_id);
COMMENT ON VIEW question_outcomes IS 'One row per question of documents, and per unit without a question: outcome, decider and reason.';
COMMENT ON COLUMN question_outcomes.question_id IS 'id of the question';
COMMENT ON COLUMN question_outcomes.passage_ids IS 'ids of the passage, or of the two passages, that the question is about';
COMMENT ON COLUMN question_outcomes.outcome IS '`accepted`, `rejected`, `declined` (the asker wrote no question) or `waiting` (a proof is missing)';
COMMENT ON COLUMN question_outcomes.by_whom IS 'decider of a rejection or a decline: `asker`, `code check`, `prover` or `people`; null for accepted and waiting questions';
COMMENT ON COLUMN question_outcomes.reason IS 'names of failed code checks, the prover''s reason, `dropped` by people, or the asker''s reason to decline; null for accepted and waiting questions';
COMMENT ON COLUMN question_outcomes.answers IS 'accepted answers; if people mended them, theirs';
COMMENT ON COLUMN question_outcomes.readers IS 'number of people who marked the question as kept or dropped';
COMMENT ON COLUMN question_outcomes.is_mended IS 'whether people mended the answers';
COMMENT ON COLUMN question_outcomes.prover IS 'model that answers the question; null if there is no proof';
COMMENT ON COLUMN question_outcomes.shown_ids IS 'ids of the passages of the base instance, noise passages included; null if there is no proof';
COMMENT ON COLUMN question_outcomes.naturalness IS 'naturalness of the question by the prover, from 1 to 5; null if the prover was not asked';

CREATE OR REPLACE VIEW accepted_questions AS
SELECT * EXCLUDE (outcome, by_whom, reason) FROM question_outcomes WHERE outcome = 'accepted';
COMMENT ON VIEW accepted_questions IS 'One row per accepted question of documents, from which a base instance can be drawn.';

CREATE OR REPLACE VIEW unanswered_questions AS
SELECT
    o.round_id, o.question_id, o.question, o.reason, list({
        path: d.path, headings: p.title, page: p.page, "text": p.text
    } ORDER BY list_position(o.passage_ids, p.passage_id)) AS nearest
FROM (SELECT *, unnest(passage_ids) AS passage_id FROM question_outcomes) o
JOIN live_passages p ON p.round_id = o.round_id AND p.passage_id = o.passage_id
JOIN live_documents d ON d.round_id = p.round_id AND d.document_id = p.document_id
WHERE o.asker = 'people' AND o.outcome = 'rejected' AND o.reason NOT IN ('near_duplicate', 'used_passage', 'dropped')
GROUP BY ALL
ORDER BY o.round_id, o.question;
COMMENT ON VIEW unanswered_questions IS 'One row per question of people without a proved answer, for people to look at: retrieval may have missed it.';
COMMENT ON COLUMN unanswered_questions.question_id IS 'id of the question';
COMMENT ON COLUMN unanswered_questions.reason IS 'reason for which the question has no proved answer';
COMMENT ON COLUMN unanswered_questions.nearest IS 'nearest passages: path of the document, headings, page and text';

CREATE OR REPLACE VIEW passages_asked AS
SELECT
    round_id, unit_id, any_value(turn) AS turn, any_value(passage_ids) AS passage_ids,
    any_value(document_ids) AS document_ids, any_value(language) AS language,
    count(*) FILTER (outcome <> 'declined') AS questions, count(*) FILTER (outcome = 'accepted') AS accepted
FROM question_outcomes
WHERE asker <> 'people'
GROUP BY round_id, unit_id;
COMMENT ON VIEW passages_asked IS 'One row per passage, or pair of passages, that the asker was asked about: number of questions.';
COMMENT ON COLUMN passages_asked.questions IS 'number of questions that the asker wrote';
COMMENT ON COLUMN passages_asked.accepted IS 'number of accepted questions';

CREATE OR REPLACE VIEW asking_by_document AS
SELECT
    o.round_id, o.document_id, d.path, d.title,
    count(DISTINCT o.unit_id) AS asked,
    count(DISTINCT o.unit_id) FILTER (o.outcome = 'accepted') AS gave_one,
    count(*) FILTER (o.outcome <> 'declined') AS questions,
    count(*) FILTER (o.outcome = 'rejected' AND o.by_whom = 'code check') AS rejected_by_checks,
    count(*) FILTER (o.outcome = 'rejected' AND o.by_whom = 'prover') AS rejected_by_prover,
    count(*) FILTER (o.outcome = 'accepted') AS accepted
FROM (SELECT *, unnest(document_ids) AS document_id FROM question_outcomes) o
JOIN live_documents d USING (round_id, document_id)
WHERE o.asker <> 'people'
GROUP BY ALL
ORDER BY o.round_id, d.path, o.document_id;
COMMENT ON VIEW asking_by_document IS 'One row per document with questions of an asker; a question about two documents counts for both documents.';
COMMENT ON COLUMN asking_by_document.asked IS 'number of passages, or pairs of passages, that the asker was asked about';
COMMENT ON COLUMN asking_by_document.gave_one IS 'number of passages, or pairs of passages, with an accepted question';
COMMENT ON COLUMN asking_by_document.questions IS 'number of questions that the asker wrote';
COMMENT ON COLUMN asking_by_document.rejected_by_checks IS 'number of questions that failed a code check or repeat another question';
COMMENT ON COLUMN asking_by_document.rejected_by_prover IS 'number of questions that the prover rejected';
COMMENT ON COLUMN asking_by_document.accepted IS 'number of accepted questions';

CREATE OR REPLACE VIEW asking_by_kind AS
SELECT
    round_id, kind, language, len(passage_ids) AS passages,
    count(*) AS questions,
    count(*) FILTER (outcome = 'rejected' AND by_whom = 'code check') AS rejected_by_checks,
    count(*) FILTER (outcome = 'rejected' AND by_whom = 'prover') AS rejected_by_prover,
    count(*) FILTER (outcome = 'accepted') AS accepted,
    round(accepted / questions, 3) AS acceptance
FROM question_outcomes
WHERE outcome <> 'declined' AND asker <> 'people'
GROUP BY ALL
ORDER BY ALL;
COMMENT ON VIEW asking_by_kind IS 'One row per kind of question of an asker, language and number of passages that the question needs.';
COMMENT ON COLUMN asking_by_kind.passages IS 'number of passages that the question needs, 1 or 2';
COMMENT ON COLUMN asking_by_kind.questions IS 'number of questions that the asker wrote';
COMMENT ON COLUMN asking_by_kind.rejected_by_checks IS 'number of questions that failed a code check or repeat another question';
COMMENT ON COLUMN asking_by_kind.rejected_by_prover IS 'number of questions that the prover rejected';
COMMENT ON COLUMN asking_by_kind.accepted IS 'number of accepted questions';
COMMENT ON COLUMN asking_by_kind.acceptance IS 'accepted / questions';

CREATE OR REPLACE VIEW asking_reasons AS
SELECT round_id, by_whom, said.reason, language, count(*) AS questions
FROM question_outcomes,
    unnest(CASE by_whom WHEN 'code check' THEN string_split(reason, ', ') ELSE [reason] END) AS said(reason)
WHERE by_whom IS NOT NULL
GROUP BY ALL
ORDER BY round_id, by_whom, questions DESC, said.reason, language;
COMMENT ON VIEW asking_reasons IS 'One row per decider, reason and language: rejected questions of documents, and declined passages. A question that failed two code checks counts for both checks.';
COMMENT ON COLUMN asking_reasons.questions IS 'number of questions; if the asker declined, number of passages or pairs of passages';
