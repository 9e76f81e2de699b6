"""A second opinion on a robot: what another tool makes of the same file, compared with the numeric reference."""
