INSERT INTO evaluations BY NAME SELECT * FROM batch;
