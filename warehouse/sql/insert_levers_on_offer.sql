INSERT INTO levers_on_offer (round_id, lever_id, lever, class, intensity, origin, target, answer, recipe)
SELECT
    $round_id, unnest($lever_id::VARCHAR[]), unnest($lever::VARCHAR[]), unnest($class::VARCHAR[]),
    unnest($intensity::VARCHAR[]), unnest($origin::VARCHAR[]), unnest($target::VARCHAR[]), unnest($answer::VARCHAR[]),
    unnest($recipe::VARCHAR[]);
