-- Processes that ask a model, on whatever machine; who has not renewed for a while is gone.
CREATE TABLE demur.registrations (
    model text NOT NULL,
    process uuid NOT NULL,
    renewed_at timestamptz NOT NULL,
    PRIMARY KEY (model, process)
);
