-- What a request of unknown cost counted for, apart from the most that it could cost: so it can count for less once more is known.
ALTER TABLE raw.calls ADD COLUMN charged_usd DOUBLE;
