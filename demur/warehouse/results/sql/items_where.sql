-- The conditions of a list of perturbations and controls. A line applies only if its value is given.
WHERE s.round_id = $round
    AND s.status = $status -- if status
    AND s.class = $class -- if class
    AND s.intensity = $intensity -- if intensity
    AND s.lever_id = $lever -- if lever
    AND s.generator = $generator -- if generator
    AND s.layout = $layout -- if layout
    AND s.domain = $domain -- if domain
    AND s.language = $language -- if language
    AND s.base_id = $base -- if base
    AND list_contains(s.failed_checks, $check) -- if check
    AND list_contains(s.failed_by, $verifier) -- if verifier
    AND ( -- if text
        contains(s.searched, lower($text)) -- if text
        OR contains(lower(concat_ws(' ', s.id, s.base_id, s.lever_id, s.lever, s.status, s.reason)), lower($text)) -- if text
        OR s.item_id IN ( -- if text
            SELECT r.item_id FROM responses r -- if text
            WHERE r.round_id = $round AND contains(lower(r.response), lower($text)) -- if text
        ) -- if text
        OR s.item_id IN ( -- if text
            SELECT j.item_id FROM judgements j -- if text
            WHERE j.round_id = $round AND contains(lower(j.explanation), lower($text)) -- if text
        ) -- if text
        OR s.id IN ( -- if text
            SELECT v.perturbation_id FROM verdicts v -- if text
            WHERE v.round_id = $round AND contains(lower(concat_ws(' ', -- if text
                array_to_string(v.issues, ' '), v.refusal_analysis, v.constraint_analysis)), lower($text)) -- if text
        ) -- if text
        OR s.id IN ( -- if text
            SELECT c.perturbation_id FROM checks c -- if text
            WHERE c.round_id = $round AND c.outcome = 'fail' AND contains(lower(c.evidence), lower($text)) -- if text
        ) -- if text
    ) -- if text
    AND CASE $right WHEN 'no model' THEN s.judged_of_models ELSE s.judged END > 0 -- if right
    AND CASE $right -- if right
        WHEN 'no model' THEN s.rights_of_models = 0 -- if right
        WHEN 'none' THEN s.rights = 0 -- if right
        WHEN 'all' THEN s.rights = s.judged -- if right
        ELSE s.rights = TRY_CAST($right AS BIGINT) -- if right
    END -- if right
    AND s.item_id IN ( -- if answered
        SELECT o.item_id FROM response_outcomes o -- if answered
        WHERE o.round_id = $round -- if answered
            AND o.respondent = $respondent -- if respondent
            AND o.judge = $judge -- if judge
            AND list_contains(string_split($outcome, ','), o.response_kind) -- if outcome
            AND o.predicted = $given -- if given
            AND o.expected = $expected -- if expected
            AND o.confidence = $confidence -- if confidence
            AND o.response_id IN ( -- if judge2
                SELECT j.response_id FROM response_outcomes j -- if judge2
                WHERE j.round_id = $round AND j.judge = $judge2 -- if judge2
                    AND j.predicted = $given2 -- if given2
            ) -- if judge2
    ) -- if answered
    AND s.item_id IN ( -- if respondent2
        SELECT o.item_id FROM response_outcomes o -- if respondent2
        WHERE o.round_id = $round AND o.respondent = $respondent2 -- if respondent2
            AND o.judge = $judge -- if paired
            AND list_contains(string_split($outcome2, ','), o.response_kind) -- if outcome2
    ) -- if respondent2
