! puma560_dynamics: robot dynamics in straight-line Fortran 2008.
!
! Robot    puma560, 6 joints
! Source   Dhanaraj (1990), Tables 2.1, 2.5, 2.6
! Input    puma560.yaml
! SHA-256  0ebf8bb35f823656d99aa6cf95155e8cc1a3b7c0a28ce51b200c4cc3f5d2d309
! Gravity  (0, 0, -9.8) m/s^2 in the base frame
! Tool     the frame of link wrist_3
! Proof    Every entry of an output has to satisfy |computed - expected| <= 1e-12 * S in every
!          state, where S is the largest |expected| of that entry over all states, but at least
!          1e-2 of the largest sum of the magnitudes of its terms (so that an entry which is zero
!          by symmetry is not held to the rounding of terms that cancel). NaN and infinity fail.
!
! index  joint      type      position  force
! 1      waist      revolute  rad       N m
! 2      upper_arm  revolute  rad       N m
! 3      forearm    revolute  rad       N m
! 4      wrist_1    revolute  rad       N m
! 5      wrist_2    revolute  rad       N m
! 6      wrist_3    revolute  rad       N m
!
! All quantities are in SI units; arrays have their natural shapes. Subroutines have no side effects
! and store no data between calls.
!
! Names: i and j number bodies and joints from 1; _x, _xy are components in the axes of body i.
!
!   s<i>        sine of the angle about joint axis i, summed over the parallel joints before it
!   c<i>        cosine of the angle about joint axis i, summed over the parallel joints before it
!   ms<i>       first moment of body i about its origin, kg m (MS, Khalil and Kleinfinger 1987)
!   j<i>        inertia of body i about its origin, kg m^2 (J, Khalil and Kleinfinger 1987)
!   theta<i>    sum of the positions of joint i and the parallel joints before it, rad
!   w<i>        angular velocity of body i, rad/s
!   wd<i>       angular acceleration of body i, rad/s^2
!   k<i>        products of angular velocities of body i: w_y w_z, w_x w_z, w_x w_y, 1/s^2
!               (Dhanaraj 1990, eq. 2.28)
!   l<i>        acceleration difference matrix of body i: l r = wd x r + w x (w x r), 1/s^2
!               (Dhanaraj 1990, eq. 2.27)
!   a<i>        acceleration of the origin of body i minus gravity, m/s^2
!   bf<i>       inertial force of body i, N
!   bm<i>       inertial moment of body i, N m
!   f<i>        force that joint i transmits to body i, N
!   n<i>        moment that joint i transmits to body i, N m
!   tau<i>      joint force of joint i, N m or N
!   g<i>        joint force of joint i that balances gravity, N m or N
!   cj<i>       inertia of composite i (body i and all it carries) about the origin of body i,
!               kg m^2
!   h<j>_<i>    angular momentum of composite j at a unit velocity of joint j, about the origin of
!               body i
!   m<i>_<j>    entry i, j of the mass matrix
!   aj<i>       articulated inertia of body i, about its origin: aj wd is the moment for an angular
!               acceleration wd (Featherstone 1983)
!   ah<i>       coupling in the articulated inertia of body i: ah a is the moment for an
!               acceleration a (Featherstone 1983)
!   dinv<i>     reciprocal of pivot i, the inertia along joint i while the joints beyond it are
!               free
!   u<i>        force of joint i minus the force of joint i at zero joint accelerations
!   cuf<j>_<i>  force for a unit acceleration of joint j in its cluster, in the axes of body i
!   cun<j>_<i>  moment for a unit acceleration of joint j in its cluster, about the origin of body
!               i
!   lf<i>_<j>   entry i, j of L in the factorisation M = L^T D L of the mass matrix (Featherstone
!               2005)
!   dwd<i>      angular acceleration of body i due to joint accelerations, rad/s^2
!   fx<i>       unit vector x of the frame, in the axes of body i (0: the base)
!   fy<i>       unit vector y of the frame, in the axes of body i (0: the base)
!   fz<i>       unit vector z of the frame, in the axes of body i (0: the base)
!   fp<i>       position of the frame from the origin of body i (0: the base), m
!   ex<i>       unit vector x of the Jacobian's axes, in axes of body i
!   ey<i>       unit vector y of the Jacobian's axes, in axes of body i
!   ez<i>       unit vector z of the Jacobian's axes, in axes of body i
!   er<i>       position of the frame from the origin of body i, in the Jacobian's axes, m
!   jv<i>       linear part of column i of the Jacobian (Whitney 1969)
!   t<k>        a part of an expression
!   minus_      negative of a value: minus_x is -x
!
! Constants, as formulas of the description's names or keys (m mass, c centre of mass, I inertia
! about the centre of mass, Ia motor inertia, g gravity); links count from 1. All other constants
! are sums of regrouped terms: see `dynagen --explain-constants`.
!
!   4e-05 = Izz6, 5.8464e-05 = -m6*a4*cz6, 0.000116928 = -2*m6*a4*cz6,
!   0.00024216 = Ixx5 + Iyy6 + m6*cz6**2 - Iyy5, 0.0003 = Ixx4 + Iyy5 - Iyy4,
!   0.0004 = Iyy5 + Izz5 - Ixx5, 0.000432288 = m6*cz6*d2 + m6*cz6*d3,
!   0.00064216 = Iyy6 + Izz5 + m6*cz6**2, 0.000864576 = 2*m6*cz6*d2 + 2*m6*cz6*d3,
!   0.001243584 = m6*a3*cz6, 0.001247328 = m6*cz6*d4, 0.0013 = Iyy4 + Izz4 - Ixx4,
!   0.0016 = Iyy5 + Izz4, 0.00184216 = Ixx5 + Iyy6 + Izz4 + m6*cz6**2, 0.002487168 = 2*m6*a3*cz6,
!   0.002494656 = 2*m6*cz6*d4, 0.00288 = m6*cz6, 0.004704 = -m3*cy3*cz3, 0.0070992 = m2*cx2*cy2,
!   0.010956925 = -m4*a3*a4 - m5*a3*a4 - m6*a3*a4, 0.0141984 = 2*m2*cx2*cy2, 0.0203 = -a4,
!   0.023751 = m2*cy2*cz2 + m2*cy2*d2, 0.025375 = -m4*a4 - m5*a4 - m6*a4, 0.028224 = -m6*cz6*gz,
!   0.1044 = m2*cy2, 0.1501 = d2 + d3, 0.179 = Ia5, 0.17964216 = Ia5 + Iyy6 + Izz5 + m6*cz6**2,
!   0.193 = Ia6, 0.19304 = Ia6 + Izz6, 0.2 = Ia4, 0.248675 = m4*a4*gz + m5*a4*gz + m6*a4*gz,
!   0.3476146364057434 = d2/a3 + d3/a3, 0.4318 = a3, 0.4331 = d4, 0.83 = Ia3,
!   1.02312 = -m2*cy2*gz, 9.8 = -gz
!
! Generated by dynagen 0.2.0 from puma560.yaml. Do not edit.
! You own the generated code; the dynagen authors claim no rights to it.
! SPDX-License-Identifier: LicenseRef-Owner-Of-Generated-Code
module puma560_dynamics
  use, intrinsic :: iso_c_binding, only: wp => c_double
  implicit none
  private

  integer, parameter, public :: puma560_n = 6
  public :: puma560_inverse_dynamics
  public :: puma560_gravity_forces
  public :: puma560_bias_forces
  public :: puma560_mass_matrix
  public :: puma560_forward_dynamics
  public :: puma560_forward_kinematics
  public :: puma560_jacobian

contains

  ! tau = M(q) qdd + C(q, qd) qd + g(q).
  ! 165 mul, 115 add, 0 div, 4 sincos. Proved on 1000 states within 1e-12.
  ! Inertial parameters are regrouped: inertia that a joint cannot observe is moved to the parent
  ! body. Origins are moved along joint axes. Bodies 1, 2, 3 and 6 are resolved in axes that do not
  ! rotate with the joint. The displacement to body 4 is computed in one step, in the parent's
  ! axes.
  !
  !   q    in   6  joint positions, rad
  !   qd   in   6  joint velocities, rad/s
  !   qdd  in   6  joint accelerations, rad/s^2
  !   tau  out  6  joint forces, N m
  subroutine puma560_inverse_dynamics(q, qd, qdd, tau) bind(c, name="puma560_inverse_dynamics")
    real(wp), intent(in) :: q(6)
    real(wp), intent(in) :: qd(6)
    real(wp), intent(in) :: qdd(6)
    real(wp), intent(out) :: tau(6)
    real(wp) :: s2, c2, ms2_x, t1, j2_xy, j2_xz, minus_j2_yz, t2, t3, theta3, s3, c3, ms3_x
    real(wp) :: minus_ms3_y, t4, j3_xy, j3_yz, t5, t6, s4, c4, s5, c5, minus_wd2_x, minus_l3_zz
    real(wp) :: minus_l2_yy, minus_l2_xx, minus_l2_zy, w3_z, wd3_z, minus_wd3_x, minus_l3_yy
    real(wp) :: minus_l3_xx, minus_l3_zy, a3_y, minus_a3_x, a3_z, t7, w4_x, w4_y, t8, w4_z, wd4_x
    real(wp) :: wd4_z, k4_x, k4_y, k4_z, t9, t10, t11, t12, a4_z, a4_x, w5_x, minus_w5_y, w5_z
    real(wp) :: wd5_x, minus_wd5_y, wd5_z, minus_k5_x, k5_y, minus_k5_z, minus_l5_xy, minus_l5_yy
    real(wp) :: l5_zy, minus_a5_z, a5_x, w6_z, wd6_z, t13, bm6_x, minus_bm6_y, bm6_z, tau6, bf5_x
    real(wp) :: bf5_y, minus_bf5_z, bm5_x, minus_bm5_y, bm5_z, n5_x, minus_n5_y, n5_z, tau5, f4_x
    real(wp) :: minus_f4_z, bm4_x, minus_bm4_y, bm4_z, n4_x, n4_y, n4_z, tau4, t14, t15, t16, t17
    real(wp) :: bf3_x, bf3_y, bf3_z, bm3_z, f3_x, f3_y, f3_z, n3_z, tau3, bm2_z, n2_z, n1_z

    ! Joint positions
    s2 = sin(q(2))
    c2 = cos(q(2))
    ms2_x = 3.79559_wp*c2 - 0.1044_wp*s2
    t1 = 0.0141984_wp*c2 + 1.601861202_wp*s2
    j2_xy = 0.0070992_wp - c2*t1
    j2_xz = 0.023751_wp*s2 - 0.690314699_wp*c2
    minus_j2_yz = 0.023751_wp*c2 + 0.690314699_wp*s2
    t2 = 0.4318_wp*c2
    t3 = 0.4318_wp*s2
    theta3 = q(2) + q(3)
    s3 = sin(theta3)
    c3 = cos(theta3)
    ms3_x = 0.861795_wp*s3 - 0.025375_wp*c3
    minus_ms3_y = 0.861795_wp*c3 + 0.025375_wp*s3
    t4 = 0.299575024_wp*s3 - 0.021347277_wp*c3
    j3_xy = c3*t4 + 0.0106736385_wp
    j3_yz = 0.004704_wp*c3
    t5 = 0.4331_wp*s3 - 0.0203_wp*c3
    t6 = 0.4331_wp*c3 + 0.0203_wp*s3
    s4 = sin(q(4))
    c4 = cos(q(4))
    s5 = sin(q(5))
    c5 = cos(q(5))

    ! Outward, body 2 (upper_arm)
    minus_wd2_x = qd(1)*qd(2)
    minus_l3_zz = qd(1)*qd(1)
    minus_l2_yy = qd(2)*qd(2)
    minus_l2_xx = minus_l3_zz + minus_l2_yy
    minus_l2_zy = 2.0_wp*minus_wd2_x

    ! Outward, body 3 (forearm)
    w3_z = qd(2) + qd(3)
    wd3_z = qdd(2) + qdd(3)
    minus_wd3_x = qd(1)*w3_z
    minus_l3_yy = w3_z*w3_z
    minus_l3_xx = minus_l3_zz + minus_l3_yy
    minus_l3_zy = 2.0_wp*minus_wd3_x
    a3_y = qdd(2)*t2 - 9.8_wp - minus_l2_yy*t3
    minus_a3_x = minus_l2_xx*t2 + qdd(2)*t3 + 0.1501_wp*qdd(1)
    a3_z = qdd(1)*t2 - minus_l2_zy*t3 - 0.1501_wp*minus_l3_zz

    ! Outward, body 4 (wrist_1)
    t7 = s3*qd(1)
    w4_x = s4*w3_z - c4*t7
    w4_y = c4*w3_z + s4*t7
    t8 = c3*minus_wd3_x + s3*qdd(1)
    w4_z = c3*qd(1) + qd(4)
    wd4_x = s4*wd3_z - c4*t8 + w4_y*qd(4)
    wd4_z = c3*qdd(1) - s3*minus_wd3_x + qdd(4)
    k4_x = w4_y*w4_z
    k4_y = w4_x*w4_z
    k4_z = w4_x*w4_y
    t9 = wd3_z*t6 - (minus_a3_x + minus_l3_xx*t5)
    t10 = a3_y + wd3_z*t5 + minus_l3_yy*t6
    t11 = a3_z + qdd(1)*t5 + minus_l3_zy*t6
    t12 = c3*t9 + s3*t10
    a4_z = s3*t9 - c3*t10
    a4_x = c4*t12 + s4*t11

    ! Outward, body 5 (wrist_2)
    w5_x = c5*w4_x - s5*w4_z
    minus_w5_y = c5*w4_z + s5*w4_x
    w5_z = w4_y + qd(5)
    wd5_x = c5*wd4_x - s5*wd4_z - minus_w5_y*qd(5)
    minus_wd5_y = c5*wd4_z + s5*wd4_x + w5_x*qd(5)
    wd5_z = qdd(5) - (w4_x*qd(4) - (c4*wd3_z + s4*t8))
    minus_k5_x = minus_w5_y*w5_z
    k5_y = w5_x*w5_z
    minus_k5_z = w5_x*minus_w5_y
    minus_l5_xy = minus_k5_z + wd5_z
    minus_l5_yy = w5_x*w5_x + w5_z*w5_z
    l5_zy = wd5_x - minus_k5_x
    minus_a5_z = s4*t12 - c4*t11
    a5_x = c5*a4_x - s5*a4_z

    ! Outward, body 6 (wrist_3)
    w6_z = minus_w5_y + qd(6)
    wd6_z = minus_wd5_y + qdd(6)

    ! Inward, body 6 (wrist_3)
    t13 = 4e-05_wp*w6_z
    bm6_x = w5_z*t13
    minus_bm6_y = w5_x*t13
    bm6_z = 4e-05_wp*wd6_z
    tau6 = bm6_z + 0.193_wp*qdd(6)
    tau(6) = tau6

    ! Inward, body 5 (wrist_2)
    bf5_x = 0.00288_wp*minus_l5_xy
    bf5_y = 0.00288_wp*minus_l5_yy
    minus_bf5_z = 0.00288_wp*l5_zy
    bm5_x = 0.00024216_wp*wd5_x - 0.00064216_wp*minus_k5_x + 0.00288_wp*minus_a5_z
    minus_bm5_y = 0.0004_wp*k5_y
    bm5_z = 0.00064216_wp*wd5_z + 0.00024216_wp*minus_k5_z + 0.00288_wp*a5_x
    n5_x = bm5_x + bm6_x
    minus_n5_y = minus_bm5_y + bm6_z
    n5_z = bm5_z - minus_bm6_y
    tau5 = n5_z + 0.179_wp*qdd(5)
    tau(5) = tau5
    f4_x = c5*bf5_x - s5*bf5_y
    minus_f4_z = c5*bf5_y + s5*bf5_x

    ! Inward, body 4 (wrist_1)
    bm4_x = 0.0003_wp*wd4_x + 0.0016_wp*k4_x
    minus_bm4_y = 0.0013_wp*k4_y
    bm4_z = 0.0016_wp*wd4_z - 0.0003_wp*k4_z
    n4_x = bm4_x + (c5*n5_x + s5*minus_n5_y)
    n4_y = n5_z - minus_bm4_y
    n4_z = bm4_z - (s5*n5_x - c5*minus_n5_y)
    tau4 = n4_z + 0.2_wp*qdd(4)
    tau(4) = tau4
    t14 = c4*f4_x + s4*minus_bf5_z
    t15 = s4*f4_x - c4*minus_bf5_z
    t16 = c3*t14 - s3*minus_f4_z
    t17 = c3*minus_f4_z + s3*t14

    ! Inward, body 3 (forearm)
    bf3_x = wd3_z*minus_ms3_y - minus_l3_xx*ms3_x
    bf3_y = wd3_z*ms3_x + minus_l3_yy*minus_ms3_y
    bf3_z = qdd(1)*ms3_x + minus_l3_zy*minus_ms3_y
    bm3_z = 0.333105249_wp*wd3_z - j3_xy*minus_l3_zz - j3_yz*qdd(1) + ms3_x*a3_y &
        - minus_ms3_y*minus_a3_x
    f3_x = bf3_x + t16
    f3_y = bf3_y + t17
    f3_z = bf3_z + t15
    n3_z = bm3_z + (c4*n4_y + s4*n4_x + t5*t17 + t6*t16)
    tau3 = n3_z + 0.83_wp*qdd(3)
    tau(3) = tau3

    ! Inward, body 2 (upper_arm)
    bm2_z = 6.458114002_wp*qdd(2) - j2_xy*minus_l3_zz + minus_j2_yz*qdd(1) - 9.8_wp*ms2_x
    n2_z = bm2_z + (n3_z + t2*f3_y - t3*f3_x)
    tau(2) = n2_z

    ! Inward, body 1 (waist)
    n1_z = qdd(1)*(4.293482265_wp - s2*t1 + s3*t4) + j2_xy*minus_l2_zy - j2_xz*minus_l2_yy &
        + minus_j2_yz*qdd(2) - j3_yz*wd3_z + j3_xy*minus_l3_zy &
        + s3*(0.004704_wp*minus_l3_yy - (c4*n4_x - s4*n4_y)) + ms3_x*a3_z + c3*n4_z + t5*t15 &
        - 0.1501_wp*f3_x + t2*f3_z
    tau(1) = n1_z
  end subroutine puma560_inverse_dynamics

  ! g = g(q).  13 mul, 7 add, 0 div, 4 sincos. Proved on 1000 states within 1e-12.
  ! Inertial parameters are regrouped: inertia that a joint cannot observe is moved to the parent
  ! body. Origins are moved along joint axes. Bodies 1, 2 and 3 are resolved in axes that do not
  ! rotate with the joint.
  !
  !   q  in   6  joint positions, rad
  !   g  out  6  joint forces that balance gravity, N m
  subroutine puma560_gravity_forces(q, g) bind(c, name="puma560_gravity_forces")
    real(wp), intent(in) :: q(6)
    real(wp), intent(out) :: g(6)
    real(wp) :: s2, c2, theta3, s3, c3, s4, c4, s5, c5, t1, minus_g3, g2, g3, g4, g5

    ! Results that require no operation
    g(1) = 0.0_wp
    g(6) = 0.0_wp

    ! Joint positions
    s2 = sin(q(2))
    c2 = cos(q(2))
    theta3 = q(2) + q(3)
    s3 = sin(theta3)
    c3 = cos(theta3)
    s4 = sin(q(4))
    c4 = cos(q(4))
    s5 = sin(q(5))
    c5 = cos(q(5))

    ! Gravity
    t1 = 0.028224_wp*s5
    minus_g3 = s3*(8.445591_wp + 0.028224_wp*c5) - c3*(0.248675_wp - c4*t1)
    g2 = 1.02312_wp*s2 - 37.196782_wp*c2 - minus_g3
    g(2) = g2
    g3 = -minus_g3
    g(3) = g3
    g4 = s3*s4*t1
    g(4) = g4
    g5 = -0.028224_wp*(s3*c4*c5 + c3*s5)
    g(5) = g5
  end subroutine puma560_gravity_forces

  ! h = C(q, qd) qd + g(q).  135 mul, 83 add, 0 div, 4 sincos. Proved on 1000 states within 1e-12.
  ! Inertial parameters are regrouped: inertia that a joint cannot observe is moved to the parent
  ! body. Origins are moved along joint axes. Bodies 1, 2, 3 and 6 are resolved in axes that do not
  ! rotate with the joint. The displacement to body 4 is computed in one step, in the parent's
  ! axes.
  !
  !   q   in   6  joint positions, rad
  !   qd  in   6  joint velocities, rad/s
  !   h   out  6  Coriolis, centrifugal and gravity joint forces, N m
  subroutine puma560_bias_forces(q, qd, h) bind(c, name="puma560_bias_forces")
    real(wp), intent(in) :: q(6)
    real(wp), intent(in) :: qd(6)
    real(wp), intent(out) :: h(6)
    real(wp) :: s2, c2, ms2_x, j2_xy, j2_xz, t1, t2, theta3, s3, c3, ms3_x, minus_ms3_y, j3_xy, t3
    real(wp) :: t4, s4, c4, s5, c5, minus_wd2_x, minus_l3_zz, minus_l2_yy, minus_l2_xx, minus_l2_zy
    real(wp) :: w3_z, minus_wd3_x, minus_l3_yy, minus_l3_xx, minus_l3_zy, minus_a3_x, a3_y
    real(wp) :: minus_a3_z, t5, w4_x, w4_y, t6, minus_wd4_z, w4_z, wd4_x, k4_x, k4_y, k4_z, t7, t8
    real(wp) :: t9, t10, minus_a4_z, a4_x, w5_x, minus_w5_y, minus_wd5_z, w5_z, wd5_x, minus_k5_x
    real(wp) :: k5_y, minus_k5_z, l5_xy, minus_l5_yy, l5_zy, minus_a5_z, a5_x, wd6_z, w6_z, t11
    real(wp) :: bm6_x, minus_bm6_y, bm6_z, minus_bf5_x, bf5_y, minus_bf5_z, bm5_x, minus_bm5_y
    real(wp) :: bm5_z, n5_x, minus_n5_y, n5_z, minus_f4_x, minus_f4_z, bm4_x, minus_bm4_y
    real(wp) :: minus_bm4_z, n4_x, n4_y, minus_n4_z, n4_z, t12, t13, t14, t15, minus_bf3_x, bf3_y
    real(wp) :: bf3_z, bm3_z, f3_x, f3_y, f3_z, n3_z, minus_bm2_z, n2_z, n1_z

    ! Joint positions
    s2 = sin(q(2))
    c2 = cos(q(2))
    ms2_x = 3.79559_wp*c2 - 0.1044_wp*s2
    j2_xy = 0.0070992_wp - c2*(0.0141984_wp*c2 + 1.601861202_wp*s2)
    j2_xz = 0.023751_wp*s2 - 0.690314699_wp*c2
    t1 = 0.4318_wp*c2
    t2 = 0.4318_wp*s2
    theta3 = q(2) + q(3)
    s3 = sin(theta3)
    c3 = cos(theta3)
    ms3_x = 0.861795_wp*s3 - 0.025375_wp*c3
    minus_ms3_y = 0.861795_wp*c3 + 0.025375_wp*s3
    j3_xy = c3*(0.299575024_wp*s3 - 0.021347277_wp*c3) + 0.0106736385_wp
    t3 = 0.4331_wp*s3 - 0.0203_wp*c3
    t4 = 0.4331_wp*c3 + 0.0203_wp*s3
    s4 = sin(q(4))
    c4 = cos(q(4))
    s5 = sin(q(5))
    c5 = cos(q(5))

    ! Outward, body 2 (upper_arm)
    minus_wd2_x = qd(1)*qd(2)
    minus_l3_zz = qd(1)*qd(1)
    minus_l2_yy = qd(2)*qd(2)
    minus_l2_xx = minus_l3_zz + minus_l2_yy
    minus_l2_zy = 2.0_wp*minus_wd2_x

    ! Outward, body 3 (forearm)
    w3_z = qd(2) + qd(3)
    minus_wd3_x = qd(1)*w3_z
    minus_l3_yy = w3_z*w3_z
    minus_l3_xx = minus_l3_zz + minus_l3_yy
    minus_l3_zy = 2.0_wp*minus_wd3_x
    minus_a3_x = minus_l2_xx*t1
    a3_y = -9.8_wp - minus_l2_yy*t2
    minus_a3_z = minus_l2_zy*t2 + 0.1501_wp*minus_l3_zz

    ! Outward, body 4 (wrist_1)
    t5 = s3*qd(1)
    w4_x = s4*w3_z - c4*t5
    w4_y = c4*w3_z + s4*t5
    t6 = c3*minus_wd3_x
    minus_wd4_z = s3*minus_wd3_x
    w4_z = c3*qd(1) + qd(4)
    wd4_x = w4_y*qd(4) - c4*t6
    k4_x = w4_y*w4_z
    k4_y = w4_x*w4_z
    k4_z = w4_x*w4_y
    t7 = minus_a3_x + minus_l3_xx*t3
    t8 = a3_y + minus_l3_yy*t4
    t9 = minus_l3_zy*t4 - minus_a3_z
    t10 = s3*t8 - c3*t7
    minus_a4_z = c3*t8 + s3*t7
    a4_x = c4*t10 + s4*t9

    ! Outward, body 5 (wrist_2)
    w5_x = c5*w4_x - s5*w4_z
    minus_w5_y = c5*w4_z + s5*w4_x
    minus_wd5_z = w4_x*qd(4) - s4*t6
    w5_z = w4_y + qd(5)
    wd5_x = c5*wd4_x + s5*minus_wd4_z - minus_w5_y*qd(5)
    minus_k5_x = minus_w5_y*w5_z
    k5_y = w5_x*w5_z
    minus_k5_z = w5_x*minus_w5_y
    l5_xy = minus_wd5_z - minus_k5_z
    minus_l5_yy = w5_x*w5_x + w5_z*w5_z
    l5_zy = wd5_x - minus_k5_x
    minus_a5_z = s4*t10 - c4*t9
    a5_x = c5*a4_x + s5*minus_a4_z

    ! Outward, body 6 (wrist_3)
    wd6_z = w5_x*qd(5) - (c5*minus_wd4_z - s5*wd4_x)
    w6_z = minus_w5_y + qd(6)

    ! Inward, body 6 (wrist_3)
    t11 = 4e-05_wp*w6_z
    bm6_x = w5_z*t11
    minus_bm6_y = w5_x*t11
    bm6_z = 4e-05_wp*wd6_z
    h(6) = bm6_z

    ! Inward, body 5 (wrist_2)
    minus_bf5_x = 0.00288_wp*l5_xy
    bf5_y = 0.00288_wp*minus_l5_yy
    minus_bf5_z = 0.00288_wp*l5_zy
    bm5_x = 0.00024216_wp*wd5_x - 0.00064216_wp*minus_k5_x + 0.00288_wp*minus_a5_z
    minus_bm5_y = 0.0004_wp*k5_y
    bm5_z = 0.00024216_wp*minus_k5_z - 0.00064216_wp*minus_wd5_z + 0.00288_wp*a5_x
    n5_x = bm5_x + bm6_x
    minus_n5_y = minus_bm5_y + bm6_z
    n5_z = bm5_z - minus_bm6_y
    h(5) = n5_z
    minus_f4_x = c5*minus_bf5_x + s5*bf5_y
    minus_f4_z = c5*bf5_y - s5*minus_bf5_x

    ! Inward, body 4 (wrist_1)
    bm4_x = 0.0003_wp*wd4_x + 0.0016_wp*k4_x
    minus_bm4_y = 0.0013_wp*k4_y
    minus_bm4_z = 0.0016_wp*minus_wd4_z + 0.0003_wp*k4_z
    n4_x = bm4_x + (c5*n5_x + s5*minus_n5_y)
    n4_y = n5_z - minus_bm4_y
    minus_n4_z = minus_bm4_z + (s5*n5_x - c5*minus_n5_y)
    n4_z = -minus_n4_z
    h(4) = n4_z
    t12 = s4*minus_bf5_z - c4*minus_f4_x
    t13 = c4*minus_bf5_z + s4*minus_f4_x
    t14 = c3*t12 - s3*minus_f4_z
    t15 = c3*minus_f4_z + s3*t12

    ! Inward, body 3 (forearm)
    minus_bf3_x = minus_l3_xx*ms3_x
    bf3_y = minus_l3_yy*minus_ms3_y
    bf3_z = minus_l3_zy*minus_ms3_y
    bm3_z = ms3_x*a3_y - j3_xy*minus_l3_zz - minus_ms3_y*minus_a3_x
    f3_x = t14 - minus_bf3_x
    f3_y = bf3_y + t15
    f3_z = bf3_z - t13
    n3_z = bm3_z + (c4*n4_y + s4*n4_x + t3*t15 + t4*t14)
    h(3) = n3_z

    ! Inward, body 2 (upper_arm)
    minus_bm2_z = j2_xy*minus_l3_zz + 9.8_wp*ms2_x
    n2_z = n3_z + t1*f3_y - t2*f3_x - minus_bm2_z
    h(2) = n2_z
    n1_z = t1*f3_z &
        - (j2_xz*minus_l2_yy - j2_xy*minus_l2_zy + ms3_x*minus_a3_z - j3_xy*minus_l3_zy &
        - s3*(0.004704_wp*minus_l3_yy - (c4*n4_x - s4*n4_y)) + c3*minus_n4_z + t3*t13 &
        + 0.1501_wp*f3_x)
    h(1) = n1_z
  end subroutine puma560_bias_forces

  ! M = M(q).  65 mul, 53 add, 0 div, 4 sincos. Proved on 1000 states within 1e-12.
  ! Inertial parameters are regrouped: inertia that a joint cannot observe is moved to the parent
  ! body. Origins are moved along joint axes. Body 2 is resolved in axes that do not rotate with
  ! the joint.
  !
  !   q  in   6      joint positions, rad
  !   M  out  6 x 6  mass matrix, motor inertias included; symmetric, kg m^2
  subroutine puma560_mass_matrix(q, M) bind(c, name="puma560_mass_matrix")
    real(wp), intent(in) :: q(6)
    real(wp), intent(out) :: M(6, 6)
    real(wp) :: s2, c2, theta3, s3, c3, s4, c4, s5, c5, t1, t2, t3, t4, t5, t6, t7, t8, t9, t10, t11
    real(wp) :: t12, t13, minus_h4_3_z, h3_2_y, t14, t15, t16, t17, t18, cj2_zz, cj1_zz, t19, h2_1_z
    real(wp) :: m3_3, minus_h3_2_z, h3_2_z, h3_1_z, m4_4, h4_3_z, h4_2_z, t20, h4_1_z, t21, h5_3_z
    real(wp) :: h5_2_z, h5_1_z, h6_4_z, h6_3_z, h6_1_z

    ! Results that require no operation
    M(4, 5) = 0.0_wp
    M(5, 4) = 0.0_wp
    M(5, 5) = 0.17964216_wp
    M(5, 6) = 0.0_wp
    M(6, 5) = 0.0_wp
    M(6, 6) = 0.19304_wp

    ! Joint positions
    s2 = sin(q(2))
    c2 = cos(q(2))
    theta3 = q(2) + q(3)
    s3 = sin(theta3)
    c3 = cos(theta3)
    s4 = sin(q(4))
    c4 = cos(q(4))
    s5 = sin(q(5))
    c5 = cos(q(5))

    ! Composite of body 3 (forearm)
    t1 = c4*s5
    t2 = 0.010956925_wp - 0.001243584_wp*t1
    t3 = 0.00020216_wp*c5
    t4 = c5*t3
    t5 = c4*(0.00030216_wp - t4)
    t6 = 5.8464e-05_wp*s5
    t7 = 0.000116928_wp*t1
    t8 = t7 + t4
    t9 = 0.002494656_wp*c5
    t10 = c4*t5
    t11 = c3*c5
    t12 = 0.001247328_wp + t3
    t13 = s4*s5
    minus_h4_3_z = t12*t13
    h3_2_y = 0.000432288_wp*t11 + s3*(0.3476146364057434_wp*t2 - s4*(t5 - t6)) &
        + c3*(0.1340594295_wp + minus_h4_3_z)
    t14 = s2*s3 + c2*c3
    t15 = 0.744246162_wp + 0.002487168_wp*c5
    t16 = s2*c3 - c2*s3
    t17 = t2*t14 + 0.5_wp*t15*t16
    t18 = t7 - 0.333445249_wp - t4 - t9 - t10
    cj2_zz = 6.458114002_wp - 2.0_wp*t17 - t18
    M(2, 2) = cj2_zz

    ! Composite of body 2 (upper_arm)
    cj1_zz = 2.693463223_wp &
        + s3*(s3*(0.298375024_wp + t9 - t10 + t8) - 0.000116928_wp*t11 &
        - c3*(0.021347277_wp - 2.0_wp*t12*t1)) + 0.000864576_wp*t13 - t8 &
        - c2*(0.0141984_wp*s2 - 1.601861202_wp*c2 - s3*t15 + 2.0_wp*c3*t2)
    M(1, 1) = cj1_zz

    ! Mass matrix, joint 2 (upper_arm)
    t19 = 0.001243584_wp*t13
    h2_1_z = 0.023751_wp*c2 - h3_2_y + s2*(0.690314699_wp + t19)
    M(1, 2) = h2_1_z
    M(2, 1) = h2_1_z

    ! Mass matrix, joint 3 (forearm)
    m3_3 = 0.83_wp - t18
    M(3, 3) = m3_3
    minus_h3_2_z = t17 + t18
    h3_2_z = -minus_h3_2_z
    M(2, 3) = h3_2_z
    M(3, 2) = h3_2_z
    h3_1_z = -h3_2_y
    M(1, 3) = h3_1_z
    M(3, 1) = h3_1_z

    ! Mass matrix, joint 4 (wrist_1)
    m4_4 = 0.20184216_wp - t4
    M(4, 4) = m4_4
    h4_3_z = -minus_h4_3_z
    M(3, 4) = h4_3_z
    M(4, 3) = h4_3_z
    h4_2_z = t16*t19 - minus_h4_3_z
    M(2, 4) = h4_2_z
    M(4, 2) = h4_2_z
    t20 = 0.001243584_wp*c2 - 5.8464e-05_wp*c3
    h4_1_z = (s3*t12 + t20)*t1 + c3*(0.00184216_wp + 0.000432288_wp*t13 - t4)
    M(1, 4) = h4_1_z
    M(4, 1) = h4_1_z

    ! Mass matrix, joint 5 (wrist_2)
    t21 = 0.00064216_wp + 0.001247328_wp*c5
    h5_3_z = c4*t21 - t6
    M(3, 5) = h5_3_z
    M(5, 3) = h5_3_z
    h5_2_z = 0.001243584_wp*(s5*t14 - c4*c5*t16) + h5_3_z
    M(2, 5) = h5_2_z
    M(5, 2) = h5_2_z
    h5_1_z = 0.000432288_wp*(s3*s5 - c4*t11) + s4*(s3*t21 + c5*t20)
    M(1, 5) = h5_1_z
    M(5, 1) = h5_1_z

    ! Mass matrix, joint 6 (wrist_3)
    h6_4_z = 4e-05_wp*c5
    M(4, 6) = h6_4_z
    M(6, 4) = h6_4_z
    h6_3_z = 4e-05_wp*t13
    M(2, 6) = h6_3_z
    M(3, 6) = h6_3_z
    M(6, 2) = h6_3_z
    M(6, 3) = h6_3_z
    h6_1_z = -4e-05_wp*(s3*t1 - t11)
    M(1, 6) = h6_1_z
    M(6, 1) = h6_1_z
  end subroutine puma560_mass_matrix

  ! qdd = M(q)^-1 (tau - C(q, qd) qd - g(q)).
  ! 250 mul, 172 add, 4 div, 4 sincos. Proved on 1000 states within 1e-12.
  ! Inertial parameters are regrouped: inertia that a joint cannot observe is moved to the parent
  ! body. Origins are moved along joint axes. Bodies 1, 2, 3 and 6 are resolved in axes that do not
  ! rotate with the joint. The displacement to body 4 is computed in one step, in the parent's
  ! axes. The joint of bodies 2, 3, 4 and 5 is eliminated together with the joint of the parent.
  !
  !   q    in   6  joint positions, rad
  !   qd   in   6  joint velocities, rad/s
  !   tau  in   6  joint forces, N m
  !   qdd  out  6  joint accelerations, rad/s^2
  subroutine puma560_forward_dynamics(q, qd, tau, qdd) bind(c, name="puma560_forward_dynamics")
    real(wp), intent(in) :: q(6)
    real(wp), intent(in) :: qd(6)
    real(wp), intent(in) :: tau(6)
    real(wp), intent(out) :: qdd(6)
    real(wp) :: s2, c2, ms2_x, t1, minus_j2_yy, j2_xy, j2_xz, t2, t3, theta3, s3, c3, ms3_x
    real(wp) :: minus_ms3_y, t4, j3_xy, t5, t6, s4, c4, s5, c5, minus_wd2_x, minus_l3_zz
    real(wp) :: minus_l2_yy, minus_l2_xx, minus_l2_zy, w3_z, minus_wd3_x, minus_l3_yy, minus_l3_xx
    real(wp) :: minus_l3_zy, minus_a3_x, a3_y, minus_a3_z, t7, w4_x, w4_y, t8, minus_wd4_z, w4_z
    real(wp) :: wd4_x, k4_x, k4_y, k4_z, t9, t10, t11, t12, minus_a4_z, a4_x, w5_x, minus_w5_y
    real(wp) :: minus_wd5_z, w5_z, wd5_x, minus_k5_x, k5_y, minus_k5_z, l5_xy, minus_l5_yy, l5_zy
    real(wp) :: minus_a5_z, a5_x, wd6_z, w6_z, t13, bm6_x, minus_bm6_y, bm6_z, u6, minus_bf5_x
    real(wp) :: bf5_y, minus_bf5_z, bm5_x, minus_bm5_y, bm5_z, n5_x, minus_n5_y, n5_z, u5, cuf5_4_x
    real(wp) :: minus_cuf5_4_z, minus_f4_x, minus_f4_z, t14, t15, minus_aj4_xz, bm4_x, minus_bm4_y
    real(wp) :: minus_bm4_z, aj4_xx, aj4_zz, n4_x, n4_y, minus_n4_z, u4, m4_4, t16, cuf5_3_x
    real(wp) :: cuf5_3_y, cun5_3_z, ah3_yx, cuf4_3_z, minus_cuf4_3_x, minus_cuf4_3_y, t17, t18
    real(wp) :: minus_cun4_3_z, t19, t20, t21, t22, t23, t24, t25, t26, t27, minus_bf3_x, bf3_y
    real(wp) :: bf3_z, bm3_z, t28, ah3_zx, ah3_zy, f3_x, f3_y, f3_z, n3_z, u3, t29, minus_cun4_2_y
    real(wp) :: t30, cun5_1_z, t31, t32, lf5_3, lf5_2, lf5_1, dinv4, minus_lf4_3, t33, t34, t35
    real(wp) :: lf4_2, lf4_1, dinv3, lf3_2, t36, t37, lf3_1, dinv2, minus_lf2_1, dinv1, dwd1_z
    real(wp) :: dwd2_z, dwd3_z, t38, t39, t40, dwd4_x, dwd4_z, minus_dwd5_y, t41

    ! Joint positions
    s2 = sin(q(2))
    c2 = cos(q(2))
    ms2_x = 3.79559_wp*c2 - 0.1044_wp*s2
    t1 = 0.0141984_wp*c2 + 1.601861202_wp*s2
    minus_j2_yy = s2*t1
    j2_xy = 0.0070992_wp - c2*t1
    j2_xz = 0.023751_wp*s2 - 0.690314699_wp*c2
    t2 = 0.4318_wp*c2
    t3 = 0.4318_wp*s2
    theta3 = q(2) + q(3)
    s3 = sin(theta3)
    c3 = cos(theta3)
    ms3_x = 0.861795_wp*s3 - 0.025375_wp*c3
    minus_ms3_y = 0.861795_wp*c3 + 0.025375_wp*s3
    t4 = 0.299575024_wp*s3 - 0.021347277_wp*c3
    j3_xy = c3*t4 + 0.0106736385_wp
    t5 = 0.4331_wp*s3 - 0.0203_wp*c3
    t6 = 0.4331_wp*c3 + 0.0203_wp*s3
    s4 = sin(q(4))
    c4 = cos(q(4))
    s5 = sin(q(5))
    c5 = cos(q(5))

    ! Outward, body 2 (upper_arm)
    minus_wd2_x = qd(1)*qd(2)
    minus_l3_zz = qd(1)*qd(1)
    minus_l2_yy = qd(2)*qd(2)
    minus_l2_xx = minus_l3_zz + minus_l2_yy
    minus_l2_zy = 2.0_wp*minus_wd2_x

    ! Outward, body 3 (forearm)
    w3_z = qd(2) + qd(3)
    minus_wd3_x = qd(1)*w3_z
    minus_l3_yy = w3_z*w3_z
    minus_l3_xx = minus_l3_zz + minus_l3_yy
    minus_l3_zy = 2.0_wp*minus_wd3_x
    minus_a3_x = minus_l2_xx*t2
    a3_y = -9.8_wp - minus_l2_yy*t3
    minus_a3_z = minus_l2_zy*t3 + 0.1501_wp*minus_l3_zz

    ! Outward, body 4 (wrist_1)
    t7 = s3*qd(1)
    w4_x = s4*w3_z - c4*t7
    w4_y = c4*w3_z + s4*t7
    t8 = c3*minus_wd3_x
    minus_wd4_z = s3*minus_wd3_x
    w4_z = c3*qd(1) + qd(4)
    wd4_x = w4_y*qd(4) - c4*t8
    k4_x = w4_y*w4_z
    k4_y = w4_x*w4_z
    k4_z = w4_x*w4_y
    t9 = minus_a3_x + minus_l3_xx*t5
    t10 = a3_y + minus_l3_yy*t6
    t11 = minus_l3_zy*t6 - minus_a3_z
    t12 = s3*t10 - c3*t9
    minus_a4_z = c3*t10 + s3*t9
    a4_x = c4*t12 + s4*t11

    ! Outward, body 5 (wrist_2)
    w5_x = c5*w4_x - s5*w4_z
    minus_w5_y = c5*w4_z + s5*w4_x
    minus_wd5_z = w4_x*qd(4) - s4*t8
    w5_z = w4_y + qd(5)
    wd5_x = c5*wd4_x + s5*minus_wd4_z - minus_w5_y*qd(5)
    minus_k5_x = minus_w5_y*w5_z
    k5_y = w5_x*w5_z
    minus_k5_z = w5_x*minus_w5_y
    l5_xy = minus_wd5_z - minus_k5_z
    minus_l5_yy = w5_x*w5_x + w5_z*w5_z
    l5_zy = wd5_x - minus_k5_x
    minus_a5_z = s4*t12 - c4*t11
    a5_x = c5*a4_x + s5*minus_a4_z

    ! Outward, body 6 (wrist_3)
    wd6_z = w5_x*qd(5) - (c5*minus_wd4_z - s5*wd4_x)
    w6_z = minus_w5_y + qd(6)

    ! Inward, body 6 (wrist_3)
    t13 = 4e-05_wp*w6_z
    bm6_x = w5_z*t13
    minus_bm6_y = w5_x*t13
    bm6_z = 4e-05_wp*wd6_z
    u6 = tau(6) - bm6_z

    ! Inward, body 5 (wrist_2)
    minus_bf5_x = 0.00288_wp*l5_xy
    bf5_y = 0.00288_wp*minus_l5_yy
    minus_bf5_z = 0.00288_wp*l5_zy
    bm5_x = 0.00024216_wp*wd5_x - 0.00064216_wp*minus_k5_x + 0.00288_wp*minus_a5_z
    minus_bm5_y = 0.0004_wp*k5_y
    bm5_z = 0.00024216_wp*minus_k5_z - 0.00064216_wp*minus_wd5_z + 0.00288_wp*a5_x
    n5_x = bm5_x + bm6_x
    minus_n5_y = 0.00020721094073767094_wp*u6 + bm6_z + minus_bm5_y
    n5_z = bm5_z - minus_bm6_y
    u5 = tau(5) - n5_z
    cuf5_4_x = 0.00288_wp*c5
    minus_cuf5_4_z = 0.00288_wp*s5
    minus_f4_x = c5*minus_bf5_x + s5*bf5_y
    minus_f4_z = c5*bf5_y - s5*minus_bf5_x
    t14 = 0.00020216828843762951_wp*s5
    t15 = s5*t14
    minus_aj4_xz = c5*t14

    ! Inward, body 4 (wrist_1)
    bm4_x = 0.0003_wp*wd4_x + 0.0016_wp*k4_x
    minus_bm4_y = 0.0013_wp*k4_y
    minus_bm4_z = 0.0016_wp*minus_wd4_z + 0.0003_wp*k4_z
    aj4_xx = 0.00054216_wp - t15
    aj4_zz = t15 + 0.0016399917115623706_wp
    n4_x = bm4_x + (c5*n5_x + s5*minus_n5_y)
    n4_y = n5_z - minus_bm4_y
    minus_n4_z = minus_bm4_z + (s5*n5_x - c5*minus_n5_y)
    u4 = tau(4) + minus_n4_z
    m4_4 = aj4_zz + 0.2_wp
    t16 = c4*cuf5_4_x
    cuf5_3_x = c3*t16 - s3*minus_cuf5_4_z
    cuf5_3_y = c3*minus_cuf5_4_z + s3*t16
    cun5_3_z = 0.00064216_wp*c4 + t5*cuf5_3_y + t6*cuf5_3_x
    ah3_yx = s4*minus_cuf5_4_z
    cuf4_3_z = c4*minus_cuf5_4_z
    minus_cuf4_3_x = c3*ah3_yx
    minus_cuf4_3_y = s3*ah3_yx
    t17 = c4*minus_aj4_xz
    t18 = s4*minus_aj4_xz
    minus_cun4_3_z = t18 + t5*minus_cuf4_3_y + t6*minus_cuf4_3_x
    t19 = s4*minus_bf5_z - c4*minus_f4_x
    t20 = c4*minus_bf5_z + s4*minus_f4_x
    t21 = c3*t19 - s3*minus_f4_z
    t22 = c3*minus_f4_z + s3*t19
    t23 = s3*cuf5_4_x + c3*cuf4_3_z
    t24 = c3*cuf5_4_x - s3*cuf4_3_z
    t25 = s4*(aj4_xx - 0.00064216_wp)
    t26 = s4*t25
    t27 = s3*c4

    ! Inward, body 3 (forearm)
    minus_bf3_x = minus_l3_xx*ms3_x
    bf3_y = minus_l3_yy*minus_ms3_y
    bf3_z = minus_l3_zy*minus_ms3_y
    bm3_z = ms3_x*a3_y - j3_xy*minus_l3_zz - minus_ms3_y*minus_a3_x
    t28 = t5*t23
    ah3_zx = minus_ms3_y + t24
    ah3_zy = ms3_x + t23
    f3_x = t21 - minus_bf3_x
    f3_y = bf3_y + t22
    f3_z = bf3_z - t20
    n3_z = bm3_z + (c4*n4_y + s4*n4_x + t5*t22 + t6*t21)
    u3 = tau(3) - n3_z
    t29 = t2 + t5
    minus_cun4_2_y = c3*aj4_zz + s3*t17 + cuf4_3_z*t29 + 0.1501_wp*minus_cuf4_3_x
    t30 = t2*ah3_zy

    ! Inward, body 2 (upper_arm)
    cun5_1_z = s4*(0.00064216_wp*s3 + cuf5_4_x*t29) - 0.1501_wp*cuf5_3_x

    ! Inward, body 1 (waist)
    t31 = t3*minus_cuf4_3_x - t2*minus_cuf4_3_y
    t32 = t2*cuf5_3_y - t3*cuf5_3_x

    ! Elimination of joint 5 (wrist_2)
    lf5_3 = 5.566622000091738_wp*cun5_3_z
    lf5_2 = 5.566622000091738_wp*t32
    lf5_1 = 5.566622000091738_wp*cun5_1_z

    ! Elimination of joint 4 (wrist_1)
    dinv4 = 1.0_wp/m4_4
    minus_lf4_3 = dinv4*minus_cun4_3_z
    t33 = t30 - t3*ah3_zx - 0.83_wp - lf5_3*t32 + minus_lf4_3*t31
    t34 = minus_lf4_3*minus_cun4_2_y &
        - (c3*(0.004704_wp + t18) + t25*t27 + ah3_yx*t6 + 0.1501_wp*ah3_zx + lf5_3*cun5_1_z)
    t35 = u3 - lf5_3*u5 + minus_lf4_3*u4
    lf4_2 = dinv4*t31
    lf4_1 = dinv4*minus_cun4_2_y

    ! Elimination of joint 3 (forearm)
    dinv3 = 1.0_wp/(1.163747409_wp + t26 + 2.0_wp*(t28 + t6*t24) - lf5_3*cun5_3_z &
        - minus_lf4_3*minus_cun4_3_z)
    lf3_2 = dinv3*t33
    t36 = lf5_2*cun5_1_z - (ah3_yx*t3 + 0.023751_wp*c2 + 0.690314699_wp*s2) + lf4_2*minus_cun4_2_y &
        + lf3_2*t34
    t37 = tau(2) - t2*f3_y + t3*f3_x + j2_xy*minus_l3_zz + 9.8_wp*ms2_x - tau(3) - lf5_2*u5 &
        - lf4_2*u4 - lf3_2*t35
    lf3_1 = dinv3*t34

    ! Elimination of joint 2 (upper_arm)
    dinv2 = 1.0_wp/(7.288114002_wp - lf5_2*t32 - lf4_2*t31 - lf3_2*t33)
    minus_lf2_1 = dinv2*t36

    ! Elimination of joint 1 (waist)
    dinv1 = 1.0_wp/(4.295122256711562_wp + s3*(t4 + (2.0_wp*c3*t17 + s3*(aj4_xx - t26 - aj4_zz))) &
        + t15 + 2.0_wp*(t28 + 0.1501_wp*ah3_yx + t30) - minus_j2_yy - lf5_1*cun5_1_z &
        - lf4_1*minus_cun4_2_y - lf3_1*t34 - minus_lf2_1*t36)
    dwd1_z = dinv1*(tau(1) + j2_xz*minus_l2_yy - j2_xy*minus_l2_zy + ms3_x*minus_a3_z &
        - j3_xy*minus_l3_zy - s3*(0.004704_wp*minus_l3_yy - (c4*n4_x - s4*n4_y)) + c3*minus_n4_z &
        + t5*t20 + 0.1501_wp*f3_x - t2*f3_z - lf5_1*u5 - lf4_1*u4 - lf3_1*t35 + minus_lf2_1*t37)
    qdd(1) = dwd1_z

    ! Joint accelerations outward, body 1 (waist)
    dwd2_z = dinv2*t37 + minus_lf2_1*dwd1_z
    qdd(2) = dwd2_z
    dwd3_z = dinv3*t35 - lf3_2*dwd2_z - lf3_1*dwd1_z
    t38 = dinv4*u4 + minus_lf4_3*dwd3_z - lf4_2*dwd2_z - lf4_1*dwd1_z
    qdd(4) = t38
    t39 = 5.566622000091738_wp*u5 - lf5_3*dwd3_z - lf5_2*dwd2_z - lf5_1*dwd1_z
    qdd(5) = t39
    t40 = dwd3_z - dwd2_z
    qdd(3) = t40

    ! Joint accelerations outward, body 4 (wrist_1)
    dwd4_x = s4*dwd3_z - dwd1_z*t27
    dwd4_z = c3*dwd1_z + t38

    ! Joint accelerations outward, body 5 (wrist_2)
    minus_dwd5_y = c5*dwd4_z + s5*dwd4_x

    ! Joint accelerations outward, body 6 (wrist_3)
    t41 = 5.180273518441774_wp*u6 - 0.00020721094073767094_wp*minus_dwd5_y
    qdd(6) = t41
  end subroutine puma560_forward_dynamics

  ! R, p = pose of the frame tool in the base frame.
  ! 40 mul, 20 add, 0 div, 6 sincos. Proved on 1000 states within 1e-12.
  ! Origins are moved along joint axes. Bodies 1, 2 and 3 are resolved in axes that do not rotate
  ! with the joint.
  !
  !   q  in   6      joint positions, rad
  !   R  out  3 x 3  rotation matrix: columns are the frame's unit vectors, in base axes
  !   p  out  3      position of the frame's origin in the base frame, m
  subroutine puma560_forward_kinematics(q, R, p) bind(c, name="puma560_forward_kinematics")
    real(wp), intent(in) :: q(6)
    real(wp), intent(out) :: R(3, 3)
    real(wp), intent(out) :: p(3)
    real(wp) :: s1, c1, s2, c2, theta3, s3, c3, s4, c4, s5, c5, s6, c6, fx4_x, minus_fx4_z, t1
    real(wp) :: fx3_z, fx3_x, fx3_y, t2, fz3_z, fz3_x, fz3_y, fp3_x, minus_fp3_y, fp2_x, fx1_z
    real(wp) :: fx1_x, fx1_y, fz1_z, fz1_x, fz1_y, fp1_z, fp1_x, fp1_y, fy0_x, fy0_y, fy0_z

    ! Joint positions
    s1 = sin(q(1))
    c1 = cos(q(1))
    s2 = sin(q(2))
    c2 = cos(q(2))
    theta3 = q(2) + q(3)
    s3 = sin(theta3)
    c3 = cos(theta3)
    s4 = sin(q(4))
    c4 = cos(q(4))
    s5 = sin(q(5))
    c5 = cos(q(5))
    s6 = sin(q(6))
    c6 = cos(q(6))

    ! Inward, body 5 (wrist_2)
    fx4_x = c5*c6
    minus_fx4_z = s5*c6

    ! Inward, body 4 (wrist_1)
    t1 = c4*fx4_x - s4*s6
    fx3_z = c4*s6 + s4*fx4_x
    fx3_x = c3*t1 - s3*minus_fx4_z
    fx3_y = c3*minus_fx4_z + s3*t1
    t2 = c4*s5
    fz3_z = s4*s5
    fz3_x = c3*t2 + s3*c5
    fz3_y = s3*t2 - c3*c5
    fp3_x = 0.4331_wp*s3 - 0.0203_wp*c3
    minus_fp3_y = 0.4331_wp*c3 + 0.0203_wp*s3

    ! Inward, body 3 (forearm)
    fp2_x = fp3_x + 0.4318_wp*c2

    ! Inward, body 2 (upper_arm)
    fx1_z = -fx3_y
    R(3, 1) = fx1_z
    fx1_x = c1*fx3_x - s1*fx3_z
    R(1, 1) = fx1_x
    fx1_y = c1*fx3_z + s1*fx3_x
    R(2, 1) = fx1_y
    fz1_z = -fz3_y
    R(3, 3) = fz1_z
    fz1_x = c1*fz3_x - s1*fz3_z
    R(1, 3) = fz1_x
    fz1_y = c1*fz3_z + s1*fz3_x
    R(2, 3) = fz1_y
    fp1_z = minus_fp3_y - 0.4318_wp*s2
    p(3) = fp1_z
    fp1_x = c1*fp2_x - 0.1501_wp*s1
    p(1) = fp1_x
    fp1_y = 0.1501_wp*c1 + s1*fp2_x
    p(2) = fp1_y

    ! Inward, body 1 (waist)
    fy0_x = fz3_y*fx1_y - fz1_y*fx3_y
    R(1, 2) = fy0_x
    fy0_y = fz1_x*fx3_y - fz3_y*fx1_x
    R(2, 2) = fy0_y
    fy0_z = fz1_x*fx1_y - fz1_y*fx1_x
    R(3, 2) = fy0_z
  end subroutine puma560_forward_kinematics

  ! J(q) qd = velocity and angular velocity of the frame tool in base axes.
  ! 32 mul, 14 add, 0 div, 5 sincos. Proved on 1000 states within 1e-12.
  ! Origins are moved along joint axes. Bodies 1, 2 and 3 are resolved in axes that do not rotate
  ! with the joint. The displacement to body 4 is computed in one step, in the parent's axes.
  !
  !   q  in   6      joint positions, rad
  !   J  out  6 x 6  geometric Jacobian in base axes, linear rows first, m/rad or 1
  subroutine puma560_jacobian(q, J) bind(c, name="puma560_jacobian")
    real(wp), intent(in) :: q(6)
    real(wp), intent(out) :: J(6, 6)
    real(wp) :: s1, c1, s2, c2, theta3, s3, c3, s4, c4, s5, c5, ex2_z, ex4_z, ey4_z, ez4_y, t1
    real(wp) :: minus_ex5_z, ex5_z, t2, t3, t4, minus_ex5_y, ey5_z, minus_ey5_y, ez6_z, t5, jv3_x
    real(wp) :: jv3_y, t6, t7, jv3_z, jv2_z, minus_er2_x, er2_x, t8, minus_jv2_x, jv2_x, minus_jv2_y
    real(wp) :: jv2_y, jv1_x

    ! Results that require no operation
    J(1, 4) = 0.0_wp
    J(1, 5) = 0.0_wp
    J(1, 6) = 0.0_wp
    J(2, 4) = 0.0_wp
    J(2, 5) = 0.0_wp
    J(2, 6) = 0.0_wp
    J(3, 1) = 0.0_wp
    J(3, 4) = 0.0_wp
    J(3, 5) = 0.0_wp
    J(3, 6) = 0.0_wp
    J(4, 1) = 0.0_wp
    J(5, 1) = 0.0_wp
    J(6, 1) = 1.0_wp
    J(6, 2) = 0.0_wp
    J(6, 3) = 0.0_wp

    ! Joint positions
    s1 = sin(q(1))
    c1 = cos(q(1))
    J(5, 2) = c1
    J(5, 3) = c1
    s2 = sin(q(2))
    c2 = cos(q(2))
    theta3 = q(2) + q(3)
    s3 = sin(theta3)
    c3 = cos(theta3)
    J(6, 4) = c3
    s4 = sin(q(4))
    c4 = cos(q(4))
    s5 = sin(q(5))
    c5 = cos(q(5))

    ! Outward, body 2 (upper_arm)
    ex2_z = -s1
    J(4, 2) = ex2_z
    J(4, 3) = ex2_z

    ! Outward, body 4 (wrist_1)
    ex4_z = c1*s3
    J(4, 4) = ex4_z
    ey4_z = s1*s3
    J(5, 4) = ey4_z
    ez4_y = s3*s4
    J(6, 5) = ez4_y

    ! Outward, body 5 (wrist_2)
    t1 = c3*s4
    minus_ex5_z = s1*c4 + c1*t1
    ex5_z = -minus_ex5_z
    J(4, 5) = ex5_z
    t2 = c4*s5
    t3 = s3*c5 + c3*t2
    t4 = s4*s5
    minus_ex5_y = c1*t3 - s1*t4
    J(4, 6) = minus_ex5_y
    ey5_z = c1*c4 - s1*t1
    J(5, 5) = ey5_z
    minus_ey5_y = c1*t4 + s1*t3
    J(5, 6) = minus_ey5_y

    ! Outward, body 6 (wrist_3)
    ez6_z = c3*c5 - s3*t2
    J(6, 6) = ez6_z

    ! Columns, body 3 (forearm)
    t5 = 0.0203_wp*s3 + 0.4331_wp*c3
    jv3_x = c1*t5
    J(1, 3) = jv3_x
    jv3_y = s1*t5
    J(2, 3) = jv3_y
    t6 = 0.4331_wp*s3
    t7 = 0.0203_wp*c3
    jv3_z = t7 - t6
    J(3, 3) = jv3_z
    jv2_z = t7 - 0.4318_wp*c2 - t6
    J(3, 2) = jv2_z
    minus_er2_x = 0.1501_wp*s1 + c1*jv2_z
    er2_x = -minus_er2_x
    J(2, 1) = er2_x

    ! Columns, body 2 (upper_arm)
    t8 = 0.4318_wp*s2 - t5
    minus_jv2_x = c1*t8
    jv2_x = -minus_jv2_x
    J(1, 2) = jv2_x
    minus_jv2_y = s1*t8
    jv2_y = -minus_jv2_y
    J(2, 2) = jv2_y

    ! Columns, body 1 (waist)
    jv1_x = s1*jv2_z - 0.1501_wp*c1
    J(1, 1) = jv1_x
  end subroutine puma560_jacobian

end module puma560_dynamics
