"""Verification: comparison of compiled kernels with independent references.

Verification of a compiled kernel against a robot description yields a `VerificationReport`, or an
error that names the worst state. There are two references, a Newton-Euler and a Lagrange
formulation. Both references are computed only from the robot description. The references use their
own frames and share no code with the generator except the constants of joint types.
"""
