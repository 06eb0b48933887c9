-- Objects of the store that this file has loaded, with their versions.
SELECT object, version FROM store.replayed;
