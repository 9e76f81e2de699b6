"""Draw errors during calibration: python plot.py (needs matplotlib; writes calibration.png)."""

import matplotlib as mpl

mpl.use("Agg")
from calibrate import DESCRIBED, HERE, NAMES, TRUE, calibrate
from matplotlib import pyplot


def main() -> None:
    """Calibrate the arm, and draw the error of each parameter after each Gauss-Newton step."""
    steps, _, errors = calibrate()
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(8, 3), layout="constrained")
    for name, error in zip(NAMES, ((steps - TRUE) / (DESCRIBED - TRUE)).T, strict=True):
        left.plot(100 * error, "o-", label=name, markersize=4)
    left.set(xlabel="step", ylabel="remaining error of the parameter (%)")
    left.legend()
    right.semilogy(errors, "o-", markersize=4)
    right.set(xlabel="step", ylabel="residual of the torques (N m)")
    for axes in (left, right):
        axes.grid(visible=True, alpha=0.3)
    figure.savefig(HERE / "calibration.png", dpi=110)


if __name__ == "__main__":
    main()
