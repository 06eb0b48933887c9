-- Evaluations and boards. All scores of a board have the same release (or the same sample of its items), prompts, judge
-- and version of the metrics.

CREATE OR REPLACE VIEW evaluation_boards AS
SELECT
    left(sha256(concat_ws(' ', release_digest, prompts_digest, judge_digest, metrics_version, sample, codes_by)), 10)
        AS board_id,
    *
FROM evaluations;
COMMENT ON VIEW evaluation_boards IS 'One row per round, respondent, judge and set of prompts: the columns of `evaluations`, and the board of the scores.';
COMMENT ON COLUMN evaluation_boards.board_id IS 'hash of release, sample, prompts, judge, `codes_by` and version of the metrics; only scores of one board can be compared';

CREATE OR REPLACE VIEW evaluation_rounds AS
SELECT
    e.round_id,
    any_value(e.release_name || '/' || e.release_version) AS release,
    any_value(e.release_digest) AS release_digest,
    CASE WHEN json_exists(any_value(r.config), '$.evaluates') THEN 'evaluation' ELSE 'round' END AS kind,
    any_value(r.status) AS status,
    any_value(r.started_at) AS started_at,
    any_value(i.items) AS items,
    any_value(i.controls) AS controls,
    string_agg(DISTINCT e.respondent, ', ' ORDER BY e.respondent) AS respondents,
    string_agg(DISTINCT e.judge, ', ' ORDER BY e.judge) AS judges,
    string_agg(DISTINCT e.prompts, ', ' ORDER BY e.prompts) AS prompts,
    any_value(e.replicates) AS replicates,
    any_value(e.metrics_version) AS metrics_version,
    any_value(e.sample) AS sample,
    any_value(e.occasion) AS occasion,
    any_value(r.config ->> '$.evaluates.imported.benchmark') AS benchmark,
    string_agg(DISTINCT e.board_id, ', ' ORDER BY e.board_id) AS boards
FROM evaluation_boards e
JOIN rounds r USING (round_id)
LEFT JOIN (
    SELECT
        round_id, count(*) FILTER (kind <> 'control') AS items, count(*) FILTER (kind = 'control') AS controls
    FROM live_items GROUP BY round_id
) i USING (round_id)
GROUP BY e.round_id;
COMMENT ON VIEW evaluation_rounds IS 'One row per evaluation of models on a release, and per round that made a release: release, prompts and judge.';
COMMENT ON COLUMN evaluation_rounds.release IS 'name and version of the release';
COMMENT ON COLUMN evaluation_rounds.kind IS '`evaluation`, or `round` for the round that made the release';
COMMENT ON COLUMN evaluation_rounds.items IS 'number of items, without controls';
COMMENT ON COLUMN evaluation_rounds.controls IS 'number of controls';
COMMENT ON COLUMN evaluation_rounds.prompts IS 'sets of prompts, joined by commas';
COMMENT ON COLUMN evaluation_rounds.benchmark IS 'published benchmark from which the release was imported; null for other releases';
COMMENT ON COLUMN evaluation_rounds.boards IS 'ids of the boards with scores of the round, joined by commas';

CREATE OR REPLACE VIEW board_entries AS
SELECT
    b.board_id, b.round_id, b.respondent, b.judge, b.prompts, b.respondent_fingerprint, b.replicates, b.occasion,
    b.evaluated_at, l.responses, l.planned, l.judged, l.state, l.judge_noise, l.cut_rate,
    row_number() OVER (
        PARTITION BY b.board_id, b.respondent, b.respondent_fingerprint
        ORDER BY l.calibrated_refusal_score IS NULL, b.evaluated_at DESC, b.round_id
    ) = 1 AS is_newest
FROM evaluation_boards b
JOIN leaderboard l ON l.round_id = b.round_id AND l.respondent = b.respondent AND l.judge = b.judge;
COMMENT ON VIEW board_entries IS 'One row per board, evaluation and respondent. Boards show the newest scored evaluation of a respondent.';
COMMENT ON COLUMN board_entries.is_newest IS 'whether boards show this evaluation of the respondent';

CREATE OR REPLACE VIEW board_scores AS
SELECT
    e.board_id, e.round_id, e.respondent, e.judge, e.respondent_fingerprint, e.is_newest, e.state,
    s.metric, s.value, s.low, s.high, s.n, s.reason
FROM board_entries e
JOIN live_scores s ON s.round_id = e.round_id AND s.respondent = e.respondent AND s.judge = e.judge
WHERE s.slice = 'overall';
COMMENT ON VIEW board_scores IS 'One row per board, evaluation, respondent and metric: value over all perturbed items, with its 95 % interval.';
COMMENT ON COLUMN board_scores.metric IS 'name of the metric, as in `scores`';
COMMENT ON COLUMN board_scores.value IS 'value of the metric; null if undefined';

CREATE OR REPLACE VIEW boards AS
SELECT
    b.board_id,
    any_value(b.release_name || '/' || b.release_version) AS release,
    any_value(b.release_digest) AS release_digest,
    any_value(b.prompts) AS prompts,
    any_value(b.prompts_digest) AS prompts_digest,
    any_value(b.judge) AS judge,
    any_value(b.judge_digest) AS judge_digest,
    any_value(b.metrics_version) AS metrics_version,
    coalesce(any_value(b.sample), 'all items') AS sample,
    any_value(b.codes_by) AS codes_by,
    any_value(r.layout) AS layout,
    any_value(r.config ->> '$.evaluates.imported.benchmark') AS benchmark,
    coalesce(any_value(b.audit), 'unaudited') AS audit,
    coalesce(any_value(b.calibration), 'uncalibrated') AS calibration,
    coalesce(
        any_value(CAST(r.config -> '$.evaluates.probes' AS VARCHAR[])),
        list_sort(any_value(CAST(r.config -> '$.generation.known.probe' AS VARCHAR[]))),
        []
    ) AS probes,
    count(DISTINCT (b.respondent, b.respondent_fingerprint)) AS respondents,
    count(DISTINCT b.round_id) AS evaluations,
    max(b.evaluated_at) AS evaluated_at
FROM evaluation_boards b
JOIN rounds r USING (round_id)
GROUP BY b.board_id;
COMMENT ON VIEW boards IS 'One row per board: the common provenance of the scores, and the numbers of respondents and evaluations.';
COMMENT ON COLUMN boards.release IS 'name and version of the release, as an evaluation on the board gives them';
COMMENT ON COLUMN boards.benchmark IS 'published benchmark from which the release was imported; null for other releases';
COMMENT ON COLUMN boards.sample IS 'part of the items that was asked, such as `200 of 1,600 items`, or `all items`';
COMMENT ON COLUMN boards.probes IS 'probes that influenced the draw of the release''s base instances, and that are never scored on the board; empty if all base instances were drawn at random';
COMMENT ON COLUMN boards.respondents IS 'number of respondents';
COMMENT ON COLUMN boards.evaluations IS 'number of evaluations and rounds with scores on the board';
COMMENT ON COLUMN boards.evaluated_at IS 'time at which the newest evaluation on the board last began, or at which its release was frozen';

CREATE OR REPLACE VIEW answer_costs AS
WITH answered AS (
    SELECT
        a.round_id, a.respondent, c.latency_seconds,
        -- what a system pays for itself is unknown here
        CASE WHEN c.provider NOT IN ('respondent', 'service') OR c.cost_usd > 0 THEN c.cost_usd END AS cost_usd
    FROM live_responses a
    JOIN calls c ON c.call_id = a.call_id
)
SELECT
    round_id, respondent, count(*) AS answers,
    median(latency_seconds) AS seconds_median, quantile_cont(latency_seconds, 0.95) AS seconds_p95,
    median(cost_usd) AS usd_median, quantile_cont(cost_usd, 0.95) AS usd_p95
FROM answered
GROUP BY round_id, respondent;
COMMENT ON VIEW answer_costs IS 'One row per round and respondent: seconds and dollars of an answer, by the requests that gave the answers.';
COMMENT ON COLUMN answer_costs.answers IS 'number of answers that a request gave';
COMMENT ON COLUMN answer_costs.seconds_median IS 'median of the seconds from sending to the last byte of the answer';
COMMENT ON COLUMN answer_costs.seconds_p95 IS '95th percentile of these seconds';
COMMENT ON COLUMN answer_costs.usd_median IS 'median of the cost of an answer in dollars; null if prices are unknown, as those of systems';
COMMENT ON COLUMN answer_costs.usd_p95 IS '95th percentile of this cost; null if prices are unknown, as those of systems';
