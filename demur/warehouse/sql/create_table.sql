CREATE TABLE ${table} (
${columns}
);
