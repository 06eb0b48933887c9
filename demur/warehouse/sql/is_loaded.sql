SELECT count(*) FROM loads WHERE landing = $landing
