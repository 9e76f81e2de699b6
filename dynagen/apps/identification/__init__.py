"""Identification: the parameters of a robot from logs of its motion and joint forces.

The way of the data: `tables` reads files, `logs` finds the columns in them, `faults` checks the
logs, `filtering` turns them into `samples`. `regression` is the regressor Y with tau = Y pi.
`triangular` accumulates the triangular factors of [Y | tau], which is all that least squares needs.
`estimators` and `instrumental` compute parameters; `estimation` chooses among them. `uncertainty`
computes standard deviations and drops insignificant parameters. `physical_links` restricts the
parameters to physically consistent links. `identified_description` writes a robot description,
`report` and `page` present the result. `identification` is the entry point.
"""
