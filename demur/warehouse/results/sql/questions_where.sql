-- The conditions of a list of questions of documents. A line applies only if its value is given.
WHERE o.round_id = $round
    AND o.outcome = $outcome -- if outcome
    AND o.by_whom = $by_whom -- if by_whom
    AND list_contains(string_split(o.reason, ', '), $reason) -- if reason
    AND o.kind = $kind -- if kind
    AND o.language = $language -- if language
    AND list_contains(o.document_ids, $document) -- if document
    AND contains(lower(concat_ws(' ', o.question, array_to_string(o.answers, ' '), o.question_id)), lower($text)) -- if text
