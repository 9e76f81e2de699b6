"""Identification: the parameters of a robot from logs of its motion and joint forces.

`logs` are read, checked by `log_faults` and filtered to `samples`; `regression` says how joint forces depend on parameters,
`triangular` accumulates what least squares needs of logs of any length, `estimators` find the parameters, `identification` is
the whole way. `excitation` finds motions that tell parameters apart.
"""
