-- Replace the view in a published copy by a table with its rows.
CREATE TABLE kept_summaries AS FROM round_summaries;
DROP VIEW round_summaries;
ALTER TABLE kept_summaries RENAME TO round_summaries;
COMMENT ON TABLE round_summaries IS 'One row per round: status, numbers of results, costs, best score and release.';
