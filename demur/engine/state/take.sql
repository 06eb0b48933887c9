-- Fill a bucket up to now and take whole units from it, as many as there are; a negative amount is given back.
INSERT INTO demur.buckets AS bucket (model, rate, level, filled_at, taken)
VALUES (
    %(model)s, %(rate)s, %(most)s - least(%(amount)s, floor(%(most)s)), now(), least(%(amount)s, floor(%(most)s))
)
ON CONFLICT (model, rate) DO UPDATE SET
    (level, filled_at, taken) = (
        SELECT least(%(most)s, filled - fits), greatest(bucket.filled_at, now()), fits
        FROM (
            SELECT least(
                %(most)s,
                bucket.level + greatest(0, extract(epoch FROM now() - bucket.filled_at)) * %(per_second)s
            ) AS filled
        ) AS now_filled,
        LATERAL (SELECT least(%(amount)s, floor(greatest(filled, 0))) AS fits) AS now_taken
    )
RETURNING taken
