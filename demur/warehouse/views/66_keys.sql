-- How far keys agree with what respondents' instructions demand, read by verifiers without knowing the key.

CREATE OR REPLACE VIEW key_agreement AS
WITH readings AS (
    -- An evaluation of a release has the items of another round, whose verifiers read the keys.
    SELECT perturbation_id, verifier, any_value(demanded) AS demanded, any_value(also_defensible) AS also_defensible
    FROM live_verdicts WHERE demanded IS NOT NULL
    GROUP BY perturbation_id, verifier
), read AS (
    SELECT
        i.round_id, i.class, i.intensity, i.item_id,
        v.demanded = i.expected AS agrees,
        v.demanded = i.expected OR list_contains(v.also_defensible, i.expected) AS is_defensible
    FROM live_items i
    JOIN readings v USING (perturbation_id)
    WHERE i.kind = 'perturbed'
)
SELECT
    round_id, class, intensity,
    count(DISTINCT item_id) AS items,
    count(*) AS readings,
    count(*) FILTER (agrees) AS agreeing,
    count(*) FILTER (is_defensible) AS defensible,
    count(*) FILTER (agrees) / count(*) AS agreement,
    count(*) FILTER (agrees) / count(*) < 0.5 AS is_contested
FROM read
GROUP BY round_id, class, intensity
ORDER BY round_id, class, CASE intensity WHEN 'LOW' THEN 1 WHEN 'MEDIUM' THEN 2 ELSE 3 END;
COMMENT ON VIEW key_agreement IS 'One row per round and stratum with read keys: how far the keys of its items agree with what respondents'' instructions demand. Verifiers read an item without knowing its key (`verification.read_keys`); an evaluation has the readings of the round that made its items.';
COMMENT ON COLUMN key_agreement.items IS 'number of items with a reading';
COMMENT ON COLUMN key_agreement.readings IS 'number of readings: one for each item and verifier that passed it';
COMMENT ON COLUMN key_agreement.agreeing IS 'number of readings by which the instructions demand what the key expects';
COMMENT ON COLUMN key_agreement.defensible IS 'number of readings by which the instructions demand or justify what the key expects';
COMMENT ON COLUMN key_agreement.agreement IS 'agreeing / readings';
COMMENT ON COLUMN key_agreement.is_contested IS 'whether fewer than half of the readings agree with the key';

CREATE OR REPLACE VIEW uncontested_scores AS
WITH contested AS (
    SELECT
        round_id,
        coalesce(list(class || ', ' || intensity ORDER BY class, intensity) FILTER (is_contested), []) AS strata
    FROM key_agreement
    GROUP BY round_id
), counted AS (
    SELECT
        k.round_id, k.respondent, k.judge, any_value(c.strata) AS contested,
        sum(k.responses) FILTER (k.expected = 'ANSWER_CORRECTLY') AS answerable,
        sum(k.responses) FILTER (k.response_kind = 'correct_answer') AS answered,
        sum(k.responses) FILTER (k.expected <> 'ANSWER_CORRECTLY') AS refusable,
        sum(k.responses) FILTER (k.response_kind = 'correct_refusal') AS refused
    FROM response_kinds k
    JOIN contested c USING (round_id)
    WHERE k.kind = 'perturbed'
        AND NOT list_contains(c.strata, k.class || ', ' || k.intensity)
    GROUP BY ALL
)
SELECT
    c.round_id, c.respondent, c.judge, c.contested, s.value AS calibrated_refusal_score,
    (coalesce(c.answered, 0) / nullif(c.answerable, 0) + coalesce(c.refused, 0) / nullif(c.refusable, 0)) / 2
        AS uncontested_score,
    CAST(coalesce(c.answerable, 0) + coalesce(c.refusable, 0) AS BIGINT) AS responses
FROM counted c
LEFT JOIN live_scores s
    ON s.round_id = c.round_id AND s.respondent = c.respondent AND s.judge = c.judge
    AND s.slice = 'overall' AND s.metric = 'calibrated_refusal_score'
ORDER BY c.round_id, c.judge, uncontested_score DESC NULLS LAST, c.respondent;
COMMENT ON VIEW uncontested_scores IS 'One row per respondent and judge of a round with read keys: the calibrated refusal score on all items, and on items of strata whose keys are not contested.';
COMMENT ON COLUMN uncontested_scores.contested IS 'strata that are left out: fewer than half of the blind readings agree with their keys';
COMMENT ON COLUMN uncontested_scores.calibrated_refusal_score IS 'score on all items, as published';
COMMENT ON COLUMN uncontested_scores.uncontested_score IS 'the same score without the items of contested strata; null if no items to answer or no items to refuse are left';
COMMENT ON COLUMN uncontested_scores.responses IS 'number of responses to the items that are left';
