-- The server's version, its time, and the migrations that it has.
SELECT current_setting('server_version'), clock_timestamp(), (SELECT count(*) FROM demur.migrations)
