"""The recursions of rigid-body dynamics, recorded body by body.

A `@formula` is one equation of a paper, for one body. A `record_*` function walks over the bodies
of a `Recording` and applies formulas and operators to recorded values. The recording is general:
the passes remove the zeros and ones of a robot.

| function | read | source |
| --- | --- | --- |
| joints | `recording`, `screws`, `axis_joint`, `spherical_joint`, `floating_joint` | |
| inverse dynamics (RNEA) | `recording`, `frames`, `newton_euler` | Dhanaraj 1990, Table 2.4 |
| mass matrix (CRBA), gravity | `mass_matrix` | Walker and Orin 1982; Izaguirre and others 1992 |
| Coriolis matrix C | `coriolis` | Echeandia and Wensing 2021 |
| C^T qd | `kinetic_energy` | De Luca and others 2006 |
| energies | `energies` | Gautier 1997 |
| reference motions | `reference_motion`, `reference_regressor` | Slotine and Li 1987 |
| derivatives | `derivatives`, after `coriolis` | Singh, Russell and Wensing 2022 |
| forward dynamics (ABA) | `factorisation`, `articulated_inertia`, `articulated` | Saha 2003 |
| inverse of M | `factorisation`, `inverse_mass_matrix` | Takahashi and others 1973 |
| inertia at a frame | `operational_space` | Khatib 1987 |
| regressor | `regressor` | Gautier and Khalil 1990 |
| kinematics, centroidal momentum | `kinematics` | Whitney 1969; Orin and others 2013 |
| motion of a frame, dJ/dq, all poses | `frame_motion`, `kinematic_hessian`, `all_poses` | |
| friction | `friction` | Dhanaraj 1990, Tables 3.1 and 3.2 |
| integration | `integration` | Murray, Li and Sastry 1994 |

Conventions of all recursions:

- The axis of joint i is z of body i. A joint is two constants, `angular` and `linear`: rotation
  about z and translation along z per unit of its variable. So revolute, prismatic and helical
  joints share every formula. The ratio of a mimicking joint is contained in these constants.
- A joint with several motions has a screw for each, about and along an axis of the body. A cyclic
  exchange of axes makes this axis z, so that the same formulas apply (`Screw.exchange`).
- Outward means from the base to the tips: `rotate_outward` resolves a parent's vector in the body's
  axes. `rotate_inward` is the reverse (`rotations`).
- Inertia is described by the mass m, the first moment s = m c and the inertia J about the origin of
  the body. Forces are linear in these.
- The displacement to a body's origin is made in two steps: the constant part in the parent's axes,
  the other part along z.
- Gravity is an acceleration of the base upwards. So all accelerations of the recursions are minus
  gravity: of a body at rest, the acceleration points upwards.
- Bodies may be resolved in axes that do not rotate with their joints. Only `frames` depends on the
  choice.
- Results for joints are summed for the entries of v by which the joints move (`recording`). A
  floating base has six entries.
- Names of vectors: w, wd angular velocity and acceleration; a acceleration of the origin; f, n
  force and moment; x' the derivative of x by time; (u x) or u.hat() the matrix of the cross product
  with u.
"""
