-- Who judges whom: a recording judges no responses but those that were recorded with it.
ALTER TABLE raw.rounds ADD COLUMN judgings STRUCT(respondent VARCHAR, judge VARCHAR)[];
