-- What a process has found out by itself: the model does not answer.
ALTER TABLE demur.registrations
    ADD COLUMN outage uuid,
    ADD COLUMN kind text,
    ADD COLUMN because text;
