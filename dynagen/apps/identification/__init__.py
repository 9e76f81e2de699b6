"""Identification: the parameters of a robot from logs of its motion and joint forces.

The modules of this folder in the order in which an identification uses them: `tables` reads files,
`logs` finds the columns in the tables, `faults` checks the logs, and `filtering` turns logs into
`samples`. `regression` computes the regressor Y with tau = Y pi, where tau contains the joint
forces and pi the parameters. `triangular` computes the upper triangular matrix R with R^T R = [Y |
tau]^T [Y | tau], from which least squares is solved. `estimators` and `instrumental` compute
parameters; `estimation` chooses the estimator. `uncertainty` computes standard deviations and drops
insignificant parameters. `physical_links` restricts the parameters to physically consistent links.
`identified_description` writes a robot description. `report` and `page` present the result of the
identification. `identification` contains the entry point `dynagen.identify`.
"""
