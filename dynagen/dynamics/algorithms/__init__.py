"""The recursions of rigid-body dynamics, body by body, written to a recorder."""
