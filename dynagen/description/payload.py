"""The payload that a robot carries: a link called so, whose ten inertial parameters come at run time."""

from __future__ import annotations

PAYLOAD = "payload"

PAYLOAD_PARAMETERS = {
    f"{PAYLOAD}_{name}": unit
    for names, unit in (
        (("mass",), "kg"),
        (("mx", "my", "mz"), "kg m"),
        (("jxx", "jyy", "jzz", "jxy", "jxz", "jyz"), "kg m^2"),
    )
    for name in names
}
"""Names and units of the run-time parameters: mass, first moments, inertia about the origin of the link's frame."""
