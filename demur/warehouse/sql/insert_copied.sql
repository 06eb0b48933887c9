-- Insert rows of an older file into their table.
INSERT INTO ${table} BY NAME FROM batch
