-- The objects of a home's store that this file has loaded. `version` is empty for objects that are never replaced. Only
-- the loader's file of a home with a store has this table. It holds no results: a new file gets a new table.
CREATE SCHEMA IF NOT EXISTS store;
CREATE TABLE IF NOT EXISTS store.replayed (object VARCHAR PRIMARY KEY, version VARCHAR NOT NULL);
