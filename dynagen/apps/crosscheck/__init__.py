"""Cross-checks: one robot file in another tool and in the numeric reference, compared."""
