"""Verification: comparison of compiled kernels with independent references.

Kernels are compared with two references: numeric dynamics in a Newton-Euler and in a Lagrange
formulation. Both references are computed only from the robot description. They use their own frames
and share no code with the generator except the constants of joint types. The result is a
`VerificationReport`.
"""
