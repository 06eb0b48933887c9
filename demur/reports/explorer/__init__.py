"""The explorer: a local web application over the published warehouse, and a static copy of its pages."""
