-- What lever coverage and the check for duplicates need: levers on offer, levers assigned, where a check found what it
-- says, and the items of earlier releases by their content.

ALTER TABLE perturbations ADD COLUMN assigned_lever_id VARCHAR;
COMMENT ON COLUMN perturbations.assigned_lever_id IS 'the one lever that the round offered; null where the generator chose among those of the stratum';

ALTER TABLE checks ADD COLUMN spans STRUCT(passage BIGINT, "start" BIGINT, "end" BIGINT, "text" VARCHAR)[];
COMMENT ON COLUMN checks.spans IS 'pieces of the perturbed text that the outcome rests on, in characters from 0; passage is null for the question';

CREATE TABLE levers_on_offer (
    round_id   VARCHAR NOT NULL,
    lever_id   VARCHAR NOT NULL,
    lever      VARCHAR NOT NULL,
    class      VARCHAR NOT NULL,
    intensity  VARCHAR NOT NULL,
    origin     VARCHAR NOT NULL,
    target     VARCHAR NOT NULL,
    answer     VARCHAR NOT NULL,
    recipe     VARCHAR
);
COMMENT ON TABLE levers_on_offer IS 'One row per round and lever that its generators may pull: the levers of its catalogue in the strata that it generates.';
COMMENT ON COLUMN levers_on_offer.recipe IS 'name of the recipe by which rules pull the lever; null where they cannot';

CREATE TABLE released_items (
    name         VARCHAR NOT NULL,
    version      VARCHAR NOT NULL,
    round_id     VARCHAR NOT NULL,
    item_id      VARCHAR NOT NULL,
    content_key  VARCHAR NOT NULL,
    PRIMARY KEY (name, version, item_id)
);
COMMENT ON TABLE released_items IS 'One row per release and perturbed item in it: what later rounds must not make again.';
COMMENT ON COLUMN released_items.content_key IS 'as perturbations.content_key';

INSERT INTO released_items
SELECT DISTINCT r.name, r.version, r.round_id, i.item_id, p.content_key
FROM releases r
JOIN units u ON u.round_id = r.round_id AND u.stage = 'assemble'
JOIN items i ON i.unit_id = u.unit_id AND i.kind = 'perturbed'
JOIN perturbations p ON p.round_id = r.round_id AND p.perturbation_id = i.perturbation_id
WHERE p.content_key IS NOT NULL;
