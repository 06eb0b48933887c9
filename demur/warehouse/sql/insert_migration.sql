INSERT INTO schema_migrations
VALUES ($1, $2, $3, current_timestamp AT TIME ZONE 'UTC');
