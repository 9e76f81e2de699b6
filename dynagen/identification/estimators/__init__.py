"""Estimators: samples of a robot's motion and forces -> its parameters.

`least_squares` has what all of them solve in the end; `robust`, `instrumental` and `total` differ in what they take for error:
outliers, filtered noise in the regressor, and noise in all that was measured.
"""
