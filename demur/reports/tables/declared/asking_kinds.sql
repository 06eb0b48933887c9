-- What asking yielded by kind of question.
SELECT kind, language, passages, questions, accepted, acceptance
FROM asking_by_kind
WHERE round_id = $round
ORDER BY questions DESC, kind, language, passages;
