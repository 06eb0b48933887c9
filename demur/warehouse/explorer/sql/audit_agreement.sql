-- How far readers agree.
SELECT
    criterion, coefficient, first AS one_reader, second AS other_reader, items, observed AS share_that_agrees,
    value AS agreement_beyond_chance, reason
FROM audit_agreement WHERE round_id = $round ORDER BY criterion, coefficient, first, second;
