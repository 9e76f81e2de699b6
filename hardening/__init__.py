"""Long trials of dynagen that are not part of the tests: random robots, and planted faults."""
