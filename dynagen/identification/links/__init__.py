"""Links: inertial parameters of bodies, and which of them are those of a robot that can be built."""
