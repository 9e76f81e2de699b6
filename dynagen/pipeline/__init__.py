"""Pipeline: settings of a run, stages in order, contents of a delivery, provenance and proof."""
