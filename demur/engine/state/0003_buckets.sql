-- What may be asked of a model by all processes together: a bucket for requests and one for tokens.
CREATE TABLE demur.buckets (
    model text NOT NULL,
    rate text NOT NULL,
    level double precision NOT NULL,
    filled_at timestamptz NOT NULL,
    taken double precision NOT NULL,
    PRIMARY KEY (model, rate)
);
