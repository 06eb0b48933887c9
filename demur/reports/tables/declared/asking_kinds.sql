-- Questions of a round by kind, language and number of passages.
SELECT kind, language, passages, questions, accepted, acceptance
FROM asking_by_kind
WHERE round_id = $round
ORDER BY questions DESC, kind, language, passages;
