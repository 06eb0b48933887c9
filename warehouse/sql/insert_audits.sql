-- An item that the same reader marked in another sample too keeps the newer marks.
INSERT OR REPLACE INTO audits BY NAME SELECT * FROM batch;
