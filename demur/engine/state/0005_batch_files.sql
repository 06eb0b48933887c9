-- Files of batches, in parts of whole lines, from `start` on.
CREATE TABLE demur.batch_files (
    home uuid NOT NULL,
    round_id text NOT NULL,
    stage text NOT NULL,
    name text NOT NULL,
    start bigint NOT NULL,
    content bytea NOT NULL,
    PRIMARY KEY (home, round_id, stage, name, start)
);
