"""Tests: a folder for each package of dynagen, and some across packages."""
