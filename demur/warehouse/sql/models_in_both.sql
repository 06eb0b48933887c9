-- Respondents that are the same model, under the same prompts and judge, in two evaluations or rounds.
SELECT DISTINCT a.respondent, a.judge
FROM evaluations a
JOIN evaluations b
    ON b.respondent = a.respondent AND b.respondent_fingerprint = a.respondent_fingerprint AND b.judge = a.judge
    AND b.judge_digest = a.judge_digest AND b.prompts_digest = a.prompts_digest
WHERE a.round_id = ? AND b.round_id = ?
ORDER BY a.respondent, a.judge;
