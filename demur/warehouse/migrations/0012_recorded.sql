-- Whether a reply that was read from a recording answered another wording of the prompt.

ALTER TABLE calls ADD COLUMN earlier_prompt BOOLEAN;
COMMENT ON COLUMN calls.earlier_prompt IS 'of a recorded reply, whether the prompt that it answered was worded otherwise than the one that was asked now; null where the reply was not recorded';
