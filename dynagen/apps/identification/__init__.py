"""Identification: the parameters of a robot from logs of its motion and joint forces.

`logs` are read, checked and filtered to `samples`; `regression` says how joint forces depend on parameters, `triangular`
accumulates what least squares needs of logs of any length, `estimators` find the parameters, `judgement` says how certain they
are, `links` whether they are those of a robot that can be built, `report` tells it; `identification` is the whole way.
"""
