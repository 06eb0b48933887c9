"""Pages of the explorer: templates, style, script, and the links between pages. Rows in, HTML out."""
