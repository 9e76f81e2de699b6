"""The recursions of rigid-body dynamics, recorded body by body.

A function with the decorator `@formula` is one equation of a paper, for one body. A function
`record_*` computes with recorded values: it visits the bodies of a `Recording`, and each formula or
operator that it applies appends operations to the generated program. A recording contains all
operations of the general algorithm; the optimiser later removes operations with constants of the
robot that are zero or one.

| subject | modules, in reading order | source |
| --- | --- | --- |
| joints | `recording`, `screws`, `axis_joint`, `spherical_joint`, `floating_joint` | |
| inverse dynamics (RNEA) | `recording`, `frames`, `newton_euler` | Dhanaraj 1990, Table 2.4 |
| mass matrix (CRBA), gravity | `mass_matrix` | Walker and Orin 1982; Izaguirre and others 1992 |
| Coriolis matrix C | `coriolis` | Echeandia and Wensing 2021 |
| C^T qd, with joint velocities qd | `kinetic_energy` | De Luca and others 2006 |
| energies | `energies` | Gautier 1997 |
| reference motions | `reference_motion`, `reference_regressor` | Slotine and Li 1987 |
| derivatives | `derivatives`, after `coriolis` | Singh, Russell and Wensing 2022 |
| forward dynamics (ABA) | `factorisation`, `articulated_inertia`, `articulated` | Saha 2003 |
| inverse of the mass matrix | `factorisation`, `inverse_mass_matrix` | Takahashi and others 1973 |
| inertia at a frame | `operational_space` | Khatib 1987 |
| regressor | `regressor` | Gautier and Khalil 1990 |
| kinematics, centroidal momentum | `kinematics` | Whitney 1969; Orin and others 2013 |
| frame motion, poses, Jacobian derivative | `frame_motion`, `kinematic_hessian`, `all_poses` | |
| friction | `friction` | Dhanaraj 1990, Tables 3.1 and 3.2 |
| integration | `integration` | Murray, Li and Sastry 1994 |

All recursions share the following conventions:

- The axis of joint i is z of body i. A joint with one axis has two constants, `angular` and
  `linear`: the rotation about z and the translation along z per unit of its position. With these
  constants revolute, prismatic and helical joints share all formulas. The position of a mimicking
  joint is a multiple of another joint's position; its constants contain this factor.
- A joint with several degrees of freedom has one screw for each: a motion about or along an axis of
  the body. A cyclic exchange of the body's axes makes this axis z, so that the formulas for z apply
  (`Screw.exchange`).
- Outward means from the base to the tips: `rotate_outward` resolves a parent's vector in the body's
  axes. `rotate_inward` resolves a body's vector in the parent's axes (`rotations`).
- The inertial parameters of a body are its mass m, its first moment s = m c (centre of mass c), and
  its inertia J about the body's origin. Forces are linear in m, s and J.
- The displacement from the parent's origin to a body's origin has two parts: a constant vector in
  the parent's axes, and a vector along z of the body.
- Gravity is represented by an upward acceleration of the base. Each acceleration in a recursion is
  therefore the true acceleration minus gravity.
- The vectors of a body may be resolved in axes that do not rotate with its joint. Only the module
  `frames` depends on the choice of the axes in which vectors are resolved.
- v is the vector of all joint velocities; a floating base has six entries of v. A mimicking joint
  shares the entry of the joint that it follows; results of the two joints are added (`recording`).
- Names of vectors: w, wd angular velocity and acceleration; a acceleration of the origin; f, n
  force and moment; x' the time derivative of x; (u x) or u.hat() the matrix of the cross product
  with u.
"""
