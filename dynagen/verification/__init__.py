"""Verification: compiled kernel + RobotDescription -> VerificationReport, or an error that names the state.

The references are written twice, as Newton-Euler and as Lagrange equations, from the description alone: they build their own
frames and share nothing with the generator but the joint constants.
"""
