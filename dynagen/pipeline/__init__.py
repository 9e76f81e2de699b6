"""Pipeline from the settings of a run to proved code and its delivery."""
