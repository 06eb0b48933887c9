INSERT INTO rounds (
    round_id, name, seed, layout, bases_wanted, screeners, generators, verifiers, respondents, judges, judgings,
    config, config_digest, catalogue_digest, status, started_at, finished_at,
    started_by
)
VALUES (
    $round_id, $name, $seed, $layout, $bases_wanted, $screeners, $generators, $verifiers, $respondents, $judges, $judgings,
    $config, $config_digest, $catalogue_digest, 'open', $now, NULL,
    $started_by
)
ON CONFLICT (round_id) DO UPDATE SET
    name = excluded.name,
    seed = excluded.seed,
    layout = excluded.layout,
    bases_wanted = excluded.bases_wanted,
    screeners = excluded.screeners,
    generators = excluded.generators,
    verifiers = excluded.verifiers,
    respondents = excluded.respondents,
    judges = excluded.judges,
    judgings = excluded.judgings,
    config = excluded.config,
    config_digest = excluded.config_digest,
    catalogue_digest = excluded.catalogue_digest,
    status = 'open',
    finished_at = NULL;
