//! The functions of this crate for one state.
//!
//! ```text
//! Names: i and j number bodies and joints from 1; _x, _xy are components in the axes of body i.
//!
//!   s<i>                    sine of the angle about joint axis i, summed over the parallel joints
//!                           before it
//!   c<i>                    cosine of the angle about joint axis i, summed over the parallel joints
//!                           before it
//!   ms<i>                   first moment of body i about its origin, kg m (MS, Khalil and
//!                           Kleinfinger 1987)
//!   w<i>                    angular velocity of body i, rad/s
//!   wd<i>                   angular acceleration of body i, rad/s^2
//!   l<i>                    acceleration difference matrix of body i: l r = wd x r + w x (w x r),
//!                           1/s^2 (Dhanaraj 1990, eq. 2.27)
//!   a<i>                    acceleration of the origin of body i minus gravity, m/s^2
//!   bf<i>                   inertial force of body i, N
//!   bm<i>                   inertial moment of body i, N m
//!   f<i>                    force that joint i transmits to body i, N
//!   n<i>                    moment that joint i transmits to body i, N m
//!   wr<i>                   reference angular velocity of body i, rad/s
//!   wrd<i>                  derivative by time of the reference angular velocity of body i, rad/s^2
//!                           (Niemeyer and Slotine 1991)
//!   theta<i>                sum of the positions of joint i and the parallel joints before it, rad
//!   g<i>                    joint force of joint i that balances gravity, N m or N
//!   cj<i>                   inertia of composite i (body i and all it carries) about the origin of
//!                           body i, kg m^2
//!   h<j>_<i>                angular momentum of composite j at a unit velocity of joint j, about
//!                           the origin of body i
//!   hv<j>_<i>               sum of m r x dx_j/dt over composite j, x_j the velocity at a unit
//!                           velocity of joint j
//!   hx<j>_<i>               sum of m dr/dt x x_j over composite j, x_j the velocity at a unit
//!                           velocity of joint j
//!   v<i>                    velocity of the origin of body i, m/s
//!   ke<i>                   twice the kinetic energy of body i, J
//!   dinv<i>                 reciprocal of pivot i, the inertia along joint i while the joints
//!                           beyond it are free
//!   lf<i>_<j>               entry i, j of L in the factorisation M = L^T D L of the mass matrix
//!                           (Featherstone 2005)
//!   cun<j>_<i>              moment for a unit acceleration of joint j in its cluster, about the
//!                           origin of body i
//!   aj<i>                   articulated inertia of body i, about its origin: aj wd is the moment
//!                           for an angular acceleration wd (Featherstone 1983)
//!   ah<i>                   coupling in the articulated inertia of body i: ah a is the moment for
//!                           an acceleration a (Featherstone 1983)
//!   am<i>                   articulated mass of body i: am a is the force for an acceleration a
//!                           (Featherstone 1983)
//!   udf<i>                  force uf_i divided by pivot i; minus the unit vector of joint axis i
//!                           for a sliding joint
//!   y<i>_<j>_<parameter>    force of joint j per unit of a parameter of body i; sxx: sum of Jyy and
//!                           Jzz, and so on
//!   pi<i>_<parameter>       parameter of body i, regrouped with unobservable parameters of bodies
//!                           that it carries
//!   pi_base<i>_<parameter>  base parameter of body i (Gautier and Khalil 1990)
//!   hu<i>                   scalar product of upward acceleration and position of the origin of
//!                           body i, m^2/s^2
//!   fy<i>                   unit vector y of the frame, in the axes of body i (0: the base)
//!   fp<i>                   position of the frame from the origin of body i (0: the base), m
//!   er<i>                   position of the frame from the origin of body i, in the Jacobian's
//!                           axes, m
//!   jv<i>                   linear part of column i of the Jacobian (Whitney 1969)
//!   fa<i>                   acceleration of the frame's origin relative to body i (0: the base),
//!                           m/s^2
//!   fv<i>                   velocity of the frame's origin relative to body i (0: the base), m/s
//!   fw<i>                   angular velocity of the frame relative to body i, rad/s
//!   fwd<i>                  angular acceleration of the frame relative to body i (0: the base),
//!                           rad/s^2
//!   ex<i>                   unit vector x of the Jacobian's axes, in axes of body i
//!   ey<i>                   unit vector y of the Jacobian's axes, in axes of body i
//!   cms<i>                  first moment of composite i (body i and all it carries) about the
//!                           origin of body i, kg m
//!   p<j>_<i>                linear momentum of composite j at a unit velocity of joint j, in the
//!                           axes of body i
//!   com<i>                  centre of mass of all moving bodies, from the origin of body i (0: the
//!                           base), m
//!   nqd<j>_<i>              derivative by qd_j of the moment on composite j, about the origin of
//!                           body i
//!   hhx<j>_<i>              twice the sum of m dr/dt x x_j over composite j, x_j the velocity at
//!                           unit qd_j
//!   nq<j>_<i>               derivative by q_j of the moment on composite j, about the origin of
//!                           body i
//!   tauq<i>_<j>             derivative of the force of joint i by q_j
//!   ww<i>                   twice the angular velocity of body i, rad/s
//!   ccp<i>                  twice the sum of m dr/dt over composite i, r from the origin of body i,
//!                           kg m/s
//!   up<i>                   opposite of gravity, in the axes of body i, m/s^2
//!   qdd<i>                  acceleration of joint i, rad/s^2 or m/s^2
//!   t<k>                    a part of an expression
//!   minus_                  negative of a value: minus_x is -x
//!
//! Constants, as formulas of the description's names or keys (m mass, c centre of mass, I inertia
//! about the centre of mass, g gravity); links count from 1. All other constants are sums of
//! regrouped terms: see `dynagen --explain-constants`.
//!
//!   0.1019367991845056 = -a2/gy, 0.25 = 0.5*m1*cx1,
//!   0.3333333333333333 = 0.5*Iyy3 + 0.5*Izz3 + m3*cx3**2 = 0.5*Iyy1 + 0.5*Izz1 + m1*cx1**2,
//!   0.5 = m3*cx3 = m1*cx1, 1.3333333333333333 = 0.5*Iyy1 + 0.5*Izz1 + a2 + m1*cx1**2,
//!   1.5 = m2*cx2 + m3*a3 = 0.5*m1 + 0.5*m2 + 0.5*m3, 2.0 = 2*a2, 2.5 = m1*cx1 + m2*a2 + m3*a2,
//!   3.0 = 2*m2*cx2 + 2*m3*a3 = m1 + m2 + m3, 4.905 = -m3*cx3*gy = -m1*cx1*gy = -0.5*gy,
//!   9.81 = -gy, 14.715 = -m2*cx2*gy - m3*a3*gy, 24.525 = -m1*cx1*gy - m2*a2*gy - m3*a2*gy
//! ```
//!
//! Generated by dynagen 0.2.0 from planar3.yaml. Do not edit.
//! You own the generated code; the dynagen authors claim no rights to it.
//! SPDX-License-Identifier: LicenseRef-Owner-Of-Generated-Code
#![allow(non_snake_case)]
#![allow(clippy::approx_constant, clippy::excessive_precision)]
#![allow(clippy::needless_range_loop, clippy::too_many_arguments)]

use crate::numbers::sin_cos;

/// tau = M(q) qdd + C(q, qd) qd + g(q).
/// 26 mul, 23 add, 0 div, 3 sincos. Proved on 1000 states within 1e-12.
/// Inertial parameters are regrouped: inertia that a joint cannot observe is moved to the parent
/// body. Body 3 is resolved in axes that do not rotate with the joint.
///
/// ```text
/// q    in   3  joint positions, rad
/// qd   in   3  joint velocities, rad/s
/// qdd  in   3  joint accelerations, rad/s^2
/// tau  out  3  joint forces, N m
/// ```
#[rustfmt::skip]
pub fn inverse_dynamics(q: &[f64; 3], qd: &[f64; 3], qdd: &[f64; 3], tau: &mut [f64; 3]) {
    // Sines and cosines
    let ([s1, s2, s3], [c1, c2, c3]) = sin_cos([q[0], q[1], q[2]]);

    // Joint positions
    let ms3_x = 0.5*c3;
    let ms3_y = 0.5*s3;

    // Outward, body 1 (upper_arm)
    let minus_l1_xx = qd[0]*qd[0];
    let a1_x = 9.81*s1;
    let a1_y = 9.81*c1;

    // Outward, body 2 (forearm)
    let w2_z = qd[0] + qd[1];
    let wd2_z = qdd[0] + qdd[1];
    let minus_l2_xx = w2_z*w2_z;
    let t1 = a1_x - minus_l1_xx;
    let t2 = a1_y + qdd[0];
    let a2_x = c2*t1 + s2*t2;
    let a2_y = c2*t2 - s2*t1;

    // Outward, body 3 (hand)
    let w3_z = w2_z + qd[2];
    let wd3_z = wd2_z + qdd[2];
    let minus_l3_xx = w3_z*w3_z;
    let a3_x = a2_x - minus_l2_xx;
    let a3_y = a2_y + wd2_z;

    // Inward, body 3 (hand)
    let minus_bf3_x = minus_l3_xx*ms3_x + wd3_z*ms3_y;
    let bf3_y = wd3_z*ms3_x - minus_l3_xx*ms3_y;
    let bm3_z = 0.3333333333333333*wd3_z + ms3_x*a3_y - ms3_y*a3_x;
    tau[2] = bm3_z;

    // Inward, body 2 (forearm)
    let minus_bf2_x = 1.5*minus_l2_xx;
    let bf2_y = 1.5*wd2_z;
    let bm2_z = 1.3333333333333333*wd2_z + 1.5*a2_y;
    let minus_f2_x = minus_bf2_x + minus_bf3_x;
    let f2_y = bf2_y + bf3_y;
    let n2_z = bm2_z + (bm3_z + bf3_y);
    tau[1] = n2_z;

    // Inward, body 1 (upper_arm)
    let bm1_z = 2.3333333333333335*qdd[0] + 24.525*c1;
    let n1_z = bm1_z + (n2_z + (c2*f2_y - s2*minus_f2_x));
    tau[0] = n1_z;
}

/// tau = M(q) qdd_reference + C(q, qd) qd_reference + g(q).
/// 27 mul, 25 add, 0 div, 3 sincos. Proved on 1000 states within 1e-12.
/// Inertial parameters are regrouped: inertia that a joint cannot observe is moved to the parent
/// body. Body 3 is resolved in axes that do not rotate with the joint.
///
/// ```text
/// q              in   3  joint positions, rad
/// qd             in   3  joint velocities, rad/s
/// qd_reference   in   3  reference joint velocities, rad/s
/// qdd_reference  in   3  reference joint accelerations, rad/s^2
/// tau            out  3  joint forces of the reference motion, N m
/// ```
#[rustfmt::skip]
pub fn inverse_dynamics_reference(
    q: &[f64; 3],
    qd: &[f64; 3],
    qd_reference: &[f64; 3],
    qdd_reference: &[f64; 3],
    tau: &mut [f64; 3],
) {
    // Sines and cosines
    let ([s1, s2, s3], [c1, c2, c3]) = sin_cos([q[0], q[1], q[2]]);

    // Outward, body 2 (forearm)
    let w2_z = qd[0] + qd[1];
    let wr2_z = qd_reference[0] + qd_reference[1];
    let wrd2_z = qdd_reference[0] + qdd_reference[1];

    // Outward, body 3 (hand)
    let w3_z = w2_z + qd[2];
    let wr3_z = wr2_z + qd_reference[2];
    let wrd3_z = wrd2_z + qdd_reference[2];
    let t1 = 9.81*s1 - qd[0]*qd_reference[0];
    let t2 = 9.81*c1 + qdd_reference[0];
    let t3 = w2_z*wr2_z;
    let a3_x = c2*t1 - t3 + s2*t2;
    let t4 = s2*t1 - c2*t2;
    let a3_y = wrd2_z - t4;
    let bm3_z = 0.3333333333333333*wrd3_z - 0.5*(s3*a3_x - c3*a3_y);
    tau[2] = bm3_z;

    // Inward, body 3 (hand)
    let t5 = w3_z*wr3_z;
    let t6 = 0.5*(s3*t5 - c3*wrd3_z);
    let n2_z = bm3_z - t6 + 1.3333333333333333*wrd2_z - 1.5*t4;
    tau[1] = n2_z;

    // Inward, body 2 (forearm)
    let n1_z = 2.3333333333333335*qdd_reference[0] + 24.525*c1
        - s2*(1.5*t3 + 0.5*(s3*wrd3_z + c3*t5)) + c2*(1.5*wrd2_z - t6) + n2_z;
    tau[0] = n1_z;
}

/// g = g(q).  3 mul, 4 add, 0 div, 3 sincos. Proved on 1000 states within 1e-12.
/// Inertial parameters are regrouped: inertia that a joint cannot observe is moved to the parent
/// body. Bodies 1, 2 and 3 are resolved in axes that do not rotate with the joint.
///
/// ```text
/// q  in   3  joint positions, rad
/// g  out  3  joint forces that balance gravity, N m
/// ```
#[rustfmt::skip]
pub fn gravity_forces(q: &[f64; 3], g: &mut [f64; 3]) {
    // Sines and cosines
    let theta2 = q[0] + q[1];
    let theta3 = theta2 + q[2];
    let ([_, _, _], [c1, c2, c3]) = sin_cos([q[0], theta2, theta3]);

    // Gravity
    let g3 = 4.905*c3;
    g[2] = g3;
    let g2 = 14.715*c2 + g3;
    g[1] = g2;
    let g1 = 24.525*c1 + g2;
    g[0] = g1;
}

/// c = C(q, qd) qd.  14 mul, 8 add, 0 div, 2 sincos. Proved on 1000 states within 1e-12.
/// Inertial parameters are regrouped: inertia that a joint cannot observe is moved to the parent
/// body.
///
/// ```text
/// q   in   3  joint positions, rad
/// qd  in   3  joint velocities, rad/s
/// c   out  3  Coriolis and centrifugal joint forces, N m
/// ```
#[rustfmt::skip]
pub fn coriolis_forces(q: &[f64; 3], qd: &[f64; 3], c: &mut [f64; 3]) {
    // Sines and cosines
    let ([s2, s3], [c2, c3]) = sin_cos([q[1], q[2]]);

    // Outward, body 2 (forearm)
    let w2_z = qd[0] + qd[1];

    // Outward, body 3 (hand)
    let w3_z = w2_z + qd[2];

    // Inward, body 3 (hand)
    let t1 = 0.5*s3;
    let t2 = w2_z*w2_z;
    let t3 = 0.5*(s2*c3 + c2*s3);
    let t4 = qd[0]*qd[0];
    let bm3_z = t1*t2 + t3*t4;
    c[2] = bm3_z;

    // Inward, body 2 (forearm)
    let t5 = 1.5*s2;
    let t6 = w3_z*w3_z;
    let n2_z = bm3_z + t5*t4 - t1*t6;
    c[1] = n2_z;
    let n1_z = n2_z - (t5*t2 + t6*t3);
    c[0] = n1_z;
}

/// h = C(q, qd) qd + g(q).  20 mul, 13 add, 0 div, 3 sincos. Proved on 1000 states within 1e-12.
/// Inertial parameters are regrouped: inertia that a joint cannot observe is moved to the parent
/// body.
///
/// ```text
/// q   in   3  joint positions, rad
/// qd  in   3  joint velocities, rad/s
/// h   out  3  Coriolis, centrifugal and gravity joint forces, N m
/// ```
#[rustfmt::skip]
pub fn bias_forces(q: &[f64; 3], qd: &[f64; 3], h: &mut [f64; 3]) {
    // Sines and cosines
    let ([s1, s2, s3], [c1, c2, c3]) = sin_cos([q[0], q[1], q[2]]);

    // Outward, body 1 (upper_arm)
    let minus_l1_xx = qd[0]*qd[0];
    let a1_x = 9.81*s1;
    let a1_y = 9.81*c1;

    // Outward, body 2 (forearm)
    let w2_z = qd[0] + qd[1];
    let minus_l2_xx = w2_z*w2_z;
    let t1 = a1_x - minus_l1_xx;
    let a2_x = c2*t1 + s2*a1_y;
    let a2_y = c2*a1_y - s2*t1;

    // Outward, body 3 (hand)
    let w3_z = w2_z + qd[2];
    let minus_l3_xx = w3_z*w3_z;
    let a3_y = c3*a2_y - s3*(a2_x - minus_l2_xx);

    // Inward, body 3 (hand)
    let minus_bf3_x = 0.5*minus_l3_xx;
    let bm3_z = 0.5*a3_y;
    h[2] = bm3_z;
    let minus_f2_y = s3*minus_bf3_x;

    // Inward, body 2 (forearm)
    let minus_bf2_x = 1.5*minus_l2_xx;
    let bm2_z = 1.5*a2_y;
    let minus_f2_x = minus_bf2_x + c3*minus_bf3_x;
    let n2_z = bm2_z + (bm3_z - minus_f2_y);
    h[1] = n2_z;
    let minus_f1_y = c2*minus_f2_y + s2*minus_f2_x;

    // Inward, body 1 (upper_arm)
    let bm1_z = 24.525*c1;
    let n1_z = bm1_z + (n2_z - minus_f1_y);
    h[0] = n1_z;
}

/// f_i = wrench of joint i at q, qd, qdd; tau_i = S_i^T f_i + Ia_i qdd_i.
/// 33 mul, 33 add, 0 div, 3 sincos. Proved on 1000 states within 1e-12.
///
/// ```text
/// q    in   3      joint positions, rad
/// qd   in   3      joint velocities, rad/s
/// qdd  in   3      joint accelerations, rad/s^2
/// f    out  3 x 6  force and moment that each joint transmits to its link, one row for each
///                  joint, about the origin and in the axes of the link frame, N or N m
/// ```
#[rustfmt::skip]
pub fn joint_wrenches(q: &[f64; 3], qd: &[f64; 3], qdd: &[f64; 3], f: &mut [f64; 18]) {
    // Results that require no operation
    f[2] = 0.0;
    f[3] = 0.0;
    f[4] = 0.0;
    f[8] = 0.0;
    f[9] = 0.0;
    f[10] = 0.0;
    f[14] = 0.0;
    f[15] = 0.0;
    f[16] = 0.0;

    // Sines and cosines
    let ([s1, s2, s3], [c1, c2, c3]) = sin_cos([q[0], q[1], q[2]]);

    // Outward, body 1 (upper_arm)
    let minus_l1_xx = qd[0]*qd[0];
    let a1_x = 9.81*s1;
    let a1_y = 9.81*c1;

    // Outward, body 2 (forearm)
    let w2_z = qd[0] + qd[1];
    let wd2_z = qdd[0] + qdd[1];
    let minus_l2_xx = w2_z*w2_z;
    let t1 = a1_x - minus_l1_xx;
    let t2 = a1_y + qdd[0];
    let a2_x = c2*t1 + s2*t2;
    let a2_y = c2*t2 - s2*t1;

    // Outward, body 3 (hand)
    let w3_z = w2_z + qd[2];
    let wd3_z = wd2_z + qdd[2];
    let minus_l3_xx = w3_z*w3_z;
    let t3 = a2_x - minus_l2_xx;
    let t4 = a2_y + wd2_z;
    let a3_x = c3*t3 + s3*t4;
    let a3_y = c3*t4 - s3*t3;

    // Inward, body 3 (hand)
    let bf3_x = a3_x - 0.5*minus_l3_xx;
    f[12] = bf3_x;
    let bf3_y = a3_y + 0.5*wd3_z;
    f[13] = bf3_y;
    let bm3_z = 0.3333333333333333*wd3_z + 0.5*a3_y;
    f[17] = bm3_z;
    let t5 = c3*bf3_y + s3*bf3_x;

    // Inward, body 2 (forearm)
    let bf2_x = a2_x - 0.5*minus_l2_xx;
    let bf2_y = a2_y + 0.5*wd2_z;
    let bm2_z = 0.3333333333333333*wd2_z + 0.5*a2_y;
    let f2_x = bf2_x + (c3*bf3_x - s3*bf3_y);
    f[6] = f2_x;
    let f2_y = bf2_y + t5;
    f[7] = f2_y;
    let n2_z = bm2_z + (bm3_z + t5);
    f[11] = n2_z;
    let t6 = c2*f2_y + s2*f2_x;

    // Inward, body 1 (upper_arm)
    let bf1_x = a1_x - 0.5*minus_l1_xx;
    let bf1_y = a1_y + 0.5*qdd[0];
    let bm1_z = 0.3333333333333333*qdd[0] + 4.905*c1;
    let f1_x = bf1_x + (c2*f2_x - s2*f2_y);
    f[0] = f1_x;
    let f1_y = bf1_y + t6;
    f[1] = f1_y;
    let n1_z = bm1_z + (n2_z + t6);
    f[5] = n1_z;
}

/// M = M(q).  5 mul, 8 add, 0 div, 2 sincos. Proved on 1000 states within 1e-12.
/// Inertial parameters are regrouped: inertia that a joint cannot observe is moved to the parent
/// body.
///
/// ```text
/// q  in   3      joint positions, rad
/// M  out  3 x 3  mass matrix, motor inertias included; symmetric, kg m^2
/// ```
#[rustfmt::skip]
pub fn mass_matrix(q: &[f64; 3], M: &mut [f64; 9]) {
    // Results that require no operation
    M[8] = 0.3333333333333333;

    // Sines and cosines
    let ([s2, s3], [c2, c3]) = sin_cos([q[1], q[2]]);

    // Composite of body 3 (hand)
    let cj2_zz = 1.6666666666666667 + c3;
    M[4] = cj2_zz;

    // Composite of body 2 (forearm)
    let t1 = 0.5*(s2*s3 - c2*c3);
    let t2 = 1.5*c2 - t1;
    let h2_1_z = cj2_zz + t2;
    M[1] = h2_1_z;
    M[3] = h2_1_z;
    let cj1_zz = 2.3333333333333335 + h2_1_z + t2;
    M[0] = cj1_zz;

    // Mass matrix, joint 3 (hand)
    let h3_2_z = 0.3333333333333333 + 0.5*c3;
    M[5] = h3_2_z;
    M[7] = h3_2_z;
    let h3_1_z = h3_2_z - t1;
    M[2] = h3_1_z;
    M[6] = h3_1_z;
}

/// C = C(q, qd), dM/dt - 2C skew-symmetric.
/// 12 mul, 11 add, 0 div, 2 sincos. Proved on 1000 states within 1e-12.
/// Inertial parameters are regrouped: inertia that a joint cannot observe is moved to the parent
/// body. Bodies 2 and 3 are resolved in axes that do not rotate with the joint.
///
/// ```text
/// q   in   3      joint positions, rad
/// qd  in   3      joint velocities, rad/s
/// C   out  3 x 3  Coriolis matrix: Christoffel symbols times joint velocities, kg m^2/s
/// ```
#[rustfmt::skip]
pub fn coriolis_matrix(q: &[f64; 3], qd: &[f64; 3], C: &mut [f64; 9]) {
    // Results that require no operation
    C[8] = 0.0;

    // Sines and cosines
    let theta3 = q[1] + q[2];
    let ([s2, s3], [c2, c3]) = sin_cos([q[1], theta3]);

    // Outward, body 2 (forearm)
    let w2_z = qd[0] + qd[1];

    // Outward, body 3 (hand)
    let w3_z = w2_z + qd[2];

    // Coriolis matrix, joint 1 (upper_arm)
    let t1 = 1.5*s2;
    let t2 = 0.5*s3;
    let t3 = t2*w3_z;
    let t4 = t1*w2_z + t3;
    let t5 = t2*qd[0];
    let t6 = 0.5*(s2*c3 - c2*s3);
    let hv2_2_z = qd[2]*t6;
    C[4] = hv2_2_z;
    let hx2_1_z = t5 + t1*qd[0] + hv2_2_z;
    C[3] = hx2_1_z;
    let hv1_1_z = hx2_1_z - t4;
    C[0] = hv1_1_z;

    // Coriolis matrix, joint 2 (forearm)
    let hv2_1_z = hv2_2_z - t4;
    C[1] = hv2_1_z;

    // Coriolis matrix, joint 3 (hand)
    let hv3_2_z = w3_z*t6;
    C[5] = hv3_2_z;
    let minus_hx3_2_z = w2_z*t6;
    let hx3_2_z = -minus_hx3_2_z;
    C[7] = hx3_2_z;
    let hv3_1_z = hv3_2_z - t3;
    C[2] = hv3_1_z;
    let hx3_1_z = t5 - minus_hx3_2_z;
    C[6] = hx3_1_z;
}

/// beta = C(q, qd)^T qd - g(q), d(M qd)/dt = tau + beta.
/// 17 mul, 13 add, 0 div, 3 sincos. Proved on 1000 states within 1e-12.
/// Inertial parameters are regrouped: inertia that a joint cannot observe is moved to the parent
/// body. Bodies 1, 2 and 3 are resolved in axes that do not rotate with the joint.
///
/// ```text
/// q     in   3  joint positions, rad
/// qd    in   3  joint velocities, rad/s
/// beta  out  3  derivative by time of the generalised momentum M qd at zero joint forces, N m
/// ```
#[rustfmt::skip]
pub fn momentum_bias(q: &[f64; 3], qd: &[f64; 3], beta: &mut [f64; 3]) {
    // Sines and cosines
    let theta2 = q[0] + q[1];
    let theta3 = theta2 + q[2];
    let ([s1, s2, s3], [c1, c2, c3]) = sin_cos([q[0], theta2, theta3]);

    // Outward, body 2 (forearm)
    let w2_z = qd[0] + qd[1];

    // Outward, body 3 (hand)
    let w3_z = w2_z + qd[2];

    // Gravity
    let t1 = 4.905*c3;
    let t2 = 14.715*c2 + t1;
    let t3 = -(24.525*c1 + t2);
    beta[0] = t3;
    let t4 = 0.5*w3_z;
    let t5 = qd[0]*(s1*c3 - c1*s3)*t4;
    let t6 = 1.5*qd[0]*w2_z*(s1*c2 - c1*s2) + t5 - t2;
    beta[1] = t6;
    let t7 = t5 - t1 + w2_z*(s2*c3 - c2*s3)*t4;
    beta[2] = t7;
}

/// T = qd.M(q) qd / 2.  12 mul, 8 add, 0 div, 2 sincos. Proved on 1000 states within 1e-12.
/// Inertial parameters are regrouped: inertia that a joint cannot observe is moved to the parent
/// body.
///
/// ```text
/// q   in   3  joint positions, rad
/// qd  in   3  joint velocities, rad/s
/// T   out  1  kinetic energy, motor inertias included, J
/// ```
#[rustfmt::skip]
pub fn kinetic_energy(q: &[f64; 3], qd: &[f64; 3], T: &mut f64) {
    // Sines and cosines
    let ([s2, s3], [c2, c3]) = sin_cos([q[1], q[2]]);

    // Outward, body 2 (forearm)
    let w2_z = qd[0] + qd[1];

    // Outward, body 3 (hand)
    let w3_z = w2_z + qd[2];

    // Velocity, body 2 (forearm)
    let v2_x = s2*qd[0];
    let v2_y = c2*qd[0];

    // Velocity, body 3 (hand)
    let v3_y = c3*(v2_y + w2_z) - s3*v2_x;

    // Kinetic energy
    let ke1 = qd[0]*(2.3333333333333335*qd[0]);
    let ke2 = w2_z*(3.0*v2_y + 1.3333333333333333*w2_z);
    let ke3 = w3_z*(v3_y + 0.3333333333333333*w3_z);
    let t1 = 0.5*(ke1 + ke2 + ke3);
    *T = t1;
}

/// U = U(q), dU/dq = g(q), U = 0 for a mass at the base's origin.
/// 3 mul, 4 add, 0 div, 3 sincos. Proved on 1000 states within 1e-12.
/// Bodies 1, 2 and 3 are resolved in axes that do not rotate with the joint.
///
/// ```text
/// q  in   3  joint positions, rad
/// U  out  1  potential energy of the moving bodies under gravity, J
/// ```
#[rustfmt::skip]
pub fn potential_energy(q: &[f64; 3], U: &mut f64) {
    // Sines and cosines
    let theta2 = q[0] + q[1];
    let theta3 = theta2 + q[2];
    let ([s1, s2, s3], [_, _, _]) = sin_cos([q[0], theta2, theta3]);

    // Potential energy
    let t1 = 24.525*s1 + 14.715*s2 + 4.905*s3;
    *U = t1;
}

/// qdd = M(q)^-1 (tau - C(q, qd) qd - g(q)).
/// 39 mul, 29 add, 2 div, 3 sincos. Proved on 1000 states within 1e-12.
/// Inertial parameters are regrouped: inertia that a joint cannot observe is moved to the parent
/// body. Body 3 is resolved in axes that do not rotate with the joint.
///
/// ```text
/// q    in   3  joint positions, rad
/// qd   in   3  joint velocities, rad/s
/// tau  in   3  joint forces, N m
/// qdd  out  3  joint accelerations, rad/s^2
/// ```
#[rustfmt::skip]
pub fn forward_dynamics(q: &[f64; 3], qd: &[f64; 3], tau: &[f64; 3], qdd: &mut [f64; 3]) {
    // Sines and cosines
    let ([s1, s2, s3], [c1, c2, c3]) = sin_cos([q[0], q[1], q[2]]);

    // Joint positions
    let ms3_x = 0.5*c3;
    let ms3_y = 0.5*s3;

    // Outward, body 1 (upper_arm)
    let minus_l1_xx = qd[0]*qd[0];
    let a1_x = 9.81*s1;
    let a1_y = 9.81*c1;

    // Outward, body 2 (forearm)
    let w2_z = qd[0] + qd[1];
    let minus_l2_xx = w2_z*w2_z;
    let t1 = a1_x - minus_l1_xx;
    let a2_x = c2*t1 + s2*a1_y;
    let a2_y = c2*a1_y - s2*t1;

    // Outward, body 3 (hand)
    let w3_z = w2_z + qd[2];
    let minus_l3_xx = w3_z*w3_z;
    let a3_x = a2_x - minus_l2_xx;

    // Inward, body 3 (hand)
    let minus_bf3_x = minus_l3_xx*ms3_x;
    let minus_bf3_y = minus_l3_xx*ms3_y;
    let bm3_z = ms3_x*a2_y - ms3_y*a3_x;

    // Inward, body 2 (forearm)
    let minus_bf2_x = 1.5*minus_l2_xx;
    let bm2_z = 1.5*a2_y;
    let minus_f2_x = minus_bf2_x + minus_bf3_x;

    // Inward, body 1 (upper_arm)
    let bm1_z = 24.525*c1;

    // Mass matrix, joint 3 (hand)
    let t2 = c2*ms3_x - s2*ms3_y;
    let t3 = tau[2] - bm3_z;

    // Elimination of joint 3 (hand)
    let lf3_2 = 1.5*c3;
    let t4 = 1.5*c2 - lf3_2*t2;
    let t5 = tau[1] - bm2_z + minus_bf3_y - tau[2] - lf3_2*t3;
    let lf3_1 = 3.0*t2;

    // Elimination of joint 2 (forearm)
    let dinv2 = 1.0/(1.3333333333333333 - lf3_2*ms3_x);
    let lf2_1 = dinv2*t4;

    // Elimination of joint 1 (upper_arm)
    let dinv1 = 1.0/(2.3333333333333335 - lf3_1*t2 - lf2_1*t4);
    let t6 = dinv1*(tau[0] - bm1_z + c2*minus_bf3_y + s2*minus_f2_x - tau[1] - lf3_1*t3 - lf2_1*t5);
    qdd[0] = t6;

    // Joint accelerations
    let t7 = dinv2*t5 - lf2_1*t6;
    let t8 = t7 - t6;
    qdd[1] = t8;
    let t9 = 3.0*t3 - lf3_2*t7 - lf3_1*t6 - t7;
    qdd[2] = t9;
}

/// Minv = M(q)^-1.  20 mul, 17 add, 2 div, 2 sincos. Proved on 1000 states within 1e-12.
/// Inertial parameters are regrouped: inertia that a joint cannot observe is moved to the parent
/// body. Bodies 2 and 3 are resolved in axes that do not rotate with the joint. The joint of body
/// 3 is eliminated together with the joint of the parent.
///
/// ```text
/// q     in   3      joint positions, rad
/// Minv  out  3 x 3  inverse of the mass matrix; symmetric, 1/(kg m^2)
/// ```
#[rustfmt::skip]
pub fn mass_matrix_inverse(q: &[f64; 3], Minv: &mut [f64; 9]) {
    // Sines and cosines
    let theta3 = q[1] + q[2];
    let ([s2, s3], [c2, c3]) = sin_cos([q[1], theta3]);

    // Joint positions
    let ms2_x = 1.5*c2;
    let ms3_x = 0.5*c3;

    // Elimination of joint 3 (hand)
    let t1 = c2*c3 + s2*s3;

    // Inward, body 3 (hand)
    let cun3_2_z = 0.5*t1 + 0.3333333333333333;

    // Inward, body 2 (forearm)
    let minus_ah2_yz = ms2_x + ms3_x;

    // Elimination of joint 3 (hand)
    let t2 = 3.0*cun3_2_z;
    let t3 = 1.5*c3;
    let aj2_zz = 1.6666666666666667 + t1 - cun3_2_z*t2;
    let ah2_zy = minus_ah2_yz - cun3_2_z*t3;
    let minus_am2_yy = ms3_x*t3;
    let dinv2 = 1.0/aj2_zz;
    let udf2_y = ah2_zy*dinv2;
    let minus_am1_yy = minus_am2_yy + udf2_y*ah2_zy;

    // Inward, body 1 (upper_arm)
    let aj1_zz = 2.3333333333333335 - minus_am1_yy;

    // Elimination of joint 1 (upper_arm)
    let dinv1 = 1.0/aj1_zz;
    Minv[0] = dinv1;
    let t4 = dinv1*(1.0 + udf2_y);

    // Joint accelerations outward, body 2 (forearm)
    let t5 = dinv2 + udf2_y*t4 + t4;
    Minv[4] = t5;

    // Elimination of joint 1 (upper_arm)
    let t6 = dinv1*(t3 - udf2_y*t2);

    // Joint accelerations outward, body 2 (forearm)
    let t7 = udf2_y*t6 - dinv2*t2;
    let t8 = t7 + t6;
    Minv[5] = t8;
    Minv[7] = t8;
    let t9 = 3.0 - t2*t7 + t3*t6;
    Minv[8] = t9;
    let t10 = -t4;
    Minv[1] = t10;
    Minv[3] = t10;
    let t11 = -t6;
    Minv[2] = t11;
    Minv[6] = t11;
}

/// Y = Y(q, qd, qdd), tau = Y pi.
/// 26 mul, 28 add, 0 div, 3 sincos. Proved on 1000 states within 1e-12.
///
/// ```text
/// q    in   3       joint positions, rad
/// qd   in   3       joint velocities, rad/s
/// qdd  in   3       joint accelerations, rad/s^2
/// Y    out  3 x 33  joint forces per unit of the standard inertial parameters, m^2/s^2 or m/s^2
///                   or 1/s^2
/// ```
#[rustfmt::skip]
pub fn regressor(q: &[f64; 3], qd: &[f64; 3], qdd: &[f64; 3], Y: &mut [f64; 99]) {
    // Results that require no operation
    Y[0] = 0.0;
    Y[3] = 0.0;
    Y[4] = 0.0;
    Y[5] = 0.0;
    Y[6] = qdd[0];
    Y[7] = 0.0;
    Y[8] = 0.0;
    Y[9] = 0.0;
    Y[10] = qdd[0];
    Y[14] = 0.0;
    Y[15] = 0.0;
    Y[16] = 0.0;
    Y[18] = 0.0;
    Y[19] = 0.0;
    Y[20] = 0.0;
    Y[21] = 0.0;
    Y[25] = 0.0;
    Y[26] = 0.0;
    Y[27] = 0.0;
    Y[29] = 0.0;
    Y[30] = 0.0;
    Y[31] = 0.0;
    Y[32] = 0.0;
    Y[33] = 0.0;
    Y[34] = 0.0;
    Y[35] = 0.0;
    Y[36] = 0.0;
    Y[37] = 0.0;
    Y[38] = 0.0;
    Y[39] = 0.0;
    Y[40] = 0.0;
    Y[41] = 0.0;
    Y[42] = 0.0;
    Y[43] = 0.0;
    Y[44] = 0.0;
    Y[47] = 0.0;
    Y[48] = 0.0;
    Y[49] = 0.0;
    Y[51] = 0.0;
    Y[52] = 0.0;
    Y[53] = 0.0;
    Y[54] = qdd[1];
    Y[58] = 0.0;
    Y[59] = 0.0;
    Y[60] = 0.0;
    Y[62] = 0.0;
    Y[63] = 0.0;
    Y[64] = 0.0;
    Y[65] = 0.0;
    Y[66] = 0.0;
    Y[67] = 0.0;
    Y[68] = 0.0;
    Y[69] = 0.0;
    Y[70] = 0.0;
    Y[71] = 0.0;
    Y[72] = 0.0;
    Y[73] = 0.0;
    Y[74] = 0.0;
    Y[75] = 0.0;
    Y[76] = 0.0;
    Y[77] = 0.0;
    Y[78] = 0.0;
    Y[79] = 0.0;
    Y[80] = 0.0;
    Y[81] = 0.0;
    Y[82] = 0.0;
    Y[83] = 0.0;
    Y[84] = 0.0;
    Y[85] = 0.0;
    Y[86] = 0.0;
    Y[87] = 0.0;
    Y[88] = 0.0;
    Y[91] = 0.0;
    Y[92] = 0.0;
    Y[93] = 0.0;
    Y[95] = 0.0;
    Y[96] = 0.0;
    Y[97] = 0.0;
    Y[98] = qdd[2];

    // Sines and cosines
    let ([s1, s2, s3], [c1, c2, c3]) = sin_cos([q[0], q[1], q[2]]);

    // Outward, body 1 (upper_arm)
    let a1_y = 9.81*c1;
    Y[1] = a1_y;

    // Outward, body 2 (forearm)
    let w2_z = qd[0] + qd[1];
    let wd2_z = qdd[0] + qdd[1];
    Y[17] = wd2_z;
    Y[50] = wd2_z;
    let y2_1_m = a1_y + qdd[0];
    Y[11] = y2_1_m;
    let minus_y1_1_my = 9.81*s1;
    let t1 = minus_y1_1_my - qd[0]*qd[0];
    let t2 = c2*y2_1_m;
    let minus_a2_y = s2*t1 - t2;
    let a2_y = -minus_a2_y;
    Y[45] = a2_y;

    // Outward, body 3 (hand)
    let w3_z = w2_z + qd[2];
    let wd3_z = wd2_z + qdd[2];
    Y[28] = wd3_z;
    Y[61] = wd3_z;
    Y[94] = wd3_z;
    let t3 = s2*y2_1_m;
    let minus_y2_2_my = t3 + c2*t1;
    let t4 = w2_z*w2_z;
    let t5 = minus_y2_2_my - t4;
    let y3_2_m = wd2_z - minus_a2_y;
    Y[55] = y3_2_m;
    let minus_a3_y = s3*t5 - c3*y3_2_m;
    let a3_y = -minus_a3_y;
    Y[89] = a3_y;

    // Columns of body 1 (upper_arm)
    let y1_1_my = -minus_y1_1_my;
    Y[2] = y1_1_my;

    // Columns of body 2 (forearm)
    let t6 = t4 + t1;
    let t7 = t2 - s2*t6;
    let y2_1_mx = t7 + c2*wd2_z;
    Y[12] = y2_1_mx;
    let minus_y2_1_my = s2*wd2_z + t3 + c2*t6;
    let y2_1_my = -minus_y2_1_my;
    Y[13] = y2_1_my;
    let y2_2_my = -minus_y2_2_my;
    Y[46] = y2_2_my;

    // Columns of body 3 (hand)
    let t8 = 1.0 + c2;
    let y3_1_m = t7 + y2_1_m + wd2_z*t8;
    Y[22] = y3_1_m;
    let t9 = w3_z*w3_z;
    let t10 = s3*wd3_z + c3*t9;
    let t11 = s3*t9 - c3*wd3_z;
    let minus_y3_1_mx = s2*t10 + minus_a3_y + t11*t8;
    let y3_1_mx = -minus_y3_1_mx;
    Y[23] = y3_1_mx;
    let minus_y3_3_my = s3*y3_2_m + c3*t5;
    let y3_1_my = s2*t11 - minus_y3_3_my - t10*t8;
    Y[24] = y3_1_my;
    let minus_y3_2_mx = t11 + minus_a3_y;
    let y3_2_mx = -minus_y3_2_mx;
    Y[56] = y3_2_mx;
    let minus_y3_2_my = t10 + minus_y3_3_my;
    let y3_2_my = -minus_y3_2_my;
    Y[57] = y3_2_my;
    let y3_3_my = -minus_y3_3_my;
    Y[90] = y3_3_my;
}

/// Y = Y_base(q, qd, qdd), tau = Y pi_base.
/// 25 mul, 25 add, 0 div, 3 sincos. Proved on 1000 states within 1e-12.
///
/// ```text
/// q    in   3       joint positions, rad
/// qd   in   3       joint velocities, rad/s
/// qdd  in   3       joint accelerations, rad/s^2
/// Y    out  3 x 11  joint forces per unit of the base inertial parameters, m/s^2 or 1/s^2
/// ```
#[rustfmt::skip]
pub fn base_regressor(q: &[f64; 3], qd: &[f64; 3], qdd: &[f64; 3], Y: &mut [f64; 33]) {
    // Results that require no operation
    Y[2] = qdd[0];
    Y[6] = 0.0;
    Y[10] = 0.0;
    Y[11] = 0.0;
    Y[12] = 0.0;
    Y[13] = 0.0;
    Y[17] = qdd[1];
    Y[21] = 0.0;
    Y[22] = 0.0;
    Y[23] = 0.0;
    Y[24] = 0.0;
    Y[25] = 0.0;
    Y[26] = 0.0;
    Y[27] = 0.0;
    Y[28] = 0.0;
    Y[32] = qdd[2];

    // Sines and cosines
    let ([s1, s2, s3], [c1, c2, c3]) = sin_cos([q[0], q[1], q[2]]);

    // Outward, body 1 (upper_arm)
    let a1_y = 9.81*c1;
    Y[0] = a1_y;

    // Outward, body 2 (forearm)
    let w2_z = qd[0] + qd[1];
    let wd2_z = qdd[0] + qdd[1];
    Y[5] = wd2_z;
    Y[16] = wd2_z;
    let minus_y1_1_my = 9.81*s1;
    let t1 = minus_y1_1_my - qd[0]*qd[0];
    let t2 = a1_y + qdd[0];
    let minus_a2_y = s2*t1 - c2*t2;
    let a2_y = -minus_a2_y;
    Y[14] = a2_y;

    // Outward, body 3 (hand)
    let w3_z = w2_z + qd[2];
    let wd3_z = wd2_z + qdd[2];
    Y[9] = wd3_z;
    Y[20] = wd3_z;
    Y[31] = wd3_z;
    let minus_y2_2_my = s2*t2 + c2*t1;
    let t3 = w2_z*w2_z;
    let t4 = minus_y2_2_my - t3;
    let t5 = wd2_z - minus_a2_y;
    let minus_a3_y = s3*t4 - c3*t5;
    let a3_y = -minus_a3_y;
    Y[29] = a3_y;

    // Columns of body 1 (upper_arm)
    let y1_1_my = -minus_y1_1_my;
    Y[1] = y1_1_my;

    // Columns of body 2 (forearm)
    let t6 = t3 + t1;
    let t7 = wd2_z + t2;
    let y2_1_mx = c2*t7 - s2*t6;
    Y[3] = y2_1_mx;
    let minus_y2_1_my = c2*t6 + s2*t7;
    let y2_1_my = -minus_y2_1_my;
    Y[4] = y2_1_my;
    let y2_2_my = -minus_y2_2_my;
    Y[15] = y2_2_my;

    // Columns of body 3 (hand)
    let t8 = w3_z*w3_z;
    let t9 = s3*wd3_z + c3*t8;
    let t10 = s3*t8 - c3*wd3_z;
    let t11 = 1.0 + c2;
    let minus_y3_1_mx = s2*t9 + minus_a3_y + t10*t11;
    let y3_1_mx = -minus_y3_1_mx;
    Y[7] = y3_1_mx;
    let minus_y3_3_my = s3*t5 + c3*t4;
    let y3_1_my = s2*t10 - minus_y3_3_my - t9*t11;
    Y[8] = y3_1_my;
    let minus_y3_2_mx = t10 + minus_a3_y;
    let y3_2_mx = -minus_y3_2_mx;
    Y[18] = y3_2_mx;
    let minus_y3_2_my = t9 + minus_y3_3_my;
    let y3_2_my = -minus_y3_2_my;
    Y[19] = y3_2_my;
    let y3_3_my = -minus_y3_3_my;
    Y[30] = y3_3_my;
}

/// Y(q, qd, qd_reference, qdd_reference) pi = M qdd_reference + C qd_reference + g.
/// 26 mul, 30 add, 0 div, 3 sincos. Proved on 1000 states within 1e-12.
///
/// ```text
/// q              in   3       joint positions, rad
/// qd             in   3       joint velocities, rad/s
/// qd_reference   in   3       reference joint velocities, rad/s
/// qdd_reference  in   3       reference joint accelerations, rad/s^2
/// Y              out  3 x 33  joint forces per unit of the standard inertial parameters, m^2/s^2
///                             or m/s^2 or 1/s^2
/// ```
#[rustfmt::skip]
pub fn inverse_dynamics_reference_regressor(
    q: &[f64; 3],
    qd: &[f64; 3],
    qd_reference: &[f64; 3],
    qdd_reference: &[f64; 3],
    Y: &mut [f64; 99],
) {
    // Results that require no operation
    Y[0] = 0.0;
    Y[3] = 0.0;
    Y[4] = 0.0;
    Y[5] = 0.0;
    Y[6] = qdd_reference[0];
    Y[7] = 0.0;
    Y[8] = 0.0;
    Y[9] = 0.0;
    Y[10] = qdd_reference[0];
    Y[14] = 0.0;
    Y[15] = 0.0;
    Y[16] = 0.0;
    Y[18] = 0.0;
    Y[19] = 0.0;
    Y[20] = 0.0;
    Y[21] = 0.0;
    Y[25] = 0.0;
    Y[26] = 0.0;
    Y[27] = 0.0;
    Y[29] = 0.0;
    Y[30] = 0.0;
    Y[31] = 0.0;
    Y[32] = 0.0;
    Y[33] = 0.0;
    Y[34] = 0.0;
    Y[35] = 0.0;
    Y[36] = 0.0;
    Y[37] = 0.0;
    Y[38] = 0.0;
    Y[39] = 0.0;
    Y[40] = 0.0;
    Y[41] = 0.0;
    Y[42] = 0.0;
    Y[43] = 0.0;
    Y[44] = 0.0;
    Y[47] = 0.0;
    Y[48] = 0.0;
    Y[49] = 0.0;
    Y[51] = 0.0;
    Y[52] = 0.0;
    Y[53] = 0.0;
    Y[54] = qdd_reference[1];
    Y[58] = 0.0;
    Y[59] = 0.0;
    Y[60] = 0.0;
    Y[62] = 0.0;
    Y[63] = 0.0;
    Y[64] = 0.0;
    Y[65] = 0.0;
    Y[66] = 0.0;
    Y[67] = 0.0;
    Y[68] = 0.0;
    Y[69] = 0.0;
    Y[70] = 0.0;
    Y[71] = 0.0;
    Y[72] = 0.0;
    Y[73] = 0.0;
    Y[74] = 0.0;
    Y[75] = 0.0;
    Y[76] = 0.0;
    Y[77] = 0.0;
    Y[78] = 0.0;
    Y[79] = 0.0;
    Y[80] = 0.0;
    Y[81] = 0.0;
    Y[82] = 0.0;
    Y[83] = 0.0;
    Y[84] = 0.0;
    Y[85] = 0.0;
    Y[86] = 0.0;
    Y[87] = 0.0;
    Y[88] = 0.0;
    Y[91] = 0.0;
    Y[92] = 0.0;
    Y[93] = 0.0;
    Y[95] = 0.0;
    Y[96] = 0.0;
    Y[97] = 0.0;
    Y[98] = qdd_reference[2];

    // Sines and cosines
    let ([s1, s2, s3], [c1, c2, c3]) = sin_cos([q[0], q[1], q[2]]);

    // Outward, body 1 (upper_arm)
    let a1_y = 9.81*c1;
    Y[1] = a1_y;

    // Outward, body 2 (forearm)
    let w2_z = qd[0] + qd[1];
    let wr2_z = qd_reference[0] + qd_reference[1];
    let wrd2_z = qdd_reference[0] + qdd_reference[1];
    Y[17] = wrd2_z;
    Y[50] = wrd2_z;
    let y2_1_m = a1_y + qdd_reference[0];
    Y[11] = y2_1_m;
    let minus_y1_1_my = 9.81*s1;
    let t1 = minus_y1_1_my - qd[0]*qd_reference[0];
    let t2 = c2*y2_1_m;
    let minus_a2_y = s2*t1 - t2;
    let a2_y = -minus_a2_y;
    Y[45] = a2_y;

    // Outward, body 3 (hand)
    let w3_z = w2_z + qd[2];
    let wr3_z = wr2_z + qd_reference[2];
    let wrd3_z = wrd2_z + qdd_reference[2];
    Y[28] = wrd3_z;
    Y[61] = wrd3_z;
    Y[94] = wrd3_z;
    let t3 = s2*y2_1_m;
    let minus_y2_2_my = t3 + c2*t1;
    let t4 = w2_z*wr2_z;
    let t5 = minus_y2_2_my - t4;
    let y3_2_m = wrd2_z - minus_a2_y;
    Y[55] = y3_2_m;
    let minus_a3_y = s3*t5 - c3*y3_2_m;
    let a3_y = -minus_a3_y;
    Y[89] = a3_y;

    // Columns of body 1 (upper_arm)
    let y1_1_my = -minus_y1_1_my;
    Y[2] = y1_1_my;

    // Columns of body 2 (forearm)
    let t6 = t4 + t1;
    let t7 = t2 - s2*t6;
    let y2_1_mx = t7 + c2*wrd2_z;
    Y[12] = y2_1_mx;
    let minus_y2_1_my = s2*wrd2_z + t3 + c2*t6;
    let y2_1_my = -minus_y2_1_my;
    Y[13] = y2_1_my;
    let y2_2_my = -minus_y2_2_my;
    Y[46] = y2_2_my;

    // Columns of body 3 (hand)
    let t8 = 1.0 + c2;
    let y3_1_m = t7 + y2_1_m + wrd2_z*t8;
    Y[22] = y3_1_m;
    let t9 = w3_z*wr3_z;
    let t10 = s3*wrd3_z + c3*t9;
    let t11 = s3*t9 - c3*wrd3_z;
    let minus_y3_1_mx = s2*t10 + minus_a3_y + t11*t8;
    let y3_1_mx = -minus_y3_1_mx;
    Y[23] = y3_1_mx;
    let minus_y3_3_my = s3*y3_2_m + c3*t5;
    let y3_1_my = s2*t11 - minus_y3_3_my - t10*t8;
    Y[24] = y3_1_my;
    let minus_y3_2_mx = t11 + minus_a3_y;
    let y3_2_mx = -minus_y3_2_mx;
    Y[56] = y3_2_mx;
    let minus_y3_2_my = t10 + minus_y3_3_my;
    let y3_2_my = -minus_y3_2_my;
    Y[57] = y3_2_my;
    let y3_3_my = -minus_y3_3_my;
    Y[90] = y3_3_my;
}

/// pi_base = K pi.  0 mul, 6 add, 0 div, 0 sincos. Proved on 1000 states within 1e-12.
///
/// ```text
/// pi       in   33  standard inertial parameters, kg or kg m or kg m^2
/// pi_base  out  11  base inertial parameters, kg m or kg m^2
/// ```
#[rustfmt::skip]
pub fn base_parameters(pi: &[f64; 33], pi_base: &mut [f64; 11]) {
    // Results that require no operation
    pi_base[1] = pi[2];
    pi_base[4] = pi[13];
    pi_base[6] = pi[21];
    pi_base[7] = pi[23];
    pi_base[8] = pi[24];
    pi_base[9] = pi[28];
    pi_base[10] = pi[32];

    // Body 3 (hand)
    let pi2_m = pi[11] + pi[22];
    let pi2_mx = pi[12] + pi[22];
    pi_base[3] = pi2_mx;
    let pi2_jzz = pi[17] + pi[22];
    pi_base[5] = pi2_jzz;

    // Body 2 (forearm)
    let pi1_mx = pi[1] + pi2_m;
    pi_base[0] = pi1_mx;
    let pi1_jzz = pi[6] + pi2_m;

    // Body 1 (upper_arm)
    let pi_base1_jzz = pi1_jzz + pi[10];
    pi_base[2] = pi_base1_jzz;
}

/// YT = YT(q, qd), T = YT.pi.  20 mul, 7 add, 0 div, 2 sincos. Proved on 1000 states within 1e-12.
///
/// ```text
/// q   in   3   joint positions, rad
/// qd  in   3   joint velocities, rad/s
/// YT  out  33  kinetic energy per unit of the standard inertial parameters, J/kg or J/(kg m) or
///              J/(kg m^2)
/// ```
#[rustfmt::skip]
pub fn kinetic_energy_regressor(q: &[f64; 3], qd: &[f64; 3], YT: &mut [f64; 33]) {
    // Results that require no operation
    YT[0] = 0.0;
    YT[1] = 0.0;
    YT[2] = 0.0;
    YT[3] = 0.0;
    YT[4] = 0.0;
    YT[5] = 0.0;
    YT[7] = 0.0;
    YT[8] = 0.0;
    YT[9] = 0.0;
    YT[14] = 0.0;
    YT[15] = 0.0;
    YT[16] = 0.0;
    YT[18] = 0.0;
    YT[19] = 0.0;
    YT[20] = 0.0;
    YT[25] = 0.0;
    YT[26] = 0.0;
    YT[27] = 0.0;
    YT[29] = 0.0;
    YT[30] = 0.0;
    YT[31] = 0.0;

    // Sines and cosines
    let ([s2, s3], [c2, c3]) = sin_cos([q[1], q[2]]);

    // Outward, body 2 (forearm)
    let w2_z = qd[0] + qd[1];

    // Outward, body 3 (hand)
    let w3_z = w2_z + qd[2];

    // Columns of the links, in their own frames
    let t1 = 0.5*qd[0]*qd[0];
    YT[6] = t1;
    YT[10] = t1;
    YT[11] = t1;
    let t2 = c2*qd[0];
    let t3 = t2*w2_z;
    YT[12] = t3;
    let t4 = s2*qd[0];
    let t5 = -(w2_z*t4);
    YT[13] = t5;
    let t6 = 0.5*w2_z*w2_z;
    YT[17] = t6;
    let t7 = 0.5*qd[1]*qd[1];
    YT[21] = t7;
    let t8 = t3 + t6 + t1;
    YT[22] = t8;
    let t9 = t2 + w2_z;
    let t10 = -(w3_z*(s3*t4 - c3*t9));
    YT[23] = t10;
    let t11 = -(w3_z*(c3*t4 + s3*t9));
    YT[24] = t11;
    let t12 = 0.5*w3_z*w3_z;
    YT[28] = t12;
    let t13 = 0.5*qd[2]*qd[2];
    YT[32] = t13;
}

/// YU = YU(q), U = YU.pi.  6 mul, 3 add, 0 div, 3 sincos. Proved on 1000 states within 1e-12.
/// Bodies 1, 2 and 3 are resolved in axes that do not rotate with the joint.
///
/// ```text
/// q   in   3   joint positions, rad
/// YU  out  33  potential energy per unit of the standard inertial parameters, J/kg or J/(kg m) or
///              J/(kg m^2)
/// ```
#[rustfmt::skip]
pub fn potential_energy_regressor(q: &[f64; 3], YU: &mut [f64; 33]) {
    // Results that require no operation
    YU[0] = 0.0;
    YU[3] = 0.0;
    YU[4] = 0.0;
    YU[5] = 0.0;
    YU[6] = 0.0;
    YU[7] = 0.0;
    YU[8] = 0.0;
    YU[9] = 0.0;
    YU[10] = 0.0;
    YU[14] = 0.0;
    YU[15] = 0.0;
    YU[16] = 0.0;
    YU[17] = 0.0;
    YU[18] = 0.0;
    YU[19] = 0.0;
    YU[20] = 0.0;
    YU[21] = 0.0;
    YU[25] = 0.0;
    YU[26] = 0.0;
    YU[27] = 0.0;
    YU[28] = 0.0;
    YU[29] = 0.0;
    YU[30] = 0.0;
    YU[31] = 0.0;
    YU[32] = 0.0;

    // Sines and cosines
    let theta2 = q[0] + q[1];
    let theta3 = theta2 + q[2];
    let ([s1, s2, s3], [c1, c2, c3]) = sin_cos([q[0], theta2, theta3]);

    // Height, body 2 (forearm)
    let hu2 = 9.81*s1;
    YU[1] = hu2;
    YU[11] = hu2;

    // Height, body 3 (hand)
    let t1 = 9.81*s2;
    YU[12] = t1;
    let hu3 = hu2 + t1;
    YU[22] = hu3;

    // Columns of the links, in their own frames
    let t2 = 9.81*c1;
    YU[2] = t2;
    let t3 = 9.81*c2;
    YU[13] = t3;
    let t4 = 9.81*s3;
    YU[23] = t4;
    let t5 = 9.81*c3;
    YU[24] = t5;
}

/// R, p = pose of the frame tool in the base frame.
/// 0 mul, 4 add, 0 div, 3 sincos. Proved on 1000 states within 1e-12.
/// Bodies 1, 2 and 3 are resolved in axes that do not rotate with the joint.
///
/// ```text
/// q  in   3      joint positions, rad
/// R  out  3 x 3  rotation matrix: columns are the frame's unit vectors, in base axes
/// p  out  3      position of the frame's origin in the base frame, m
/// ```
#[rustfmt::skip]
pub fn forward_kinematics(q: &[f64; 3], R: &mut [f64; 9], p: &mut [f64; 3]) {
    // Results that require no operation
    R[2] = 0.0;
    R[5] = 0.0;
    R[6] = 0.0;
    R[7] = 0.0;
    R[8] = 1.0;
    p[2] = 0.0;

    // Sines and cosines
    let theta2 = q[0] + q[1];
    let theta3 = theta2 + q[2];
    let ([s1, s2, s3], [c1, c2, c3]) = sin_cos([q[0], theta2, theta3]);
    R[3] = s3;
    R[0] = c3;
    R[4] = c3;

    // Joint positions
    let fy3_x = -s3;
    R[1] = fy3_x;

    // Inward, body 2 (forearm)
    let fp1_x = c2 + c1;
    p[0] = fp1_x;
    let fp1_y = s2 + s1;
    p[1] = fp1_y;
}

/// J(q) qd = velocity and angular velocity of the frame tool in base axes.
/// 0 mul, 3 add, 0 div, 2 sincos. Proved on 1000 states within 1e-12.
/// Bodies 1, 2 and 3 are resolved in axes that do not rotate with the joint.
///
/// ```text
/// q  in   3      joint positions, rad
/// J  out  6 x 3  geometric Jacobian in base axes, linear rows first, m/rad or 1
/// ```
#[rustfmt::skip]
pub fn jacobian(q: &[f64; 3], J: &mut [f64; 18]) {
    // Results that require no operation
    J[2] = 0.0;
    J[5] = 0.0;
    J[6] = 0.0;
    J[7] = 0.0;
    J[8] = 0.0;
    J[9] = 0.0;
    J[10] = 0.0;
    J[11] = 0.0;
    J[12] = 0.0;
    J[13] = 0.0;
    J[14] = 0.0;
    J[15] = 1.0;
    J[16] = 1.0;
    J[17] = 1.0;

    // Sines and cosines
    let theta2 = q[0] + q[1];
    let ([s1, s2], [c1, c2]) = sin_cos([q[0], theta2]);
    J[4] = c2;

    // Columns, body 2 (forearm)
    let jv2_x = -s2;
    J[1] = jv2_x;
    let er1_x = c2 + c1;
    J[3] = er1_x;
    let er1_y = s2 + s1;

    // Columns, body 1 (upper_arm)
    let jv1_x = -er1_y;
    J[0] = jv1_x;
}

/// J(q) qd = velocity and angular velocity of the frame tool in its own axes.
/// 4 mul, 3 add, 0 div, 2 sincos. Proved on 1000 states within 1e-12.
///
/// ```text
/// q  in   3      joint positions, rad
/// J  out  6 x 3  geometric Jacobian in the frame's own axes, linear rows first, m/rad or 1
/// ```
#[rustfmt::skip]
pub fn body_jacobian(q: &[f64; 3], J: &mut [f64; 18]) {
    // Results that require no operation
    J[2] = 0.0;
    J[5] = 0.0;
    J[6] = 0.0;
    J[7] = 0.0;
    J[8] = 0.0;
    J[9] = 0.0;
    J[10] = 0.0;
    J[11] = 0.0;
    J[12] = 0.0;
    J[13] = 0.0;
    J[14] = 0.0;
    J[15] = 1.0;
    J[16] = 1.0;
    J[17] = 1.0;

    // Sines and cosines
    let ([s2, s3], [c2, c3]) = sin_cos([q[1], q[2]]);
    J[1] = s3;
    J[4] = c3;

    // Columns, body 2 (forearm)
    let t1 = 1.0 + c2;
    let er1_x = c3*t1 - s2*s3;
    J[3] = er1_x;
    let minus_er1_y = s2*c3 + s3*t1;
    J[0] = minus_er1_y;
}

/// Jdqd = dJ/dt qd: acceleration of the frame tool in base axes while qdd = 0.
/// 8 mul, 5 add, 0 div, 2 sincos. Proved on 1000 states within 1e-12.
/// Bodies 1, 2 and 3 are resolved in axes that do not rotate with the joint.
///
/// ```text
/// q     in   3  joint positions, rad
/// qd    in   3  joint velocities, rad/s
/// Jdqd  out  6  acceleration of the frame's origin, then angular acceleration, in base axes,
///               m/s^2 or rad/s^2
/// ```
#[rustfmt::skip]
pub fn jacobian_dot_qd(q: &[f64; 3], qd: &[f64; 3], Jdqd: &mut [f64; 6]) {
    // Results that require no operation
    Jdqd[2] = 0.0;
    Jdqd[3] = 0.0;
    Jdqd[4] = 0.0;
    Jdqd[5] = 0.0;

    // Sines and cosines
    let theta2 = q[0] + q[1];
    let ([s1, s2], [c1, c2]) = sin_cos([q[0], theta2]);

    // Inward, body 1 (upper_arm)
    let t1 = qd[0]*(qd[0] + 2.0*qd[1]) + qd[1]*qd[1];
    let t2 = qd[0]*qd[0];
    let minus_fa0_x = c1*t2 + c2*t1;
    let fa0_x = -minus_fa0_x;
    Jdqd[0] = fa0_x;
    let minus_fa0_y = s1*t2 + s2*t1;
    let fa0_y = -minus_fa0_y;
    Jdqd[1] = fa0_y;
}

/// V = J(q) qd: velocity of the frame tool in base axes.
/// 4 mul, 5 add, 0 div, 2 sincos. Proved on 1000 states within 1e-12.
/// Bodies 1, 2 and 3 are resolved in axes that do not rotate with the joint.
///
/// ```text
/// q   in   3  joint positions, rad
/// qd  in   3  joint velocities, rad/s
/// V   out  6  velocity of the frame's origin, then angular velocity, in base axes, m/s or rad/s
/// ```
#[rustfmt::skip]
pub fn frame_velocity(q: &[f64; 3], qd: &[f64; 3], V: &mut [f64; 6]) {
    // Results that require no operation
    V[2] = 0.0;
    V[3] = 0.0;
    V[4] = 0.0;

    // Sines and cosines
    let theta2 = q[0] + q[1];
    let ([s1, s2], [c1, c2]) = sin_cos([q[0], theta2]);

    // Inward, body 1 (upper_arm)
    let t1 = qd[0] + qd[1];
    let minus_fv0_x = s1*qd[0] + s2*t1;
    let fv0_x = -minus_fv0_x;
    V[0] = fv0_x;
    let fv0_y = c1*qd[0] + c2*t1;
    V[1] = fv0_y;
    let fw0_z = qd[2] + t1;
    V[5] = fw0_z;
}

/// Vd = J(q) qdd + dJ/dt qd: acceleration of the frame tool in base axes.
/// 12 mul, 11 add, 0 div, 2 sincos. Proved on 1000 states within 1e-12.
/// Bodies 1, 2 and 3 are resolved in axes that do not rotate with the joint.
///
/// ```text
/// q    in   3  joint positions, rad
/// qd   in   3  joint velocities, rad/s
/// qdd  in   3  joint accelerations, rad/s^2
/// Vd   out  6  acceleration of the frame's origin, then angular acceleration, in base axes, m/s^2
///              or rad/s^2
/// ```
#[rustfmt::skip]
pub fn frame_acceleration(q: &[f64; 3], qd: &[f64; 3], qdd: &[f64; 3], Vd: &mut [f64; 6]) {
    // Results that require no operation
    Vd[2] = 0.0;
    Vd[3] = 0.0;
    Vd[4] = 0.0;

    // Sines and cosines
    let theta2 = q[0] + q[1];
    let ([s1, s2], [c1, c2]) = sin_cos([q[0], theta2]);

    // Inward, body 1 (upper_arm)
    let t1 = qd[0]*(qd[0] + 2.0*qd[1]) + qd[1]*qd[1];
    let t2 = qdd[0] + qdd[1];
    let t3 = qd[0]*qd[0];
    let minus_fa0_x = c1*t3 + s1*qdd[0] + c2*t1 + s2*t2;
    let fa0_x = -minus_fa0_x;
    Vd[0] = fa0_x;
    let fa0_y = c1*qdd[0] - s1*t3 - s2*t1 + c2*t2;
    Vd[1] = fa0_y;
    let fwd0_z = qdd[2] + t2;
    Vd[5] = fwd0_z;
}

/// A = J M(q)^-1 J^T: acceleration of the frame tool per unit wrench at it.
/// 37 mul, 17 add, 2 div, 3 sincos. Proved on 1000 states within 1e-12.
///
/// ```text
/// q  in   3      joint positions, rad
/// A  out  6 x 6  inverse inertia at the frame, in base axes, 1/kg or 1/(kg m) or 1/(kg m^2)
/// ```
#[rustfmt::skip]
pub fn inverse_operational_inertia(q: &[f64; 3], A: &mut [f64; 36]) {
    // Results that require no operation
    A[2] = 0.0;
    A[3] = 0.0;
    A[4] = 0.0;
    A[8] = 0.0;
    A[9] = 0.0;
    A[10] = 0.0;
    A[12] = 0.0;
    A[13] = 0.0;
    A[14] = 0.0;
    A[15] = 0.0;
    A[16] = 0.0;
    A[17] = 0.0;
    A[18] = 0.0;
    A[19] = 0.0;
    A[20] = 0.0;
    A[21] = 0.0;
    A[22] = 0.0;
    A[23] = 0.0;
    A[24] = 0.0;
    A[25] = 0.0;
    A[26] = 0.0;
    A[27] = 0.0;
    A[28] = 0.0;
    A[29] = 0.0;
    A[32] = 0.0;
    A[33] = 0.0;
    A[34] = 0.0;

    // Sines and cosines
    let ([s1, s2, s3], [c1, c2, c3]) = sin_cos([q[0], q[1], q[2]]);

    // Outward, body 2 (forearm)
    let ex2_x = c2*c1 - s2*s1;
    let ey2_x = c2*s1 + s2*c1;

    // Composite of body 3 (hand)
    let p3_2_y = 0.5*c3;
    let cms2_y = 0.5*s3;

    // Mass matrix, joint 3 (hand)
    let t1 = c2*p3_2_y - s2*cms2_y;

    // Elimination of joint 3 (hand)
    let lf3_2 = 1.5*c3;
    let t2 = 1.5*c2 - lf3_2*t1;
    let lf3_1 = 3.0*t1;

    // Elimination of joint 2 (forearm)
    let dinv2 = 1.0/(1.3333333333333333 - lf3_2*p3_2_y);
    let lf2_1 = dinv2*t2;
    let t3 = lf2_1*ey2_x - s1;
    let t4 = c1 - lf2_1*ex2_x;
    let t5 = lf2_1*lf3_2 - lf3_1;
    let t6 = dinv2*ey2_x;
    let t7 = dinv2*ex2_x;

    // Elimination of joint 1 (upper_arm)
    let dinv1 = 1.0/(2.3333333333333335 - lf3_1*t1 - lf2_1*t2);
    let t8 = dinv1*t3;
    let t9 = dinv1*t4;

    // Motion of the frame per unit wrench
    let t10 = t3*t8 + ey2_x*t6;
    A[0] = t10;
    let t11 = t4*t8 - ex2_x*t6;
    A[1] = t11;
    A[6] = t11;
    let t12 = t4*t9 + ex2_x*t7;
    A[7] = t12;
    let t13 = t5*t8 + lf3_2*t6;
    A[5] = t13;
    A[30] = t13;
    let t14 = t5*t9 - lf3_2*t7;
    A[11] = t14;
    A[31] = t14;
    let t15 = t5*(dinv1*t5) + lf3_2*(dinv2*lf3_2) + 3.0;
    A[35] = t15;
}

/// com = centre of mass of all moving bodies, in the base frame.
/// 6 mul, 6 add, 0 div, 3 sincos. Proved on 1000 states within 1e-12.
/// Bodies 1, 2 and 3 are resolved in axes that do not rotate with the joint.
///
/// ```text
/// q    in   3  joint positions, rad
/// com  out  3  centre of mass of all moving bodies, in the base frame, m
/// ```
#[rustfmt::skip]
pub fn center_of_mass(q: &[f64; 3], com: &mut [f64; 3]) {
    // Results that require no operation
    com[2] = 0.0;

    // Sines and cosines
    let theta2 = q[0] + q[1];
    let theta3 = theta2 + q[2];
    let ([s1, s2, s3], [c1, c2, c3]) = sin_cos([q[0], theta2, theta3]);

    // Composite of body 1 (upper_arm)
    let com0_x = 0.8333333333333334*c1 + 0.5*c2 + 0.16666666666666666*c3;
    com[0] = com0_x;
    let com0_y = 0.8333333333333334*s1 + 0.5*s2 + 0.16666666666666666*s3;
    com[1] = com0_y;
}

/// Jcom(q) qd = velocity of the centre of mass in base axes.
/// 6 mul, 6 add, 0 div, 3 sincos. Proved on 1000 states within 1e-12.
/// Bodies 1, 2 and 3 are resolved in axes that do not rotate with the joint.
///
/// ```text
/// q     in   3      joint positions, rad
/// Jcom  out  3 x 3  Jacobian of the centre of mass, in base axes, m/rad
/// ```
#[rustfmt::skip]
pub fn com_jacobian(q: &[f64; 3], Jcom: &mut [f64; 9]) {
    // Results that require no operation
    Jcom[6] = 0.0;
    Jcom[7] = 0.0;
    Jcom[8] = 0.0;

    // Sines and cosines
    let theta2 = q[0] + q[1];
    let theta3 = theta2 + q[2];
    let ([s1, s2, s3], [c1, c2, c3]) = sin_cos([q[0], theta2, theta3]);

    // Momenta of joint 3 (hand)
    let t1 = 0.16666666666666666*s3;
    let t2 = 0.5*s2 + t1;
    let t3 = -(0.8333333333333334*s1 + t2);
    Jcom[0] = t3;
    let t4 = 0.16666666666666666*c3;
    Jcom[5] = t4;
    let t5 = 0.5*c2 + t4;
    Jcom[4] = t5;
    let t6 = 0.8333333333333334*c1 + t5;
    Jcom[3] = t6;
    let t7 = -t2;
    Jcom[1] = t7;
    let t8 = -t1;
    Jcom[2] = t8;
}

/// Ag(q) qd = linear and angular momentum about the centre of mass, in base axes.
/// 23 mul, 17 add, 0 div, 3 sincos. Proved on 1000 states within 1e-12.
///
/// ```text
/// q   in   3      joint positions, rad
/// Ag  out  6 x 3  centroidal momentum matrix in base axes, linear rows first, kg m or kg m^2
/// ```
#[rustfmt::skip]
pub fn centroidal_momentum_matrix(q: &[f64; 3], Ag: &mut [f64; 18]) {
    // Results that require no operation
    Ag[6] = 0.0;
    Ag[7] = 0.0;
    Ag[8] = 0.0;
    Ag[9] = 0.0;
    Ag[10] = 0.0;
    Ag[11] = 0.0;
    Ag[12] = 0.0;
    Ag[13] = 0.0;
    Ag[14] = 0.0;

    // Sines and cosines
    let ([s1, s2, s3], [c1, c2, c3]) = sin_cos([q[0], q[1], q[2]]);

    // Composite of body 1 (upper_arm)
    let t1 = 0.5*(s2*c3 + c2*s3);
    let t2 = 1.5*s2 + t1;
    let t3 = s2*s3 - c2*c3;
    let t4 = 0.5*t3;
    let t5 = 1.5*c2 - t4;
    let t6 = 2.5 + t5;
    let t7 = s1*t2;
    let t8 = c1*t6 - t7;
    Ag[3] = t8;

    // Momenta of joint 1 (upper_arm)
    let t9 = c1*t2;
    let t10 = -(t9 + s1*t6);
    Ag[0] = t10;
    let t11 = 0.5*c3;
    let t12 = 1.0833333333333333 + t11 + 0.3333333333333333*t5;
    Ag[15] = t12;

    // Momenta of joint 2 (forearm)
    let t13 = -(s1*t5 + t9);
    Ag[1] = t13;
    let t14 = c1*t5 - t7;
    Ag[4] = t14;
    let t15 = 0.8333333333333334 + t11 + 0.16666666666666666*t5;
    Ag[16] = t15;

    // Momenta of joint 3 (hand)
    let t16 = s1*t4 - c1*t1;
    Ag[2] = t16;
    let t17 = -(c1*t4 + s1*t1);
    Ag[5] = t17;
    let t18 = 0.25 + 0.25*c3 - 0.08333333333333333*t3;
    Ag[17] = t18;
}

/// dAg_qd = dAg/dt qd: change of the centroidal momentum while qdd = 0.
/// 22 mul, 13 add, 0 div, 3 sincos. Proved on 1000 states within 1e-12.
/// Bodies 2 and 3 are resolved in axes that do not rotate with the joint.
///
/// ```text
/// q       in   3  joint positions, rad
/// qd      in   3  joint velocities, rad/s
/// dAg_qd  out  6  change of the centroidal momentum without joint accelerations, in base axes, N
///                 or N m
/// ```
#[rustfmt::skip]
pub fn centroidal_momentum_matrix_dot_qd(q: &[f64; 3], qd: &[f64; 3], dAg_qd: &mut [f64; 6]) {
    // Results that require no operation
    dAg_qd[2] = 0.0;
    dAg_qd[3] = 0.0;
    dAg_qd[4] = 0.0;

    // Sines and cosines
    let theta3 = q[1] + q[2];
    let ([s1, s2, s3], [c1, c2, c3]) = sin_cos([q[0], q[1], theta3]);

    // Outward, body 2 (forearm)
    let w2_z = qd[0] + qd[1];

    // Outward, body 3 (hand)
    let w3_z = w2_z + qd[2];

    // Inward, body 1 (upper_arm)
    let t1 = w2_z*w2_z;
    let t2 = 1.5*t1;
    let t3 = w3_z*w3_z;
    let t4 = 0.5*t3;
    let t5 = s2*t2 + s3*t4;
    let t6 = qd[0]*qd[0];
    let t7 = 2.5*t6 + c2*t2 + c3*t4;
    let t8 = s1*t5 - c1*t7;
    dAg_qd[0] = t8;
    let t9 = -(c1*t5 + s1*t7);
    dAg_qd[1] = t9;

    // Composite of body 1 (upper_arm)
    let t10 = (0.25*s2 + 0.08333333333333333*s3)*t6 - 0.16666666666666666*t5
        - 0.25*(t1 - t3)*(s2*c3 - c2*s3);
    dAg_qd[5] = t10;
}

/// dtau = dtau_dq dq + dtau_dqd dqd + M(q) dqdd.
/// 41 mul, 32 add, 0 div, 3 sincos. Proved on 1000 states within 1e-12.
/// Inertial parameters are regrouped: inertia that a joint cannot observe is moved to the parent
/// body. Bodies 2 and 3 are resolved in axes that do not rotate with the joint.
///
/// ```text
/// q         in   3      joint positions, rad
/// qd        in   3      joint velocities, rad/s
/// qdd       in   3      joint accelerations, rad/s^2
/// dtau_dq   out  3 x 3  derivatives of joint forces by joint positions, N m/rad
/// dtau_dqd  out  3 x 3  derivatives of joint forces by joint velocities, N m/(rad/s)
/// ```
#[rustfmt::skip]
pub fn inverse_dynamics_derivatives(
    q: &[f64; 3],
    qd: &[f64; 3],
    qdd: &[f64; 3],
    dtau_dq: &mut [f64; 9],
    dtau_dqd: &mut [f64; 9],
) {
    // Results that require no operation
    dtau_dqd[8] = 0.0;

    // Sines and cosines
    let theta3 = q[1] + q[2];
    let ([s1, s2, s3], [c1, c2, c3]) = sin_cos([q[0], q[1], theta3]);

    // Outward, body 2 (forearm)
    let w2_z = qd[0] + qd[1];

    // Outward, body 3 (hand)
    let w3_z = w2_z + qd[2];

    // Coriolis matrix, joint 1 (upper_arm)
    let t1 = 3.0*s2;
    let t2 = s3*w3_z;
    let t3 = t1*w2_z + t2;
    let t4 = t1 + s3;
    let t5 = s2*c3 - c2*s3;
    let nqd2_2_z = t5*qd[2];
    dtau_dqd[4] = nqd2_2_z;
    let hhx2_1_z = qd[0]*t4 + nqd2_2_z;
    dtau_dqd[3] = hhx2_1_z;
    let nqd1_1_z = hhx2_1_z - t3;
    dtau_dqd[0] = nqd1_1_z;

    // Coriolis matrix, joint 2 (forearm)
    let nqd2_1_z = nqd2_2_z - t3;
    dtau_dqd[1] = nqd2_1_z;

    // Coriolis matrix, joint 3 (hand)
    let nqd3_2_z = w3_z*t5;
    dtau_dqd[5] = nqd3_2_z;
    let minus_hhx3_2_z = w2_z*t5;
    let hhx3_2_z = -minus_hhx3_2_z;
    dtau_dqd[7] = hhx3_2_z;
    let nqd3_1_z = nqd3_2_z - t2;
    dtau_dqd[2] = nqd3_1_z;
    let hhx3_1_z = s3*qd[0] - minus_hhx3_2_z;
    dtau_dqd[6] = hhx3_1_z;

    // Outward, body 2 (forearm)
    let wd2_z = qdd[0] + qdd[1];

    // Outward, body 3 (hand)
    let wd3_z = wd2_z + qdd[2];

    // Derivatives by position, joint 1 (upper_arm)
    let minus_tauq3_1 = 4.905*(s1*c3 + c1*s3);
    let t6 = 14.715*(s1*c2 + c1*s2);
    let minus_tauq2_1 = minus_tauq3_1 + t6;
    let minus_nq1_1_z = 24.525*s1 + minus_tauq2_1;
    let nq1_1_z = -minus_nq1_1_z;
    dtau_dq[0] = nq1_1_z;

    // Derivatives by position, joint 2 (forearm)
    let t7 = qd[0]*qd[0];
    let t8 = 0.5*c3*t7 - minus_tauq3_1;
    let t9 = 0.5*qdd[0];
    let minus_nq2_2_z = t4*t9 - 1.5*c2*t7 + t6 - t8;
    let nq2_2_z = -minus_nq2_2_z;
    dtau_dq[4] = nq2_2_z;
    let t10 = w2_z*w2_z;
    let t11 = w3_z*w3_z;
    let t12 = 0.5*(s3*wd3_z + c3*t11);
    let minus_nq2_1_z = minus_nq2_2_z + 1.5*(s2*wd2_z + c2*t10) + t12;
    let nq2_1_z = -minus_nq2_1_z;
    dtau_dq[1] = nq2_1_z;
    let tauq2_1 = -minus_tauq2_1;
    dtau_dq[3] = tauq2_1;

    // Derivatives by position, joint 3 (hand)
    let t13 = s2*s3 + c2*c3;
    let minus_tauq3_2 = s3*t9 - t8;
    let minus_nq3_3_z = minus_tauq3_2 - 0.5*(t5*wd2_z + t13*t10);
    let nq3_3_z = -minus_nq3_3_z;
    dtau_dq[8] = nq3_3_z;
    let nq3_2_z = 0.5*(t5*wd3_z - t13*t11) - minus_nq3_3_z;
    dtau_dq[5] = nq3_2_z;
    let tauq3_2 = -minus_tauq3_2;
    dtau_dq[7] = tauq3_2;
    let nq3_1_z = nq3_2_z - t12;
    dtau_dq[2] = nq3_1_z;
    let tauq3_1 = -minus_tauq3_1;
    dtau_dq[6] = tauq3_1;
}

/// dqdd = dqdd_dq dq + dqdd_dqd dqd + dqdd_dtau dtau.
/// 138 mul, 107 add, 2 div, 3 sincos. Proved on 1000 states within 1e-12.
/// Inertial parameters are regrouped: inertia that a joint cannot observe is moved to the parent
/// body. Bodies 2 and 3 are resolved in axes that do not rotate with the joint.
///
/// ```text
/// q          in   3      joint positions, rad
/// qd         in   3      joint velocities, rad/s
/// tau        in   3      joint forces, N m
/// dqdd_dq    out  3 x 3  derivatives of joint accelerations by joint positions, (rad/s^2)/rad
/// dqdd_dqd   out  3 x 3  derivatives of joint accelerations by joint velocities,
///                        (rad/s^2)/(rad/s)
/// dqdd_dtau  out  3 x 3  derivatives of joint accelerations by joint forces, (rad/s^2)/(N m)
/// ```
#[rustfmt::skip]
pub fn forward_dynamics_derivatives(
    q: &[f64; 3],
    qd: &[f64; 3],
    tau: &[f64; 3],
    dqdd_dq: &mut [f64; 9],
    dqdd_dqd: &mut [f64; 9],
    dqdd_dtau: &mut [f64; 9],
) {
    // Sines and cosines
    let theta3 = q[1] + q[2];
    let ([s1, s2, s3], [c1, c2, c3]) = sin_cos([q[0], q[1], theta3]);

    // Joint positions
    let ms2_x = 1.5*c2;
    let ms2_y = 1.5*s2;
    let ms3_x = 0.5*c3;
    let ms3_y = 0.5*s3;

    // Outward, body 2 (forearm)
    let w2_z = qd[0] + qd[1];

    // Outward, body 3 (hand)
    let w3_z = w2_z + qd[2];
    let ww1_z = 2.0*qd[0];
    let ww2_z = 2.0*w2_z;
    let ww3_z = 2.0*w3_z;

    // Composite of body 3 (hand)
    let cms2_x = ms2_x + ms3_x;
    let cms2_y = ms2_y + ms3_y;

    // Coriolis matrix, joint 3 (hand)
    let h3_2_z = 0.3333333333333333 + c2*ms3_x + s2*ms3_y;

    // Composite of body 3 (hand)
    let cj2_zz = 2.0*h3_2_z + 1.0;

    // Composite of body 2 (forearm)
    let cms1_x = 2.5 + cms2_x;

    // Composite of body 1 (upper_arm)
    let minus_ccp3_x = ww3_z*ms3_y;

    // Motion of composite 3 (hand)
    let t1 = minus_ccp3_x*c2;
    let t2 = s2*ms3_x;
    let t3 = ww3_z*t2;
    let minus_ccp2_x = ww2_z*ms2_y + minus_ccp3_x;

    // Motion of composite 2 (forearm)
    let t4 = cms2_y*ww1_z;

    // Coriolis matrix, joint 2 (forearm)
    let hhx3_2_z = ww2_z*(c2*ms3_y - t2);
    let nqd2_2_z = t3 + hhx3_2_z - t1;
    let nqd2_1_z = nqd2_2_z - minus_ccp2_x;

    // Coriolis matrix, joint 1 (upper_arm)
    let nqd1_1_z = t4 + nqd2_1_z;

    // Coriolis matrix, joint 2 (forearm)
    let hhx2_1_z = nqd2_2_z + t4;

    // Coriolis matrix, joint 3 (hand)
    let h3_1_z = h3_2_z + ms3_x;
    let nqd3_2_z = t3 - t1;
    let nqd3_1_z = nqd3_2_z - minus_ccp3_x;
    let hhx3_1_z = hhx3_2_z + ww1_z*ms3_y;

    // Gravity
    let up1_x = 9.81*s1;
    let up1_y = 9.81*c1;
    let t5 = cms2_y*up1_x;
    let g1 = cms1_x*up1_y - t5;
    let g2 = cms2_x*up1_y - t5;
    let g3 = ms3_x*up1_y - ms3_y*up1_x;

    // Forces that accelerate the joints
    let t6 = 0.5*qd[0];
    let t7 = 0.5*qd[1];
    let t8 = 0.5*qd[2];
    let t9 = tau[2] - g3 - hhx3_1_z*t6 - hhx3_2_z*t7;

    // Elimination of joint 3 (hand)
    let lf3_2 = 3.0*h3_2_z;
    let t10 = cms2_x + cj2_zz;
    let t11 = t10 - lf3_2*h3_1_z;
    let t12 = tau[1] - g2 - hhx2_1_z*t6 - nqd2_2_z*t7 - nqd3_2_z*t8 - lf3_2*t9;
    let lf3_1 = 3.0*h3_1_z;

    // Elimination of joint 2 (forearm)
    let dinv2 = 1.0/(cj2_zz - lf3_2*h3_2_z);
    let lf2_1 = dinv2*t11;

    // Elimination of joint 1 (upper_arm)
    let dinv1 = 1.0/(2.3333333333333335 + t10 + cms2_x - lf3_1*h3_1_z - lf2_1*t11);
    dqdd_dtau[0] = dinv1;
    let qdd1 = dinv1*(tau[0] - g1 - nqd1_1_z*t6 - nqd2_1_z*t7 - nqd3_1_z*t8 - lf3_1*t9 - lf2_1*t12);
    let t13 = dinv1*lf2_1;
    let t14 = dinv1*(lf2_1*lf3_2 - lf3_1);
    dqdd_dtau[2] = t14;
    dqdd_dtau[6] = t14;

    // Joint accelerations
    let qdd2 = dinv2*t12 - lf2_1*qdd1;
    let t15 = dinv2 + lf2_1*t13;
    dqdd_dtau[4] = t15;
    let t16 = dinv2*lf3_2 + lf2_1*t14;
    let qdd3 = 3.0*t9 - lf3_2*qdd2 - lf3_1*qdd1;
    let t17 = 3.0 + lf3_2*t16 - lf3_1*t14;
    dqdd_dtau[8] = t17;

    // Change of accelerations by the velocity of joint 1 (upper_arm)
    let t18 = lf3_2*hhx3_1_z - hhx2_1_z;
    let t19 = dinv1*(lf3_1*hhx3_1_z - nqd1_1_z - lf2_1*t18);
    dqdd_dqd[0] = t19;
    let t20 = dinv2*t18 - lf2_1*t19;
    dqdd_dqd[3] = t20;

    // Change of accelerations by the velocity of joint 2 (forearm)
    let t21 = lf3_2*hhx3_2_z - nqd2_2_z;
    let t22 = dinv1*(lf3_1*hhx3_2_z - nqd2_1_z - lf2_1*t21);
    dqdd_dqd[1] = t22;
    let t23 = dinv2*t21 - lf2_1*t22;
    dqdd_dqd[4] = t23;

    // Change of accelerations by the velocity of joint 3 (hand)
    let t24 = dinv1*(lf2_1*nqd3_2_z - nqd3_1_z);
    dqdd_dqd[2] = t24;
    let t25 = dinv2*nqd3_2_z + lf2_1*t24;
    let t26 = lf3_2*t25 - lf3_1*t24;
    dqdd_dqd[8] = t26;

    // Outward, body 1 (upper_arm)
    let minus_l1_xx = qd[0]*qd[0];

    // Outward, body 2 (forearm)
    let wd2_z = qdd1 + qdd2;
    let minus_l2_xx = w2_z*w2_z;
    let a2_x = up1_x - minus_l1_xx;
    let a2_y = up1_y + qdd1;

    // Outward, body 3 (hand)
    let wd3_z = wd2_z + qdd3;
    let minus_l3_xx = w3_z*w3_z;
    let a3_x = a2_x - minus_l2_xx*c2 - wd2_z*s2;
    let a3_y = a2_y + wd2_z*c2 - minus_l2_xx*s2;

    // Inward, body 3 (hand)
    let minus_bf3_x = minus_l3_xx*ms3_x + wd3_z*ms3_y;
    let bf3_y = wd3_z*ms3_x - minus_l3_xx*ms3_y;

    // Inward, body 2 (forearm)
    let minus_bf2_x = minus_l2_xx*ms2_x + wd2_z*ms2_y;
    let minus_f2_x = minus_bf2_x + minus_bf3_x;

    // Derivatives by position, joint 1 (upper_arm)
    let t27 = cms2_y*up1_y;
    let minus_nq1_1_z = cms1_x*up1_x + t27;

    // Derivatives by position, joint 2 (forearm)
    let minus_nq2_2_z = cms2_x*a2_x + cms2_y*a2_y;
    let minus_nq2_1_z = minus_nq2_2_z + minus_f2_x;
    let minus_tauq2_1 = t27 + cms2_x*up1_x;

    // Derivatives by position, joint 3 (hand)
    let minus_nq3_3_z = ms3_x*a3_x + ms3_y*a3_y;
    let nq3_2_z = s2*bf3_y - (minus_nq3_3_z + c2*minus_bf3_x);
    let minus_tauq3_2 = ms3_y*a2_y + ms3_x*a2_x;
    let nq3_1_z = nq3_2_z - minus_bf3_x;
    let minus_tauq3_1 = ms3_y*up1_y + ms3_x*up1_x;

    // Change of accelerations by the position of joint 1 (upper_arm)
    let t28 = minus_tauq2_1 - lf3_2*minus_tauq3_1;
    let t29 = dinv1*(minus_nq1_1_z - lf3_1*minus_tauq3_1 - lf2_1*t28);
    dqdd_dq[0] = t29;
    let t30 = dinv2*t28 - lf2_1*t29;
    dqdd_dq[3] = t30;
    let t31 = 3.0*minus_tauq3_1 - lf3_2*t30 - lf3_1*t29;
    dqdd_dq[6] = t31;

    // Change of accelerations by the position of joint 2 (forearm)
    let t32 = minus_nq2_2_z - lf3_2*minus_tauq3_2;
    let t33 = dinv1*(minus_nq2_1_z - lf3_1*minus_tauq3_2 - lf2_1*t32);
    dqdd_dq[1] = t33;
    let t34 = dinv2*t32 - lf2_1*t33;
    dqdd_dq[4] = t34;
    let t35 = 3.0*minus_tauq3_2 - lf3_2*t34 - lf3_1*t33;
    dqdd_dq[7] = t35;

    // Change of accelerations by the position of joint 3 (hand)
    let t36 = nq3_2_z + lf3_2*minus_nq3_3_z;
    let t37 = dinv1*(lf2_1*t36 - (nq3_1_z + lf3_1*minus_nq3_3_z));
    dqdd_dq[2] = t37;
    let t38 = dinv2*t36 + lf2_1*t37;
    let t39 = 3.0*minus_nq3_3_z + lf3_2*t38 - lf3_1*t37;
    dqdd_dq[8] = t39;
    let t40 = -t38;
    dqdd_dq[5] = t40;
    let t41 = -t25;
    dqdd_dqd[5] = t41;
    let t42 = -(3.0*hhx3_1_z + lf3_2*t20 + lf3_1*t19);
    dqdd_dqd[6] = t42;
    let t43 = -(3.0*hhx3_2_z + lf3_2*t23 + lf3_1*t22);
    dqdd_dqd[7] = t43;
    let t44 = -t13;
    dqdd_dtau[1] = t44;
    dqdd_dtau[3] = t44;
    let t45 = -t16;
    dqdd_dtau[5] = t45;
    dqdd_dtau[7] = t45;
}

/// tau_f = friction of joints and transmissions.
/// 0 mul, 0 add, 0 div, 0 sincos. Proved on 1000 states within 1e-12.
///
/// ```text
/// qd     in   3  joint velocities, rad/s
/// tau_f  out  3  joint forces of friction; motors have to supply tau + tau_f, N m
/// ```
#[rustfmt::skip]
pub fn friction_forces(qd: &[f64; 3], tau_f: &mut [f64; 3]) {
    let _ = qd;
    // Results that require no operation
    tau_f[0] = 0.0;
    tau_f[1] = 0.0;
    tau_f[2] = 0.0;
}

/// state = (M(q), C(q, qd) qd + g(q)).
/// 23 mul, 22 add, 0 div, 3 sincos. Proved on 1000 states within 1e-12.
/// Inertial parameters are regrouped: inertia that a joint cannot observe is moved to the parent
/// body. Body 3 is resolved in axes that do not rotate with the joint.
///
/// ```text
/// q      in   3  joint positions, rad
/// qd     in   3  joint velocities, rad/s
/// state  out  9  lower triangle of the mass matrix, row by row, then velocity and gravity forces,
///                kg m^2 or N m
/// ```
#[rustfmt::skip]
pub fn background(q: &[f64; 3], qd: &[f64; 3], state: &mut [f64; 9]) {
    // Results that require no operation
    state[5] = 0.3333333333333333;

    // Sines and cosines
    let ([s1, s2, s3], [c1, c2, c3]) = sin_cos([q[0], q[1], q[2]]);

    // Joint positions
    let ms3_x = 0.5*c3;
    let ms3_y = 0.5*s3;

    // Outward, body 1 (upper_arm)
    let minus_l1_xx = qd[0]*qd[0];
    let a1_x = 9.81*s1;
    let a1_y = 9.81*c1;

    // Outward, body 2 (forearm)
    let w2_z = qd[0] + qd[1];
    let minus_l2_xx = w2_z*w2_z;
    let t1 = a1_x - minus_l1_xx;
    let a2_x = c2*t1 + s2*a1_y;
    let a2_y = c2*a1_y - s2*t1;

    // Outward, body 3 (hand)
    let w3_z = w2_z + qd[2];
    let minus_l3_xx = w3_z*w3_z;
    let a3_x = a2_x - minus_l2_xx;

    // Inward, body 3 (hand)
    let minus_bf3_x = minus_l3_xx*ms3_x;
    let minus_bf3_y = minus_l3_xx*ms3_y;
    let bm3_z = ms3_x*a2_y - ms3_y*a3_x;
    state[8] = bm3_z;

    // Inward, body 2 (forearm)
    let minus_bf2_x = 1.5*minus_l2_xx;
    let bm2_z = 1.5*a2_y;
    let minus_f2_x = minus_bf2_x + minus_bf3_x;
    let n2_z = bm2_z + (bm3_z - minus_bf3_y);
    state[7] = n2_z;
    let minus_f1_y = c2*minus_bf3_y + s2*minus_f2_x;

    // Inward, body 1 (upper_arm)
    let bm1_z = 24.525*c1;
    let n1_z = bm1_z + (n2_z - minus_f1_y);
    state[6] = n1_z;

    // Composite of body 3 (hand)
    let cms2_x = 1.5 + ms3_x;
    let cj2_zz = c3 + 1.6666666666666667;
    state[2] = cj2_zz;

    // Composite of body 2 (forearm)
    let t2 = s2*ms3_y;
    let p2_1_y = c2*cms2_x - t2;
    let h2_1_z = cj2_zz + p2_1_y;
    state[1] = h2_1_z;
    let cj1_zz = 2.3333333333333335 + h2_1_z + p2_1_y;
    state[0] = cj1_zz;

    // Mass matrix, joint 3 (hand)
    let h3_2_z = 0.3333333333333333 + ms3_x;
    state[4] = h3_2_z;
    let p3_1_y = c2*ms3_x - t2;
    let h3_1_z = h3_2_z + p3_1_y;
    state[3] = h3_1_z;
}

/// state = (M(q), g(q)), without coriolis_forces.
/// 14 mul, 13 add, 0 div, 3 sincos. Proved on 1000 states within 1e-12.
/// Inertial parameters are regrouped: inertia that a joint cannot observe is moved to the parent
/// body. Bodies 2 and 3 are resolved in axes that do not rotate with the joint.
///
/// ```text
/// q      in   3  joint positions, rad
/// state  out  9  lower triangle of the mass matrix, row by row, then gravity forces, kg m^2 or
///                N m
/// ```
#[rustfmt::skip]
pub fn background_inertia(q: &[f64; 3], state: &mut [f64; 9]) {
    // Results that require no operation
    state[5] = 0.3333333333333333;

    // Sines and cosines
    let theta3 = q[1] + q[2];
    let ([s1, s2, s3], [c1, c2, c3]) = sin_cos([q[0], q[1], theta3]);

    // Composite of body 3 (hand)
    let t1 = s2*s3 + c2*c3;
    let cj2_zz = 1.6666666666666667 + t1;
    state[2] = cj2_zz;

    // Composite of body 2 (forearm)
    let t2 = 4.905*c3;
    let t3 = 14.715*c2 + t2;
    let t4 = 0.1019367991845056*t3;
    let h2_1_z = t4 + cj2_zz;
    state[1] = h2_1_z;
    let cj1_zz = 2.3333333333333335 + h2_1_z + t4;
    state[0] = cj1_zz;

    // Gravity
    let t5 = 4.905*s1*s3;
    let minus_g2 = t5 + 14.715*s1*s2 - c1*t3;
    let g1 = 24.525*c1 - minus_g2;
    state[6] = g1;
    let g2 = -minus_g2;
    state[7] = g2;
    let g3 = c1*t2 - t5;
    state[8] = g3;

    // Mass matrix, joint 3 (hand)
    let h3_2_z = 0.3333333333333333 + 0.5*t1;
    state[4] = h3_2_z;
    let h3_1_z = 0.5*c3 + h3_2_z;
    state[3] = h3_1_z;
}

/// tau = M qdd + (C qd + g), from the state.
/// 9 mul, 9 add, 0 div, 0 sincos. Proved on 1000 states within 1e-12.
///
/// ```text
/// state  in   9  lower triangle of the mass matrix, row by row, then forces, kg m^2 or N m
/// qdd    in   3  joint accelerations, rad/s^2
/// tau    out  3  joint forces, N m
/// ```
#[rustfmt::skip]
pub fn synchronous(state: &[f64; 9], qdd: &[f64; 3], tau: &mut [f64; 3]) {
    let t1 = state[6] + state[0]*qdd[0] + state[1]*qdd[1] + state[3]*qdd[2];
    tau[0] = t1;
    let t2 = state[7] + state[1]*qdd[0] + state[2]*qdd[1] + state[4]*qdd[2];
    tau[1] = t2;
    let t3 = state[8] + state[3]*qdd[0] + state[4]*qdd[1] + state[5]*qdd[2];
    tau[2] = t3;
}
