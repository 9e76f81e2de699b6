"""Draw the table that `two_rates` prints: python plot.py (needs matplotlib; writes error.png)."""

import subprocess
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")
from matplotlib import pyplot

HERE = Path(__file__).parent


def main() -> None:
    """Run the program `two_rates`, and draw the errors that it prints."""
    done = subprocess.run([HERE / "two_rates"], check=True, capture_output=True, text=True)
    rows = [line.strip("| \n").split("|") for line in done.stdout.splitlines()[2:]]
    ages, errors = zip(
        *((float(age), float(error.replace("%", ""))) for age, error in rows), strict=True
    )
    figure, axes = pyplot.subplots(figsize=(5, 3), layout="constrained")
    axes.plot(ages, errors, "o-")
    axes.set(
        xlabel="age of the coefficients (ms)",
        ylabel="largest error of a torque (%)",
        ylim=(0, None),
        xlim=(0, None),
    )
    axes.grid(visible=True, alpha=0.3)
    figure.savefig(HERE / "error.png", dpi=110)


if __name__ == "__main__":
    main()
