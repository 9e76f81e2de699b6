"""Identification: the parameters of a robot from logs of its motion and joint forces.

`logs` are read, checked by `log_faults` and filtered to `samples`; `regression` says how joint forces depend on parameters,
`estimators` find these, and `identification` is the whole way.
"""
