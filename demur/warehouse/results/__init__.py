"""Results for readers: queries on the published copy, their formats, snapshots for the explorer."""
