INSERT INTO lever_states BY NAME SELECT * FROM batch;
