"""Pipeline: settings of a run, its stages in order, the package of what is emitted, and the proof."""
