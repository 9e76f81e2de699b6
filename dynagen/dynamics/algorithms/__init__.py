"""The recursions of rigid-body dynamics, body by body, written to a recorder.

A `@formula` is one equation of a paper, for one body. A `record_*` function walks over the bodies of a `Recording` and applies
formulas and operators to recorded values. The recording is general: the passes remove this robot's zeros and ones.

| to follow | read | from |
| --- | --- | --- |
| inverse dynamics | `recording`, `frames`, `newton_euler_steps`, `newton_euler` | Dhanaraj 1990, Table 2.4 |
| the mass matrix, gravity forces | `composite` | Walker and Orin 1982; Izaguirre and others 1992 |
| the Coriolis matrix, C^T qd | `coriolis`, `momentum` | Echeandia and Wensing 2021; De Luca and others 2006 |
| derivatives | `derivatives`, which adds to `coriolis` | Singh, Russell and Wensing 2022 |
| forward dynamics | `composite` and `factorisation`, or `articulated` | Featherstone 2005; Saha 2003, Featherstone 1983 |
| the regressor | `unit_parameters`, `regressor` | Gautier and Khalil 1990 |
| poses, Jacobians, centroidal momentum | `kinematics`, `jacobians`, `centroidal` | Whitney 1969; Orin, Goswami and Lee 2013 |
| friction | `friction`, `bearings` | Dhanaraj 1990, Tables 3.1 and 3.2 |

Conventions of all recursions:

- The axis of joint i is z of body i. A joint is two constants, `angular` and `linear`: rotation about z and translation along
  z per unit of its variable. So revolute, prismatic and helical joints share every formula; the ratio of a mimic joint is in
  these constants.
- Outward leads from the base to the tips, and vectors from the parent's axes to the body's; inward leads back (`rotations`).
- Inertia enters by mass m, first moment s = m c and inertia J about the origin of the body, in which forces are linear.
- The displacement to a body's origin is made in two steps: the constant part in the parent's axes, the rest along z.
- Gravity is an acceleration of the base upwards, so that accelerations are less gravity.
- Bodies may be resolved in axes that do not rotate with their joints (`frames`): only `frames` knows which are chosen.
- Results for joints are summed for the entries of v that the joints move by (`coordinates`); a floating base has six entries.
"""
