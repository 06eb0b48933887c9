SELECT domain, count(*) AS solved FROM solved_bases WHERE round_id = ? GROUP BY domain;
