CREATE TABLE raw.${table} (
${columns}
);
