-- The leases of a till into the ledger; one that is there already takes what it holds now.
INSERT INTO leases BY NAME
SELECT * FROM batch
ON CONFLICT (lease_id) DO UPDATE SET granted_usd = excluded.granted_usd
