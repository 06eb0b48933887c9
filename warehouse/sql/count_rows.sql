SELECT count(*) FROM ${table};
