-- The objects of the store that this file has.
SELECT object, version FROM store.replayed;
