-- The values by which a list of a round's items can be filtered.
SELECT
    list_sort(list(DISTINCT status)) AS statuses,
    list_sort(list(DISTINCT lever_id) FILTER (lever_id IS NOT NULL)) AS levers,
    list_sort(list(DISTINCT generator) FILTER (generator IS NOT NULL)) AS generators,
    list_sort(list(DISTINCT layout) FILTER (layout IS NOT NULL)) AS layouts,
    list_sort(list(DISTINCT domain) FILTER (domain IS NOT NULL)) AS domains,
    list_sort(list(DISTINCT language) FILTER (language IS NOT NULL)) AS languages,
    list_sort(list_distinct(flatten(list(failed_checks)))) AS checks,
    list_sort(list_distinct(flatten(list(failed_by)))) AS verifiers,
    list_sort(list(DISTINCT {'id': base_id, 'question': original_question}) FILTER (base_id IS NOT NULL)) AS bases,
    range(1, least(max(judged), 40)) AS rights
FROM item_states WHERE round_id = $round;
