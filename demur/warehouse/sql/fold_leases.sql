-- Insert the leases of a stage, or update the granted dollars of stored leases.
INSERT INTO leases BY NAME
SELECT * FROM batch
ON CONFLICT (lease_id) DO UPDATE SET granted_usd = excluded.granted_usd
