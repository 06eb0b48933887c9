-- Which objects of a home's store this file has taken in; a version is empty where an object is never replaced. Only a
-- loader's file of such a home has this: it is no result, and made anew with the file.
CREATE SCHEMA IF NOT EXISTS store;
CREATE TABLE IF NOT EXISTS store.replayed (object VARCHAR PRIMARY KEY, version VARCHAR NOT NULL);
