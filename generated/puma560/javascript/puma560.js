/**
 * puma560: robot dynamics in straight-line JavaScript.
 *
 * Robot    puma560, 6 joints
 * Source   Dhanaraj (1990), Tables 2.1, 2.5, 2.6
 * Input    puma560.yaml
 * SHA-256  0ebf8bb35f823656d99aa6cf95155e8cc1a3b7c0a28ce51b200c4cc3f5d2d309
 * Gravity  (0, 0, -9.8) m/s^2 in the base frame
 * Tool     the frame of link wrist_3
 * Proof    Every entry of an output has to satisfy |computed - expected| <= 1e-12 * S in every
 *          state, where S is the largest |expected| of that entry over all states, but at least
 *          1e-2 of the largest sum of the magnitudes of its terms (so that an entry which is zero
 *          by symmetry is not held to the rounding of terms that cancel). NaN and infinity fail.
 *
 * index  joint      type      position  force
 * 0      waist      revolute  rad       N m
 * 1      upper_arm  revolute  rad       N m
 * 2      forearm    revolute  rad       N m
 * 3      wrist_1    revolute  rad       N m
 * 4      wrist_2    revolute  rad       N m
 * 5      wrist_3    revolute  rad       N m
 *
 * All quantities are in SI units. Arrays are flat, matrices row-major. A function writes results to
 * its last arguments, allocates no memory, and keeps no data for later calls. An output may be the
 * same array as an input. A NaN in an input gives NaN in every result that depends on this input.
 * Input entries that no result depends on are not read.
 *
 * Names: i and j number bodies and joints from 1; _x, _xy are components in the axes of body i.
 *
 *   s<i>        sine of the angle about joint axis i, summed over the parallel joints before it
 *   c<i>        cosine of the angle about joint axis i, summed over the parallel joints before it
 *   ms<i>       first moment of body i about its origin, kg m (MS, Khalil and Kleinfinger 1987)
 *   j<i>        inertia of body i about its origin, kg m^2 (J, Khalil and Kleinfinger 1987)
 *   theta<i>    sum of the positions of joint i and the parallel joints before it, rad
 *   w<i>        angular velocity of body i, rad/s
 *   wd<i>       angular acceleration of body i, rad/s^2
 *   k<i>        products of angular velocities of body i: w_y w_z, w_x w_z, w_x w_y, 1/s^2
 *               (Dhanaraj 1990, eq. 2.28)
 *   l<i>        acceleration difference matrix of body i: l r = wd x r + w x (w x r), 1/s^2
 *               (Dhanaraj 1990, eq. 2.27)
 *   a<i>        acceleration of the origin of body i minus gravity, m/s^2
 *   bf<i>       inertial force of body i, N
 *   bm<i>       inertial moment of body i, N m
 *   f<i>        force that joint i transmits to body i, N
 *   n<i>        moment that joint i transmits to body i, N m
 *   tau<i>      joint force of joint i, N m or N
 *   g<i>        joint force of joint i that balances gravity, N m or N
 *   cj<i>       inertia of composite i (body i and all it carries) about the origin of body i,
 *               kg m^2
 *   h<j>_<i>    angular momentum of composite j at a unit velocity of joint j, about the origin of
 *               body i
 *   m<i>_<j>    entry i, j of the mass matrix
 *   aj<i>       articulated inertia of body i, about its origin: aj wd is the moment for an angular
 *               acceleration wd (Featherstone 1983)
 *   ah<i>       coupling in the articulated inertia of body i: ah a is the moment for an
 *               acceleration a (Featherstone 1983)
 *   dinv<i>     reciprocal of pivot i, the inertia along joint i while the joints beyond it are
 *               free
 *   u<i>        force of joint i minus the force of joint i at zero joint accelerations
 *   cuf<j>_<i>  force for a unit acceleration of joint j in its cluster, in the axes of body i
 *   cun<j>_<i>  moment for a unit acceleration of joint j in its cluster, about the origin of body
 *               i
 *   lf<i>_<j>   entry i, j of L in the factorisation M = L^T D L of the mass matrix (Featherstone
 *               2005)
 *   dwd<i>      angular acceleration of body i due to joint accelerations, rad/s^2
 *   fx<i>       unit vector x of the frame, in the axes of body i (0: the base)
 *   fy<i>       unit vector y of the frame, in the axes of body i (0: the base)
 *   fz<i>       unit vector z of the frame, in the axes of body i (0: the base)
 *   fp<i>       position of the frame from the origin of body i (0: the base), m
 *   ex<i>       unit vector x of the Jacobian's axes, in axes of body i
 *   ey<i>       unit vector y of the Jacobian's axes, in axes of body i
 *   ez<i>       unit vector z of the Jacobian's axes, in axes of body i
 *   er<i>       position of the frame from the origin of body i, in the Jacobian's axes, m
 *   jv<i>       linear part of column i of the Jacobian (Whitney 1969)
 *   qdd_<k>     copy of qdd[k], read before results are stored
 *   q_<k>       copy of q[k], read before results are stored
 *   t<k>        a part of an expression
 *   minus_      negative of a value: minus_x is -x
 *
 * Constants, as formulas of the description's names or keys (m mass, c centre of mass, I inertia
 * about the centre of mass, Ia motor inertia, g gravity); links count from 1. All other constants
 * are sums of regrouped terms: see `dynagen --explain-constants`.
 *
 *   4e-05 = Izz6, 5.8464e-05 = -m6*a4*cz6, 0.000116928 = -2*m6*a4*cz6,
 *   0.00024216 = Ixx5 + Iyy6 + m6*cz6**2 - Iyy5, 0.0003 = Ixx4 + Iyy5 - Iyy4,
 *   0.0004 = Iyy5 + Izz5 - Ixx5, 0.000432288 = m6*cz6*d2 + m6*cz6*d3,
 *   0.00064216 = Iyy6 + Izz5 + m6*cz6**2, 0.000864576 = 2*m6*cz6*d2 + 2*m6*cz6*d3,
 *   0.001243584 = m6*a3*cz6, 0.001247328 = m6*cz6*d4, 0.0013 = Iyy4 + Izz4 - Ixx4,
 *   0.0016 = Iyy5 + Izz4, 0.00184216 = Ixx5 + Iyy6 + Izz4 + m6*cz6**2, 0.002487168 = 2*m6*a3*cz6,
 *   0.002494656 = 2*m6*cz6*d4, 0.00288 = m6*cz6, 0.004704 = -m3*cy3*cz3, 0.0070992 = m2*cx2*cy2,
 *   0.010956925 = -m4*a3*a4 - m5*a3*a4 - m6*a3*a4, 0.0141984 = 2*m2*cx2*cy2, 0.0203 = -a4,
 *   0.023751 = m2*cy2*cz2 + m2*cy2*d2, 0.025375 = -m4*a4 - m5*a4 - m6*a4, 0.028224 = -m6*cz6*gz,
 *   0.1044 = m2*cy2, 0.1501 = d2 + d3, 0.179 = Ia5, 0.17964216 = Ia5 + Iyy6 + Izz5 + m6*cz6**2,
 *   0.193 = Ia6, 0.19304 = Ia6 + Izz6, 0.2 = Ia4, 0.248675 = m4*a4*gz + m5*a4*gz + m6*a4*gz,
 *   0.3476146364057434 = d2/a3 + d3/a3, 0.4318 = a3, 0.4331 = d4, 0.83 = Ia3,
 *   1.02312 = -m2*cy2*gz, 9.8 = -gz
 *
 * Generated by dynagen 0.2.0 from puma560.yaml. Do not edit.
 * You own the generated code; the dynagen authors claim no rights to it.
 * SPDX-License-Identifier: LicenseRef-Owner-Of-Generated-Code
 *
 * @module puma560
 */

/** Number of moving joints. */
export const N = 6;

export const JOINTS = Object.freeze([
  "waist",
  "upper_arm",
  "forearm",
  "wrist_1",
  "wrist_2",
  "wrist_3",
]);

/**
 * tau = M(q) qdd + C(q, qd) qd + g(q).
 * 165 mul, 115 add, 0 div, 4 sincos. Proved on 1000 states within 1e-12.
 * Inertial parameters are regrouped: inertia that a joint cannot observe is moved to the parent
 * body. Origins are moved along joint axes. Bodies 1, 2, 3 and 6 are resolved in axes that do not
 * rotate with the joint. The displacement to body 4 is computed in one step, in the parent's
 * axes.
 *
 *   q    in   6  joint positions, rad
 *   qd   in   6  joint velocities, rad/s
 *   qdd  in   6  joint accelerations, rad/s^2
 *   tau  out  6  joint forces, N m
 *
 * @param {Float64Array} q
 * @param {Float64Array} qd
 * @param {Float64Array} qdd
 * @param {Float64Array} tau
 */
export function inverse_dynamics(q, qd, qdd, tau) {
  // Inputs
  const qdd_0 = qdd[0];
  const qdd_1 = qdd[1];
  const qdd_2 = qdd[2];
  const qdd_3 = qdd[3];
  const qdd_4 = qdd[4];

  // Joint positions
  const s2 = Math.sin(q[1]);
  const c2 = Math.cos(q[1]);
  const ms2_x = 3.79559*c2 - 0.1044*s2;
  const t1 = 0.0141984*c2 + 1.601861202*s2;
  const j2_xy = 0.0070992 - c2*t1;
  const j2_xz = 0.023751*s2 - 0.690314699*c2;
  const minus_j2_yz = 0.023751*c2 + 0.690314699*s2;
  const t2 = 0.4318*c2;
  const t3 = 0.4318*s2;
  const theta3 = q[1] + q[2];
  const s3 = Math.sin(theta3);
  const c3 = Math.cos(theta3);
  const ms3_x = 0.861795*s3 - 0.025375*c3;
  const minus_ms3_y = 0.861795*c3 + 0.025375*s3;
  const t4 = 0.299575024*s3 - 0.021347277*c3;
  const j3_xy = c3*t4 + 0.0106736385;
  const j3_yz = 0.004704*c3;
  const t5 = 0.4331*s3 - 0.0203*c3;
  const t6 = 0.4331*c3 + 0.0203*s3;
  const s4 = Math.sin(q[3]);
  const c4 = Math.cos(q[3]);
  const s5 = Math.sin(q[4]);
  const c5 = Math.cos(q[4]);

  // Outward, body 2 (upper_arm)
  const minus_wd2_x = qd[0]*qd[1];
  const minus_l3_zz = qd[0]*qd[0];
  const minus_l2_yy = qd[1]*qd[1];
  const minus_l2_xx = minus_l3_zz + minus_l2_yy;
  const minus_l2_zy = 2.0*minus_wd2_x;

  // Outward, body 3 (forearm)
  const w3_z = qd[1] + qd[2];
  const wd3_z = qdd_1 + qdd_2;
  const minus_wd3_x = qd[0]*w3_z;
  const minus_l3_yy = w3_z*w3_z;
  const minus_l3_xx = minus_l3_zz + minus_l3_yy;
  const minus_l3_zy = 2.0*minus_wd3_x;
  const a3_y = qdd_1*t2 - 9.8 - minus_l2_yy*t3;
  const minus_a3_x = minus_l2_xx*t2 + qdd_1*t3 + 0.1501*qdd_0;
  const a3_z = qdd_0*t2 - minus_l2_zy*t3 - 0.1501*minus_l3_zz;

  // Outward, body 4 (wrist_1)
  const t7 = s3*qd[0];
  const w4_x = s4*w3_z - c4*t7;
  const w4_y = c4*w3_z + s4*t7;
  const t8 = c3*minus_wd3_x + s3*qdd_0;
  const w4_z = c3*qd[0] + qd[3];
  const wd4_x = s4*wd3_z - c4*t8 + w4_y*qd[3];
  const wd4_z = c3*qdd_0 - s3*minus_wd3_x + qdd_3;
  const k4_x = w4_y*w4_z;
  const k4_y = w4_x*w4_z;
  const k4_z = w4_x*w4_y;
  const t9 = wd3_z*t6 - (minus_a3_x + minus_l3_xx*t5);
  const t10 = a3_y + wd3_z*t5 + minus_l3_yy*t6;
  const t11 = a3_z + qdd_0*t5 + minus_l3_zy*t6;
  const t12 = c3*t9 + s3*t10;
  const a4_z = s3*t9 - c3*t10;
  const a4_x = c4*t12 + s4*t11;

  // Outward, body 5 (wrist_2)
  const w5_x = c5*w4_x - s5*w4_z;
  const minus_w5_y = c5*w4_z + s5*w4_x;
  const w5_z = w4_y + qd[4];
  const wd5_x = c5*wd4_x - s5*wd4_z - minus_w5_y*qd[4];
  const minus_wd5_y = c5*wd4_z + s5*wd4_x + w5_x*qd[4];
  const wd5_z = qdd_4 - (w4_x*qd[3] - (c4*wd3_z + s4*t8));
  const minus_k5_x = minus_w5_y*w5_z;
  const k5_y = w5_x*w5_z;
  const minus_k5_z = w5_x*minus_w5_y;
  const minus_l5_xy = minus_k5_z + wd5_z;
  const minus_l5_yy = w5_x*w5_x + w5_z*w5_z;
  const l5_zy = wd5_x - minus_k5_x;
  const minus_a5_z = s4*t12 - c4*t11;
  const a5_x = c5*a4_x - s5*a4_z;

  // Outward, body 6 (wrist_3)
  const w6_z = minus_w5_y + qd[5];
  const wd6_z = minus_wd5_y + qdd[5];

  // Inward, body 6 (wrist_3)
  const t13 = 4e-05*w6_z;
  const bm6_x = w5_z*t13;
  const minus_bm6_y = w5_x*t13;
  const bm6_z = 4e-05*wd6_z;
  const tau6 = bm6_z + 0.193*qdd[5];
  tau[5] = tau6;

  // Inward, body 5 (wrist_2)
  const bf5_x = 0.00288*minus_l5_xy;
  const bf5_y = 0.00288*minus_l5_yy;
  const minus_bf5_z = 0.00288*l5_zy;
  const bm5_x = 0.00024216*wd5_x - 0.00064216*minus_k5_x + 0.00288*minus_a5_z;
  const minus_bm5_y = 0.0004*k5_y;
  const bm5_z = 0.00064216*wd5_z + 0.00024216*minus_k5_z + 0.00288*a5_x;
  const n5_x = bm5_x + bm6_x;
  const minus_n5_y = minus_bm5_y + bm6_z;
  const n5_z = bm5_z - minus_bm6_y;
  const tau5 = n5_z + 0.179*qdd_4;
  tau[4] = tau5;
  const f4_x = c5*bf5_x - s5*bf5_y;
  const minus_f4_z = c5*bf5_y + s5*bf5_x;

  // Inward, body 4 (wrist_1)
  const bm4_x = 0.0003*wd4_x + 0.0016*k4_x;
  const minus_bm4_y = 0.0013*k4_y;
  const bm4_z = 0.0016*wd4_z - 0.0003*k4_z;
  const n4_x = bm4_x + (c5*n5_x + s5*minus_n5_y);
  const n4_y = n5_z - minus_bm4_y;
  const n4_z = bm4_z - (s5*n5_x - c5*minus_n5_y);
  const tau4 = n4_z + 0.2*qdd_3;
  tau[3] = tau4;
  const t14 = c4*f4_x + s4*minus_bf5_z;
  const t15 = s4*f4_x - c4*minus_bf5_z;
  const t16 = c3*t14 - s3*minus_f4_z;
  const t17 = c3*minus_f4_z + s3*t14;

  // Inward, body 3 (forearm)
  const bf3_x = wd3_z*minus_ms3_y - minus_l3_xx*ms3_x;
  const bf3_y = wd3_z*ms3_x + minus_l3_yy*minus_ms3_y;
  const bf3_z = qdd_0*ms3_x + minus_l3_zy*minus_ms3_y;
  const bm3_z = 0.333105249*wd3_z - j3_xy*minus_l3_zz - j3_yz*qdd_0 + ms3_x*a3_y
    - minus_ms3_y*minus_a3_x;
  const f3_x = bf3_x + t16;
  const f3_y = bf3_y + t17;
  const f3_z = bf3_z + t15;
  const n3_z = bm3_z + (c4*n4_y + s4*n4_x + t5*t17 + t6*t16);
  const tau3 = n3_z + 0.83*qdd_2;
  tau[2] = tau3;

  // Inward, body 2 (upper_arm)
  const bm2_z = 6.458114002*qdd_1 - j2_xy*minus_l3_zz + minus_j2_yz*qdd_0 - 9.8*ms2_x;
  const n2_z = bm2_z + (n3_z + t2*f3_y - t3*f3_x);
  tau[1] = n2_z;

  // Inward, body 1 (waist)
  const n1_z = qdd_0*(4.293482265 - s2*t1 + s3*t4) + j2_xy*minus_l2_zy - j2_xz*minus_l2_yy
    + minus_j2_yz*qdd_1 - j3_yz*wd3_z + j3_xy*minus_l3_zy
    + s3*(0.004704*minus_l3_yy - (c4*n4_x - s4*n4_y)) + ms3_x*a3_z + c3*n4_z + t5*t15 - 0.1501*f3_x
    + t2*f3_z;
  tau[0] = n1_z;
}

/**
 * g = g(q).  13 mul, 7 add, 0 div, 4 sincos. Proved on 1000 states within 1e-12.
 * Inertial parameters are regrouped: inertia that a joint cannot observe is moved to the parent
 * body. Origins are moved along joint axes. Bodies 1, 2 and 3 are resolved in axes that do not
 * rotate with the joint.
 *
 *   q  in   6  joint positions, rad
 *   g  out  6  joint forces that balance gravity, N m
 *
 * @param {Float64Array} q
 * @param {Float64Array} g
 */
export function gravity_forces(q, g) {
  // Inputs
  const q_1 = q[1];
  const q_2 = q[2];
  const q_3 = q[3];
  const q_4 = q[4];

  // Results that require no operation
  g[0] = 0.0;
  g[5] = 0.0;

  // Joint positions
  const s2 = Math.sin(q_1);
  const c2 = Math.cos(q_1);
  const theta3 = q_1 + q_2;
  const s3 = Math.sin(theta3);
  const c3 = Math.cos(theta3);
  const s4 = Math.sin(q_3);
  const c4 = Math.cos(q_3);
  const s5 = Math.sin(q_4);
  const c5 = Math.cos(q_4);

  // Gravity
  const t1 = 0.028224*s5;
  const minus_g3 = s3*(8.445591 + 0.028224*c5) - c3*(0.248675 - c4*t1);
  const g2 = 1.02312*s2 - 37.196782*c2 - minus_g3;
  g[1] = g2;
  const g3 = -minus_g3;
  g[2] = g3;
  const g4 = s3*s4*t1;
  g[3] = g4;
  const g5 = -0.028224*(s3*c4*c5 + c3*s5);
  g[4] = g5;
}

/**
 * h = C(q, qd) qd + g(q).  135 mul, 83 add, 0 div, 4 sincos. Proved on 1000 states within 1e-12.
 * Inertial parameters are regrouped: inertia that a joint cannot observe is moved to the parent
 * body. Origins are moved along joint axes. Bodies 1, 2, 3 and 6 are resolved in axes that do not
 * rotate with the joint. The displacement to body 4 is computed in one step, in the parent's
 * axes.
 *
 *   q   in   6  joint positions, rad
 *   qd  in   6  joint velocities, rad/s
 *   h   out  6  Coriolis, centrifugal and gravity joint forces, N m
 *
 * @param {Float64Array} q
 * @param {Float64Array} qd
 * @param {Float64Array} h
 */
export function bias_forces(q, qd, h) {
  // Joint positions
  const s2 = Math.sin(q[1]);
  const c2 = Math.cos(q[1]);
  const ms2_x = 3.79559*c2 - 0.1044*s2;
  const j2_xy = 0.0070992 - c2*(0.0141984*c2 + 1.601861202*s2);
  const j2_xz = 0.023751*s2 - 0.690314699*c2;
  const t1 = 0.4318*c2;
  const t2 = 0.4318*s2;
  const theta3 = q[1] + q[2];
  const s3 = Math.sin(theta3);
  const c3 = Math.cos(theta3);
  const ms3_x = 0.861795*s3 - 0.025375*c3;
  const minus_ms3_y = 0.861795*c3 + 0.025375*s3;
  const j3_xy = c3*(0.299575024*s3 - 0.021347277*c3) + 0.0106736385;
  const t3 = 0.4331*s3 - 0.0203*c3;
  const t4 = 0.4331*c3 + 0.0203*s3;
  const s4 = Math.sin(q[3]);
  const c4 = Math.cos(q[3]);
  const s5 = Math.sin(q[4]);
  const c5 = Math.cos(q[4]);

  // Outward, body 2 (upper_arm)
  const minus_wd2_x = qd[0]*qd[1];
  const minus_l3_zz = qd[0]*qd[0];
  const minus_l2_yy = qd[1]*qd[1];
  const minus_l2_xx = minus_l3_zz + minus_l2_yy;
  const minus_l2_zy = 2.0*minus_wd2_x;

  // Outward, body 3 (forearm)
  const w3_z = qd[1] + qd[2];
  const minus_wd3_x = qd[0]*w3_z;
  const minus_l3_yy = w3_z*w3_z;
  const minus_l3_xx = minus_l3_zz + minus_l3_yy;
  const minus_l3_zy = 2.0*minus_wd3_x;
  const minus_a3_x = minus_l2_xx*t1;
  const a3_y = -9.8 - minus_l2_yy*t2;
  const minus_a3_z = minus_l2_zy*t2 + 0.1501*minus_l3_zz;

  // Outward, body 4 (wrist_1)
  const t5 = s3*qd[0];
  const w4_x = s4*w3_z - c4*t5;
  const w4_y = c4*w3_z + s4*t5;
  const t6 = c3*minus_wd3_x;
  const minus_wd4_z = s3*minus_wd3_x;
  const w4_z = c3*qd[0] + qd[3];
  const wd4_x = w4_y*qd[3] - c4*t6;
  const k4_x = w4_y*w4_z;
  const k4_y = w4_x*w4_z;
  const k4_z = w4_x*w4_y;
  const t7 = minus_a3_x + minus_l3_xx*t3;
  const t8 = a3_y + minus_l3_yy*t4;
  const t9 = minus_l3_zy*t4 - minus_a3_z;
  const t10 = s3*t8 - c3*t7;
  const minus_a4_z = c3*t8 + s3*t7;
  const a4_x = c4*t10 + s4*t9;

  // Outward, body 5 (wrist_2)
  const w5_x = c5*w4_x - s5*w4_z;
  const minus_w5_y = c5*w4_z + s5*w4_x;
  const minus_wd5_z = w4_x*qd[3] - s4*t6;
  const w5_z = w4_y + qd[4];
  const wd5_x = c5*wd4_x + s5*minus_wd4_z - minus_w5_y*qd[4];
  const minus_k5_x = minus_w5_y*w5_z;
  const k5_y = w5_x*w5_z;
  const minus_k5_z = w5_x*minus_w5_y;
  const l5_xy = minus_wd5_z - minus_k5_z;
  const minus_l5_yy = w5_x*w5_x + w5_z*w5_z;
  const l5_zy = wd5_x - minus_k5_x;
  const minus_a5_z = s4*t10 - c4*t9;
  const a5_x = c5*a4_x + s5*minus_a4_z;

  // Outward, body 6 (wrist_3)
  const wd6_z = w5_x*qd[4] - (c5*minus_wd4_z - s5*wd4_x);
  const w6_z = minus_w5_y + qd[5];

  // Inward, body 6 (wrist_3)
  const t11 = 4e-05*w6_z;
  const bm6_x = w5_z*t11;
  const minus_bm6_y = w5_x*t11;
  const bm6_z = 4e-05*wd6_z;
  h[5] = bm6_z;

  // Inward, body 5 (wrist_2)
  const minus_bf5_x = 0.00288*l5_xy;
  const bf5_y = 0.00288*minus_l5_yy;
  const minus_bf5_z = 0.00288*l5_zy;
  const bm5_x = 0.00024216*wd5_x - 0.00064216*minus_k5_x + 0.00288*minus_a5_z;
  const minus_bm5_y = 0.0004*k5_y;
  const bm5_z = 0.00024216*minus_k5_z - 0.00064216*minus_wd5_z + 0.00288*a5_x;
  const n5_x = bm5_x + bm6_x;
  const minus_n5_y = minus_bm5_y + bm6_z;
  const n5_z = bm5_z - minus_bm6_y;
  h[4] = n5_z;
  const minus_f4_x = c5*minus_bf5_x + s5*bf5_y;
  const minus_f4_z = c5*bf5_y - s5*minus_bf5_x;

  // Inward, body 4 (wrist_1)
  const bm4_x = 0.0003*wd4_x + 0.0016*k4_x;
  const minus_bm4_y = 0.0013*k4_y;
  const minus_bm4_z = 0.0016*minus_wd4_z + 0.0003*k4_z;
  const n4_x = bm4_x + (c5*n5_x + s5*minus_n5_y);
  const n4_y = n5_z - minus_bm4_y;
  const minus_n4_z = minus_bm4_z + (s5*n5_x - c5*minus_n5_y);
  const n4_z = -minus_n4_z;
  h[3] = n4_z;
  const t12 = s4*minus_bf5_z - c4*minus_f4_x;
  const t13 = c4*minus_bf5_z + s4*minus_f4_x;
  const t14 = c3*t12 - s3*minus_f4_z;
  const t15 = c3*minus_f4_z + s3*t12;

  // Inward, body 3 (forearm)
  const minus_bf3_x = minus_l3_xx*ms3_x;
  const bf3_y = minus_l3_yy*minus_ms3_y;
  const bf3_z = minus_l3_zy*minus_ms3_y;
  const bm3_z = ms3_x*a3_y - j3_xy*minus_l3_zz - minus_ms3_y*minus_a3_x;
  const f3_x = t14 - minus_bf3_x;
  const f3_y = bf3_y + t15;
  const f3_z = bf3_z - t13;
  const n3_z = bm3_z + (c4*n4_y + s4*n4_x + t3*t15 + t4*t14);
  h[2] = n3_z;

  // Inward, body 2 (upper_arm)
  const minus_bm2_z = j2_xy*minus_l3_zz + 9.8*ms2_x;
  const n2_z = n3_z + t1*f3_y - t2*f3_x - minus_bm2_z;
  h[1] = n2_z;
  const n1_z = t1*f3_z
    - (j2_xz*minus_l2_yy - j2_xy*minus_l2_zy + ms3_x*minus_a3_z - j3_xy*minus_l3_zy
    - s3*(0.004704*minus_l3_yy - (c4*n4_x - s4*n4_y)) + c3*minus_n4_z + t3*t13 + 0.1501*f3_x);
  h[0] = n1_z;
}

/**
 * M = M(q).  65 mul, 53 add, 0 div, 4 sincos. Proved on 1000 states within 1e-12.
 * Inertial parameters are regrouped: inertia that a joint cannot observe is moved to the parent
 * body. Origins are moved along joint axes. Body 2 is resolved in axes that do not rotate with
 * the joint.
 *
 *   q  in   6      joint positions, rad
 *   M  out  6 x 6  mass matrix, motor inertias included; symmetric, kg m^2
 *
 * @param {Float64Array} q
 * @param {Float64Array} M
 */
export function mass_matrix(q, M) {
  // Inputs
  const q_1 = q[1];
  const q_2 = q[2];
  const q_3 = q[3];
  const q_4 = q[4];

  // Results that require no operation
  M[22] = 0.0;
  M[27] = 0.0;
  M[28] = 0.17964216;
  M[29] = 0.0;
  M[34] = 0.0;
  M[35] = 0.19304;

  // Joint positions
  const s2 = Math.sin(q_1);
  const c2 = Math.cos(q_1);
  const theta3 = q_1 + q_2;
  const s3 = Math.sin(theta3);
  const c3 = Math.cos(theta3);
  const s4 = Math.sin(q_3);
  const c4 = Math.cos(q_3);
  const s5 = Math.sin(q_4);
  const c5 = Math.cos(q_4);

  // Composite of body 3 (forearm)
  const t1 = c4*s5;
  const t2 = 0.010956925 - 0.001243584*t1;
  const t3 = 0.00020216*c5;
  const t4 = c5*t3;
  const t5 = c4*(0.00030216 - t4);
  const t6 = 5.8464e-05*s5;
  const t7 = 0.000116928*t1;
  const t8 = t7 + t4;
  const t9 = 0.002494656*c5;
  const t10 = c4*t5;
  const t11 = c3*c5;
  const t12 = 0.001247328 + t3;
  const t13 = s4*s5;
  const minus_h4_3_z = t12*t13;
  const h3_2_y = 0.000432288*t11 + s3*(0.3476146364057434*t2 - s4*(t5 - t6))
    + c3*(0.1340594295 + minus_h4_3_z);
  const t14 = s2*s3 + c2*c3;
  const t15 = 0.744246162 + 0.002487168*c5;
  const t16 = s2*c3 - c2*s3;
  const t17 = t2*t14 + 0.5*t15*t16;
  const t18 = t7 - 0.333445249 - t4 - t9 - t10;
  const cj2_zz = 6.458114002 - 2.0*t17 - t18;
  M[7] = cj2_zz;

  // Composite of body 2 (upper_arm)
  const cj1_zz = 2.693463223
    + s3*(s3*(0.298375024 + t9 - t10 + t8) - 0.000116928*t11 - c3*(0.021347277 - 2.0*t12*t1))
    + 0.000864576*t13 - t8 - c2*(0.0141984*s2 - 1.601861202*c2 - s3*t15 + 2.0*c3*t2);
  M[0] = cj1_zz;

  // Mass matrix, joint 2 (upper_arm)
  const t19 = 0.001243584*t13;
  const h2_1_z = 0.023751*c2 - h3_2_y + s2*(0.690314699 + t19);
  M[1] = h2_1_z;
  M[6] = h2_1_z;

  // Mass matrix, joint 3 (forearm)
  const m3_3 = 0.83 - t18;
  M[14] = m3_3;
  const minus_h3_2_z = t17 + t18;
  const h3_2_z = -minus_h3_2_z;
  M[8] = h3_2_z;
  M[13] = h3_2_z;
  const h3_1_z = -h3_2_y;
  M[2] = h3_1_z;
  M[12] = h3_1_z;

  // Mass matrix, joint 4 (wrist_1)
  const m4_4 = 0.20184216 - t4;
  M[21] = m4_4;
  const h4_3_z = -minus_h4_3_z;
  M[15] = h4_3_z;
  M[20] = h4_3_z;
  const h4_2_z = t16*t19 - minus_h4_3_z;
  M[9] = h4_2_z;
  M[19] = h4_2_z;
  const t20 = 0.001243584*c2 - 5.8464e-05*c3;
  const h4_1_z = (s3*t12 + t20)*t1 + c3*(0.00184216 + 0.000432288*t13 - t4);
  M[3] = h4_1_z;
  M[18] = h4_1_z;

  // Mass matrix, joint 5 (wrist_2)
  const t21 = 0.00064216 + 0.001247328*c5;
  const h5_3_z = c4*t21 - t6;
  M[16] = h5_3_z;
  M[26] = h5_3_z;
  const h5_2_z = 0.001243584*(s5*t14 - c4*c5*t16) + h5_3_z;
  M[10] = h5_2_z;
  M[25] = h5_2_z;
  const h5_1_z = 0.000432288*(s3*s5 - c4*t11) + s4*(s3*t21 + c5*t20);
  M[4] = h5_1_z;
  M[24] = h5_1_z;

  // Mass matrix, joint 6 (wrist_3)
  const h6_4_z = 4e-05*c5;
  M[23] = h6_4_z;
  M[33] = h6_4_z;
  const h6_3_z = 4e-05*t13;
  M[11] = h6_3_z;
  M[17] = h6_3_z;
  M[31] = h6_3_z;
  M[32] = h6_3_z;
  const h6_1_z = -4e-05*(s3*t1 - t11);
  M[5] = h6_1_z;
  M[30] = h6_1_z;
}

/**
 * qdd = M(q)^-1 (tau - C(q, qd) qd - g(q)).
 * 250 mul, 172 add, 4 div, 4 sincos. Proved on 1000 states within 1e-12.
 * Inertial parameters are regrouped: inertia that a joint cannot observe is moved to the parent
 * body. Origins are moved along joint axes. Bodies 1, 2, 3 and 6 are resolved in axes that do not
 * rotate with the joint. The displacement to body 4 is computed in one step, in the parent's
 * axes. The joint of bodies 2, 3, 4 and 5 is eliminated together with the joint of the parent.
 *
 *   q    in   6  joint positions, rad
 *   qd   in   6  joint velocities, rad/s
 *   tau  in   6  joint forces, N m
 *   qdd  out  6  joint accelerations, rad/s^2
 *
 * @param {Float64Array} q
 * @param {Float64Array} qd
 * @param {Float64Array} tau
 * @param {Float64Array} qdd
 */
export function forward_dynamics(q, qd, tau, qdd) {
  // Joint positions
  const s2 = Math.sin(q[1]);
  const c2 = Math.cos(q[1]);
  const ms2_x = 3.79559*c2 - 0.1044*s2;
  const t1 = 0.0141984*c2 + 1.601861202*s2;
  const minus_j2_yy = s2*t1;
  const j2_xy = 0.0070992 - c2*t1;
  const j2_xz = 0.023751*s2 - 0.690314699*c2;
  const t2 = 0.4318*c2;
  const t3 = 0.4318*s2;
  const theta3 = q[1] + q[2];
  const s3 = Math.sin(theta3);
  const c3 = Math.cos(theta3);
  const ms3_x = 0.861795*s3 - 0.025375*c3;
  const minus_ms3_y = 0.861795*c3 + 0.025375*s3;
  const t4 = 0.299575024*s3 - 0.021347277*c3;
  const j3_xy = c3*t4 + 0.0106736385;
  const t5 = 0.4331*s3 - 0.0203*c3;
  const t6 = 0.4331*c3 + 0.0203*s3;
  const s4 = Math.sin(q[3]);
  const c4 = Math.cos(q[3]);
  const s5 = Math.sin(q[4]);
  const c5 = Math.cos(q[4]);

  // Outward, body 2 (upper_arm)
  const minus_wd2_x = qd[0]*qd[1];
  const minus_l3_zz = qd[0]*qd[0];
  const minus_l2_yy = qd[1]*qd[1];
  const minus_l2_xx = minus_l3_zz + minus_l2_yy;
  const minus_l2_zy = 2.0*minus_wd2_x;

  // Outward, body 3 (forearm)
  const w3_z = qd[1] + qd[2];
  const minus_wd3_x = qd[0]*w3_z;
  const minus_l3_yy = w3_z*w3_z;
  const minus_l3_xx = minus_l3_zz + minus_l3_yy;
  const minus_l3_zy = 2.0*minus_wd3_x;
  const minus_a3_x = minus_l2_xx*t2;
  const a3_y = -9.8 - minus_l2_yy*t3;
  const minus_a3_z = minus_l2_zy*t3 + 0.1501*minus_l3_zz;

  // Outward, body 4 (wrist_1)
  const t7 = s3*qd[0];
  const w4_x = s4*w3_z - c4*t7;
  const w4_y = c4*w3_z + s4*t7;
  const t8 = c3*minus_wd3_x;
  const minus_wd4_z = s3*minus_wd3_x;
  const w4_z = c3*qd[0] + qd[3];
  const wd4_x = w4_y*qd[3] - c4*t8;
  const k4_x = w4_y*w4_z;
  const k4_y = w4_x*w4_z;
  const k4_z = w4_x*w4_y;
  const t9 = minus_a3_x + minus_l3_xx*t5;
  const t10 = a3_y + minus_l3_yy*t6;
  const t11 = minus_l3_zy*t6 - minus_a3_z;
  const t12 = s3*t10 - c3*t9;
  const minus_a4_z = c3*t10 + s3*t9;
  const a4_x = c4*t12 + s4*t11;

  // Outward, body 5 (wrist_2)
  const w5_x = c5*w4_x - s5*w4_z;
  const minus_w5_y = c5*w4_z + s5*w4_x;
  const minus_wd5_z = w4_x*qd[3] - s4*t8;
  const w5_z = w4_y + qd[4];
  const wd5_x = c5*wd4_x + s5*minus_wd4_z - minus_w5_y*qd[4];
  const minus_k5_x = minus_w5_y*w5_z;
  const k5_y = w5_x*w5_z;
  const minus_k5_z = w5_x*minus_w5_y;
  const l5_xy = minus_wd5_z - minus_k5_z;
  const minus_l5_yy = w5_x*w5_x + w5_z*w5_z;
  const l5_zy = wd5_x - minus_k5_x;
  const minus_a5_z = s4*t12 - c4*t11;
  const a5_x = c5*a4_x + s5*minus_a4_z;

  // Outward, body 6 (wrist_3)
  const wd6_z = w5_x*qd[4] - (c5*minus_wd4_z - s5*wd4_x);
  const w6_z = minus_w5_y + qd[5];

  // Inward, body 6 (wrist_3)
  const t13 = 4e-05*w6_z;
  const bm6_x = w5_z*t13;
  const minus_bm6_y = w5_x*t13;
  const bm6_z = 4e-05*wd6_z;
  const u6 = tau[5] - bm6_z;

  // Inward, body 5 (wrist_2)
  const minus_bf5_x = 0.00288*l5_xy;
  const bf5_y = 0.00288*minus_l5_yy;
  const minus_bf5_z = 0.00288*l5_zy;
  const bm5_x = 0.00024216*wd5_x - 0.00064216*minus_k5_x + 0.00288*minus_a5_z;
  const minus_bm5_y = 0.0004*k5_y;
  const bm5_z = 0.00024216*minus_k5_z - 0.00064216*minus_wd5_z + 0.00288*a5_x;
  const n5_x = bm5_x + bm6_x;
  const minus_n5_y = 0.00020721094073767094*u6 + bm6_z + minus_bm5_y;
  const n5_z = bm5_z - minus_bm6_y;
  const u5 = tau[4] - n5_z;
  const cuf5_4_x = 0.00288*c5;
  const minus_cuf5_4_z = 0.00288*s5;
  const minus_f4_x = c5*minus_bf5_x + s5*bf5_y;
  const minus_f4_z = c5*bf5_y - s5*minus_bf5_x;
  const t14 = 0.00020216828843762951*s5;
  const t15 = s5*t14;
  const minus_aj4_xz = c5*t14;

  // Inward, body 4 (wrist_1)
  const bm4_x = 0.0003*wd4_x + 0.0016*k4_x;
  const minus_bm4_y = 0.0013*k4_y;
  const minus_bm4_z = 0.0016*minus_wd4_z + 0.0003*k4_z;
  const aj4_xx = 0.00054216 - t15;
  const aj4_zz = t15 + 0.0016399917115623706;
  const n4_x = bm4_x + (c5*n5_x + s5*minus_n5_y);
  const n4_y = n5_z - minus_bm4_y;
  const minus_n4_z = minus_bm4_z + (s5*n5_x - c5*minus_n5_y);
  const u4 = tau[3] + minus_n4_z;
  const m4_4 = aj4_zz + 0.2;
  const t16 = c4*cuf5_4_x;
  const cuf5_3_x = c3*t16 - s3*minus_cuf5_4_z;
  const cuf5_3_y = c3*minus_cuf5_4_z + s3*t16;
  const cun5_3_z = 0.00064216*c4 + t5*cuf5_3_y + t6*cuf5_3_x;
  const ah3_yx = s4*minus_cuf5_4_z;
  const cuf4_3_z = c4*minus_cuf5_4_z;
  const minus_cuf4_3_x = c3*ah3_yx;
  const minus_cuf4_3_y = s3*ah3_yx;
  const t17 = c4*minus_aj4_xz;
  const t18 = s4*minus_aj4_xz;
  const minus_cun4_3_z = t18 + t5*minus_cuf4_3_y + t6*minus_cuf4_3_x;
  const t19 = s4*minus_bf5_z - c4*minus_f4_x;
  const t20 = c4*minus_bf5_z + s4*minus_f4_x;
  const t21 = c3*t19 - s3*minus_f4_z;
  const t22 = c3*minus_f4_z + s3*t19;
  const t23 = s3*cuf5_4_x + c3*cuf4_3_z;
  const t24 = c3*cuf5_4_x - s3*cuf4_3_z;
  const t25 = s4*(aj4_xx - 0.00064216);
  const t26 = s4*t25;
  const t27 = s3*c4;

  // Inward, body 3 (forearm)
  const minus_bf3_x = minus_l3_xx*ms3_x;
  const bf3_y = minus_l3_yy*minus_ms3_y;
  const bf3_z = minus_l3_zy*minus_ms3_y;
  const bm3_z = ms3_x*a3_y - j3_xy*minus_l3_zz - minus_ms3_y*minus_a3_x;
  const t28 = t5*t23;
  const ah3_zx = minus_ms3_y + t24;
  const ah3_zy = ms3_x + t23;
  const f3_x = t21 - minus_bf3_x;
  const f3_y = bf3_y + t22;
  const f3_z = bf3_z - t20;
  const n3_z = bm3_z + (c4*n4_y + s4*n4_x + t5*t22 + t6*t21);
  const u3 = tau[2] - n3_z;
  const t29 = t2 + t5;
  const minus_cun4_2_y = c3*aj4_zz + s3*t17 + cuf4_3_z*t29 + 0.1501*minus_cuf4_3_x;
  const t30 = t2*ah3_zy;

  // Inward, body 2 (upper_arm)
  const cun5_1_z = s4*(0.00064216*s3 + cuf5_4_x*t29) - 0.1501*cuf5_3_x;

  // Inward, body 1 (waist)
  const t31 = t3*minus_cuf4_3_x - t2*minus_cuf4_3_y;
  const t32 = t2*cuf5_3_y - t3*cuf5_3_x;

  // Elimination of joint 5 (wrist_2)
  const lf5_3 = 5.566622000091738*cun5_3_z;
  const lf5_2 = 5.566622000091738*t32;
  const lf5_1 = 5.566622000091738*cun5_1_z;

  // Elimination of joint 4 (wrist_1)
  const dinv4 = 1.0/m4_4;
  const minus_lf4_3 = dinv4*minus_cun4_3_z;
  const t33 = t30 - t3*ah3_zx - 0.83 - lf5_3*t32 + minus_lf4_3*t31;
  const t34 = minus_lf4_3*minus_cun4_2_y
    - (c3*(0.004704 + t18) + t25*t27 + ah3_yx*t6 + 0.1501*ah3_zx + lf5_3*cun5_1_z);
  const t35 = u3 - lf5_3*u5 + minus_lf4_3*u4;
  const lf4_2 = dinv4*t31;
  const lf4_1 = dinv4*minus_cun4_2_y;

  // Elimination of joint 3 (forearm)
  const dinv3 = 1.0/(1.163747409 + t26 + 2.0*(t28 + t6*t24) - lf5_3*cun5_3_z
    - minus_lf4_3*minus_cun4_3_z);
  const lf3_2 = dinv3*t33;
  const t36 = lf5_2*cun5_1_z - (ah3_yx*t3 + 0.023751*c2 + 0.690314699*s2) + lf4_2*minus_cun4_2_y
    + lf3_2*t34;
  const t37 = tau[1] - t2*f3_y + t3*f3_x + j2_xy*minus_l3_zz + 9.8*ms2_x - tau[2] - lf5_2*u5
    - lf4_2*u4 - lf3_2*t35;
  const lf3_1 = dinv3*t34;

  // Elimination of joint 2 (upper_arm)
  const dinv2 = 1.0/(7.288114002 - lf5_2*t32 - lf4_2*t31 - lf3_2*t33);
  const minus_lf2_1 = dinv2*t36;

  // Elimination of joint 1 (waist)
  const dinv1 = 1.0/(4.295122256711562 + s3*(t4 + (2.0*c3*t17 + s3*(aj4_xx - t26 - aj4_zz))) + t15
    + 2.0*(t28 + 0.1501*ah3_yx + t30) - minus_j2_yy - lf5_1*cun5_1_z - lf4_1*minus_cun4_2_y
    - lf3_1*t34 - minus_lf2_1*t36);
  const dwd1_z = dinv1*(tau[0] + j2_xz*minus_l2_yy - j2_xy*minus_l2_zy + ms3_x*minus_a3_z
    - j3_xy*minus_l3_zy - s3*(0.004704*minus_l3_yy - (c4*n4_x - s4*n4_y)) + c3*minus_n4_z + t5*t20
    + 0.1501*f3_x - t2*f3_z - lf5_1*u5 - lf4_1*u4 - lf3_1*t35 + minus_lf2_1*t37);
  qdd[0] = dwd1_z;

  // Joint accelerations outward, body 1 (waist)
  const dwd2_z = dinv2*t37 + minus_lf2_1*dwd1_z;
  qdd[1] = dwd2_z;
  const dwd3_z = dinv3*t35 - lf3_2*dwd2_z - lf3_1*dwd1_z;
  const t38 = dinv4*u4 + minus_lf4_3*dwd3_z - lf4_2*dwd2_z - lf4_1*dwd1_z;
  qdd[3] = t38;
  const t39 = 5.566622000091738*u5 - lf5_3*dwd3_z - lf5_2*dwd2_z - lf5_1*dwd1_z;
  qdd[4] = t39;
  const t40 = dwd3_z - dwd2_z;
  qdd[2] = t40;

  // Joint accelerations outward, body 4 (wrist_1)
  const dwd4_x = s4*dwd3_z - dwd1_z*t27;
  const dwd4_z = c3*dwd1_z + t38;

  // Joint accelerations outward, body 5 (wrist_2)
  const minus_dwd5_y = c5*dwd4_z + s5*dwd4_x;

  // Joint accelerations outward, body 6 (wrist_3)
  const t41 = 5.180273518441774*u6 - 0.00020721094073767094*minus_dwd5_y;
  qdd[5] = t41;
}

/**
 * R, p = pose of the frame tool in the base frame.
 * 40 mul, 20 add, 0 div, 6 sincos. Proved on 1000 states within 1e-12.
 * Origins are moved along joint axes. Bodies 1, 2 and 3 are resolved in axes that do not rotate
 * with the joint.
 *
 *   q  in   6      joint positions, rad
 *   R  out  3 x 3  rotation matrix: columns are the frame's unit vectors, in base axes
 *   p  out  3      position of the frame's origin in the base frame, m
 *
 * @param {Float64Array} q
 * @param {Float64Array} R
 * @param {Float64Array} p
 */
export function forward_kinematics(q, R, p) {
  // Joint positions
  const s1 = Math.sin(q[0]);
  const c1 = Math.cos(q[0]);
  const s2 = Math.sin(q[1]);
  const c2 = Math.cos(q[1]);
  const theta3 = q[1] + q[2];
  const s3 = Math.sin(theta3);
  const c3 = Math.cos(theta3);
  const s4 = Math.sin(q[3]);
  const c4 = Math.cos(q[3]);
  const s5 = Math.sin(q[4]);
  const c5 = Math.cos(q[4]);
  const s6 = Math.sin(q[5]);
  const c6 = Math.cos(q[5]);

  // Inward, body 5 (wrist_2)
  const fx4_x = c5*c6;
  const minus_fx4_z = s5*c6;

  // Inward, body 4 (wrist_1)
  const t1 = c4*fx4_x - s4*s6;
  const fx3_z = c4*s6 + s4*fx4_x;
  const fx3_x = c3*t1 - s3*minus_fx4_z;
  const fx3_y = c3*minus_fx4_z + s3*t1;
  const t2 = c4*s5;
  const fz3_z = s4*s5;
  const fz3_x = c3*t2 + s3*c5;
  const fz3_y = s3*t2 - c3*c5;
  const fp3_x = 0.4331*s3 - 0.0203*c3;
  const minus_fp3_y = 0.4331*c3 + 0.0203*s3;

  // Inward, body 3 (forearm)
  const fp2_x = fp3_x + 0.4318*c2;

  // Inward, body 2 (upper_arm)
  const fx1_z = -fx3_y;
  R[6] = fx1_z;
  const fx1_x = c1*fx3_x - s1*fx3_z;
  R[0] = fx1_x;
  const fx1_y = c1*fx3_z + s1*fx3_x;
  R[3] = fx1_y;
  const fz1_z = -fz3_y;
  R[8] = fz1_z;
  const fz1_x = c1*fz3_x - s1*fz3_z;
  R[2] = fz1_x;
  const fz1_y = c1*fz3_z + s1*fz3_x;
  R[5] = fz1_y;
  const fp1_z = minus_fp3_y - 0.4318*s2;
  p[2] = fp1_z;
  const fp1_x = c1*fp2_x - 0.1501*s1;
  p[0] = fp1_x;
  const fp1_y = 0.1501*c1 + s1*fp2_x;
  p[1] = fp1_y;

  // Inward, body 1 (waist)
  const fy0_x = fz3_y*fx1_y - fz1_y*fx3_y;
  R[1] = fy0_x;
  const fy0_y = fz1_x*fx3_y - fz3_y*fx1_x;
  R[4] = fy0_y;
  const fy0_z = fz1_x*fx1_y - fz1_y*fx1_x;
  R[7] = fy0_z;
}

/**
 * J(q) qd = velocity and angular velocity of the frame tool in base axes.
 * 32 mul, 14 add, 0 div, 5 sincos. Proved on 1000 states within 1e-12.
 * Origins are moved along joint axes. Bodies 1, 2 and 3 are resolved in axes that do not rotate
 * with the joint. The displacement to body 4 is computed in one step, in the parent's axes.
 *
 *   q  in   6      joint positions, rad
 *   J  out  6 x 6  geometric Jacobian in base axes, linear rows first, m/rad or 1
 *
 * @param {Float64Array} q
 * @param {Float64Array} J
 */
export function jacobian(q, J) {
  // Inputs
  const q_0 = q[0];
  const q_1 = q[1];
  const q_2 = q[2];
  const q_3 = q[3];
  const q_4 = q[4];

  // Results that require no operation
  J[3] = 0.0;
  J[4] = 0.0;
  J[5] = 0.0;
  J[9] = 0.0;
  J[10] = 0.0;
  J[11] = 0.0;
  J[12] = 0.0;
  J[15] = 0.0;
  J[16] = 0.0;
  J[17] = 0.0;
  J[18] = 0.0;
  J[24] = 0.0;
  J[30] = 1.0;
  J[31] = 0.0;
  J[32] = 0.0;

  // Joint positions
  const s1 = Math.sin(q_0);
  const c1 = Math.cos(q_0);
  J[25] = c1;
  J[26] = c1;
  const s2 = Math.sin(q_1);
  const c2 = Math.cos(q_1);
  const theta3 = q_1 + q_2;
  const s3 = Math.sin(theta3);
  const c3 = Math.cos(theta3);
  J[33] = c3;
  const s4 = Math.sin(q_3);
  const c4 = Math.cos(q_3);
  const s5 = Math.sin(q_4);
  const c5 = Math.cos(q_4);

  // Outward, body 2 (upper_arm)
  const ex2_z = -s1;
  J[19] = ex2_z;
  J[20] = ex2_z;

  // Outward, body 4 (wrist_1)
  const ex4_z = c1*s3;
  J[21] = ex4_z;
  const ey4_z = s1*s3;
  J[27] = ey4_z;
  const ez4_y = s3*s4;
  J[34] = ez4_y;

  // Outward, body 5 (wrist_2)
  const t1 = c3*s4;
  const minus_ex5_z = s1*c4 + c1*t1;
  const ex5_z = -minus_ex5_z;
  J[22] = ex5_z;
  const t2 = c4*s5;
  const t3 = s3*c5 + c3*t2;
  const t4 = s4*s5;
  const minus_ex5_y = c1*t3 - s1*t4;
  J[23] = minus_ex5_y;
  const ey5_z = c1*c4 - s1*t1;
  J[28] = ey5_z;
  const minus_ey5_y = c1*t4 + s1*t3;
  J[29] = minus_ey5_y;

  // Outward, body 6 (wrist_3)
  const ez6_z = c3*c5 - s3*t2;
  J[35] = ez6_z;

  // Columns, body 3 (forearm)
  const t5 = 0.0203*s3 + 0.4331*c3;
  const jv3_x = c1*t5;
  J[2] = jv3_x;
  const jv3_y = s1*t5;
  J[8] = jv3_y;
  const t6 = 0.4331*s3;
  const t7 = 0.0203*c3;
  const jv3_z = t7 - t6;
  J[14] = jv3_z;
  const jv2_z = t7 - 0.4318*c2 - t6;
  J[13] = jv2_z;
  const minus_er2_x = 0.1501*s1 + c1*jv2_z;
  const er2_x = -minus_er2_x;
  J[6] = er2_x;

  // Columns, body 2 (upper_arm)
  const t8 = 0.4318*s2 - t5;
  const minus_jv2_x = c1*t8;
  const jv2_x = -minus_jv2_x;
  J[1] = jv2_x;
  const minus_jv2_y = s1*t8;
  const jv2_y = -minus_jv2_y;
  J[7] = jv2_y;

  // Columns, body 1 (waist)
  const jv1_x = s1*jv2_z - 0.1501*c1;
  J[0] = jv1_x;
}
