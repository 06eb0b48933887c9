-- The respondents of a board, best first, each with its newest scored evaluation. Answer quality (several passages
-- only) replaces answer accuracy. Respondents with the same name get the id of their evaluation in brackets.
WITH wide AS (
    FROM (FROM board_scores WHERE board_id = $board AND is_newest)
    PIVOT (
        any_value(value) AS value, any_value(low) AS low, any_value(high) AS high,
        any_value(replace(reason, ' in this slice', '')) AS reason
        FOR metric IN (
            'calibrated_refusal_score', 'answer_accuracy', 'answer_quality',
            'refusal_accuracy', 'detection_f1', 'category_accuracy', 'hierarchical_refusal_score', 'false_refusal_rate',
            'missed_refusal_rate', 'invalid_rate', 'provider_refusal_rate', 'ece',
            'eligibility', 'factuality_all', 'factuality_relevant', 'raf_attempts'
        )
        GROUP BY round_id, respondent
    )
), joined AS (
    SELECT
        e.respondent AS model, count(*) OVER (PARTITION BY e.respondent) > 1 AS shares_name,
        e.round_id, m.version, u.uncontested_score, array_to_string(u.contested, '; ') AS contested,
        e.judge, e.state, e.planned, e.judged, e.judge_noise, e.cut_rate,
        c.seconds_median, c.seconds_p95, c.usd_median, c.usd_p95,
        w.* EXCLUDE (round_id, respondent) REPLACE (
            coalesce(answer_quality_value, answer_accuracy_value) AS answer_accuracy_value,
            if(answer_quality_value IS NULL, answer_accuracy_low, answer_quality_low) AS answer_accuracy_low,
            if(answer_quality_value IS NULL, answer_accuracy_high, answer_quality_high) AS answer_accuracy_high
        )
    FROM board_entries e
    LEFT JOIN wide w USING (round_id, respondent)
    LEFT JOIN uncontested_scores u ON u.round_id = e.round_id AND u.respondent = e.respondent AND u.judge = e.judge
    LEFT JOIN answer_costs c ON c.round_id = e.round_id AND c.respondent = e.respondent
    LEFT JOIN (
        SELECT round_id, model ->> '$.name' AS name,
            CASE WHEN NOT starts_with(model ->> '$.version', 'unversioned-') THEN model ->> '$.version' END AS version
        FROM rounds, unnest(CAST(config -> '$.models' AS JSON[])) AS listed(model)
    ) m ON m.round_id = e.round_id AND m.name = split_part(e.respondent, ' ', 1)
    WHERE e.board_id = $board AND e.is_newest
)
SELECT
    model || if(shares_name, format(' [{}]', round_id), '') AS respondent,
    row_number() OVER (ORDER BY calibrated_refusal_score_value DESC NULLS LAST, detection_f1_value DESC NULLS LAST, model, round_id) AS place,
    round_id, version, uncontested_score, contested, judge, state, planned, judged, judge_noise, cut_rate,
    seconds_median, seconds_p95, usd_median, usd_p95,
    COLUMNS('^(\w+)_value$') AS '\1', COLUMNS('_(low|high|reason)$')
FROM joined
ORDER BY calibrated_refusal_score DESC NULLS LAST, detection_f1 DESC NULLS LAST, respondent;
