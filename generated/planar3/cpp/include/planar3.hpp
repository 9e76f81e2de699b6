/* planar3: robot dynamics in straight-line C++17, for any type of numbers.
 *
 * Robot    planar3, 3 joints
 * Source   three unit slender rods; the arm of Saha (2003), section 4
 * Input    planar3.yaml
 * SHA-256  a971704d63adab540f3ac8586fff774a77904f3eed7c80b1e5b075905333fe1e
 * Gravity  (0, -9.81, 0) m/s^2 in the base frame
 * Tool     the frame of link hand
 * Proof    Every entry of an output has to satisfy |computed - expected| <= 1e-12 * S in every
 *          state, where S is the largest |expected| of that entry over all states, but at least
 *          1e-2 of the largest sum of the magnitudes of its terms (so that an entry which is zero
 *          by symmetry is not held to the rounding of terms that cancel). NaN and infinity fail.
 *
 * index  joint      type      position  force
 * 0      upper_arm  revolute  rad       N m
 * 1      forearm    revolute  rad       N m
 * 2      hand       revolute  rad       N m
 *
 * All quantities are in SI units. Arrays are flat, matrices row-major. An output may be the same
 * array as an input. Real is double, float, or a type with arithmetic and sine and cosine in its
 * own namespace: dual numbers, ceres::Jet, CppAD::AD. A NaN in an input gives NaN in every result
 * that depends on this input. Input entries that no result depends on are not read.
 *
 * Names: i and j number bodies and joints from 1; _x, _xy are components in the axes of body i.
 *
 *   s<i>                    sine of the angle about joint axis i, summed over the parallel joints
 *                           before it
 *   c<i>                    cosine of the angle about joint axis i, summed over the parallel joints
 *                           before it
 *   ms<i>                   first moment of body i about its origin, kg m (MS, Khalil and
 *                           Kleinfinger 1987)
 *   w<i>                    angular velocity of body i, rad/s
 *   wd<i>                   angular acceleration of body i, rad/s^2
 *   l<i>                    acceleration difference matrix of body i: l r = wd x r + w x (w x r),
 *                           1/s^2 (Dhanaraj 1990, eq. 2.27)
 *   a<i>                    acceleration of the origin of body i minus gravity, m/s^2
 *   bf<i>                   inertial force of body i, N
 *   bm<i>                   inertial moment of body i, N m
 *   f<i>                    force that joint i transmits to body i, N
 *   n<i>                    moment that joint i transmits to body i, N m
 *   wr<i>                   reference angular velocity of body i, rad/s
 *   wrd<i>                  derivative by time of the reference angular velocity of body i, rad/s^2
 *                           (Niemeyer and Slotine 1991)
 *   theta<i>                sum of the positions of joint i and the parallel joints before it, rad
 *   g<i>                    joint force of joint i that balances gravity, N m or N
 *   cj<i>                   inertia of composite i (body i and all it carries) about the origin of
 *                           body i, kg m^2
 *   h<j>_<i>                angular momentum of composite j at a unit velocity of joint j, about
 *                           the origin of body i
 *   hv<j>_<i>               sum of m r x dx_j/dt over composite j, x_j the velocity at a unit
 *                           velocity of joint j
 *   hx<j>_<i>               sum of m dr/dt x x_j over composite j, x_j the velocity at a unit
 *                           velocity of joint j
 *   v<i>                    velocity of the origin of body i, m/s
 *   ke<i>                   twice the kinetic energy of body i, J
 *   dinv<i>                 reciprocal of pivot i, the inertia along joint i while the joints
 *                           beyond it are free
 *   lf<i>_<j>               entry i, j of L in the factorisation M = L^T D L of the mass matrix
 *                           (Featherstone 2005)
 *   cun<j>_<i>              moment for a unit acceleration of joint j in its cluster, about the
 *                           origin of body i
 *   aj<i>                   articulated inertia of body i, about its origin: aj wd is the moment
 *                           for an angular acceleration wd (Featherstone 1983)
 *   ah<i>                   coupling in the articulated inertia of body i: ah a is the moment for
 *                           an acceleration a (Featherstone 1983)
 *   am<i>                   articulated mass of body i: am a is the force for an acceleration a
 *                           (Featherstone 1983)
 *   udf<i>                  force uf_i divided by pivot i; minus the unit vector of joint axis i
 *                           for a sliding joint
 *   y<i>_<j>_<parameter>    force of joint j per unit of a parameter of body i; sxx: sum of Jyy and
 *                           Jzz, and so on
 *   pi<i>_<parameter>       parameter of body i, regrouped with unobservable parameters of bodies
 *                           that it carries
 *   pi_base<i>_<parameter>  base parameter of body i (Gautier and Khalil 1990)
 *   hu<i>                   scalar product of upward acceleration and position of the origin of
 *                           body i, m^2/s^2
 *   fy<i>                   unit vector y of the frame, in the axes of body i (0: the base)
 *   fp<i>                   position of the frame from the origin of body i (0: the base), m
 *   er<i>                   position of the frame from the origin of body i, in the Jacobian's
 *                           axes, m
 *   jv<i>                   linear part of column i of the Jacobian (Whitney 1969)
 *   fa<i>                   acceleration of the frame's origin relative to body i (0: the base),
 *                           m/s^2
 *   fv<i>                   velocity of the frame's origin relative to body i (0: the base), m/s
 *   fw<i>                   angular velocity of the frame relative to body i, rad/s
 *   fwd<i>                  angular acceleration of the frame relative to body i (0: the base),
 *                           rad/s^2
 *   ex<i>                   unit vector x of the Jacobian's axes, in axes of body i
 *   ey<i>                   unit vector y of the Jacobian's axes, in axes of body i
 *   cms<i>                  first moment of composite i (body i and all it carries) about the
 *                           origin of body i, kg m
 *   p<j>_<i>                linear momentum of composite j at a unit velocity of joint j, in the
 *                           axes of body i
 *   com<i>                  centre of mass of all moving bodies, from the origin of body i (0: the
 *                           base), m
 *   nqd<j>_<i>              derivative by qd_j of the moment on composite j, about the origin of
 *                           body i
 *   hhx<j>_<i>              twice the sum of m dr/dt x x_j over composite j, x_j the velocity at
 *                           unit qd_j
 *   nq<j>_<i>               derivative by q_j of the moment on composite j, about the origin of
 *                           body i
 *   tauq<i>_<j>             derivative of the force of joint i by q_j
 *   ww<i>                   twice the angular velocity of body i, rad/s
 *   ccp<i>                  twice the sum of m dr/dt over composite i, r from the origin of body i,
 *                           kg m/s
 *   up<i>                   opposite of gravity, in the axes of body i, m/s^2
 *   qdd<i>                  acceleration of joint i, rad/s^2 or m/s^2
 *   qdd_<k>                 copy of qdd[k], read before results are stored
 *   qdd_reference_<k>       copy of qdd_reference[k], read before results are stored
 *   q_<k>                   copy of q[k], read before results are stored
 *   qd_<k>                  copy of qd[k], read before results are stored
 *   qd_reference_<k>        copy of qd_reference[k], read before results are stored
 *   pi_<k>                  copy of pi[k], read before results are stored
 *   tau_<k>                 copy of tau[k], read before results are stored
 *   state_<k>               copy of state[k], read before results are stored
 *   t<k>                    a part of an expression
 *   minus_                  negative of a value: minus_x is -x
 *
 * Constants, as formulas of the description's names or keys (m mass, c centre of mass, I inertia
 * about the centre of mass, g gravity); links count from 1. All other constants are sums of
 * regrouped terms: see `dynagen --explain-constants`.
 *
 *   0.1019367991845056 = -a2/gy, 0.25 = 0.5*m1*cx1,
 *   0.3333333333333333 = 0.5*Iyy3 + 0.5*Izz3 + m3*cx3**2 = 0.5*Iyy1 + 0.5*Izz1 + m1*cx1**2,
 *   0.5 = m3*cx3 = m1*cx1, 1.3333333333333333 = 0.5*Iyy1 + 0.5*Izz1 + a2 + m1*cx1**2,
 *   1.5 = m2*cx2 + m3*a3 = 0.5*m1 + 0.5*m2 + 0.5*m3, 2.0 = 2*a2, 2.5 = m1*cx1 + m2*a2 + m3*a2,
 *   3.0 = 2*m2*cx2 + 2*m3*a3 = m1 + m2 + m3, 4.905 = -m3*cx3*gy = -m1*cx1*gy = -0.5*gy,
 *   9.81 = -gy, 14.715 = -m2*cx2*gy - m3*a3*gy, 24.525 = -m1*cx1*gy - m2*a2*gy - m3*a2*gy
 *
 * Generated by dynagen 0.2.0 from planar3.yaml. Do not edit.
 * You own the generated code; the dynagen authors claim no rights to it.
 * SPDX-License-Identifier: LicenseRef-Owner-Of-Generated-Code
 */
#ifndef PLANAR3_HPP
#define PLANAR3_HPP

#include <cmath>
#include <type_traits>

namespace planar3 {

/* Number of moving joints. */
inline constexpr int N = 3;

inline constexpr const char *JOINTS[] = {
    "upper_arm",
    "forearm",
    "hand",
};

/* Elements of f: force and moment that each joint transmits to its link, one row for each
 * joint, about the origin and in the axes of the link frame. */
inline constexpr const char *F_NAMES[] = {
    "fx",
    "fy",
    "fz",
    "nx",
    "ny",
    "nz",
};

/* Columns of Y: joint forces per unit of the standard inertial parameters. */
inline constexpr const char *PI_NAMES[] = {
    "upper_arm.m",
    "upper_arm.mx",
    "upper_arm.my",
    "upper_arm.mz",
    "upper_arm.Jxx",
    "upper_arm.Jyy",
    "upper_arm.Jzz",
    "upper_arm.Jxy",
    "upper_arm.Jxz",
    "upper_arm.Jyz",
    "upper_arm.Ia",
    "forearm.m",
    "forearm.mx",
    "forearm.my",
    "forearm.mz",
    "forearm.Jxx",
    "forearm.Jyy",
    "forearm.Jzz",
    "forearm.Jxy",
    "forearm.Jxz",
    "forearm.Jyz",
    "forearm.Ia",
    "hand.m",
    "hand.mx",
    "hand.my",
    "hand.mz",
    "hand.Jxx",
    "hand.Jyy",
    "hand.Jzz",
    "hand.Jxy",
    "hand.Jxz",
    "hand.Jyz",
    "hand.Ia",
};

/* Columns of Y: joint forces per unit of the base inertial parameters. */
inline constexpr const char *PI_BASE_NAMES[] = {
    "upper_arm.mxR",
    "upper_arm.my",
    "upper_arm.JzzR",
    "forearm.mxR",
    "forearm.my",
    "forearm.JzzR",
    "forearm.Ia",
    "hand.mx",
    "hand.my",
    "hand.Jzz",
    "hand.Ia",
};

/* Elements of YT: kinetic energy per unit of the standard inertial parameters. */
inline constexpr const char *YT_NAMES[] = {
    "upper_arm.m",
    "upper_arm.mx",
    "upper_arm.my",
    "upper_arm.mz",
    "upper_arm.Jxx",
    "upper_arm.Jyy",
    "upper_arm.Jzz",
    "upper_arm.Jxy",
    "upper_arm.Jxz",
    "upper_arm.Jyz",
    "upper_arm.Ia",
    "forearm.m",
    "forearm.mx",
    "forearm.my",
    "forearm.mz",
    "forearm.Jxx",
    "forearm.Jyy",
    "forearm.Jzz",
    "forearm.Jxy",
    "forearm.Jxz",
    "forearm.Jyz",
    "forearm.Ia",
    "hand.m",
    "hand.mx",
    "hand.my",
    "hand.mz",
    "hand.Jxx",
    "hand.Jyy",
    "hand.Jzz",
    "hand.Jxy",
    "hand.Jxz",
    "hand.Jyz",
    "hand.Ia",
};

/* Elements of YU: potential energy per unit of the standard inertial parameters. */
inline constexpr const char *YU_NAMES[] = {
    "upper_arm.m",
    "upper_arm.mx",
    "upper_arm.my",
    "upper_arm.mz",
    "upper_arm.Jxx",
    "upper_arm.Jyy",
    "upper_arm.Jzz",
    "upper_arm.Jxy",
    "upper_arm.Jxz",
    "upper_arm.Jyz",
    "upper_arm.Ia",
    "forearm.m",
    "forearm.mx",
    "forearm.my",
    "forearm.mz",
    "forearm.Jxx",
    "forearm.Jyy",
    "forearm.Jzz",
    "forearm.Jxy",
    "forearm.Jxz",
    "forearm.Jyz",
    "forearm.Ia",
    "hand.m",
    "hand.mx",
    "hand.my",
    "hand.mz",
    "hand.Jxx",
    "hand.Jyy",
    "hand.Jzz",
    "hand.Jxy",
    "hand.Jxz",
    "hand.Jyz",
    "hand.Ia",
};

/* Elements of state: lower triangle of the mass matrix, row by row, then velocity and gravity
 * forces. */
inline constexpr const char *STATE_NAMES[] = {
    "m_1_1",
    "m_2_1",
    "m_2_2",
    "m_3_1",
    "m_3_2",
    "m_3_3",
    "h_1",
    "h_2",
    "h_3",
};

/* Type of constants in a computation with Real: Real itself for built-in types, else double.
 * Specialise it for a type that cannot be multiplied by a double. */
template <class Real> struct number_of {
    using type = std::conditional_t<std::is_floating_point_v<Real>, Real, double>;
};

/* tau = M(q) qdd + C(q, qd) qd + g(q).
 * 26 mul, 23 add, 0 div, 3 sincos. Proved on 1000 states within 1e-12.
 * Inertial parameters are regrouped: inertia that a joint cannot observe is moved to the parent
 * body. Body 3 is resolved in axes that do not rotate with the joint.
 *
 *   q    in   3  joint positions, rad
 *   qd   in   3  joint velocities, rad/s
 *   qdd  in   3  joint accelerations, rad/s^2
 *   tau  out  3  joint forces, N m
 */
template <class Real>
inline void inverse_dynamics(const Real *q, const Real *qd, const Real *qdd, Real *tau)
{
    using std::sin;
    using std::cos;
    using Number = typename number_of<Real>::type;
    /* Inputs */
    const Real qdd_0 = qdd[0];

    /* Joint positions */
    const Real s1 = sin(q[0]);
    const Real c1 = cos(q[0]);
    const Real s2 = sin(q[1]);
    const Real c2 = cos(q[1]);
    const Real s3 = sin(q[2]);
    const Real c3 = cos(q[2]);
    const Real ms3_x = Number(0.5)*c3;
    const Real ms3_y = Number(0.5)*s3;

    /* Outward, body 1 (upper_arm) */
    const Real minus_l1_xx = qd[0]*qd[0];
    const Real a1_x = Number(9.81)*s1;
    const Real a1_y = Number(9.81)*c1;

    /* Outward, body 2 (forearm) */
    const Real w2_z = qd[0] + qd[1];
    const Real wd2_z = qdd_0 + qdd[1];
    const Real minus_l2_xx = w2_z*w2_z;
    const Real t1 = a1_x - minus_l1_xx;
    const Real t2 = a1_y + qdd_0;
    const Real a2_x = c2*t1 + s2*t2;
    const Real a2_y = c2*t2 - s2*t1;

    /* Outward, body 3 (hand) */
    const Real w3_z = w2_z + qd[2];
    const Real wd3_z = wd2_z + qdd[2];
    const Real minus_l3_xx = w3_z*w3_z;
    const Real a3_x = a2_x - minus_l2_xx;
    const Real a3_y = a2_y + wd2_z;

    /* Inward, body 3 (hand) */
    const Real minus_bf3_x = minus_l3_xx*ms3_x + wd3_z*ms3_y;
    const Real bf3_y = wd3_z*ms3_x - minus_l3_xx*ms3_y;
    const Real bm3_z = Number(0.3333333333333333)*wd3_z + ms3_x*a3_y - ms3_y*a3_x;
    tau[2] = bm3_z;

    /* Inward, body 2 (forearm) */
    const Real minus_bf2_x = Number(1.5)*minus_l2_xx;
    const Real bf2_y = Number(1.5)*wd2_z;
    const Real bm2_z = Number(1.3333333333333333)*wd2_z + Number(1.5)*a2_y;
    const Real minus_f2_x = minus_bf2_x + minus_bf3_x;
    const Real f2_y = bf2_y + bf3_y;
    const Real n2_z = bm2_z + (bm3_z + bf3_y);
    tau[1] = n2_z;

    /* Inward, body 1 (upper_arm) */
    const Real bm1_z = Number(2.3333333333333335)*qdd_0 + Number(24.525)*c1;
    const Real n1_z = bm1_z + (n2_z + (c2*f2_y - s2*minus_f2_x));
    tau[0] = n1_z;
}

/* tau = M(q) qdd_reference + C(q, qd) qd_reference + g(q).
 * 27 mul, 25 add, 0 div, 3 sincos. Proved on 1000 states within 1e-12.
 * Inertial parameters are regrouped: inertia that a joint cannot observe is moved to the parent
 * body. Body 3 is resolved in axes that do not rotate with the joint.
 *
 *   q              in   3  joint positions, rad
 *   qd             in   3  joint velocities, rad/s
 *   qd_reference   in   3  reference joint velocities, rad/s
 *   qdd_reference  in   3  reference joint accelerations, rad/s^2
 *   tau            out  3  joint forces of the reference motion, N m
 */
template <class Real>
inline void inverse_dynamics_reference(const Real *q, const Real *qd, const Real *qd_reference,
                                       const Real *qdd_reference, Real *tau)
{
    using std::sin;
    using std::cos;
    using Number = typename number_of<Real>::type;
    /* Inputs */
    const Real qdd_reference_0 = qdd_reference[0];

    /* Joint positions */
    const Real s1 = sin(q[0]);
    const Real c1 = cos(q[0]);
    const Real s2 = sin(q[1]);
    const Real c2 = cos(q[1]);
    const Real s3 = sin(q[2]);
    const Real c3 = cos(q[2]);

    /* Outward, body 2 (forearm) */
    const Real w2_z = qd[0] + qd[1];
    const Real wr2_z = qd_reference[0] + qd_reference[1];
    const Real wrd2_z = qdd_reference_0 + qdd_reference[1];

    /* Outward, body 3 (hand) */
    const Real w3_z = w2_z + qd[2];
    const Real wr3_z = wr2_z + qd_reference[2];
    const Real wrd3_z = wrd2_z + qdd_reference[2];
    const Real t1 = Number(9.81)*s1 - qd[0]*qd_reference[0];
    const Real t2 = Number(9.81)*c1 + qdd_reference_0;
    const Real t3 = w2_z*wr2_z;
    const Real a3_x = c2*t1 - t3 + s2*t2;
    const Real t4 = s2*t1 - c2*t2;
    const Real a3_y = wrd2_z - t4;
    const Real bm3_z = Number(0.3333333333333333)*wrd3_z - Number(0.5)*(s3*a3_x - c3*a3_y);
    tau[2] = bm3_z;

    /* Inward, body 3 (hand) */
    const Real t5 = w3_z*wr3_z;
    const Real t6 = Number(0.5)*(s3*t5 - c3*wrd3_z);
    const Real n2_z = bm3_z - t6 + Number(1.3333333333333333)*wrd2_z - Number(1.5)*t4;
    tau[1] = n2_z;

    /* Inward, body 2 (forearm) */
    const Real n1_z = Number(2.3333333333333335)*qdd_reference_0 + Number(24.525)*c1
        - s2*(Number(1.5)*t3 + Number(0.5)*(s3*wrd3_z + c3*t5)) + c2*(Number(1.5)*wrd2_z - t6)
        + n2_z;
    tau[0] = n1_z;
}

/* g = g(q).  3 mul, 4 add, 0 div, 3 sincos. Proved on 1000 states within 1e-12.
 * Inertial parameters are regrouped: inertia that a joint cannot observe is moved to the parent
 * body. Bodies 1, 2 and 3 are resolved in axes that do not rotate with the joint.
 *
 *   q  in   3  joint positions, rad
 *   g  out  3  joint forces that balance gravity, N m
 */
template <class Real>
inline void gravity_forces(const Real *q, Real *g)
{
    using std::cos;
    using Number = typename number_of<Real>::type;
    /* Joint positions */
    const Real c1 = cos(q[0]);
    const Real theta2 = q[0] + q[1];
    const Real c2 = cos(theta2);
    const Real theta3 = theta2 + q[2];
    const Real c3 = cos(theta3);

    /* Gravity */
    const Real g3 = Number(4.905)*c3;
    g[2] = g3;
    const Real g2 = Number(14.715)*c2 + g3;
    g[1] = g2;
    const Real g1 = Number(24.525)*c1 + g2;
    g[0] = g1;
}

/* c = C(q, qd) qd.  14 mul, 8 add, 0 div, 2 sincos. Proved on 1000 states within 1e-12.
 * Inertial parameters are regrouped: inertia that a joint cannot observe is moved to the parent
 * body.
 *
 *   q   in   3  joint positions, rad
 *   qd  in   3  joint velocities, rad/s
 *   c   out  3  Coriolis and centrifugal joint forces, N m
 */
template <class Real>
inline void coriolis_forces(const Real *q, const Real *qd, Real *c)
{
    using std::sin;
    using std::cos;
    using Number = typename number_of<Real>::type;
    /* Joint positions */
    const Real s2 = sin(q[1]);
    const Real c2 = cos(q[1]);
    const Real s3 = sin(q[2]);
    const Real c3 = cos(q[2]);

    /* Outward, body 2 (forearm) */
    const Real w2_z = qd[0] + qd[1];

    /* Outward, body 3 (hand) */
    const Real w3_z = w2_z + qd[2];

    /* Inward, body 3 (hand) */
    const Real t1 = Number(0.5)*s3;
    const Real t2 = w2_z*w2_z;
    const Real t3 = Number(0.5)*(s2*c3 + c2*s3);
    const Real t4 = qd[0]*qd[0];
    const Real bm3_z = t1*t2 + t3*t4;
    c[2] = bm3_z;

    /* Inward, body 2 (forearm) */
    const Real t5 = Number(1.5)*s2;
    const Real t6 = w3_z*w3_z;
    const Real n2_z = bm3_z + t5*t4 - t1*t6;
    c[1] = n2_z;
    const Real n1_z = n2_z - (t5*t2 + t6*t3);
    c[0] = n1_z;
}

/* h = C(q, qd) qd + g(q).  20 mul, 13 add, 0 div, 3 sincos. Proved on 1000 states within 1e-12.
 * Inertial parameters are regrouped: inertia that a joint cannot observe is moved to the parent
 * body.
 *
 *   q   in   3  joint positions, rad
 *   qd  in   3  joint velocities, rad/s
 *   h   out  3  Coriolis, centrifugal and gravity joint forces, N m
 */
template <class Real>
inline void bias_forces(const Real *q, const Real *qd, Real *h)
{
    using std::sin;
    using std::cos;
    using Number = typename number_of<Real>::type;
    /* Joint positions */
    const Real s1 = sin(q[0]);
    const Real c1 = cos(q[0]);
    const Real s2 = sin(q[1]);
    const Real c2 = cos(q[1]);
    const Real s3 = sin(q[2]);
    const Real c3 = cos(q[2]);

    /* Outward, body 1 (upper_arm) */
    const Real minus_l1_xx = qd[0]*qd[0];
    const Real a1_x = Number(9.81)*s1;
    const Real a1_y = Number(9.81)*c1;

    /* Outward, body 2 (forearm) */
    const Real w2_z = qd[0] + qd[1];
    const Real minus_l2_xx = w2_z*w2_z;
    const Real t1 = a1_x - minus_l1_xx;
    const Real a2_x = c2*t1 + s2*a1_y;
    const Real a2_y = c2*a1_y - s2*t1;

    /* Outward, body 3 (hand) */
    const Real w3_z = w2_z + qd[2];
    const Real minus_l3_xx = w3_z*w3_z;
    const Real a3_y = c3*a2_y - s3*(a2_x - minus_l2_xx);

    /* Inward, body 3 (hand) */
    const Real minus_bf3_x = Number(0.5)*minus_l3_xx;
    const Real bm3_z = Number(0.5)*a3_y;
    h[2] = bm3_z;
    const Real minus_f2_y = s3*minus_bf3_x;

    /* Inward, body 2 (forearm) */
    const Real minus_bf2_x = Number(1.5)*minus_l2_xx;
    const Real bm2_z = Number(1.5)*a2_y;
    const Real minus_f2_x = minus_bf2_x + c3*minus_bf3_x;
    const Real n2_z = bm2_z + (bm3_z - minus_f2_y);
    h[1] = n2_z;
    const Real minus_f1_y = c2*minus_f2_y + s2*minus_f2_x;

    /* Inward, body 1 (upper_arm) */
    const Real bm1_z = Number(24.525)*c1;
    const Real n1_z = bm1_z + (n2_z - minus_f1_y);
    h[0] = n1_z;
}

/* f_i = wrench of joint i at q, qd, qdd; tau_i = S_i^T f_i + Ia_i qdd_i.
 * 33 mul, 33 add, 0 div, 3 sincos. Proved on 1000 states within 1e-12.
 *
 *   q    in   3      joint positions, rad
 *   qd   in   3      joint velocities, rad/s
 *   qdd  in   3      joint accelerations, rad/s^2
 *   f    out  3 x 6  force and moment that each joint transmits to its link, one row for each
 *                    joint, about the origin and in the axes of the link frame, N or N m
 */
template <class Real>
inline void joint_wrenches(const Real *q, const Real *qd, const Real *qdd, Real *f)
{
    using std::sin;
    using std::cos;
    using Number = typename number_of<Real>::type;
    /* Inputs */
    const Real q_0 = q[0];
    const Real q_1 = q[1];
    const Real q_2 = q[2];
    const Real qd_0 = qd[0];
    const Real qd_1 = qd[1];
    const Real qd_2 = qd[2];
    const Real qdd_0 = qdd[0];
    const Real qdd_1 = qdd[1];
    const Real qdd_2 = qdd[2];

    /* Results that require no operation */
    f[2] = Real(0.0);
    f[3] = Real(0.0);
    f[4] = Real(0.0);
    f[8] = Real(0.0);
    f[9] = Real(0.0);
    f[10] = Real(0.0);
    f[14] = Real(0.0);
    f[15] = Real(0.0);
    f[16] = Real(0.0);

    /* Joint positions */
    const Real s1 = sin(q_0);
    const Real c1 = cos(q_0);
    const Real s2 = sin(q_1);
    const Real c2 = cos(q_1);
    const Real s3 = sin(q_2);
    const Real c3 = cos(q_2);

    /* Outward, body 1 (upper_arm) */
    const Real minus_l1_xx = qd_0*qd_0;
    const Real a1_x = Number(9.81)*s1;
    const Real a1_y = Number(9.81)*c1;

    /* Outward, body 2 (forearm) */
    const Real w2_z = qd_0 + qd_1;
    const Real wd2_z = qdd_0 + qdd_1;
    const Real minus_l2_xx = w2_z*w2_z;
    const Real t1 = a1_x - minus_l1_xx;
    const Real t2 = a1_y + qdd_0;
    const Real a2_x = c2*t1 + s2*t2;
    const Real a2_y = c2*t2 - s2*t1;

    /* Outward, body 3 (hand) */
    const Real w3_z = w2_z + qd_2;
    const Real wd3_z = wd2_z + qdd_2;
    const Real minus_l3_xx = w3_z*w3_z;
    const Real t3 = a2_x - minus_l2_xx;
    const Real t4 = a2_y + wd2_z;
    const Real a3_x = c3*t3 + s3*t4;
    const Real a3_y = c3*t4 - s3*t3;

    /* Inward, body 3 (hand) */
    const Real bf3_x = a3_x - Number(0.5)*minus_l3_xx;
    f[12] = bf3_x;
    const Real bf3_y = a3_y + Number(0.5)*wd3_z;
    f[13] = bf3_y;
    const Real bm3_z = Number(0.3333333333333333)*wd3_z + Number(0.5)*a3_y;
    f[17] = bm3_z;
    const Real t5 = c3*bf3_y + s3*bf3_x;

    /* Inward, body 2 (forearm) */
    const Real bf2_x = a2_x - Number(0.5)*minus_l2_xx;
    const Real bf2_y = a2_y + Number(0.5)*wd2_z;
    const Real bm2_z = Number(0.3333333333333333)*wd2_z + Number(0.5)*a2_y;
    const Real f2_x = bf2_x + (c3*bf3_x - s3*bf3_y);
    f[6] = f2_x;
    const Real f2_y = bf2_y + t5;
    f[7] = f2_y;
    const Real n2_z = bm2_z + (bm3_z + t5);
    f[11] = n2_z;
    const Real t6 = c2*f2_y + s2*f2_x;

    /* Inward, body 1 (upper_arm) */
    const Real bf1_x = a1_x - Number(0.5)*minus_l1_xx;
    const Real bf1_y = a1_y + Number(0.5)*qdd_0;
    const Real bm1_z = Number(0.3333333333333333)*qdd_0 + Number(4.905)*c1;
    const Real f1_x = bf1_x + (c2*f2_x - s2*f2_y);
    f[0] = f1_x;
    const Real f1_y = bf1_y + t6;
    f[1] = f1_y;
    const Real n1_z = bm1_z + (n2_z + t6);
    f[5] = n1_z;
}

/* M = M(q).  5 mul, 8 add, 0 div, 2 sincos. Proved on 1000 states within 1e-12.
 * Inertial parameters are regrouped: inertia that a joint cannot observe is moved to the parent
 * body.
 *
 *   q  in   3      joint positions, rad
 *   M  out  3 x 3  mass matrix, motor inertias included; symmetric, kg m^2
 */
template <class Real>
inline void mass_matrix(const Real *q, Real *M)
{
    using std::sin;
    using std::cos;
    using Number = typename number_of<Real>::type;
    /* Inputs */
    const Real q_1 = q[1];
    const Real q_2 = q[2];

    /* Results that require no operation */
    M[8] = Real(0.3333333333333333);

    /* Joint positions */
    const Real s2 = sin(q_1);
    const Real c2 = cos(q_1);
    const Real s3 = sin(q_2);
    const Real c3 = cos(q_2);

    /* Composite of body 3 (hand) */
    const Real cj2_zz = Number(1.6666666666666667) + c3;
    M[4] = cj2_zz;

    /* Composite of body 2 (forearm) */
    const Real t1 = Number(0.5)*(s2*s3 - c2*c3);
    const Real t2 = Number(1.5)*c2 - t1;
    const Real h2_1_z = cj2_zz + t2;
    M[1] = h2_1_z;
    M[3] = h2_1_z;
    const Real cj1_zz = Number(2.3333333333333335) + h2_1_z + t2;
    M[0] = cj1_zz;

    /* Mass matrix, joint 3 (hand) */
    const Real h3_2_z = Number(0.3333333333333333) + Number(0.5)*c3;
    M[5] = h3_2_z;
    M[7] = h3_2_z;
    const Real h3_1_z = h3_2_z - t1;
    M[2] = h3_1_z;
    M[6] = h3_1_z;
}

/* C = C(q, qd), dM/dt - 2C skew-symmetric.
 * 12 mul, 11 add, 0 div, 2 sincos. Proved on 1000 states within 1e-12.
 * Inertial parameters are regrouped: inertia that a joint cannot observe is moved to the parent
 * body. Bodies 2 and 3 are resolved in axes that do not rotate with the joint.
 *
 *   q   in   3      joint positions, rad
 *   qd  in   3      joint velocities, rad/s
 *   C   out  3 x 3  Coriolis matrix: Christoffel symbols times joint velocities, kg m^2/s
 */
template <class Real>
inline void coriolis_matrix(const Real *q, const Real *qd, Real *C)
{
    using std::sin;
    using std::cos;
    using Number = typename number_of<Real>::type;
    /* Inputs */
    const Real q_1 = q[1];
    const Real q_2 = q[2];
    const Real qd_0 = qd[0];
    const Real qd_1 = qd[1];
    const Real qd_2 = qd[2];

    /* Results that require no operation */
    C[8] = Real(0.0);

    /* Joint positions */
    const Real s2 = sin(q_1);
    const Real c2 = cos(q_1);
    const Real theta3 = q_1 + q_2;
    const Real s3 = sin(theta3);
    const Real c3 = cos(theta3);

    /* Outward, body 2 (forearm) */
    const Real w2_z = qd_0 + qd_1;

    /* Outward, body 3 (hand) */
    const Real w3_z = w2_z + qd_2;

    /* Coriolis matrix, joint 1 (upper_arm) */
    const Real t1 = Number(1.5)*s2;
    const Real t2 = Number(0.5)*s3;
    const Real t3 = t2*w3_z;
    const Real t4 = t1*w2_z + t3;
    const Real t5 = t2*qd_0;
    const Real t6 = Number(0.5)*(s2*c3 - c2*s3);
    const Real hv2_2_z = qd_2*t6;
    C[4] = hv2_2_z;
    const Real hx2_1_z = t5 + t1*qd_0 + hv2_2_z;
    C[3] = hx2_1_z;
    const Real hv1_1_z = hx2_1_z - t4;
    C[0] = hv1_1_z;

    /* Coriolis matrix, joint 2 (forearm) */
    const Real hv2_1_z = hv2_2_z - t4;
    C[1] = hv2_1_z;

    /* Coriolis matrix, joint 3 (hand) */
    const Real hv3_2_z = w3_z*t6;
    C[5] = hv3_2_z;
    const Real minus_hx3_2_z = w2_z*t6;
    const Real hx3_2_z = -minus_hx3_2_z;
    C[7] = hx3_2_z;
    const Real hv3_1_z = hv3_2_z - t3;
    C[2] = hv3_1_z;
    const Real hx3_1_z = t5 - minus_hx3_2_z;
    C[6] = hx3_1_z;
}

/* beta = C(q, qd)^T qd - g(q), d(M qd)/dt = tau + beta.
 * 17 mul, 13 add, 0 div, 3 sincos. Proved on 1000 states within 1e-12.
 * Inertial parameters are regrouped: inertia that a joint cannot observe is moved to the parent
 * body. Bodies 1, 2 and 3 are resolved in axes that do not rotate with the joint.
 *
 *   q     in   3  joint positions, rad
 *   qd    in   3  joint velocities, rad/s
 *   beta  out  3  derivative by time of the generalised momentum M qd at zero joint forces, N m
 */
template <class Real>
inline void momentum_bias(const Real *q, const Real *qd, Real *beta)
{
    using std::sin;
    using std::cos;
    using Number = typename number_of<Real>::type;
    /* Inputs */
    const Real qd_0 = qd[0];

    /* Joint positions */
    const Real s1 = sin(q[0]);
    const Real c1 = cos(q[0]);
    const Real theta2 = q[0] + q[1];
    const Real s2 = sin(theta2);
    const Real c2 = cos(theta2);
    const Real theta3 = theta2 + q[2];
    const Real s3 = sin(theta3);
    const Real c3 = cos(theta3);

    /* Outward, body 2 (forearm) */
    const Real w2_z = qd_0 + qd[1];

    /* Outward, body 3 (hand) */
    const Real w3_z = w2_z + qd[2];

    /* Gravity */
    const Real t1 = Number(4.905)*c3;
    const Real t2 = Number(14.715)*c2 + t1;
    const Real t3 = -(Number(24.525)*c1 + t2);
    beta[0] = t3;
    const Real t4 = Number(0.5)*w3_z;
    const Real t5 = qd_0*(s1*c3 - c1*s3)*t4;
    const Real t6 = Number(1.5)*qd_0*w2_z*(s1*c2 - c1*s2) + t5 - t2;
    beta[1] = t6;
    const Real t7 = t5 - t1 + w2_z*(s2*c3 - c2*s3)*t4;
    beta[2] = t7;
}

/* T = qd.M(q) qd / 2.  12 mul, 8 add, 0 div, 2 sincos. Proved on 1000 states within 1e-12.
 * Inertial parameters are regrouped: inertia that a joint cannot observe is moved to the parent
 * body.
 *
 *   q   in   3  joint positions, rad
 *   qd  in   3  joint velocities, rad/s
 *   T   out  1  kinetic energy, motor inertias included, J
 */
template <class Real>
inline void kinetic_energy(const Real *q, const Real *qd, Real *T)
{
    using std::sin;
    using std::cos;
    using Number = typename number_of<Real>::type;
    /* Joint positions */
    const Real s2 = sin(q[1]);
    const Real c2 = cos(q[1]);
    const Real s3 = sin(q[2]);
    const Real c3 = cos(q[2]);

    /* Outward, body 2 (forearm) */
    const Real w2_z = qd[0] + qd[1];

    /* Outward, body 3 (hand) */
    const Real w3_z = w2_z + qd[2];

    /* Velocity, body 2 (forearm) */
    const Real v2_x = s2*qd[0];
    const Real v2_y = c2*qd[0];

    /* Velocity, body 3 (hand) */
    const Real v3_y = c3*(v2_y + w2_z) - s3*v2_x;

    /* Kinetic energy */
    const Real ke1 = qd[0]*(Number(2.3333333333333335)*qd[0]);
    const Real ke2 = w2_z*(Number(3.0)*v2_y + Number(1.3333333333333333)*w2_z);
    const Real ke3 = w3_z*(v3_y + Number(0.3333333333333333)*w3_z);
    const Real t1 = Number(0.5)*(ke1 + ke2 + ke3);
    T[0] = t1;
}

/* U = U(q), dU/dq = g(q), U = 0 for a mass at the base's origin.
 * 3 mul, 4 add, 0 div, 3 sincos. Proved on 1000 states within 1e-12.
 * Bodies 1, 2 and 3 are resolved in axes that do not rotate with the joint.
 *
 *   q  in   3  joint positions, rad
 *   U  out  1  potential energy of the moving bodies under gravity, J
 */
template <class Real>
inline void potential_energy(const Real *q, Real *U)
{
    using std::sin;
    using Number = typename number_of<Real>::type;
    /* Joint positions */
    const Real s1 = sin(q[0]);
    const Real theta2 = q[0] + q[1];
    const Real s2 = sin(theta2);
    const Real theta3 = theta2 + q[2];
    const Real s3 = sin(theta3);

    /* Potential energy */
    const Real t1 = Number(24.525)*s1 + Number(14.715)*s2 + Number(4.905)*s3;
    U[0] = t1;
}

/* qdd = M(q)^-1 (tau - C(q, qd) qd - g(q)).
 * 39 mul, 29 add, 2 div, 3 sincos. Proved on 1000 states within 1e-12.
 * Inertial parameters are regrouped: inertia that a joint cannot observe is moved to the parent
 * body. Body 3 is resolved in axes that do not rotate with the joint.
 *
 *   q    in   3  joint positions, rad
 *   qd   in   3  joint velocities, rad/s
 *   tau  in   3  joint forces, N m
 *   qdd  out  3  joint accelerations, rad/s^2
 */
template <class Real>
inline void forward_dynamics(const Real *q, const Real *qd, const Real *tau, Real *qdd)
{
    using std::sin;
    using std::cos;
    using Number = typename number_of<Real>::type;
    /* Joint positions */
    const Real s1 = sin(q[0]);
    const Real c1 = cos(q[0]);
    const Real s2 = sin(q[1]);
    const Real c2 = cos(q[1]);
    const Real s3 = sin(q[2]);
    const Real c3 = cos(q[2]);
    const Real ms3_x = Number(0.5)*c3;
    const Real ms3_y = Number(0.5)*s3;

    /* Outward, body 1 (upper_arm) */
    const Real minus_l1_xx = qd[0]*qd[0];
    const Real a1_x = Number(9.81)*s1;
    const Real a1_y = Number(9.81)*c1;

    /* Outward, body 2 (forearm) */
    const Real w2_z = qd[0] + qd[1];
    const Real minus_l2_xx = w2_z*w2_z;
    const Real t1 = a1_x - minus_l1_xx;
    const Real a2_x = c2*t1 + s2*a1_y;
    const Real a2_y = c2*a1_y - s2*t1;

    /* Outward, body 3 (hand) */
    const Real w3_z = w2_z + qd[2];
    const Real minus_l3_xx = w3_z*w3_z;
    const Real a3_x = a2_x - minus_l2_xx;

    /* Inward, body 3 (hand) */
    const Real minus_bf3_x = minus_l3_xx*ms3_x;
    const Real minus_bf3_y = minus_l3_xx*ms3_y;
    const Real bm3_z = ms3_x*a2_y - ms3_y*a3_x;

    /* Inward, body 2 (forearm) */
    const Real minus_bf2_x = Number(1.5)*minus_l2_xx;
    const Real bm2_z = Number(1.5)*a2_y;
    const Real minus_f2_x = minus_bf2_x + minus_bf3_x;

    /* Inward, body 1 (upper_arm) */
    const Real bm1_z = Number(24.525)*c1;

    /* Mass matrix, joint 3 (hand) */
    const Real t2 = c2*ms3_x - s2*ms3_y;
    const Real t3 = tau[2] - bm3_z;

    /* Elimination of joint 3 (hand) */
    const Real lf3_2 = Number(1.5)*c3;
    const Real t4 = Number(1.5)*c2 - lf3_2*t2;
    const Real t5 = tau[1] - bm2_z + minus_bf3_y - tau[2] - lf3_2*t3;
    const Real lf3_1 = Number(3.0)*t2;

    /* Elimination of joint 2 (forearm) */
    const Real dinv2 = Number(1.0)/(Number(1.3333333333333333) - lf3_2*ms3_x);
    const Real lf2_1 = dinv2*t4;

    /* Elimination of joint 1 (upper_arm) */
    const Real dinv1 = Number(1.0)/(Number(2.3333333333333335) - lf3_1*t2 - lf2_1*t4);
    const Real t6 = dinv1*(tau[0] - bm1_z + c2*minus_bf3_y + s2*minus_f2_x - tau[1] - lf3_1*t3
        - lf2_1*t5);
    qdd[0] = t6;

    /* Joint accelerations */
    const Real t7 = dinv2*t5 - lf2_1*t6;
    const Real t8 = t7 - t6;
    qdd[1] = t8;
    const Real t9 = Number(3.0)*t3 - lf3_2*t7 - lf3_1*t6 - t7;
    qdd[2] = t9;
}

/* Minv = M(q)^-1.  20 mul, 17 add, 2 div, 2 sincos. Proved on 1000 states within 1e-12.
 * Inertial parameters are regrouped: inertia that a joint cannot observe is moved to the parent
 * body. Bodies 2 and 3 are resolved in axes that do not rotate with the joint. The joint of body
 * 3 is eliminated together with the joint of the parent.
 *
 *   q     in   3      joint positions, rad
 *   Minv  out  3 x 3  inverse of the mass matrix; symmetric, 1/(kg m^2)
 */
template <class Real>
inline void mass_matrix_inverse(const Real *q, Real *Minv)
{
    using std::sin;
    using std::cos;
    using Number = typename number_of<Real>::type;
    /* Joint positions */
    const Real s2 = sin(q[1]);
    const Real c2 = cos(q[1]);
    const Real ms2_x = Number(1.5)*c2;
    const Real theta3 = q[1] + q[2];
    const Real s3 = sin(theta3);
    const Real c3 = cos(theta3);
    const Real ms3_x = Number(0.5)*c3;

    /* Elimination of joint 3 (hand) */
    const Real t1 = c2*c3 + s2*s3;

    /* Inward, body 3 (hand) */
    const Real cun3_2_z = Number(0.5)*t1 + Number(0.3333333333333333);

    /* Inward, body 2 (forearm) */
    const Real minus_ah2_yz = ms2_x + ms3_x;

    /* Elimination of joint 3 (hand) */
    const Real t2 = Number(3.0)*cun3_2_z;
    const Real t3 = Number(1.5)*c3;
    const Real aj2_zz = Number(1.6666666666666667) + t1 - cun3_2_z*t2;
    const Real ah2_zy = minus_ah2_yz - cun3_2_z*t3;
    const Real minus_am2_yy = ms3_x*t3;
    const Real dinv2 = Number(1.0)/aj2_zz;
    const Real udf2_y = ah2_zy*dinv2;
    const Real minus_am1_yy = minus_am2_yy + udf2_y*ah2_zy;

    /* Inward, body 1 (upper_arm) */
    const Real aj1_zz = Number(2.3333333333333335) - minus_am1_yy;

    /* Elimination of joint 1 (upper_arm) */
    const Real dinv1 = Number(1.0)/aj1_zz;
    Minv[0] = dinv1;
    const Real t4 = dinv1*(Number(1.0) + udf2_y);

    /* Joint accelerations outward, body 2 (forearm) */
    const Real t5 = dinv2 + udf2_y*t4 + t4;
    Minv[4] = t5;

    /* Elimination of joint 1 (upper_arm) */
    const Real t6 = dinv1*(t3 - udf2_y*t2);

    /* Joint accelerations outward, body 2 (forearm) */
    const Real t7 = udf2_y*t6 - dinv2*t2;
    const Real t8 = t7 + t6;
    Minv[5] = t8;
    Minv[7] = t8;
    const Real t9 = Number(3.0) - t2*t7 + t3*t6;
    Minv[8] = t9;
    const Real t10 = -t4;
    Minv[1] = t10;
    Minv[3] = t10;
    const Real t11 = -t6;
    Minv[2] = t11;
    Minv[6] = t11;
}

/* Y = Y(q, qd, qdd), tau = Y pi.
 * 26 mul, 28 add, 0 div, 3 sincos. Proved on 1000 states within 1e-12.
 *
 *   q    in   3       joint positions, rad
 *   qd   in   3       joint velocities, rad/s
 *   qdd  in   3       joint accelerations, rad/s^2
 *   Y    out  3 x 33  joint forces per unit of the standard inertial parameters, m^2/s^2 or m/s^2
 *                     or 1/s^2
 */
template <class Real>
inline void regressor(const Real *q, const Real *qd, const Real *qdd, Real *Y)
{
    using std::sin;
    using std::cos;
    using Number = typename number_of<Real>::type;
    /* Inputs */
    const Real q_0 = q[0];
    const Real q_1 = q[1];
    const Real q_2 = q[2];
    const Real qd_0 = qd[0];
    const Real qd_1 = qd[1];
    const Real qd_2 = qd[2];
    const Real qdd_0 = qdd[0];
    const Real qdd_1 = qdd[1];
    const Real qdd_2 = qdd[2];

    /* Results that require no operation */
    Y[0] = Real(0.0);
    Y[3] = Real(0.0);
    Y[4] = Real(0.0);
    Y[5] = Real(0.0);
    Y[6] = qdd_0;
    Y[7] = Real(0.0);
    Y[8] = Real(0.0);
    Y[9] = Real(0.0);
    Y[10] = qdd_0;
    Y[14] = Real(0.0);
    Y[15] = Real(0.0);
    Y[16] = Real(0.0);
    Y[18] = Real(0.0);
    Y[19] = Real(0.0);
    Y[20] = Real(0.0);
    Y[21] = Real(0.0);
    Y[25] = Real(0.0);
    Y[26] = Real(0.0);
    Y[27] = Real(0.0);
    Y[29] = Real(0.0);
    Y[30] = Real(0.0);
    Y[31] = Real(0.0);
    Y[32] = Real(0.0);
    Y[33] = Real(0.0);
    Y[34] = Real(0.0);
    Y[35] = Real(0.0);
    Y[36] = Real(0.0);
    Y[37] = Real(0.0);
    Y[38] = Real(0.0);
    Y[39] = Real(0.0);
    Y[40] = Real(0.0);
    Y[41] = Real(0.0);
    Y[42] = Real(0.0);
    Y[43] = Real(0.0);
    Y[44] = Real(0.0);
    Y[47] = Real(0.0);
    Y[48] = Real(0.0);
    Y[49] = Real(0.0);
    Y[51] = Real(0.0);
    Y[52] = Real(0.0);
    Y[53] = Real(0.0);
    Y[54] = qdd_1;
    Y[58] = Real(0.0);
    Y[59] = Real(0.0);
    Y[60] = Real(0.0);
    Y[62] = Real(0.0);
    Y[63] = Real(0.0);
    Y[64] = Real(0.0);
    Y[65] = Real(0.0);
    Y[66] = Real(0.0);
    Y[67] = Real(0.0);
    Y[68] = Real(0.0);
    Y[69] = Real(0.0);
    Y[70] = Real(0.0);
    Y[71] = Real(0.0);
    Y[72] = Real(0.0);
    Y[73] = Real(0.0);
    Y[74] = Real(0.0);
    Y[75] = Real(0.0);
    Y[76] = Real(0.0);
    Y[77] = Real(0.0);
    Y[78] = Real(0.0);
    Y[79] = Real(0.0);
    Y[80] = Real(0.0);
    Y[81] = Real(0.0);
    Y[82] = Real(0.0);
    Y[83] = Real(0.0);
    Y[84] = Real(0.0);
    Y[85] = Real(0.0);
    Y[86] = Real(0.0);
    Y[87] = Real(0.0);
    Y[88] = Real(0.0);
    Y[91] = Real(0.0);
    Y[92] = Real(0.0);
    Y[93] = Real(0.0);
    Y[95] = Real(0.0);
    Y[96] = Real(0.0);
    Y[97] = Real(0.0);
    Y[98] = qdd_2;

    /* Joint positions */
    const Real s1 = sin(q_0);
    const Real c1 = cos(q_0);
    const Real s2 = sin(q_1);
    const Real c2 = cos(q_1);
    const Real s3 = sin(q_2);
    const Real c3 = cos(q_2);

    /* Outward, body 1 (upper_arm) */
    const Real a1_y = Number(9.81)*c1;
    Y[1] = a1_y;

    /* Outward, body 2 (forearm) */
    const Real w2_z = qd_0 + qd_1;
    const Real wd2_z = qdd_0 + qdd_1;
    Y[17] = wd2_z;
    Y[50] = wd2_z;
    const Real y2_1_m = a1_y + qdd_0;
    Y[11] = y2_1_m;
    const Real minus_y1_1_my = Number(9.81)*s1;
    const Real t1 = minus_y1_1_my - qd_0*qd_0;
    const Real t2 = c2*y2_1_m;
    const Real minus_a2_y = s2*t1 - t2;
    const Real a2_y = -minus_a2_y;
    Y[45] = a2_y;

    /* Outward, body 3 (hand) */
    const Real w3_z = w2_z + qd_2;
    const Real wd3_z = wd2_z + qdd_2;
    Y[28] = wd3_z;
    Y[61] = wd3_z;
    Y[94] = wd3_z;
    const Real t3 = s2*y2_1_m;
    const Real minus_y2_2_my = t3 + c2*t1;
    const Real t4 = w2_z*w2_z;
    const Real t5 = minus_y2_2_my - t4;
    const Real y3_2_m = wd2_z - minus_a2_y;
    Y[55] = y3_2_m;
    const Real minus_a3_y = s3*t5 - c3*y3_2_m;
    const Real a3_y = -minus_a3_y;
    Y[89] = a3_y;

    /* Columns of body 1 (upper_arm) */
    const Real y1_1_my = -minus_y1_1_my;
    Y[2] = y1_1_my;

    /* Columns of body 2 (forearm) */
    const Real t6 = t4 + t1;
    const Real t7 = t2 - s2*t6;
    const Real y2_1_mx = t7 + c2*wd2_z;
    Y[12] = y2_1_mx;
    const Real minus_y2_1_my = s2*wd2_z + t3 + c2*t6;
    const Real y2_1_my = -minus_y2_1_my;
    Y[13] = y2_1_my;
    const Real y2_2_my = -minus_y2_2_my;
    Y[46] = y2_2_my;

    /* Columns of body 3 (hand) */
    const Real t8 = Number(1.0) + c2;
    const Real y3_1_m = t7 + y2_1_m + wd2_z*t8;
    Y[22] = y3_1_m;
    const Real t9 = w3_z*w3_z;
    const Real t10 = s3*wd3_z + c3*t9;
    const Real t11 = s3*t9 - c3*wd3_z;
    const Real minus_y3_1_mx = s2*t10 + minus_a3_y + t11*t8;
    const Real y3_1_mx = -minus_y3_1_mx;
    Y[23] = y3_1_mx;
    const Real minus_y3_3_my = s3*y3_2_m + c3*t5;
    const Real y3_1_my = s2*t11 - minus_y3_3_my - t10*t8;
    Y[24] = y3_1_my;
    const Real minus_y3_2_mx = t11 + minus_a3_y;
    const Real y3_2_mx = -minus_y3_2_mx;
    Y[56] = y3_2_mx;
    const Real minus_y3_2_my = t10 + minus_y3_3_my;
    const Real y3_2_my = -minus_y3_2_my;
    Y[57] = y3_2_my;
    const Real y3_3_my = -minus_y3_3_my;
    Y[90] = y3_3_my;
}

/* Y = Y_base(q, qd, qdd), tau = Y pi_base.
 * 25 mul, 25 add, 0 div, 3 sincos. Proved on 1000 states within 1e-12.
 *
 *   q    in   3       joint positions, rad
 *   qd   in   3       joint velocities, rad/s
 *   qdd  in   3       joint accelerations, rad/s^2
 *   Y    out  3 x 11  joint forces per unit of the base inertial parameters, m/s^2 or 1/s^2
 */
template <class Real>
inline void base_regressor(const Real *q, const Real *qd, const Real *qdd, Real *Y)
{
    using std::sin;
    using std::cos;
    using Number = typename number_of<Real>::type;
    /* Inputs */
    const Real q_0 = q[0];
    const Real q_1 = q[1];
    const Real q_2 = q[2];
    const Real qd_0 = qd[0];
    const Real qd_1 = qd[1];
    const Real qd_2 = qd[2];
    const Real qdd_0 = qdd[0];
    const Real qdd_1 = qdd[1];
    const Real qdd_2 = qdd[2];

    /* Results that require no operation */
    Y[2] = qdd_0;
    Y[6] = Real(0.0);
    Y[10] = Real(0.0);
    Y[11] = Real(0.0);
    Y[12] = Real(0.0);
    Y[13] = Real(0.0);
    Y[17] = qdd_1;
    Y[21] = Real(0.0);
    Y[22] = Real(0.0);
    Y[23] = Real(0.0);
    Y[24] = Real(0.0);
    Y[25] = Real(0.0);
    Y[26] = Real(0.0);
    Y[27] = Real(0.0);
    Y[28] = Real(0.0);
    Y[32] = qdd_2;

    /* Joint positions */
    const Real s1 = sin(q_0);
    const Real c1 = cos(q_0);
    const Real s2 = sin(q_1);
    const Real c2 = cos(q_1);
    const Real s3 = sin(q_2);
    const Real c3 = cos(q_2);

    /* Outward, body 1 (upper_arm) */
    const Real a1_y = Number(9.81)*c1;
    Y[0] = a1_y;

    /* Outward, body 2 (forearm) */
    const Real w2_z = qd_0 + qd_1;
    const Real wd2_z = qdd_0 + qdd_1;
    Y[5] = wd2_z;
    Y[16] = wd2_z;
    const Real minus_y1_1_my = Number(9.81)*s1;
    const Real t1 = minus_y1_1_my - qd_0*qd_0;
    const Real t2 = a1_y + qdd_0;
    const Real minus_a2_y = s2*t1 - c2*t2;
    const Real a2_y = -minus_a2_y;
    Y[14] = a2_y;

    /* Outward, body 3 (hand) */
    const Real w3_z = w2_z + qd_2;
    const Real wd3_z = wd2_z + qdd_2;
    Y[9] = wd3_z;
    Y[20] = wd3_z;
    Y[31] = wd3_z;
    const Real minus_y2_2_my = s2*t2 + c2*t1;
    const Real t3 = w2_z*w2_z;
    const Real t4 = minus_y2_2_my - t3;
    const Real t5 = wd2_z - minus_a2_y;
    const Real minus_a3_y = s3*t4 - c3*t5;
    const Real a3_y = -minus_a3_y;
    Y[29] = a3_y;

    /* Columns of body 1 (upper_arm) */
    const Real y1_1_my = -minus_y1_1_my;
    Y[1] = y1_1_my;

    /* Columns of body 2 (forearm) */
    const Real t6 = t3 + t1;
    const Real t7 = wd2_z + t2;
    const Real y2_1_mx = c2*t7 - s2*t6;
    Y[3] = y2_1_mx;
    const Real minus_y2_1_my = c2*t6 + s2*t7;
    const Real y2_1_my = -minus_y2_1_my;
    Y[4] = y2_1_my;
    const Real y2_2_my = -minus_y2_2_my;
    Y[15] = y2_2_my;

    /* Columns of body 3 (hand) */
    const Real t8 = w3_z*w3_z;
    const Real t9 = s3*wd3_z + c3*t8;
    const Real t10 = s3*t8 - c3*wd3_z;
    const Real t11 = Number(1.0) + c2;
    const Real minus_y3_1_mx = s2*t9 + minus_a3_y + t10*t11;
    const Real y3_1_mx = -minus_y3_1_mx;
    Y[7] = y3_1_mx;
    const Real minus_y3_3_my = s3*t5 + c3*t4;
    const Real y3_1_my = s2*t10 - minus_y3_3_my - t9*t11;
    Y[8] = y3_1_my;
    const Real minus_y3_2_mx = t10 + minus_a3_y;
    const Real y3_2_mx = -minus_y3_2_mx;
    Y[18] = y3_2_mx;
    const Real minus_y3_2_my = t9 + minus_y3_3_my;
    const Real y3_2_my = -minus_y3_2_my;
    Y[19] = y3_2_my;
    const Real y3_3_my = -minus_y3_3_my;
    Y[30] = y3_3_my;
}

/* Y(q, qd, qd_reference, qdd_reference) pi = M qdd_reference + C qd_reference + g.
 * 26 mul, 30 add, 0 div, 3 sincos. Proved on 1000 states within 1e-12.
 *
 *   q              in   3       joint positions, rad
 *   qd             in   3       joint velocities, rad/s
 *   qd_reference   in   3       reference joint velocities, rad/s
 *   qdd_reference  in   3       reference joint accelerations, rad/s^2
 *   Y              out  3 x 33  joint forces per unit of the standard inertial parameters, m^2/s^2
 *                               or m/s^2 or 1/s^2
 */
template <class Real>
inline void inverse_dynamics_reference_regressor(const Real *q, const Real *qd,
                                                 const Real *qd_reference,
                                                 const Real *qdd_reference, Real *Y)
{
    using std::sin;
    using std::cos;
    using Number = typename number_of<Real>::type;
    /* Inputs */
    const Real q_0 = q[0];
    const Real q_1 = q[1];
    const Real q_2 = q[2];
    const Real qd_0 = qd[0];
    const Real qd_1 = qd[1];
    const Real qd_2 = qd[2];
    const Real qd_reference_0 = qd_reference[0];
    const Real qd_reference_1 = qd_reference[1];
    const Real qd_reference_2 = qd_reference[2];
    const Real qdd_reference_0 = qdd_reference[0];
    const Real qdd_reference_1 = qdd_reference[1];
    const Real qdd_reference_2 = qdd_reference[2];

    /* Results that require no operation */
    Y[0] = Real(0.0);
    Y[3] = Real(0.0);
    Y[4] = Real(0.0);
    Y[5] = Real(0.0);
    Y[6] = qdd_reference_0;
    Y[7] = Real(0.0);
    Y[8] = Real(0.0);
    Y[9] = Real(0.0);
    Y[10] = qdd_reference_0;
    Y[14] = Real(0.0);
    Y[15] = Real(0.0);
    Y[16] = Real(0.0);
    Y[18] = Real(0.0);
    Y[19] = Real(0.0);
    Y[20] = Real(0.0);
    Y[21] = Real(0.0);
    Y[25] = Real(0.0);
    Y[26] = Real(0.0);
    Y[27] = Real(0.0);
    Y[29] = Real(0.0);
    Y[30] = Real(0.0);
    Y[31] = Real(0.0);
    Y[32] = Real(0.0);
    Y[33] = Real(0.0);
    Y[34] = Real(0.0);
    Y[35] = Real(0.0);
    Y[36] = Real(0.0);
    Y[37] = Real(0.0);
    Y[38] = Real(0.0);
    Y[39] = Real(0.0);
    Y[40] = Real(0.0);
    Y[41] = Real(0.0);
    Y[42] = Real(0.0);
    Y[43] = Real(0.0);
    Y[44] = Real(0.0);
    Y[47] = Real(0.0);
    Y[48] = Real(0.0);
    Y[49] = Real(0.0);
    Y[51] = Real(0.0);
    Y[52] = Real(0.0);
    Y[53] = Real(0.0);
    Y[54] = qdd_reference_1;
    Y[58] = Real(0.0);
    Y[59] = Real(0.0);
    Y[60] = Real(0.0);
    Y[62] = Real(0.0);
    Y[63] = Real(0.0);
    Y[64] = Real(0.0);
    Y[65] = Real(0.0);
    Y[66] = Real(0.0);
    Y[67] = Real(0.0);
    Y[68] = Real(0.0);
    Y[69] = Real(0.0);
    Y[70] = Real(0.0);
    Y[71] = Real(0.0);
    Y[72] = Real(0.0);
    Y[73] = Real(0.0);
    Y[74] = Real(0.0);
    Y[75] = Real(0.0);
    Y[76] = Real(0.0);
    Y[77] = Real(0.0);
    Y[78] = Real(0.0);
    Y[79] = Real(0.0);
    Y[80] = Real(0.0);
    Y[81] = Real(0.0);
    Y[82] = Real(0.0);
    Y[83] = Real(0.0);
    Y[84] = Real(0.0);
    Y[85] = Real(0.0);
    Y[86] = Real(0.0);
    Y[87] = Real(0.0);
    Y[88] = Real(0.0);
    Y[91] = Real(0.0);
    Y[92] = Real(0.0);
    Y[93] = Real(0.0);
    Y[95] = Real(0.0);
    Y[96] = Real(0.0);
    Y[97] = Real(0.0);
    Y[98] = qdd_reference_2;

    /* Joint positions */
    const Real s1 = sin(q_0);
    const Real c1 = cos(q_0);
    const Real s2 = sin(q_1);
    const Real c2 = cos(q_1);
    const Real s3 = sin(q_2);
    const Real c3 = cos(q_2);

    /* Outward, body 1 (upper_arm) */
    const Real a1_y = Number(9.81)*c1;
    Y[1] = a1_y;

    /* Outward, body 2 (forearm) */
    const Real w2_z = qd_0 + qd_1;
    const Real wr2_z = qd_reference_0 + qd_reference_1;
    const Real wrd2_z = qdd_reference_0 + qdd_reference_1;
    Y[17] = wrd2_z;
    Y[50] = wrd2_z;
    const Real y2_1_m = a1_y + qdd_reference_0;
    Y[11] = y2_1_m;
    const Real minus_y1_1_my = Number(9.81)*s1;
    const Real t1 = minus_y1_1_my - qd_0*qd_reference_0;
    const Real t2 = c2*y2_1_m;
    const Real minus_a2_y = s2*t1 - t2;
    const Real a2_y = -minus_a2_y;
    Y[45] = a2_y;

    /* Outward, body 3 (hand) */
    const Real w3_z = w2_z + qd_2;
    const Real wr3_z = wr2_z + qd_reference_2;
    const Real wrd3_z = wrd2_z + qdd_reference_2;
    Y[28] = wrd3_z;
    Y[61] = wrd3_z;
    Y[94] = wrd3_z;
    const Real t3 = s2*y2_1_m;
    const Real minus_y2_2_my = t3 + c2*t1;
    const Real t4 = w2_z*wr2_z;
    const Real t5 = minus_y2_2_my - t4;
    const Real y3_2_m = wrd2_z - minus_a2_y;
    Y[55] = y3_2_m;
    const Real minus_a3_y = s3*t5 - c3*y3_2_m;
    const Real a3_y = -minus_a3_y;
    Y[89] = a3_y;

    /* Columns of body 1 (upper_arm) */
    const Real y1_1_my = -minus_y1_1_my;
    Y[2] = y1_1_my;

    /* Columns of body 2 (forearm) */
    const Real t6 = t4 + t1;
    const Real t7 = t2 - s2*t6;
    const Real y2_1_mx = t7 + c2*wrd2_z;
    Y[12] = y2_1_mx;
    const Real minus_y2_1_my = s2*wrd2_z + t3 + c2*t6;
    const Real y2_1_my = -minus_y2_1_my;
    Y[13] = y2_1_my;
    const Real y2_2_my = -minus_y2_2_my;
    Y[46] = y2_2_my;

    /* Columns of body 3 (hand) */
    const Real t8 = Number(1.0) + c2;
    const Real y3_1_m = t7 + y2_1_m + wrd2_z*t8;
    Y[22] = y3_1_m;
    const Real t9 = w3_z*wr3_z;
    const Real t10 = s3*wrd3_z + c3*t9;
    const Real t11 = s3*t9 - c3*wrd3_z;
    const Real minus_y3_1_mx = s2*t10 + minus_a3_y + t11*t8;
    const Real y3_1_mx = -minus_y3_1_mx;
    Y[23] = y3_1_mx;
    const Real minus_y3_3_my = s3*y3_2_m + c3*t5;
    const Real y3_1_my = s2*t11 - minus_y3_3_my - t10*t8;
    Y[24] = y3_1_my;
    const Real minus_y3_2_mx = t11 + minus_a3_y;
    const Real y3_2_mx = -minus_y3_2_mx;
    Y[56] = y3_2_mx;
    const Real minus_y3_2_my = t10 + minus_y3_3_my;
    const Real y3_2_my = -minus_y3_2_my;
    Y[57] = y3_2_my;
    const Real y3_3_my = -minus_y3_3_my;
    Y[90] = y3_3_my;
}

/* pi_base = K pi.  0 mul, 6 add, 0 div, 0 sincos. Proved on 1000 states within 1e-12.
 *
 *   pi       in   33  standard inertial parameters, kg or kg m or kg m^2
 *   pi_base  out  11  base inertial parameters, kg m or kg m^2
 */
template <class Real>
inline void base_parameters(const Real *pi, Real *pi_base)
{
    /* Inputs */
    const Real pi_1 = pi[1];
    const Real pi_2 = pi[2];
    const Real pi_6 = pi[6];
    const Real pi_10 = pi[10];
    const Real pi_11 = pi[11];
    const Real pi_12 = pi[12];
    const Real pi_13 = pi[13];
    const Real pi_17 = pi[17];
    const Real pi_21 = pi[21];
    const Real pi_22 = pi[22];
    const Real pi_23 = pi[23];
    const Real pi_24 = pi[24];
    const Real pi_28 = pi[28];
    const Real pi_32 = pi[32];

    /* Results that require no operation */
    pi_base[1] = pi_2;
    pi_base[4] = pi_13;
    pi_base[6] = pi_21;
    pi_base[7] = pi_23;
    pi_base[8] = pi_24;
    pi_base[9] = pi_28;
    pi_base[10] = pi_32;

    /* Body 3 (hand) */
    const Real pi2_m = pi_11 + pi_22;
    const Real pi2_mx = pi_12 + pi_22;
    pi_base[3] = pi2_mx;
    const Real pi2_jzz = pi_17 + pi_22;
    pi_base[5] = pi2_jzz;

    /* Body 2 (forearm) */
    const Real pi1_mx = pi_1 + pi2_m;
    pi_base[0] = pi1_mx;
    const Real pi1_jzz = pi_6 + pi2_m;

    /* Body 1 (upper_arm) */
    const Real pi_base1_jzz = pi1_jzz + pi_10;
    pi_base[2] = pi_base1_jzz;
}

/* YT = YT(q, qd), T = YT.pi.  20 mul, 7 add, 0 div, 2 sincos. Proved on 1000 states within 1e-12.
 *
 *   q   in   3   joint positions, rad
 *   qd  in   3   joint velocities, rad/s
 *   YT  out  33  kinetic energy per unit of the standard inertial parameters, J/kg or J/(kg m) or
 *                J/(kg m^2)
 */
template <class Real>
inline void kinetic_energy_regressor(const Real *q, const Real *qd, Real *YT)
{
    using std::sin;
    using std::cos;
    using Number = typename number_of<Real>::type;
    /* Inputs */
    const Real q_1 = q[1];
    const Real q_2 = q[2];
    const Real qd_0 = qd[0];
    const Real qd_1 = qd[1];
    const Real qd_2 = qd[2];

    /* Results that require no operation */
    YT[0] = Real(0.0);
    YT[1] = Real(0.0);
    YT[2] = Real(0.0);
    YT[3] = Real(0.0);
    YT[4] = Real(0.0);
    YT[5] = Real(0.0);
    YT[7] = Real(0.0);
    YT[8] = Real(0.0);
    YT[9] = Real(0.0);
    YT[14] = Real(0.0);
    YT[15] = Real(0.0);
    YT[16] = Real(0.0);
    YT[18] = Real(0.0);
    YT[19] = Real(0.0);
    YT[20] = Real(0.0);
    YT[25] = Real(0.0);
    YT[26] = Real(0.0);
    YT[27] = Real(0.0);
    YT[29] = Real(0.0);
    YT[30] = Real(0.0);
    YT[31] = Real(0.0);

    /* Joint positions */
    const Real s2 = sin(q_1);
    const Real c2 = cos(q_1);
    const Real s3 = sin(q_2);
    const Real c3 = cos(q_2);

    /* Outward, body 2 (forearm) */
    const Real w2_z = qd_0 + qd_1;

    /* Outward, body 3 (hand) */
    const Real w3_z = w2_z + qd_2;

    /* Columns of the links, in their own frames */
    const Real t1 = Number(0.5)*qd_0*qd_0;
    YT[6] = t1;
    YT[10] = t1;
    YT[11] = t1;
    const Real t2 = c2*qd_0;
    const Real t3 = t2*w2_z;
    YT[12] = t3;
    const Real t4 = s2*qd_0;
    const Real t5 = -(w2_z*t4);
    YT[13] = t5;
    const Real t6 = Number(0.5)*w2_z*w2_z;
    YT[17] = t6;
    const Real t7 = Number(0.5)*qd_1*qd_1;
    YT[21] = t7;
    const Real t8 = t3 + t6 + t1;
    YT[22] = t8;
    const Real t9 = t2 + w2_z;
    const Real t10 = -(w3_z*(s3*t4 - c3*t9));
    YT[23] = t10;
    const Real t11 = -(w3_z*(c3*t4 + s3*t9));
    YT[24] = t11;
    const Real t12 = Number(0.5)*w3_z*w3_z;
    YT[28] = t12;
    const Real t13 = Number(0.5)*qd_2*qd_2;
    YT[32] = t13;
}

/* YU = YU(q), U = YU.pi.  6 mul, 3 add, 0 div, 3 sincos. Proved on 1000 states within 1e-12.
 * Bodies 1, 2 and 3 are resolved in axes that do not rotate with the joint.
 *
 *   q   in   3   joint positions, rad
 *   YU  out  33  potential energy per unit of the standard inertial parameters, J/kg or J/(kg m) or
 *                J/(kg m^2)
 */
template <class Real>
inline void potential_energy_regressor(const Real *q, Real *YU)
{
    using std::sin;
    using std::cos;
    using Number = typename number_of<Real>::type;
    /* Inputs */
    const Real q_0 = q[0];
    const Real q_1 = q[1];
    const Real q_2 = q[2];

    /* Results that require no operation */
    YU[0] = Real(0.0);
    YU[3] = Real(0.0);
    YU[4] = Real(0.0);
    YU[5] = Real(0.0);
    YU[6] = Real(0.0);
    YU[7] = Real(0.0);
    YU[8] = Real(0.0);
    YU[9] = Real(0.0);
    YU[10] = Real(0.0);
    YU[14] = Real(0.0);
    YU[15] = Real(0.0);
    YU[16] = Real(0.0);
    YU[17] = Real(0.0);
    YU[18] = Real(0.0);
    YU[19] = Real(0.0);
    YU[20] = Real(0.0);
    YU[21] = Real(0.0);
    YU[25] = Real(0.0);
    YU[26] = Real(0.0);
    YU[27] = Real(0.0);
    YU[28] = Real(0.0);
    YU[29] = Real(0.0);
    YU[30] = Real(0.0);
    YU[31] = Real(0.0);
    YU[32] = Real(0.0);

    /* Joint positions */
    const Real s1 = sin(q_0);
    const Real c1 = cos(q_0);
    const Real theta2 = q_0 + q_1;
    const Real s2 = sin(theta2);
    const Real c2 = cos(theta2);
    const Real theta3 = theta2 + q_2;
    const Real s3 = sin(theta3);
    const Real c3 = cos(theta3);

    /* Height, body 2 (forearm) */
    const Real hu2 = Number(9.81)*s1;
    YU[1] = hu2;
    YU[11] = hu2;

    /* Height, body 3 (hand) */
    const Real t1 = Number(9.81)*s2;
    YU[12] = t1;
    const Real hu3 = hu2 + t1;
    YU[22] = hu3;

    /* Columns of the links, in their own frames */
    const Real t2 = Number(9.81)*c1;
    YU[2] = t2;
    const Real t3 = Number(9.81)*c2;
    YU[13] = t3;
    const Real t4 = Number(9.81)*s3;
    YU[23] = t4;
    const Real t5 = Number(9.81)*c3;
    YU[24] = t5;
}

/* R, p = pose of the frame tool in the base frame.
 * 0 mul, 4 add, 0 div, 3 sincos. Proved on 1000 states within 1e-12.
 * Bodies 1, 2 and 3 are resolved in axes that do not rotate with the joint.
 *
 *   q  in   3      joint positions, rad
 *   R  out  3 x 3  rotation matrix: columns are the frame's unit vectors, in base axes
 *   p  out  3      position of the frame's origin in the base frame, m
 */
template <class Real>
inline void forward_kinematics(const Real *q, Real *R, Real *p)
{
    using std::sin;
    using std::cos;
    /* Inputs */
    const Real q_0 = q[0];
    const Real q_1 = q[1];
    const Real q_2 = q[2];

    /* Results that require no operation */
    R[2] = Real(0.0);
    R[5] = Real(0.0);
    R[6] = Real(0.0);
    R[7] = Real(0.0);
    R[8] = Real(1.0);
    p[2] = Real(0.0);

    /* Joint positions */
    const Real s1 = sin(q_0);
    const Real c1 = cos(q_0);
    const Real theta2 = q_0 + q_1;
    const Real s2 = sin(theta2);
    const Real c2 = cos(theta2);
    const Real theta3 = theta2 + q_2;
    const Real s3 = sin(theta3);
    const Real c3 = cos(theta3);
    R[3] = s3;
    R[0] = c3;
    R[4] = c3;
    const Real fy3_x = -s3;
    R[1] = fy3_x;

    /* Inward, body 2 (forearm) */
    const Real fp1_x = c2 + c1;
    p[0] = fp1_x;
    const Real fp1_y = s2 + s1;
    p[1] = fp1_y;
}

/* J(q) qd = velocity and angular velocity of the frame tool in base axes.
 * 0 mul, 3 add, 0 div, 2 sincos. Proved on 1000 states within 1e-12.
 * Bodies 1, 2 and 3 are resolved in axes that do not rotate with the joint.
 *
 *   q  in   3      joint positions, rad
 *   J  out  6 x 3  geometric Jacobian in base axes, linear rows first, m/rad or 1
 */
template <class Real>
inline void jacobian(const Real *q, Real *J)
{
    using std::sin;
    using std::cos;
    /* Inputs */
    const Real q_0 = q[0];
    const Real q_1 = q[1];

    /* Results that require no operation */
    J[2] = Real(0.0);
    J[5] = Real(0.0);
    J[6] = Real(0.0);
    J[7] = Real(0.0);
    J[8] = Real(0.0);
    J[9] = Real(0.0);
    J[10] = Real(0.0);
    J[11] = Real(0.0);
    J[12] = Real(0.0);
    J[13] = Real(0.0);
    J[14] = Real(0.0);
    J[15] = Real(1.0);
    J[16] = Real(1.0);
    J[17] = Real(1.0);

    /* Joint positions */
    const Real s1 = sin(q_0);
    const Real c1 = cos(q_0);
    const Real theta2 = q_0 + q_1;
    const Real s2 = sin(theta2);
    const Real c2 = cos(theta2);
    J[4] = c2;

    /* Columns, body 2 (forearm) */
    const Real jv2_x = -s2;
    J[1] = jv2_x;
    const Real er1_x = c2 + c1;
    J[3] = er1_x;
    const Real er1_y = s2 + s1;

    /* Columns, body 1 (upper_arm) */
    const Real jv1_x = -er1_y;
    J[0] = jv1_x;
}

/* J(q) qd = velocity and angular velocity of the frame tool in its own axes.
 * 4 mul, 3 add, 0 div, 2 sincos. Proved on 1000 states within 1e-12.
 *
 *   q  in   3      joint positions, rad
 *   J  out  6 x 3  geometric Jacobian in the frame's own axes, linear rows first, m/rad or 1
 */
template <class Real>
inline void body_jacobian(const Real *q, Real *J)
{
    using std::sin;
    using std::cos;
    using Number = typename number_of<Real>::type;
    /* Inputs */
    const Real q_1 = q[1];
    const Real q_2 = q[2];

    /* Results that require no operation */
    J[2] = Real(0.0);
    J[5] = Real(0.0);
    J[6] = Real(0.0);
    J[7] = Real(0.0);
    J[8] = Real(0.0);
    J[9] = Real(0.0);
    J[10] = Real(0.0);
    J[11] = Real(0.0);
    J[12] = Real(0.0);
    J[13] = Real(0.0);
    J[14] = Real(0.0);
    J[15] = Real(1.0);
    J[16] = Real(1.0);
    J[17] = Real(1.0);

    /* Joint positions */
    const Real s2 = sin(q_1);
    const Real c2 = cos(q_1);
    const Real s3 = sin(q_2);
    const Real c3 = cos(q_2);
    J[1] = s3;
    J[4] = c3;

    /* Columns, body 2 (forearm) */
    const Real t1 = Number(1.0) + c2;
    const Real er1_x = c3*t1 - s2*s3;
    J[3] = er1_x;
    const Real minus_er1_y = s2*c3 + s3*t1;
    J[0] = minus_er1_y;
}

/* Jdqd = dJ/dt qd: acceleration of the frame tool in base axes while qdd = 0.
 * 8 mul, 5 add, 0 div, 2 sincos. Proved on 1000 states within 1e-12.
 * Bodies 1, 2 and 3 are resolved in axes that do not rotate with the joint.
 *
 *   q     in   3  joint positions, rad
 *   qd    in   3  joint velocities, rad/s
 *   Jdqd  out  6  acceleration of the frame's origin, then angular acceleration, in base axes,
 *                 m/s^2 or rad/s^2
 */
template <class Real>
inline void jacobian_dot_qd(const Real *q, const Real *qd, Real *Jdqd)
{
    using std::sin;
    using std::cos;
    using Number = typename number_of<Real>::type;
    /* Inputs */
    const Real q_0 = q[0];
    const Real q_1 = q[1];
    const Real qd_0 = qd[0];
    const Real qd_1 = qd[1];

    /* Results that require no operation */
    Jdqd[2] = Real(0.0);
    Jdqd[3] = Real(0.0);
    Jdqd[4] = Real(0.0);
    Jdqd[5] = Real(0.0);

    /* Joint positions */
    const Real s1 = sin(q_0);
    const Real c1 = cos(q_0);
    const Real theta2 = q_0 + q_1;
    const Real s2 = sin(theta2);
    const Real c2 = cos(theta2);

    /* Inward, body 1 (upper_arm) */
    const Real t1 = qd_0*(qd_0 + Number(2.0)*qd_1) + qd_1*qd_1;
    const Real t2 = qd_0*qd_0;
    const Real minus_fa0_x = c1*t2 + c2*t1;
    const Real fa0_x = -minus_fa0_x;
    Jdqd[0] = fa0_x;
    const Real minus_fa0_y = s1*t2 + s2*t1;
    const Real fa0_y = -minus_fa0_y;
    Jdqd[1] = fa0_y;
}

/* V = J(q) qd: velocity of the frame tool in base axes.
 * 4 mul, 5 add, 0 div, 2 sincos. Proved on 1000 states within 1e-12.
 * Bodies 1, 2 and 3 are resolved in axes that do not rotate with the joint.
 *
 *   q   in   3  joint positions, rad
 *   qd  in   3  joint velocities, rad/s
 *   V   out  6  velocity of the frame's origin, then angular velocity, in base axes, m/s or rad/s
 */
template <class Real>
inline void frame_velocity(const Real *q, const Real *qd, Real *V)
{
    using std::sin;
    using std::cos;
    /* Inputs */
    const Real q_0 = q[0];
    const Real q_1 = q[1];
    const Real qd_0 = qd[0];
    const Real qd_1 = qd[1];
    const Real qd_2 = qd[2];

    /* Results that require no operation */
    V[2] = Real(0.0);
    V[3] = Real(0.0);
    V[4] = Real(0.0);

    /* Joint positions */
    const Real s1 = sin(q_0);
    const Real c1 = cos(q_0);
    const Real theta2 = q_0 + q_1;
    const Real s2 = sin(theta2);
    const Real c2 = cos(theta2);

    /* Inward, body 1 (upper_arm) */
    const Real t1 = qd_0 + qd_1;
    const Real minus_fv0_x = s1*qd_0 + s2*t1;
    const Real fv0_x = -minus_fv0_x;
    V[0] = fv0_x;
    const Real fv0_y = c1*qd_0 + c2*t1;
    V[1] = fv0_y;
    const Real fw0_z = qd_2 + t1;
    V[5] = fw0_z;
}

/* Vd = J(q) qdd + dJ/dt qd: acceleration of the frame tool in base axes.
 * 12 mul, 11 add, 0 div, 2 sincos. Proved on 1000 states within 1e-12.
 * Bodies 1, 2 and 3 are resolved in axes that do not rotate with the joint.
 *
 *   q    in   3  joint positions, rad
 *   qd   in   3  joint velocities, rad/s
 *   qdd  in   3  joint accelerations, rad/s^2
 *   Vd   out  6  acceleration of the frame's origin, then angular acceleration, in base axes, m/s^2
 *                or rad/s^2
 */
template <class Real>
inline void frame_acceleration(const Real *q, const Real *qd, const Real *qdd, Real *Vd)
{
    using std::sin;
    using std::cos;
    using Number = typename number_of<Real>::type;
    /* Inputs */
    const Real q_0 = q[0];
    const Real q_1 = q[1];
    const Real qd_0 = qd[0];
    const Real qd_1 = qd[1];
    const Real qdd_0 = qdd[0];
    const Real qdd_1 = qdd[1];
    const Real qdd_2 = qdd[2];

    /* Results that require no operation */
    Vd[2] = Real(0.0);
    Vd[3] = Real(0.0);
    Vd[4] = Real(0.0);

    /* Joint positions */
    const Real s1 = sin(q_0);
    const Real c1 = cos(q_0);
    const Real theta2 = q_0 + q_1;
    const Real s2 = sin(theta2);
    const Real c2 = cos(theta2);

    /* Inward, body 1 (upper_arm) */
    const Real t1 = qd_0*(qd_0 + Number(2.0)*qd_1) + qd_1*qd_1;
    const Real t2 = qdd_0 + qdd_1;
    const Real t3 = qd_0*qd_0;
    const Real minus_fa0_x = c1*t3 + s1*qdd_0 + c2*t1 + s2*t2;
    const Real fa0_x = -minus_fa0_x;
    Vd[0] = fa0_x;
    const Real fa0_y = c1*qdd_0 - s1*t3 - s2*t1 + c2*t2;
    Vd[1] = fa0_y;
    const Real fwd0_z = qdd_2 + t2;
    Vd[5] = fwd0_z;
}

/* A = J M(q)^-1 J^T: acceleration of the frame tool per unit wrench at it.
 * 37 mul, 17 add, 2 div, 3 sincos. Proved on 1000 states within 1e-12.
 *
 *   q  in   3      joint positions, rad
 *   A  out  6 x 6  inverse inertia at the frame, in base axes, 1/kg or 1/(kg m) or 1/(kg m^2)
 */
template <class Real>
inline void inverse_operational_inertia(const Real *q, Real *A)
{
    using std::sin;
    using std::cos;
    using Number = typename number_of<Real>::type;
    /* Inputs */
    const Real q_0 = q[0];
    const Real q_1 = q[1];
    const Real q_2 = q[2];

    /* Results that require no operation */
    A[2] = Real(0.0);
    A[3] = Real(0.0);
    A[4] = Real(0.0);
    A[8] = Real(0.0);
    A[9] = Real(0.0);
    A[10] = Real(0.0);
    A[12] = Real(0.0);
    A[13] = Real(0.0);
    A[14] = Real(0.0);
    A[15] = Real(0.0);
    A[16] = Real(0.0);
    A[17] = Real(0.0);
    A[18] = Real(0.0);
    A[19] = Real(0.0);
    A[20] = Real(0.0);
    A[21] = Real(0.0);
    A[22] = Real(0.0);
    A[23] = Real(0.0);
    A[24] = Real(0.0);
    A[25] = Real(0.0);
    A[26] = Real(0.0);
    A[27] = Real(0.0);
    A[28] = Real(0.0);
    A[29] = Real(0.0);
    A[32] = Real(0.0);
    A[33] = Real(0.0);
    A[34] = Real(0.0);

    /* Joint positions */
    const Real s1 = sin(q_0);
    const Real c1 = cos(q_0);
    const Real s2 = sin(q_1);
    const Real c2 = cos(q_1);
    const Real s3 = sin(q_2);
    const Real c3 = cos(q_2);

    /* Outward, body 2 (forearm) */
    const Real ex2_x = c2*c1 - s2*s1;
    const Real ey2_x = c2*s1 + s2*c1;

    /* Composite of body 3 (hand) */
    const Real p3_2_y = Number(0.5)*c3;
    const Real cms2_y = Number(0.5)*s3;

    /* Mass matrix, joint 3 (hand) */
    const Real t1 = c2*p3_2_y - s2*cms2_y;

    /* Elimination of joint 3 (hand) */
    const Real lf3_2 = Number(1.5)*c3;
    const Real t2 = Number(1.5)*c2 - lf3_2*t1;
    const Real lf3_1 = Number(3.0)*t1;

    /* Elimination of joint 2 (forearm) */
    const Real dinv2 = Number(1.0)/(Number(1.3333333333333333) - lf3_2*p3_2_y);
    const Real lf2_1 = dinv2*t2;
    const Real t3 = lf2_1*ey2_x - s1;
    const Real t4 = c1 - lf2_1*ex2_x;
    const Real t5 = lf2_1*lf3_2 - lf3_1;
    const Real t6 = dinv2*ey2_x;
    const Real t7 = dinv2*ex2_x;

    /* Elimination of joint 1 (upper_arm) */
    const Real dinv1 = Number(1.0)/(Number(2.3333333333333335) - lf3_1*t1 - lf2_1*t2);
    const Real t8 = dinv1*t3;
    const Real t9 = dinv1*t4;

    /* Motion of the frame per unit wrench */
    const Real t10 = t3*t8 + ey2_x*t6;
    A[0] = t10;
    const Real t11 = t4*t8 - ex2_x*t6;
    A[1] = t11;
    A[6] = t11;
    const Real t12 = t4*t9 + ex2_x*t7;
    A[7] = t12;
    const Real t13 = t5*t8 + lf3_2*t6;
    A[5] = t13;
    A[30] = t13;
    const Real t14 = t5*t9 - lf3_2*t7;
    A[11] = t14;
    A[31] = t14;
    const Real t15 = t5*(dinv1*t5) + lf3_2*(dinv2*lf3_2) + Number(3.0);
    A[35] = t15;
}

/* com = centre of mass of all moving bodies, in the base frame.
 * 6 mul, 6 add, 0 div, 3 sincos. Proved on 1000 states within 1e-12.
 * Bodies 1, 2 and 3 are resolved in axes that do not rotate with the joint.
 *
 *   q    in   3  joint positions, rad
 *   com  out  3  centre of mass of all moving bodies, in the base frame, m
 */
template <class Real>
inline void center_of_mass(const Real *q, Real *com)
{
    using std::sin;
    using std::cos;
    using Number = typename number_of<Real>::type;
    /* Inputs */
    const Real q_0 = q[0];
    const Real q_1 = q[1];
    const Real q_2 = q[2];

    /* Results that require no operation */
    com[2] = Real(0.0);

    /* Joint positions */
    const Real s1 = sin(q_0);
    const Real c1 = cos(q_0);
    const Real theta2 = q_0 + q_1;
    const Real s2 = sin(theta2);
    const Real c2 = cos(theta2);
    const Real theta3 = theta2 + q_2;
    const Real s3 = sin(theta3);
    const Real c3 = cos(theta3);

    /* Composite of body 1 (upper_arm) */
    const Real com0_x = Number(0.8333333333333334)*c1 + Number(0.5)*c2
        + Number(0.16666666666666666)*c3;
    com[0] = com0_x;
    const Real com0_y = Number(0.8333333333333334)*s1 + Number(0.5)*s2
        + Number(0.16666666666666666)*s3;
    com[1] = com0_y;
}

/* Jcom(q) qd = velocity of the centre of mass in base axes.
 * 6 mul, 6 add, 0 div, 3 sincos. Proved on 1000 states within 1e-12.
 * Bodies 1, 2 and 3 are resolved in axes that do not rotate with the joint.
 *
 *   q     in   3      joint positions, rad
 *   Jcom  out  3 x 3  Jacobian of the centre of mass, in base axes, m/rad
 */
template <class Real>
inline void com_jacobian(const Real *q, Real *Jcom)
{
    using std::sin;
    using std::cos;
    using Number = typename number_of<Real>::type;
    /* Inputs */
    const Real q_0 = q[0];
    const Real q_1 = q[1];
    const Real q_2 = q[2];

    /* Results that require no operation */
    Jcom[6] = Real(0.0);
    Jcom[7] = Real(0.0);
    Jcom[8] = Real(0.0);

    /* Joint positions */
    const Real s1 = sin(q_0);
    const Real c1 = cos(q_0);
    const Real theta2 = q_0 + q_1;
    const Real s2 = sin(theta2);
    const Real c2 = cos(theta2);
    const Real theta3 = theta2 + q_2;
    const Real s3 = sin(theta3);
    const Real c3 = cos(theta3);

    /* Momenta of joint 3 (hand) */
    const Real t1 = Number(0.16666666666666666)*s3;
    const Real t2 = Number(0.5)*s2 + t1;
    const Real t3 = -(Number(0.8333333333333334)*s1 + t2);
    Jcom[0] = t3;
    const Real t4 = Number(0.16666666666666666)*c3;
    Jcom[5] = t4;
    const Real t5 = Number(0.5)*c2 + t4;
    Jcom[4] = t5;
    const Real t6 = Number(0.8333333333333334)*c1 + t5;
    Jcom[3] = t6;
    const Real t7 = -t2;
    Jcom[1] = t7;
    const Real t8 = -t1;
    Jcom[2] = t8;
}

/* Ag(q) qd = linear and angular momentum about the centre of mass, in base axes.
 * 23 mul, 17 add, 0 div, 3 sincos. Proved on 1000 states within 1e-12.
 *
 *   q   in   3      joint positions, rad
 *   Ag  out  6 x 3  centroidal momentum matrix in base axes, linear rows first, kg m or kg m^2
 */
template <class Real>
inline void centroidal_momentum_matrix(const Real *q, Real *Ag)
{
    using std::sin;
    using std::cos;
    using Number = typename number_of<Real>::type;
    /* Inputs */
    const Real q_0 = q[0];
    const Real q_1 = q[1];
    const Real q_2 = q[2];

    /* Results that require no operation */
    Ag[6] = Real(0.0);
    Ag[7] = Real(0.0);
    Ag[8] = Real(0.0);
    Ag[9] = Real(0.0);
    Ag[10] = Real(0.0);
    Ag[11] = Real(0.0);
    Ag[12] = Real(0.0);
    Ag[13] = Real(0.0);
    Ag[14] = Real(0.0);

    /* Joint positions */
    const Real s1 = sin(q_0);
    const Real c1 = cos(q_0);
    const Real s2 = sin(q_1);
    const Real c2 = cos(q_1);
    const Real s3 = sin(q_2);
    const Real c3 = cos(q_2);

    /* Composite of body 1 (upper_arm) */
    const Real t1 = Number(0.5)*(s2*c3 + c2*s3);
    const Real t2 = Number(1.5)*s2 + t1;
    const Real t3 = s2*s3 - c2*c3;
    const Real t4 = Number(0.5)*t3;
    const Real t5 = Number(1.5)*c2 - t4;
    const Real t6 = Number(2.5) + t5;
    const Real t7 = s1*t2;
    const Real t8 = c1*t6 - t7;
    Ag[3] = t8;

    /* Momenta of joint 1 (upper_arm) */
    const Real t9 = c1*t2;
    const Real t10 = -(t9 + s1*t6);
    Ag[0] = t10;
    const Real t11 = Number(0.5)*c3;
    const Real t12 = Number(1.0833333333333333) + t11 + Number(0.3333333333333333)*t5;
    Ag[15] = t12;

    /* Momenta of joint 2 (forearm) */
    const Real t13 = -(s1*t5 + t9);
    Ag[1] = t13;
    const Real t14 = c1*t5 - t7;
    Ag[4] = t14;
    const Real t15 = Number(0.8333333333333334) + t11 + Number(0.16666666666666666)*t5;
    Ag[16] = t15;

    /* Momenta of joint 3 (hand) */
    const Real t16 = s1*t4 - c1*t1;
    Ag[2] = t16;
    const Real t17 = -(c1*t4 + s1*t1);
    Ag[5] = t17;
    const Real t18 = Number(0.25) + Number(0.25)*c3 - Number(0.08333333333333333)*t3;
    Ag[17] = t18;
}

/* dAg_qd = dAg/dt qd: change of the centroidal momentum while qdd = 0.
 * 22 mul, 13 add, 0 div, 3 sincos. Proved on 1000 states within 1e-12.
 * Bodies 2 and 3 are resolved in axes that do not rotate with the joint.
 *
 *   q       in   3  joint positions, rad
 *   qd      in   3  joint velocities, rad/s
 *   dAg_qd  out  6  change of the centroidal momentum without joint accelerations, in base axes, N
 *                   or N m
 */
template <class Real>
inline void centroidal_momentum_matrix_dot_qd(const Real *q, const Real *qd, Real *dAg_qd)
{
    using std::sin;
    using std::cos;
    using Number = typename number_of<Real>::type;
    /* Inputs */
    const Real q_0 = q[0];
    const Real q_1 = q[1];
    const Real q_2 = q[2];
    const Real qd_0 = qd[0];
    const Real qd_1 = qd[1];
    const Real qd_2 = qd[2];

    /* Results that require no operation */
    dAg_qd[2] = Real(0.0);
    dAg_qd[3] = Real(0.0);
    dAg_qd[4] = Real(0.0);

    /* Joint positions */
    const Real s1 = sin(q_0);
    const Real c1 = cos(q_0);
    const Real s2 = sin(q_1);
    const Real c2 = cos(q_1);
    const Real theta3 = q_1 + q_2;
    const Real s3 = sin(theta3);
    const Real c3 = cos(theta3);

    /* Outward, body 2 (forearm) */
    const Real w2_z = qd_0 + qd_1;

    /* Outward, body 3 (hand) */
    const Real w3_z = w2_z + qd_2;

    /* Inward, body 1 (upper_arm) */
    const Real t1 = w2_z*w2_z;
    const Real t2 = Number(1.5)*t1;
    const Real t3 = w3_z*w3_z;
    const Real t4 = Number(0.5)*t3;
    const Real t5 = s2*t2 + s3*t4;
    const Real t6 = qd_0*qd_0;
    const Real t7 = Number(2.5)*t6 + c2*t2 + c3*t4;
    const Real t8 = s1*t5 - c1*t7;
    dAg_qd[0] = t8;
    const Real t9 = -(c1*t5 + s1*t7);
    dAg_qd[1] = t9;

    /* Composite of body 1 (upper_arm) */
    const Real t10 = (Number(0.25)*s2 + Number(0.08333333333333333)*s3)*t6
        - Number(0.16666666666666666)*t5 - Number(0.25)*(t1 - t3)*(s2*c3 - c2*s3);
    dAg_qd[5] = t10;
}

/* dtau = dtau_dq dq + dtau_dqd dqd + M(q) dqdd.
 * 41 mul, 32 add, 0 div, 3 sincos. Proved on 1000 states within 1e-12.
 * Inertial parameters are regrouped: inertia that a joint cannot observe is moved to the parent
 * body. Bodies 2 and 3 are resolved in axes that do not rotate with the joint.
 *
 *   q         in   3      joint positions, rad
 *   qd        in   3      joint velocities, rad/s
 *   qdd       in   3      joint accelerations, rad/s^2
 *   dtau_dq   out  3 x 3  derivatives of joint forces by joint positions, N m/rad
 *   dtau_dqd  out  3 x 3  derivatives of joint forces by joint velocities, N m/(rad/s)
 */
template <class Real>
inline void inverse_dynamics_derivatives(const Real *q, const Real *qd, const Real *qdd,
                                         Real *dtau_dq, Real *dtau_dqd)
{
    using std::sin;
    using std::cos;
    using Number = typename number_of<Real>::type;
    /* Inputs */
    const Real q_0 = q[0];
    const Real q_1 = q[1];
    const Real q_2 = q[2];
    const Real qd_0 = qd[0];
    const Real qd_1 = qd[1];
    const Real qd_2 = qd[2];
    const Real qdd_0 = qdd[0];
    const Real qdd_1 = qdd[1];
    const Real qdd_2 = qdd[2];

    /* Results that require no operation */
    dtau_dqd[8] = Real(0.0);

    /* Joint positions */
    const Real s1 = sin(q_0);
    const Real c1 = cos(q_0);
    const Real s2 = sin(q_1);
    const Real c2 = cos(q_1);
    const Real theta3 = q_1 + q_2;
    const Real s3 = sin(theta3);
    const Real c3 = cos(theta3);

    /* Outward, body 2 (forearm) */
    const Real w2_z = qd_0 + qd_1;

    /* Outward, body 3 (hand) */
    const Real w3_z = w2_z + qd_2;

    /* Coriolis matrix, joint 1 (upper_arm) */
    const Real t1 = Number(3.0)*s2;
    const Real t2 = s3*w3_z;
    const Real t3 = t1*w2_z + t2;
    const Real t4 = t1 + s3;
    const Real t5 = s2*c3 - c2*s3;
    const Real nqd2_2_z = t5*qd_2;
    dtau_dqd[4] = nqd2_2_z;
    const Real hhx2_1_z = qd_0*t4 + nqd2_2_z;
    dtau_dqd[3] = hhx2_1_z;
    const Real nqd1_1_z = hhx2_1_z - t3;
    dtau_dqd[0] = nqd1_1_z;

    /* Coriolis matrix, joint 2 (forearm) */
    const Real nqd2_1_z = nqd2_2_z - t3;
    dtau_dqd[1] = nqd2_1_z;

    /* Coriolis matrix, joint 3 (hand) */
    const Real nqd3_2_z = w3_z*t5;
    dtau_dqd[5] = nqd3_2_z;
    const Real minus_hhx3_2_z = w2_z*t5;
    const Real hhx3_2_z = -minus_hhx3_2_z;
    dtau_dqd[7] = hhx3_2_z;
    const Real nqd3_1_z = nqd3_2_z - t2;
    dtau_dqd[2] = nqd3_1_z;
    const Real hhx3_1_z = s3*qd_0 - minus_hhx3_2_z;
    dtau_dqd[6] = hhx3_1_z;

    /* Outward, body 2 (forearm) */
    const Real wd2_z = qdd_0 + qdd_1;

    /* Outward, body 3 (hand) */
    const Real wd3_z = wd2_z + qdd_2;

    /* Derivatives by position, joint 1 (upper_arm) */
    const Real minus_tauq3_1 = Number(4.905)*(s1*c3 + c1*s3);
    const Real t6 = Number(14.715)*(s1*c2 + c1*s2);
    const Real minus_tauq2_1 = minus_tauq3_1 + t6;
    const Real minus_nq1_1_z = Number(24.525)*s1 + minus_tauq2_1;
    const Real nq1_1_z = -minus_nq1_1_z;
    dtau_dq[0] = nq1_1_z;

    /* Derivatives by position, joint 2 (forearm) */
    const Real t7 = qd_0*qd_0;
    const Real t8 = Number(0.5)*c3*t7 - minus_tauq3_1;
    const Real t9 = Number(0.5)*qdd_0;
    const Real minus_nq2_2_z = t4*t9 - Number(1.5)*c2*t7 + t6 - t8;
    const Real nq2_2_z = -minus_nq2_2_z;
    dtau_dq[4] = nq2_2_z;
    const Real t10 = w2_z*w2_z;
    const Real t11 = w3_z*w3_z;
    const Real t12 = Number(0.5)*(s3*wd3_z + c3*t11);
    const Real minus_nq2_1_z = minus_nq2_2_z + Number(1.5)*(s2*wd2_z + c2*t10) + t12;
    const Real nq2_1_z = -minus_nq2_1_z;
    dtau_dq[1] = nq2_1_z;
    const Real tauq2_1 = -minus_tauq2_1;
    dtau_dq[3] = tauq2_1;

    /* Derivatives by position, joint 3 (hand) */
    const Real t13 = s2*s3 + c2*c3;
    const Real minus_tauq3_2 = s3*t9 - t8;
    const Real minus_nq3_3_z = minus_tauq3_2 - Number(0.5)*(t5*wd2_z + t13*t10);
    const Real nq3_3_z = -minus_nq3_3_z;
    dtau_dq[8] = nq3_3_z;
    const Real nq3_2_z = Number(0.5)*(t5*wd3_z - t13*t11) - minus_nq3_3_z;
    dtau_dq[5] = nq3_2_z;
    const Real tauq3_2 = -minus_tauq3_2;
    dtau_dq[7] = tauq3_2;
    const Real nq3_1_z = nq3_2_z - t12;
    dtau_dq[2] = nq3_1_z;
    const Real tauq3_1 = -minus_tauq3_1;
    dtau_dq[6] = tauq3_1;
}

/* dqdd = dqdd_dq dq + dqdd_dqd dqd + dqdd_dtau dtau.
 * 138 mul, 107 add, 2 div, 3 sincos. Proved on 1000 states within 1e-12.
 * Inertial parameters are regrouped: inertia that a joint cannot observe is moved to the parent
 * body. Bodies 2 and 3 are resolved in axes that do not rotate with the joint.
 *
 *   q          in   3      joint positions, rad
 *   qd         in   3      joint velocities, rad/s
 *   tau        in   3      joint forces, N m
 *   dqdd_dq    out  3 x 3  derivatives of joint accelerations by joint positions, (rad/s^2)/rad
 *   dqdd_dqd   out  3 x 3  derivatives of joint accelerations by joint velocities,
 *                          (rad/s^2)/(rad/s)
 *   dqdd_dtau  out  3 x 3  derivatives of joint accelerations by joint forces, (rad/s^2)/(N m)
 */
template <class Real>
inline void forward_dynamics_derivatives(const Real *q, const Real *qd, const Real *tau,
                                         Real *dqdd_dq, Real *dqdd_dqd, Real *dqdd_dtau)
{
    using std::sin;
    using std::cos;
    using Number = typename number_of<Real>::type;
    /* Inputs */
    const Real qd_0 = qd[0];
    const Real tau_0 = tau[0];

    /* Joint positions */
    const Real s1 = sin(q[0]);
    const Real c1 = cos(q[0]);
    const Real s2 = sin(q[1]);
    const Real c2 = cos(q[1]);
    const Real ms2_x = Number(1.5)*c2;
    const Real ms2_y = Number(1.5)*s2;
    const Real theta3 = q[1] + q[2];
    const Real s3 = sin(theta3);
    const Real c3 = cos(theta3);
    const Real ms3_x = Number(0.5)*c3;
    const Real ms3_y = Number(0.5)*s3;

    /* Outward, body 2 (forearm) */
    const Real w2_z = qd_0 + qd[1];

    /* Outward, body 3 (hand) */
    const Real w3_z = w2_z + qd[2];
    const Real ww1_z = Number(2.0)*qd_0;
    const Real ww2_z = Number(2.0)*w2_z;
    const Real ww3_z = Number(2.0)*w3_z;

    /* Composite of body 3 (hand) */
    const Real cms2_x = ms2_x + ms3_x;
    const Real cms2_y = ms2_y + ms3_y;

    /* Coriolis matrix, joint 3 (hand) */
    const Real h3_2_z = Number(0.3333333333333333) + c2*ms3_x + s2*ms3_y;

    /* Composite of body 3 (hand) */
    const Real cj2_zz = Number(2.0)*h3_2_z + Number(1.0);

    /* Composite of body 2 (forearm) */
    const Real cms1_x = Number(2.5) + cms2_x;

    /* Composite of body 1 (upper_arm) */
    const Real minus_ccp3_x = ww3_z*ms3_y;

    /* Motion of composite 3 (hand) */
    const Real t1 = minus_ccp3_x*c2;
    const Real t2 = s2*ms3_x;
    const Real t3 = ww3_z*t2;
    const Real minus_ccp2_x = ww2_z*ms2_y + minus_ccp3_x;

    /* Motion of composite 2 (forearm) */
    const Real t4 = cms2_y*ww1_z;

    /* Coriolis matrix, joint 2 (forearm) */
    const Real hhx3_2_z = ww2_z*(c2*ms3_y - t2);
    const Real nqd2_2_z = t3 + hhx3_2_z - t1;
    const Real nqd2_1_z = nqd2_2_z - minus_ccp2_x;

    /* Coriolis matrix, joint 1 (upper_arm) */
    const Real nqd1_1_z = t4 + nqd2_1_z;

    /* Coriolis matrix, joint 2 (forearm) */
    const Real hhx2_1_z = nqd2_2_z + t4;

    /* Coriolis matrix, joint 3 (hand) */
    const Real h3_1_z = h3_2_z + ms3_x;
    const Real nqd3_2_z = t3 - t1;
    const Real nqd3_1_z = nqd3_2_z - minus_ccp3_x;
    const Real hhx3_1_z = hhx3_2_z + ww1_z*ms3_y;

    /* Gravity */
    const Real up1_x = Number(9.81)*s1;
    const Real up1_y = Number(9.81)*c1;
    const Real t5 = cms2_y*up1_x;
    const Real g1 = cms1_x*up1_y - t5;
    const Real g2 = cms2_x*up1_y - t5;
    const Real g3 = ms3_x*up1_y - ms3_y*up1_x;

    /* Forces that accelerate the joints */
    const Real t6 = Number(0.5)*qd_0;
    const Real t7 = Number(0.5)*qd[1];
    const Real t8 = Number(0.5)*qd[2];
    const Real t9 = tau[2] - g3 - hhx3_1_z*t6 - hhx3_2_z*t7;

    /* Elimination of joint 3 (hand) */
    const Real lf3_2 = Number(3.0)*h3_2_z;
    const Real t10 = cms2_x + cj2_zz;
    const Real t11 = t10 - lf3_2*h3_1_z;
    const Real t12 = tau[1] - g2 - hhx2_1_z*t6 - nqd2_2_z*t7 - nqd3_2_z*t8 - lf3_2*t9;
    const Real lf3_1 = Number(3.0)*h3_1_z;

    /* Elimination of joint 2 (forearm) */
    const Real dinv2 = Number(1.0)/(cj2_zz - lf3_2*h3_2_z);
    const Real lf2_1 = dinv2*t11;

    /* Elimination of joint 1 (upper_arm) */
    const Real dinv1 = Number(1.0)/(Number(2.3333333333333335) + t10 + cms2_x - lf3_1*h3_1_z
        - lf2_1*t11);
    dqdd_dtau[0] = dinv1;
    const Real qdd1 = dinv1*(tau_0 - g1 - nqd1_1_z*t6 - nqd2_1_z*t7 - nqd3_1_z*t8 - lf3_1*t9
        - lf2_1*t12);
    const Real t13 = dinv1*lf2_1;
    const Real t14 = dinv1*(lf2_1*lf3_2 - lf3_1);
    dqdd_dtau[2] = t14;
    dqdd_dtau[6] = t14;

    /* Joint accelerations */
    const Real qdd2 = dinv2*t12 - lf2_1*qdd1;
    const Real t15 = dinv2 + lf2_1*t13;
    dqdd_dtau[4] = t15;
    const Real t16 = dinv2*lf3_2 + lf2_1*t14;
    const Real qdd3 = Number(3.0)*t9 - lf3_2*qdd2 - lf3_1*qdd1;
    const Real t17 = Number(3.0) + lf3_2*t16 - lf3_1*t14;
    dqdd_dtau[8] = t17;

    /* Change of accelerations by the velocity of joint 1 (upper_arm) */
    const Real t18 = lf3_2*hhx3_1_z - hhx2_1_z;
    const Real t19 = dinv1*(lf3_1*hhx3_1_z - nqd1_1_z - lf2_1*t18);
    dqdd_dqd[0] = t19;
    const Real t20 = dinv2*t18 - lf2_1*t19;
    dqdd_dqd[3] = t20;

    /* Change of accelerations by the velocity of joint 2 (forearm) */
    const Real t21 = lf3_2*hhx3_2_z - nqd2_2_z;
    const Real t22 = dinv1*(lf3_1*hhx3_2_z - nqd2_1_z - lf2_1*t21);
    dqdd_dqd[1] = t22;
    const Real t23 = dinv2*t21 - lf2_1*t22;
    dqdd_dqd[4] = t23;

    /* Change of accelerations by the velocity of joint 3 (hand) */
    const Real t24 = dinv1*(lf2_1*nqd3_2_z - nqd3_1_z);
    dqdd_dqd[2] = t24;
    const Real t25 = dinv2*nqd3_2_z + lf2_1*t24;
    const Real t26 = lf3_2*t25 - lf3_1*t24;
    dqdd_dqd[8] = t26;

    /* Outward, body 1 (upper_arm) */
    const Real minus_l1_xx = qd_0*qd_0;

    /* Outward, body 2 (forearm) */
    const Real wd2_z = qdd1 + qdd2;
    const Real minus_l2_xx = w2_z*w2_z;
    const Real a2_x = up1_x - minus_l1_xx;
    const Real a2_y = up1_y + qdd1;

    /* Outward, body 3 (hand) */
    const Real wd3_z = wd2_z + qdd3;
    const Real minus_l3_xx = w3_z*w3_z;
    const Real a3_x = a2_x - minus_l2_xx*c2 - wd2_z*s2;
    const Real a3_y = a2_y + wd2_z*c2 - minus_l2_xx*s2;

    /* Inward, body 3 (hand) */
    const Real minus_bf3_x = minus_l3_xx*ms3_x + wd3_z*ms3_y;
    const Real bf3_y = wd3_z*ms3_x - minus_l3_xx*ms3_y;

    /* Inward, body 2 (forearm) */
    const Real minus_bf2_x = minus_l2_xx*ms2_x + wd2_z*ms2_y;
    const Real minus_f2_x = minus_bf2_x + minus_bf3_x;

    /* Derivatives by position, joint 1 (upper_arm) */
    const Real t27 = cms2_y*up1_y;
    const Real minus_nq1_1_z = cms1_x*up1_x + t27;

    /* Derivatives by position, joint 2 (forearm) */
    const Real minus_nq2_2_z = cms2_x*a2_x + cms2_y*a2_y;
    const Real minus_nq2_1_z = minus_nq2_2_z + minus_f2_x;
    const Real minus_tauq2_1 = t27 + cms2_x*up1_x;

    /* Derivatives by position, joint 3 (hand) */
    const Real minus_nq3_3_z = ms3_x*a3_x + ms3_y*a3_y;
    const Real nq3_2_z = s2*bf3_y - (minus_nq3_3_z + c2*minus_bf3_x);
    const Real minus_tauq3_2 = ms3_y*a2_y + ms3_x*a2_x;
    const Real nq3_1_z = nq3_2_z - minus_bf3_x;
    const Real minus_tauq3_1 = ms3_y*up1_y + ms3_x*up1_x;

    /* Change of accelerations by the position of joint 1 (upper_arm) */
    const Real t28 = minus_tauq2_1 - lf3_2*minus_tauq3_1;
    const Real t29 = dinv1*(minus_nq1_1_z - lf3_1*minus_tauq3_1 - lf2_1*t28);
    dqdd_dq[0] = t29;
    const Real t30 = dinv2*t28 - lf2_1*t29;
    dqdd_dq[3] = t30;
    const Real t31 = Number(3.0)*minus_tauq3_1 - lf3_2*t30 - lf3_1*t29;
    dqdd_dq[6] = t31;

    /* Change of accelerations by the position of joint 2 (forearm) */
    const Real t32 = minus_nq2_2_z - lf3_2*minus_tauq3_2;
    const Real t33 = dinv1*(minus_nq2_1_z - lf3_1*minus_tauq3_2 - lf2_1*t32);
    dqdd_dq[1] = t33;
    const Real t34 = dinv2*t32 - lf2_1*t33;
    dqdd_dq[4] = t34;
    const Real t35 = Number(3.0)*minus_tauq3_2 - lf3_2*t34 - lf3_1*t33;
    dqdd_dq[7] = t35;

    /* Change of accelerations by the position of joint 3 (hand) */
    const Real t36 = nq3_2_z + lf3_2*minus_nq3_3_z;
    const Real t37 = dinv1*(lf2_1*t36 - (nq3_1_z + lf3_1*minus_nq3_3_z));
    dqdd_dq[2] = t37;
    const Real t38 = dinv2*t36 + lf2_1*t37;
    const Real t39 = Number(3.0)*minus_nq3_3_z + lf3_2*t38 - lf3_1*t37;
    dqdd_dq[8] = t39;
    const Real t40 = -t38;
    dqdd_dq[5] = t40;
    const Real t41 = -t25;
    dqdd_dqd[5] = t41;
    const Real t42 = -(Number(3.0)*hhx3_1_z + lf3_2*t20 + lf3_1*t19);
    dqdd_dqd[6] = t42;
    const Real t43 = -(Number(3.0)*hhx3_2_z + lf3_2*t23 + lf3_1*t22);
    dqdd_dqd[7] = t43;
    const Real t44 = -t13;
    dqdd_dtau[1] = t44;
    dqdd_dtau[3] = t44;
    const Real t45 = -t16;
    dqdd_dtau[5] = t45;
    dqdd_dtau[7] = t45;
}

/* tau_f = friction of joints and transmissions.
 * 0 mul, 0 add, 0 div, 0 sincos. Proved on 1000 states within 1e-12.
 *
 *   qd     in   3  joint velocities, rad/s
 *   tau_f  out  3  joint forces of friction; motors have to supply tau + tau_f, N m
 */
template <class Real>
inline void friction_forces(const Real *qd, Real *tau_f)
{
    (void)qd;
    /* Results that require no operation */
    tau_f[0] = Real(0.0);
    tau_f[1] = Real(0.0);
    tau_f[2] = Real(0.0);
}

/* state = (M(q), C(q, qd) qd + g(q)).
 * 23 mul, 22 add, 0 div, 3 sincos. Proved on 1000 states within 1e-12.
 * Inertial parameters are regrouped: inertia that a joint cannot observe is moved to the parent
 * body. Body 3 is resolved in axes that do not rotate with the joint.
 *
 *   q      in   3  joint positions, rad
 *   qd     in   3  joint velocities, rad/s
 *   state  out  9  lower triangle of the mass matrix, row by row, then velocity and gravity forces,
 *                  kg m^2 or N m
 */
template <class Real>
inline void background(const Real *q, const Real *qd, Real *state)
{
    using std::sin;
    using std::cos;
    using Number = typename number_of<Real>::type;
    /* Inputs */
    const Real q_0 = q[0];
    const Real q_1 = q[1];
    const Real q_2 = q[2];
    const Real qd_0 = qd[0];
    const Real qd_1 = qd[1];
    const Real qd_2 = qd[2];

    /* Results that require no operation */
    state[5] = Real(0.3333333333333333);

    /* Joint positions */
    const Real s1 = sin(q_0);
    const Real c1 = cos(q_0);
    const Real s2 = sin(q_1);
    const Real c2 = cos(q_1);
    const Real s3 = sin(q_2);
    const Real c3 = cos(q_2);
    const Real ms3_x = Number(0.5)*c3;
    const Real ms3_y = Number(0.5)*s3;

    /* Outward, body 1 (upper_arm) */
    const Real minus_l1_xx = qd_0*qd_0;
    const Real a1_x = Number(9.81)*s1;
    const Real a1_y = Number(9.81)*c1;

    /* Outward, body 2 (forearm) */
    const Real w2_z = qd_0 + qd_1;
    const Real minus_l2_xx = w2_z*w2_z;
    const Real t1 = a1_x - minus_l1_xx;
    const Real a2_x = c2*t1 + s2*a1_y;
    const Real a2_y = c2*a1_y - s2*t1;

    /* Outward, body 3 (hand) */
    const Real w3_z = w2_z + qd_2;
    const Real minus_l3_xx = w3_z*w3_z;
    const Real a3_x = a2_x - minus_l2_xx;

    /* Inward, body 3 (hand) */
    const Real minus_bf3_x = minus_l3_xx*ms3_x;
    const Real minus_bf3_y = minus_l3_xx*ms3_y;
    const Real bm3_z = ms3_x*a2_y - ms3_y*a3_x;
    state[8] = bm3_z;

    /* Inward, body 2 (forearm) */
    const Real minus_bf2_x = Number(1.5)*minus_l2_xx;
    const Real bm2_z = Number(1.5)*a2_y;
    const Real minus_f2_x = minus_bf2_x + minus_bf3_x;
    const Real n2_z = bm2_z + (bm3_z - minus_bf3_y);
    state[7] = n2_z;
    const Real minus_f1_y = c2*minus_bf3_y + s2*minus_f2_x;

    /* Inward, body 1 (upper_arm) */
    const Real bm1_z = Number(24.525)*c1;
    const Real n1_z = bm1_z + (n2_z - minus_f1_y);
    state[6] = n1_z;

    /* Composite of body 3 (hand) */
    const Real cms2_x = Number(1.5) + ms3_x;
    const Real cj2_zz = c3 + Number(1.6666666666666667);
    state[2] = cj2_zz;

    /* Composite of body 2 (forearm) */
    const Real t2 = s2*ms3_y;
    const Real p2_1_y = c2*cms2_x - t2;
    const Real h2_1_z = cj2_zz + p2_1_y;
    state[1] = h2_1_z;
    const Real cj1_zz = Number(2.3333333333333335) + h2_1_z + p2_1_y;
    state[0] = cj1_zz;

    /* Mass matrix, joint 3 (hand) */
    const Real h3_2_z = Number(0.3333333333333333) + ms3_x;
    state[4] = h3_2_z;
    const Real p3_1_y = c2*ms3_x - t2;
    const Real h3_1_z = h3_2_z + p3_1_y;
    state[3] = h3_1_z;
}

/* state = (M(q), g(q)), without coriolis_forces.
 * 14 mul, 13 add, 0 div, 3 sincos. Proved on 1000 states within 1e-12.
 * Inertial parameters are regrouped: inertia that a joint cannot observe is moved to the parent
 * body. Bodies 2 and 3 are resolved in axes that do not rotate with the joint.
 *
 *   q      in   3  joint positions, rad
 *   state  out  9  lower triangle of the mass matrix, row by row, then gravity forces, kg m^2 or
 *                  N m
 */
template <class Real>
inline void background_inertia(const Real *q, Real *state)
{
    using std::sin;
    using std::cos;
    using Number = typename number_of<Real>::type;
    /* Inputs */
    const Real q_0 = q[0];
    const Real q_1 = q[1];
    const Real q_2 = q[2];

    /* Results that require no operation */
    state[5] = Real(0.3333333333333333);

    /* Joint positions */
    const Real s1 = sin(q_0);
    const Real c1 = cos(q_0);
    const Real s2 = sin(q_1);
    const Real c2 = cos(q_1);
    const Real theta3 = q_1 + q_2;
    const Real s3 = sin(theta3);
    const Real c3 = cos(theta3);

    /* Composite of body 3 (hand) */
    const Real t1 = s2*s3 + c2*c3;
    const Real cj2_zz = Number(1.6666666666666667) + t1;
    state[2] = cj2_zz;

    /* Composite of body 2 (forearm) */
    const Real t2 = Number(4.905)*c3;
    const Real t3 = Number(14.715)*c2 + t2;
    const Real t4 = Number(0.1019367991845056)*t3;
    const Real h2_1_z = t4 + cj2_zz;
    state[1] = h2_1_z;
    const Real cj1_zz = Number(2.3333333333333335) + h2_1_z + t4;
    state[0] = cj1_zz;

    /* Gravity */
    const Real t5 = Number(4.905)*s1*s3;
    const Real minus_g2 = t5 + Number(14.715)*s1*s2 - c1*t3;
    const Real g1 = Number(24.525)*c1 - minus_g2;
    state[6] = g1;
    const Real g2 = -minus_g2;
    state[7] = g2;
    const Real g3 = c1*t2 - t5;
    state[8] = g3;

    /* Mass matrix, joint 3 (hand) */
    const Real h3_2_z = Number(0.3333333333333333) + Number(0.5)*t1;
    state[4] = h3_2_z;
    const Real h3_1_z = Number(0.5)*c3 + h3_2_z;
    state[3] = h3_1_z;
}

/* tau = M qdd + (C qd + g), from the state.
 * 9 mul, 9 add, 0 div, 0 sincos. Proved on 1000 states within 1e-12.
 *
 *   state  in   9  lower triangle of the mass matrix, row by row, then forces, kg m^2 or N m
 *   qdd    in   3  joint accelerations, rad/s^2
 *   tau    out  3  joint forces, N m
 */
template <class Real>
inline void synchronous(const Real *state, const Real *qdd, Real *tau)
{
    /* Inputs */
    const Real qdd_0 = qdd[0];
    const Real qdd_1 = qdd[1];
    const Real qdd_2 = qdd[2];
    const Real state_1 = state[1];
    const Real state_2 = state[2];
    const Real state_3 = state[3];
    const Real state_4 = state[4];
    const Real state_5 = state[5];
    const Real state_7 = state[7];
    const Real state_8 = state[8];

    const Real t1 = state[6] + state[0]*qdd_0 + state_1*qdd_1 + state_3*qdd_2;
    tau[0] = t1;
    const Real t2 = state_7 + state_1*qdd_0 + state_2*qdd_1 + state_4*qdd_2;
    tau[1] = t2;
    const Real t3 = state_8 + state_3*qdd_0 + state_4*qdd_1 + state_5*qdd_2;
    tau[2] = t3;
}

} // namespace planar3

#endif
