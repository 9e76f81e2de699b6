"""Reports: what a run did, as tables for people and as JSON for programs."""
