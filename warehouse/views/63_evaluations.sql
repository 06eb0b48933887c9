-- What scores are scores of, and boards: rows stand together only where release, prompts, judge and metrics are the same.

CREATE OR REPLACE VIEW evaluation_boards AS
SELECT
    left(sha256(concat_ws(' ', release_digest, prompts_digest, judge_digest, metrics_version)), 10) AS board_id, *
FROM raw.evaluations;
COMMENT ON VIEW evaluation_boards IS 'One row per round, respondent, judge and set of prompts: the columns of evaluations, and the board that the scores belong to.';
COMMENT ON COLUMN evaluation_boards.board_id IS 'hash of release, prompts, judge and definitions of metrics: only scores of one board are compared';

CREATE OR REPLACE VIEW evaluation_rounds AS
SELECT
    e.round_id,
    any_value(e.release_name || '/' || e.release_version) AS release,
    any_value(e.release_digest) AS release_digest,
    CASE WHEN json_exists(any_value(r.config), '$.evaluates') THEN 'evaluation' ELSE 'round' END AS kind,
    any_value(r.status) AS status,
    any_value(r.started_at) AS started_at,
    any_value(i.items) AS items,
    string_agg(DISTINCT e.respondent, ', ' ORDER BY e.respondent) AS respondents,
    string_agg(DISTINCT e.judge, ', ' ORDER BY e.judge) AS judges,
    string_agg(DISTINCT e.prompts, ', ' ORDER BY e.prompts) AS prompts,
    any_value(e.replicates) AS replicates,
    any_value(e.metrics_version) AS metrics_version,
    any_value(e.occasion) AS occasion,
    string_agg(DISTINCT e.board_id, ', ' ORDER BY e.board_id) AS boards
FROM evaluation_boards e
JOIN raw.rounds r USING (round_id)
LEFT JOIN (SELECT round_id, count(*) AS items FROM live_items GROUP BY round_id) i USING (round_id)
GROUP BY e.round_id;
COMMENT ON VIEW evaluation_rounds IS 'One row per evaluation of models on a release, and per round whose release was frozen here: what it is of.';
COMMENT ON COLUMN evaluation_rounds.release IS 'name and version of the release';
COMMENT ON COLUMN evaluation_rounds.kind IS '`evaluation`, or `round` for the one that made the release';
COMMENT ON COLUMN evaluation_rounds.status IS '`open` or `finished`';
COMMENT ON COLUMN evaluation_rounds.items IS 'items, controls included';
COMMENT ON COLUMN evaluation_rounds.respondents IS 'who answered';
COMMENT ON COLUMN evaluation_rounds.judges IS 'who judged';
COMMENT ON COLUMN evaluation_rounds.prompts IS 'sets of prompts';
COMMENT ON COLUMN evaluation_rounds.boards IS 'boards that its scores belong to';
