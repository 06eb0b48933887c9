"""Human audits: samples of accepted items, readers' marks, and the audit gate."""
