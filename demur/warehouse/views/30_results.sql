-- Results of a round: yield, acceptance, rejections, leaderboard.

CREATE OR REPLACE VIEW round_strata AS
SELECT
    r.round_id, c.class, i.intensity,
    CAST(r.config ->> '$.items_per_stratum' AS BIGINT) AS wanted
FROM rounds r
CROSS JOIN unnest(CAST(r.config -> '$.generation.classes' AS VARCHAR[])) AS c(class)
CROSS JOIN unnest(CAST(r.config -> '$.generation.intensities' AS VARCHAR[])) AS i(intensity);
COMMENT ON VIEW round_strata IS 'One row per round and stratum: number of wanted items.';
COMMENT ON COLUMN round_strata.wanted IS 'number of wanted items, `items_per_stratum` of the configuration';

CREATE OR REPLACE VIEW yield_by_stratum AS
WITH made AS (
    SELECT
        round_id, class, intensity,
        count(*) AS asked,
        count(*) FILTER (status = 'declined') AS declined,
        count(*) FILTER (status = 'rejected') AS rejected,
        count(*) FILTER (status = 'candidate') AS passing
    FROM live_perturbations GROUP BY ALL
), verified AS (
    SELECT round_id, class, intensity, count(*) AS candidates FROM candidates GROUP BY ALL
), accepted AS (
    SELECT
        round_id, class, intensity,
        count(*) FILTER (accepted) AS accepted,
        count(*) FILTER (NOT accepted AND verdicts > 0 AND verdicts = verifiers) AS rejected
    FROM consensus GROUP BY ALL
), sampled AS (
    SELECT round_id, class, intensity, count(*) AS items FROM live_items WHERE kind = 'perturbed' GROUP BY ALL
)
SELECT
    s.round_id, s.class, s.intensity,
    coalesce(m.asked, 0) AS asked,
    coalesce(m.declined, 0) AS declined,
    coalesce(m.rejected, 0) AS rejected,
    coalesce(m.passing, 0) - coalesce(v.candidates, 0) AS duplicates,
    coalesce(v.candidates, 0) AS candidates,
    coalesce(a.accepted, 0) AS accepted,
    coalesce(a.rejected, 0) AS rejected_by_verifiers,
    round(a.accepted / nullif(v.candidates, 0), 3) AS acceptance,
    coalesce(i.items, 0) AS items,
    s.wanted,
    greatest(s.wanted - coalesce(i.items, 0), 0) AS shortfall
FROM round_strata s
LEFT JOIN made m USING (round_id, class, intensity)
LEFT JOIN verified v USING (round_id, class, intensity)
LEFT JOIN accepted a USING (round_id, class, intensity)
LEFT JOIN sampled i USING (round_id, class, intensity)
ORDER BY s.round_id, s.class, CASE s.intensity WHEN 'LOW' THEN 1 WHEN 'MEDIUM' THEN 2 ELSE 3 END;
COMMENT ON VIEW yield_by_stratum IS 'One row per round and stratum: numbers from landed units to items, and the missing part of the quota.';
COMMENT ON COLUMN yield_by_stratum.asked IS 'number of units in which a generator was asked for a perturbation';
COMMENT ON COLUMN yield_by_stratum.declined IS 'number of units that the generator declined, because no lever applied';
COMMENT ON COLUMN yield_by_stratum.rejected IS 'number of perturbations that failed a code check other than the check for duplicates';
COMMENT ON COLUMN yield_by_stratum.duplicates IS 'number of perturbations that failed only the check for duplicates (`no_duplicate`)';
COMMENT ON COLUMN yield_by_stratum.candidates IS 'number of candidates, which go to the verifiers';
COMMENT ON COLUMN yield_by_stratum.accepted IS 'number of candidates that the verifiers accepted';
COMMENT ON COLUMN yield_by_stratum.rejected_by_verifiers IS 'number of candidates with all verdicts and too few passes; candidates with missing verdicts are neither accepted nor rejected';
COMMENT ON COLUMN yield_by_stratum.acceptance IS 'accepted / candidates; null without candidates';
COMMENT ON COLUMN yield_by_stratum.items IS 'number of perturbed items';
COMMENT ON COLUMN yield_by_stratum.wanted IS 'number of wanted items';
COMMENT ON COLUMN yield_by_stratum.shortfall IS 'number of missing items: `wanted` minus `items`, at least 0';

CREATE OR REPLACE VIEW yield_by_language AS
WITH bases AS (
    SELECT round_id, base_id, coalesce(language, 'unsure') AS language FROM round_bases
), made AS (
    SELECT
        b.round_id, b.language,
        count(*) AS asked,
        count(*) FILTER (p.status = 'declined') AS declined,
        count(*) FILTER (p.status = 'rejected') AS rejected
    FROM live_perturbations p JOIN bases b USING (round_id, base_id)
    GROUP BY ALL
), accepted AS (
    SELECT b.round_id, b.language, count(*) AS candidates, count(*) FILTER (c.accepted) AS accepted
    FROM consensus c JOIN bases b USING (round_id, base_id)
    GROUP BY ALL
), sampled AS (
    SELECT b.round_id, b.language, count(*) AS items
    FROM live_items i JOIN bases b USING (round_id, base_id)
    WHERE i.kind = 'perturbed'
    GROUP BY ALL
), counted AS (
    SELECT round_id, language, count(*) AS bases FROM bases GROUP BY ALL
)
SELECT
    c.round_id, c.language, c.bases,
    coalesce(m.asked, 0) AS asked,
    coalesce(m.declined, 0) AS declined,
    coalesce(m.rejected, 0) AS rejected,
    coalesce(a.candidates, 0) AS candidates,
    coalesce(a.accepted, 0) AS accepted,
    round(a.accepted / nullif(a.candidates, 0), 3) AS acceptance,
    coalesce(s.items, 0) AS items
FROM counted c
LEFT JOIN made m USING (round_id, language)
LEFT JOIN accepted a USING (round_id, language)
LEFT JOIN sampled s USING (round_id, language)
ORDER BY c.round_id, c.language;
COMMENT ON VIEW yield_by_language IS 'One row per round and language of the base instances: numbers from landed units to items.';
COMMENT ON COLUMN yield_by_language.language IS 'code of ISO 639-1; `unsure` if the language is uncertain';
COMMENT ON COLUMN yield_by_language.bases IS 'number of base instances that the round works on';
COMMENT ON COLUMN yield_by_language.asked IS 'number of units in which a generator was asked for a perturbation';
COMMENT ON COLUMN yield_by_language.declined IS 'number of units that the generator declined, because no lever applied or the generator reads English only';
COMMENT ON COLUMN yield_by_language.rejected IS 'number of perturbations that failed a code check other than the check for duplicates';
COMMENT ON COLUMN yield_by_language.candidates IS 'number of candidates, which go to the verifiers';
COMMENT ON COLUMN yield_by_language.accepted IS 'number of candidates that the verifiers accepted';
COMMENT ON COLUMN yield_by_language.acceptance IS 'accepted / candidates; null without candidates';
COMMENT ON COLUMN yield_by_language.items IS 'number of perturbed items';

CREATE OR REPLACE VIEW quotas AS
WITH numbered AS (
    -- Each stratum begins with the next generator, so that remainders of the division go to all generators in turn.
    SELECT
        s.*,
        3 * (list_position([
            'P-Ambiguity', 'P-Contradiction', 'P-MissingInfo', 'P-FalsePremise', 'P-GranularityMismatch',
            'P-EpistemicMismatch'
        ], s.class) - 1) + list_position(['LOW', 'MEDIUM', 'HIGH'], s.intensity) - 1 AS stratum
    FROM round_strata s
)
SELECT
    s.round_id, s.class, s.intensity, g.generator,
    s.wanted // len(r.generators)
        + CASE WHEN (g.place - 1 - s.stratum % len(r.generators) + len(r.generators)) % len(r.generators)
            < s.wanted % len(r.generators) THEN 1 ELSE 0 END AS wanted,
    count(DISTINCT a.perturbation_id) AS accepted,
    count(DISTINCT i.item_id) AS sampled
FROM numbered s
JOIN rounds r USING (round_id)
CROSS JOIN unnest(r.generators) WITH ORDINALITY AS g(generator, place)
LEFT JOIN accepted_perturbations a
    ON a.round_id = s.round_id AND a.class = s.class AND a.intensity = s.intensity AND a.generator = g.generator
LEFT JOIN live_items i
    ON i.round_id = s.round_id AND i.perturbation_id = a.perturbation_id
GROUP BY s.round_id, s.class, s.intensity, s.stratum, s.wanted, g.generator, g.place, r.generators;
COMMENT ON VIEW quotas IS 'One row per stratum and generator: numbers of wanted, accepted and sampled perturbations.';
COMMENT ON COLUMN quotas.wanted IS 'number of wanted perturbations, an even share of the stratum''s items';
COMMENT ON COLUMN quotas.accepted IS 'number of accepted perturbations of the generator';
COMMENT ON COLUMN quotas.sampled IS 'number of accepted perturbations that became items';

CREATE OR REPLACE VIEW acceptance_by_verifier AS
SELECT
    round_id, verifier, generator,
    count(*) AS verdicts,
    count(*) FILTER (outcome = 'pass') AS passes,
    count(*) FILTER (outcome = 'inconsistent') AS inconsistent,
    round(count(*) FILTER (outcome = 'pass') / count(*), 3) AS pass_rate
FROM counting_verdicts
GROUP BY ALL
ORDER BY round_id, verifier, generator;
COMMENT ON VIEW acceptance_by_verifier IS 'One row per verifier and generator: number of verdicts, and share of passes.';
COMMENT ON COLUMN acceptance_by_verifier.verdicts IS 'number of verdicts that could be read';
COMMENT ON COLUMN acceptance_by_verifier.inconsistent IS 'number of verdicts whose overall result contradicts the checks';
COMMENT ON COLUMN acceptance_by_verifier.pass_rate IS 'passes / verdicts';

CREATE OR REPLACE VIEW rejection_reasons AS
-- If rules decline, the reason has a code for every lever that they tried, as "lever: code (detail); ...". Each code
-- counts once per perturbation. Reasons in a model's own words stay unchanged.
SELECT round_id, 'declined' AS by_whom, generator AS who, class, intensity, said.reason, count(*) AS perturbations
FROM (
    SELECT *, list_distinct(list_filter(list_transform(
        string_split(reason, '; '), lambda part: regexp_extract(part, '^[^:]+: ([a-z]+(_[a-z]+)*)( \(.*)?$', 1)
    ), lambda code: code <> '')) AS codes
    FROM live_perturbations WHERE status = 'declined'
), unnest(CASE WHEN len(codes) > 0 THEN codes ELSE [reason] END) AS said(reason)
GROUP BY ALL
UNION ALL BY NAME
SELECT
    round_id, 'code check' AS by_whom, check_name AS who, class, intensity,
    -- Quotations, ids and numbers are masked, since they differ from one perturbation to the next.
    regexp_replace(regexp_replace(evidence, '''.*''', '''...'''), '[0-9a-f]{32}|[0-9]+', 'N', 'g') AS reason,
    count(*) AS perturbations
FROM live_checks WHERE outcome = 'fail' GROUP BY ALL
UNION ALL BY NAME
SELECT round_id, 'verifier' AS by_whom, verifier AS who, class, intensity, issue AS reason, count(*) AS perturbations
FROM counting_verdicts, unnest(issues) AS listed(issue)
WHERE outcome IN ('fail', 'inconsistent') GROUP BY ALL;
COMMENT ON VIEW rejection_reasons IS 'One row per round, stratum and reason: number of perturbations that a generator declined, a code check rejected, or a verifier failed.';
COMMENT ON COLUMN rejection_reasons.by_whom IS 'kind of the decider: `declined` (generator), `code check` or `verifier`';
COMMENT ON COLUMN rejection_reasons.who IS 'name of the generator, code check or verifier';
COMMENT ON COLUMN rejection_reasons.reason IS 'reason in words, or as a code if a rules model declined; for a code check, the evidence without quotations, ids and numbers';
COMMENT ON COLUMN rejection_reasons.perturbations IS 'number of perturbations with this reason';

CREATE OR REPLACE VIEW mean_rewards AS
SELECT round_id, respondent, policy, avg(reward) AS mean_reward, count(*) AS responses
FROM live_rewards
WHERE respondent IS NOT NULL
GROUP BY ALL;
COMMENT ON VIEW mean_rewards IS 'One row per respondent and policy: the mean reward of the responses.';
COMMENT ON COLUMN mean_rewards.mean_reward IS 'mean reward over the responses, controls included';
COMMENT ON COLUMN mean_rewards.responses IS 'number of responses with a reward';

CREATE OR REPLACE VIEW judgings AS
SELECT round_id, one.respondent, one.judge FROM rounds CROSS JOIN unnest(judgings) AS listed(one)
UNION ALL BY NAME
SELECT r.round_id, w.respondent, j.judge
FROM rounds r
CROSS JOIN unnest(r.respondents) AS w(respondent)
CROSS JOIN unnest(r.judges) AS j(judge)
WHERE r.judgings IS NULL;
COMMENT ON VIEW judgings IS 'One row per round, respondent and judge of the responses. A recorded judge judges only the respondents of its recording.';

CREATE OR REPLACE VIEW evaluation_states AS
WITH items_of AS (
    SELECT u.round_id, count(*) AS items
    FROM units u SEMI JOIN items i ON i.unit_id = u.unit_id
    WHERE u.stage IN ('assemble', 'unpack')
    GROUP BY u.round_id
), judged AS (
    SELECT u.round_id, t.respondent, t.judge, count(*) AS judged
    FROM judgements t JOIN units u ON u.stage = 'judge' AND u.unit_id = t.unit_id
    GROUP BY ALL
), lost AS (
    SELECT round_id, respondent, count(*) AS failed FROM failed_responses GROUP BY ALL
), wanted AS (
    SELECT
        w.round_id, w.respondent, w.judge, i.items * CAST(r.config ->> '$.response_replicates' AS BIGINT) AS planned,
        planned * CAST(r.config ->> '$.gates.failure_rate' AS DOUBLE) AS most_failed,
        w.round_id IN (SELECT round_id FROM units WHERE stage = 'score') AS is_scored
    FROM judgings w
    JOIN rounds r USING (round_id)
    JOIN items_of i USING (round_id)
)
SELECT
    w.round_id, w.respondent, w.judge, w.planned, coalesce(j.judged, 0) AS judged,
    coalesce(j.judged, 0) = w.planned AS is_complete,
    CASE
        WHEN coalesce(j.judged, 0) = w.planned THEN 'complete'
        WHEN l.failed > w.most_failed AND j.judged IS NULL AND w.is_scored
            THEN format('LEFT OUT, {} of {} failed', l.failed, w.planned)
        ELSE format('INCOMPLETE, {} of {}', coalesce(j.judged, 0), w.planned)
    END AS state
FROM wanted w
LEFT JOIN judged j ON j.round_id = w.round_id AND j.respondent = w.respondent AND j.judge = w.judge
LEFT JOIN lost l ON l.round_id = w.round_id AND l.respondent = w.respondent;
COMMENT ON VIEW evaluation_states IS 'One row per round, respondent and judge: numbers of planned and judged responses (controls included), and a remark for tables of scores.';
COMMENT ON COLUMN evaluation_states.planned IS 'number of planned responses: items and controls, times replicates';
COMMENT ON COLUMN evaluation_states.judged IS 'number of planned responses that were judged';
COMMENT ON COLUMN evaluation_states.is_complete IS 'whether all planned responses were judged';
COMMENT ON COLUMN evaluation_states.state IS '`complete`; `INCOMPLETE, M of N`: M of N planned responses were judged; or `LEFT OUT, M of N failed`: more responses than `gates.failure_rate` allows could not be obtained, and none was judged';

CREATE OR REPLACE VIEW evaluation_progress AS
WITH obtained AS (
    SELECT u.round_id, t.respondent, count(*) AS obtained
    FROM responses t JOIN units u ON u.stage = 'respond' AND u.unit_id = t.unit_id
    GROUP BY ALL
)
SELECT
    s.round_id, s.respondent, s.judge, s.planned, coalesce(o.obtained, 0) AS obtained, s.judged, s.is_complete, s.state
FROM evaluation_states s
LEFT JOIN obtained o ON o.round_id = s.round_id AND o.respondent = s.respondent;
COMMENT ON VIEW evaluation_progress IS 'One row per round, respondent and judge: numbers of planned, obtained and judged responses (controls included). Responses that could not be obtained count as INVALID in scores; those that were not asked for yet do not count.';
COMMENT ON COLUMN evaluation_progress.obtained IS 'number of planned responses that were obtained';

CREATE OR REPLACE VIEW respondent_prompts AS
SELECT
    r.round_id, w.respondent, split_part(w.respondent, ' ', 1) AS model,
    coalesce(
        nullif(regexp_extract(w.respondent, ' \((\w+)\)$', 1), ''),
        CASE WHEN r.config ->> '$.response_prompts[0]' = 'plain' THEN 'plain' ELSE 'published' END
    ) AS prompts
FROM rounds r
CROSS JOIN unnest(r.respondents) AS w(respondent)
WHERE json_exists(r.config, '$.response_prompts');
COMMENT ON VIEW respondent_prompts IS 'One row per round and respondent: the model and the set of prompts. Imported rounds are left out.';
COMMENT ON COLUMN respondent_prompts.prompts IS 'set of prompts for the respondent: `published`, `ours` or `plain`';

CREATE OR REPLACE VIEW leaderboard AS
WITH scored AS (
    SELECT
        round_id, respondent, judge,
        any_value(value) FILTER (metric = 'calibrated_refusal_score' AND slice = 'overall') AS calibrated_refusal_score,
        any_value(low) FILTER (metric = 'calibrated_refusal_score' AND slice = 'overall') AS crs_low,
        any_value(high) FILTER (metric = 'calibrated_refusal_score' AND slice = 'overall') AS crs_high,
        coalesce(
            any_value(value) FILTER (metric = 'answer_quality' AND slice = 'overall'),
            any_value(value) FILTER (metric = 'answer_accuracy' AND slice = 'overall')
        ) AS answer_accuracy,
        any_value(value) FILTER (metric = 'refusal_accuracy' AND slice = 'overall') AS refusal_accuracy,
        any_value(value) FILTER (metric = 'false_refusal_rate' AND slice = 'overall') AS false_refusal_rate,
        any_value(value) FILTER (metric = 'missed_refusal_rate' AND slice = 'overall') AS missed_refusal_rate,
        any_value(value) FILTER (metric = 'false_refusal_rate' AND slice = 'kind') AS control_refusal_rate,
        any_value(value) FILTER (metric = 'both_right' AND slice = 'near pairs') AS pairs_right,
        any_value(low) FILTER (metric = 'both_right' AND slice = 'near pairs') AS pairs_low,
        any_value(high) FILTER (metric = 'both_right' AND slice = 'near pairs') AS pairs_high,
        any_value(value) FILTER (metric = 'invalid_rate' AND slice = 'overall') AS invalid_rate,
        any_value(value) FILTER (metric = 'provider_refusal_rate' AND slice = 'overall') AS provider_refusal_rate,
        any_value(n) FILTER (metric = 'invalid_rate' AND slice = 'overall') AS responses
    FROM live_scores
    WHERE slice IN ('overall', 'kind', 'near pairs')
    GROUP BY ALL
), cut AS (
    SELECT u.round_id, t.respondent, count(*) FILTER (t.is_cut) / count(t.is_cut) AS cut_rate
    FROM responses t JOIN units u ON u.stage = 'respond' AND u.unit_id = t.unit_id
    WHERE t.is_cut IS NOT NULL
    GROUP BY ALL
), sampled AS (
    SELECT round_id, any_value(sample) AS sample FROM evaluations GROUP BY round_id
), noise AS (
    SELECT u.round_id, t.respondent, abs(t.difference) AS judge_noise
    FROM noise_floors t JOIN units u ON u.stage = 'score' AND u.unit_id = t.unit_id
    WHERE t.metric = 'calibrated_refusal_score'
)
SELECT
    coalesce(s.round_id, p.round_id) AS round_id,
    coalesce(s.respondent, p.respondent) AS respondent,
    coalesce(s.judge, p.judge) AS judge,
    w.prompts,
    round(s.calibrated_refusal_score, 3) AS calibrated_refusal_score,
    round(s.crs_low, 3) AS crs_low,
    round(s.crs_high, 3) AS crs_high,
    round(s.answer_accuracy, 3) AS answer_accuracy,
    round(s.refusal_accuracy, 3) AS refusal_accuracy,
    round(s.false_refusal_rate, 3) AS false_refusal_rate,
    round(s.missed_refusal_rate, 3) AS missed_refusal_rate,
    round(s.control_refusal_rate, 3) AS control_refusal_rate,
    round(s.pairs_right, 3) AS pairs_right,
    round(s.pairs_low, 3) AS pairs_low,
    round(s.pairs_high, 3) AS pairs_high,
    round(s.invalid_rate, 3) AS invalid_rate,
    round(s.provider_refusal_rate, 3) AS provider_refusal_rate,
    round(c.cut_rate, 3) AS cut_rate,
    coalesce(s.responses, 0) AS responses,
    round(m.mean_reward, 3) AS mean_reward,
    round(n.judge_noise, 3) AS judge_noise,
    coalesce(p.planned, s.responses) AS planned,
    coalesce(p.judged, s.responses) AS judged,
    e.sample,
    coalesce(p.state, 'complete') AS state
FROM scored s
FULL JOIN evaluation_states p ON p.round_id = s.round_id AND p.respondent = s.respondent AND p.judge = s.judge
LEFT JOIN noise n ON n.round_id = s.round_id AND n.respondent = s.respondent
LEFT JOIN cut c
    ON c.round_id = coalesce(s.round_id, p.round_id) AND c.respondent = coalesce(s.respondent, p.respondent)
LEFT JOIN sampled e ON e.round_id = coalesce(s.round_id, p.round_id)
LEFT JOIN mean_rewards m
    ON m.round_id = coalesce(s.round_id, p.round_id) AND m.respondent = coalesce(s.respondent, p.respondent)
    AND m.policy = 'selective_refusal'
LEFT JOIN respondent_prompts w
    ON w.round_id = coalesce(s.round_id, p.round_id) AND w.respondent = coalesce(s.respondent, p.respondent)
ORDER BY round_id, calibrated_refusal_score DESC NULLS LAST, respondent, judge;
COMMENT ON VIEW leaderboard IS 'One row per round, respondent and judge: scores over perturbed items with 95 % intervals, refusals of controls, mean reward, noise of the judge, and completeness of the judgements.';
COMMENT ON COLUMN leaderboard.prompts IS 'set of prompts for the respondent, `published`, `ours` or `plain`; null for imported rounds';
COMMENT ON COLUMN leaderboard.calibrated_refusal_score IS 'mean of answer accuracy and refusal accuracy; null if undefined';
COMMENT ON COLUMN leaderboard.crs_low IS 'lower end of the 95 % interval of `calibrated_refusal_score`; null if there is no interval';
COMMENT ON COLUMN leaderboard.crs_high IS 'upper end of the 95 % interval of `calibrated_refusal_score`; null if there is no interval';
COMMENT ON COLUMN leaderboard.answer_accuracy IS 'share of correct answers among answerable perturbed items; for several passages, `answer_quality` of `scores`';
COMMENT ON COLUMN leaderboard.refusal_accuracy IS 'share of refusals with the expected code among items to be refused';
COMMENT ON COLUMN leaderboard.false_refusal_rate IS 'share of refusals among answerable perturbed items';
COMMENT ON COLUMN leaderboard.missed_refusal_rate IS 'share of attempts among items to be refused';
COMMENT ON COLUMN leaderboard.control_refusal_rate IS 'share of refusals among controls';
COMMENT ON COLUMN leaderboard.pairs_right IS 'share of near pairs with two right responses: an answer to the control, a refusal of the least changed item; null if undefined';
COMMENT ON COLUMN leaderboard.pairs_low IS 'lower end of the 95 % interval of `pairs_right`; null if there is no interval';
COMMENT ON COLUMN leaderboard.pairs_high IS 'upper end of the 95 % interval of `pairs_right`; null if there is no interval';
COMMENT ON COLUMN leaderboard.invalid_rate IS 'share of responses that could not be obtained or judged';
COMMENT ON COLUMN leaderboard.provider_refusal_rate IS 'share of responses in whose place the provider refused; they count as refusals without a reason';
COMMENT ON COLUMN leaderboard.responses IS 'number of responses to perturbed items';
COMMENT ON COLUMN leaderboard.mean_reward IS 'mean reward by the policy `selective_refusal`; null if there are no rewards';
COMMENT ON COLUMN leaderboard.judge_noise IS 'largest difference of the score between two judgings of the same responses; null with only one judging';
COMMENT ON COLUMN leaderboard.judged IS 'number of planned responses that were judged';
COMMENT ON COLUMN leaderboard.cut_rate IS 'share of the obtained responses that were cut off at the limit of tokens (`max_tokens`), controls included; null if not known';
