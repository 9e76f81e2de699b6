/* planar3: robot dynamics in straight-line CUDA, for device and host.
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
 * All quantities are in SI units. Arrays are flat, matrices row-major. An output must not overlap
 * an input. A NaN in an input gives NaN in every result that depends on this input. Input entries
 * that no result depends on are not read.
 *
 * Functions compute one state: their arrays are local arrays, pointers, or objects with operator[].
 * Kernels, whose names end in _batch, compute a state in each thread. Their states lie side by
 * side: element j of state i is at [j*stride + i] of its array, with stride >= count. Functions
 * whose names end in _launch start these kernels. A plain C++ compiler compiles the same text;
 * _launch then runs the threads one after the other.
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
#ifndef PLANAR3_CUH
#define PLANAR3_CUH

/* Threads of a block; a launch uses fewer threads if the GPU has too little shared memory. */
#define PLANAR3_THREADS 64

#if defined(__CUDACC__) || defined(__HIPCC__)
/* CUDA and HIP. */
#if defined(__HIPCC__)
#include <hip/hip_runtime.h>
#endif
#define PLANAR3_FUNCTION_OF_CLASS __host__ __device__ __forceinline__
#define PLANAR3_KERNEL extern "C" __global__ __launch_bounds__(PLANAR3_THREADS) void
#define PLANAR3_SHARED __shared__
#define PLANAR3_REQUESTED(type, name, count) extern __shared__ type name[]
#define PLANAR3_BLOCK blockIdx
#define PLANAR3_BLOCK_SIZE blockDim.x
#define PLANAR3_THREAD threadIdx
#else
/* Plain C++: CUDA keywords are empty; numbers of block and thread, and size of blocks, are variables. */
#include <math.h>
#include <stddef.h>
#include <string.h>
#define PLANAR3_FUNCTION_OF_CLASS inline
#define PLANAR3_KERNEL static inline void
#define PLANAR3_SHARED static thread_local
#define PLANAR3_REQUESTED(type, name, count) static thread_local type name[count]
struct planar3_index {
    unsigned x, y;
};
static thread_local planar3_index planar3_block, planar3_thread;
static thread_local unsigned planar3_block_size = PLANAR3_THREADS;
#define PLANAR3_BLOCK planar3_block
#define PLANAR3_BLOCK_SIZE planar3_block_size
#define PLANAR3_THREAD planar3_thread
#endif

#define PLANAR3_FUNCTION static PLANAR3_FUNCTION_OF_CLASS

/* Loads through the cache for data that no thread changes. */
#if defined(__CUDA_ARCH__)
#define PLANAR3_LOAD(place) __ldg(place)
#else
#define PLANAR3_LOAD(place) (*(place))
#endif

/* Define a function that starts a kernel: it returns 0 or the error of the platform.
 * parameters and arguments are lists in parentheses; each of the parts has its own row of blocks.
 * bytes is the shared memory of a block that the kernel does not declare, because it exceeds 48 KiB. */
#if defined(__CUDACC_RTC__) || defined(__HIPCC_RTC__)
#define PLANAR3_DEFINE_LAUNCH(name, kernel, parts, bytes, parameters, arguments)
#elif defined(__CUDACC__) || defined(__HIPCC__)
#if defined(__HIPCC__)
typedef hipStream_t planar3_stream;
#define PLANAR3_LAST_ERROR hipGetLastError
#define PLANAR3_GET_DEVICE hipGetDevice
#define PLANAR3_GET_ATTRIBUTE hipDeviceGetAttribute
#define PLANAR3_MOST_MEMORY hipDeviceAttributeMaxSharedMemoryPerBlock
#define PLANAR3_SET_ATTRIBUTE hipFuncSetAttribute
#define PLANAR3_DYNAMIC_MEMORY hipFuncAttributeMaxDynamicSharedMemorySize
#else
typedef cudaStream_t planar3_stream;
#define PLANAR3_LAST_ERROR cudaGetLastError
#define PLANAR3_GET_DEVICE cudaGetDevice
#define PLANAR3_GET_ATTRIBUTE cudaDeviceGetAttribute
#define PLANAR3_MOST_MEMORY cudaDevAttrMaxSharedMemoryPerBlockOptin
#define PLANAR3_SET_ATTRIBUTE cudaFuncSetAttribute
#define PLANAR3_DYNAMIC_MEMORY cudaFuncAttributeMaxDynamicSharedMemorySize
#endif

/* Request shared memory for a kernel, for as many threads as the GPU permits; return 0 or an error. */
static inline int planar3_request(const void *kernel, int bytes_of_thread, unsigned &threads)
{
    int device = 0, most = 0;
    int error = (int)PLANAR3_GET_DEVICE(&device);
    if (error == 0) {
        error = (int)PLANAR3_GET_ATTRIBUTE(&most, PLANAR3_MOST_MEMORY, device);
    }
    while (threads > 1 && bytes_of_thread*(int)threads > most) {
        threads /= 2;
    }
    if (error == 0) {
        error = (int)PLANAR3_SET_ATTRIBUTE(
            kernel, PLANAR3_DYNAMIC_MEMORY, bytes_of_thread*(int)threads);
    }
    return error;
}

#define PLANAR3_DEFINE_LAUNCH(name, kernel, parts, bytes, parameters, arguments) \
    static inline int name parameters \
    { \
        const int memory = (bytes)/PLANAR3_THREADS; \
        unsigned threads = PLANAR3_THREADS; \
        if (count == 0) { \
            return 0; \
        } \
        if (memory > 0) { \
            const int error = planar3_request((const void *)kernel, memory, threads); \
            if (error != 0) { \
                return error; \
            } \
        } \
        const dim3 blocks((unsigned)((count - 1)/threads + 1), parts); \
        kernel<<<blocks, threads, memory*threads, stream>>> arguments; \
        return (int)PLANAR3_LAST_ERROR(); \
    }
#else
typedef void *planar3_stream;
#define PLANAR3_DEFINE_LAUNCH(name, kernel, parts, bytes, parameters, arguments) \
    static inline int name parameters \
    { \
        const size_t blocks = count/PLANAR3_THREADS + (count % PLANAR3_THREADS != 0); \
        (void)stream; \
        for (planar3_block.y = 0; planar3_block.y < (parts); planar3_block.y++) { \
            for (planar3_block.x = 0; planar3_block.x < blocks; planar3_block.x++) { \
                for (planar3_thread.x = 0; planar3_thread.x < PLANAR3_THREADS; planar3_thread.x++) { \
                    kernel arguments; \
                } \
            } \
        } \
        return 0; \
    }
#endif

/* Number of moving joints. */
constexpr int PLANAR3_N = 3;

/* Compute sine and cosine of an angle of at most 1e9 rad; for larger angles, they are not a number.
 * An angle is a number of quarter turns and a remainder, whose sine and cosine are polynomials. The
 * quarters are subtracted in parts of pi/2 (W. J. Cody, W. Waite, 1980); a fused multiply-add does
 * not round the products. */
PLANAR3_FUNCTION void planar3_sincos(double angle, double &sine, double &cosine)
{
    const double x = fabs(angle) <= 1e9 ? angle : nan("");
    /* Adding 6755399441055744.0 rounds to an integer, which is in the last bits of the sum. */
    const double shifted = fma(x, 0.6366197723675814, 6755399441055744.0);
    const double quarters = shifted - 6755399441055744.0;
    const double coarse = fma(quarters, -(1.5707963267948966), x);
    const double fine = fma(quarters, -(6.123233995736766e-17), coarse);
    const double r = fma(quarters, -(-1.4973849048591833e-33), fine);
    const double z = r*r;
    const double zz = z*z;
    const double zzzz = zz*zz;
    const double half = 0.5*z;
    const double rest = 1.0 - half;
    const double s = r + r*z*((-0.16666666666666632 + 0.008333333333322285*z) + zz*(-0.00019841269829700035 + 2.7557313652968426e-06*z) + zzzz*(-2.5050751789654794e-08 + 1.5896416654446168e-10*z));
    const double c = rest + (((1.0 - rest) - half) + zz*((0.0416666666666666 - 0.001388888888887395*z) + zz*(2.4801587289368323e-05 - 2.7557314318021705e-07*z) + zzzz*(2.0875718429002077e-09 - 1.1359388193237743e-11*z)));
    unsigned long long turn;
    memcpy(&turn, &shifted, sizeof turn);

    /* An odd number of quarters exchanges sine and cosine; the second bit determines the signs. */
    const double first = (turn & 1) ? c : s;
    const double second = (turn & 1) ? s : c;
    sine = (turn & 2) ? -first : first;
    cosine = ((turn + 1) & 2) ? -second : second;
}

/* Compute the sine of an angle. */
PLANAR3_FUNCTION double planar3_sin(double x)
{
    double sine, cosine;
    planar3_sincos(x, sine, cosine);
    return sine;
}

/* Compute the cosine of an angle. */
PLANAR3_FUNCTION double planar3_cos(double x)
{
    double sine, cosine;
    planar3_sincos(x, sine, cosine);
    return cosine;
}

/* An array of inputs and an array of results; a thread reads or writes a column. */
struct planar3_inputs {
    const double *column;
    size_t stride;

    PLANAR3_FUNCTION_OF_CLASS double operator[](int row) const
    {
        return PLANAR3_LOAD(column + (size_t)row*stride);
    }
};

struct planar3_results {
    double *column;
    size_t stride;

    PLANAR3_FUNCTION_OF_CLASS double &operator[](int row) const
    {
        return column[(size_t)row*stride];
    }
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
template <class Array1, class Array2, class Array3, class Array4>
PLANAR3_FUNCTION void planar3_inverse_dynamics(const Array1 q, const Array2 qd, const Array3 qdd,
                                               Array4 tau)
{
    /* Joint positions */
    double s1, c1;
    planar3_sincos(q[0], s1, c1);
    double s2, c2;
    planar3_sincos(q[1], s2, c2);
    double s3, c3;
    planar3_sincos(q[2], s3, c3);
    const double ms3_x = 0.5*c3;
    const double ms3_y = 0.5*s3;

    /* Outward, body 1 (upper_arm) */
    const double minus_l1_xx = qd[0]*qd[0];
    const double a1_x = 9.81*s1;
    const double a1_y = 9.81*c1;

    /* Outward, body 2 (forearm) */
    const double w2_z = qd[0] + qd[1];
    const double wd2_z = qdd[0] + qdd[1];
    const double minus_l2_xx = w2_z*w2_z;
    const double t1 = a1_x - minus_l1_xx;
    const double t2 = a1_y + qdd[0];
    const double a2_x = c2*t1 + s2*t2;
    const double a2_y = c2*t2 - s2*t1;

    /* Outward, body 3 (hand) */
    const double w3_z = w2_z + qd[2];
    const double wd3_z = wd2_z + qdd[2];
    const double minus_l3_xx = w3_z*w3_z;
    const double a3_x = a2_x - minus_l2_xx;
    const double a3_y = a2_y + wd2_z;

    /* Inward, body 3 (hand) */
    const double minus_bf3_x = minus_l3_xx*ms3_x + wd3_z*ms3_y;
    const double bf3_y = wd3_z*ms3_x - minus_l3_xx*ms3_y;
    const double bm3_z = 0.3333333333333333*wd3_z + ms3_x*a3_y - ms3_y*a3_x;
    tau[2] = bm3_z;

    /* Inward, body 2 (forearm) */
    const double minus_bf2_x = 1.5*minus_l2_xx;
    const double bf2_y = 1.5*wd2_z;
    const double bm2_z = 1.3333333333333333*wd2_z + 1.5*a2_y;
    const double minus_f2_x = minus_bf2_x + minus_bf3_x;
    const double f2_y = bf2_y + bf3_y;
    const double n2_z = bm2_z + (bm3_z + bf3_y);
    tau[1] = n2_z;

    /* Inward, body 1 (upper_arm) */
    const double bm1_z = 2.3333333333333335*qdd[0] + 24.525*c1;
    const double n1_z = bm1_z + (n2_z + (c2*f2_y - s2*minus_f2_x));
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
template <class Array1, class Array2, class Array3, class Array4, class Array5>
PLANAR3_FUNCTION void planar3_inverse_dynamics_reference(const Array1 q, const Array2 qd,
                                                         const Array3 qd_reference,
                                                         const Array4 qdd_reference, Array5 tau)
{
    /* Joint positions */
    double s1, c1;
    planar3_sincos(q[0], s1, c1);
    double s2, c2;
    planar3_sincos(q[1], s2, c2);
    double s3, c3;
    planar3_sincos(q[2], s3, c3);

    /* Outward, body 2 (forearm) */
    const double w2_z = qd[0] + qd[1];
    const double wr2_z = qd_reference[0] + qd_reference[1];
    const double wrd2_z = qdd_reference[0] + qdd_reference[1];

    /* Outward, body 3 (hand) */
    const double w3_z = w2_z + qd[2];
    const double wr3_z = wr2_z + qd_reference[2];
    const double wrd3_z = wrd2_z + qdd_reference[2];
    const double t1 = 9.81*s1 - qd[0]*qd_reference[0];
    const double t2 = 9.81*c1 + qdd_reference[0];
    const double t3 = w2_z*wr2_z;
    const double a3_x = c2*t1 - t3 + s2*t2;
    const double t4 = s2*t1 - c2*t2;
    const double a3_y = wrd2_z - t4;
    const double bm3_z = 0.3333333333333333*wrd3_z - 0.5*(s3*a3_x - c3*a3_y);
    tau[2] = bm3_z;

    /* Inward, body 3 (hand) */
    const double t5 = w3_z*wr3_z;
    const double t6 = 0.5*(s3*t5 - c3*wrd3_z);
    const double n2_z = bm3_z - t6 + 1.3333333333333333*wrd2_z - 1.5*t4;
    tau[1] = n2_z;

    /* Inward, body 2 (forearm) */
    const double n1_z = 2.3333333333333335*qdd_reference[0] + 24.525*c1
        - s2*(1.5*t3 + 0.5*(s3*wrd3_z + c3*t5)) + c2*(1.5*wrd2_z - t6) + n2_z;
    tau[0] = n1_z;
}

/* g = g(q).  3 mul, 4 add, 0 div, 3 sincos. Proved on 1000 states within 1e-12.
 * Inertial parameters are regrouped: inertia that a joint cannot observe is moved to the parent
 * body. Bodies 1, 2 and 3 are resolved in axes that do not rotate with the joint.
 *
 *   q  in   3  joint positions, rad
 *   g  out  3  joint forces that balance gravity, N m
 */
template <class Array1, class Array2>
PLANAR3_FUNCTION void planar3_gravity_forces(const Array1 q, Array2 g)
{
    /* Joint positions */
    const double c1 = planar3_cos(q[0]);
    const double theta2 = q[0] + q[1];
    const double c2 = planar3_cos(theta2);
    const double theta3 = theta2 + q[2];
    const double c3 = planar3_cos(theta3);

    /* Gravity */
    const double g3 = 4.905*c3;
    g[2] = g3;
    const double g2 = 14.715*c2 + g3;
    g[1] = g2;
    const double g1 = 24.525*c1 + g2;
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
template <class Array1, class Array2, class Array3>
PLANAR3_FUNCTION void planar3_coriolis_forces(const Array1 q, const Array2 qd, Array3 c)
{
    /* Joint positions */
    double s2, c2;
    planar3_sincos(q[1], s2, c2);
    double s3, c3;
    planar3_sincos(q[2], s3, c3);

    /* Outward, body 2 (forearm) */
    const double w2_z = qd[0] + qd[1];

    /* Outward, body 3 (hand) */
    const double w3_z = w2_z + qd[2];

    /* Inward, body 3 (hand) */
    const double t1 = 0.5*s3;
    const double t2 = w2_z*w2_z;
    const double t3 = 0.5*(s2*c3 + c2*s3);
    const double t4 = qd[0]*qd[0];
    const double bm3_z = t1*t2 + t3*t4;
    c[2] = bm3_z;

    /* Inward, body 2 (forearm) */
    const double t5 = 1.5*s2;
    const double t6 = w3_z*w3_z;
    const double n2_z = bm3_z + t5*t4 - t1*t6;
    c[1] = n2_z;
    const double n1_z = n2_z - (t5*t2 + t6*t3);
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
template <class Array1, class Array2, class Array3>
PLANAR3_FUNCTION void planar3_bias_forces(const Array1 q, const Array2 qd, Array3 h)
{
    /* Joint positions */
    double s1, c1;
    planar3_sincos(q[0], s1, c1);
    double s2, c2;
    planar3_sincos(q[1], s2, c2);
    double s3, c3;
    planar3_sincos(q[2], s3, c3);

    /* Outward, body 1 (upper_arm) */
    const double minus_l1_xx = qd[0]*qd[0];
    const double a1_x = 9.81*s1;
    const double a1_y = 9.81*c1;

    /* Outward, body 2 (forearm) */
    const double w2_z = qd[0] + qd[1];
    const double minus_l2_xx = w2_z*w2_z;
    const double t1 = a1_x - minus_l1_xx;
    const double a2_x = c2*t1 + s2*a1_y;
    const double a2_y = c2*a1_y - s2*t1;

    /* Outward, body 3 (hand) */
    const double w3_z = w2_z + qd[2];
    const double minus_l3_xx = w3_z*w3_z;
    const double a3_y = c3*a2_y - s3*(a2_x - minus_l2_xx);

    /* Inward, body 3 (hand) */
    const double minus_bf3_x = 0.5*minus_l3_xx;
    const double bm3_z = 0.5*a3_y;
    h[2] = bm3_z;
    const double minus_f2_y = s3*minus_bf3_x;

    /* Inward, body 2 (forearm) */
    const double minus_bf2_x = 1.5*minus_l2_xx;
    const double bm2_z = 1.5*a2_y;
    const double minus_f2_x = minus_bf2_x + c3*minus_bf3_x;
    const double n2_z = bm2_z + (bm3_z - minus_f2_y);
    h[1] = n2_z;
    const double minus_f1_y = c2*minus_f2_y + s2*minus_f2_x;

    /* Inward, body 1 (upper_arm) */
    const double bm1_z = 24.525*c1;
    const double n1_z = bm1_z + (n2_z - minus_f1_y);
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
template <class Array1, class Array2, class Array3, class Array4>
PLANAR3_FUNCTION void planar3_joint_wrenches(const Array1 q, const Array2 qd, const Array3 qdd,
                                             Array4 f)
{
    /* Results that require no operation */
    f[2] = 0.0;
    f[3] = 0.0;
    f[4] = 0.0;
    f[8] = 0.0;
    f[9] = 0.0;
    f[10] = 0.0;
    f[14] = 0.0;
    f[15] = 0.0;
    f[16] = 0.0;

    /* Joint positions */
    double s1, c1;
    planar3_sincos(q[0], s1, c1);
    double s2, c2;
    planar3_sincos(q[1], s2, c2);
    double s3, c3;
    planar3_sincos(q[2], s3, c3);

    /* Outward, body 1 (upper_arm) */
    const double minus_l1_xx = qd[0]*qd[0];
    const double a1_x = 9.81*s1;
    const double a1_y = 9.81*c1;

    /* Outward, body 2 (forearm) */
    const double w2_z = qd[0] + qd[1];
    const double wd2_z = qdd[0] + qdd[1];
    const double minus_l2_xx = w2_z*w2_z;
    const double t1 = a1_x - minus_l1_xx;
    const double t2 = a1_y + qdd[0];
    const double a2_x = c2*t1 + s2*t2;
    const double a2_y = c2*t2 - s2*t1;

    /* Outward, body 3 (hand) */
    const double w3_z = w2_z + qd[2];
    const double wd3_z = wd2_z + qdd[2];
    const double minus_l3_xx = w3_z*w3_z;
    const double t3 = a2_x - minus_l2_xx;
    const double t4 = a2_y + wd2_z;
    const double a3_x = c3*t3 + s3*t4;
    const double a3_y = c3*t4 - s3*t3;

    /* Inward, body 3 (hand) */
    const double bf3_x = a3_x - 0.5*minus_l3_xx;
    f[12] = bf3_x;
    const double bf3_y = a3_y + 0.5*wd3_z;
    f[13] = bf3_y;
    const double bm3_z = 0.3333333333333333*wd3_z + 0.5*a3_y;
    f[17] = bm3_z;
    const double t5 = c3*bf3_y + s3*bf3_x;

    /* Inward, body 2 (forearm) */
    const double bf2_x = a2_x - 0.5*minus_l2_xx;
    const double bf2_y = a2_y + 0.5*wd2_z;
    const double bm2_z = 0.3333333333333333*wd2_z + 0.5*a2_y;
    const double f2_x = bf2_x + (c3*bf3_x - s3*bf3_y);
    f[6] = f2_x;
    const double f2_y = bf2_y + t5;
    f[7] = f2_y;
    const double n2_z = bm2_z + (bm3_z + t5);
    f[11] = n2_z;
    const double t6 = c2*f2_y + s2*f2_x;

    /* Inward, body 1 (upper_arm) */
    const double bf1_x = a1_x - 0.5*minus_l1_xx;
    const double bf1_y = a1_y + 0.5*qdd[0];
    const double bm1_z = 0.3333333333333333*qdd[0] + 4.905*c1;
    const double f1_x = bf1_x + (c2*f2_x - s2*f2_y);
    f[0] = f1_x;
    const double f1_y = bf1_y + t6;
    f[1] = f1_y;
    const double n1_z = bm1_z + (n2_z + t6);
    f[5] = n1_z;
}

/* M = M(q).  5 mul, 8 add, 0 div, 2 sincos. Proved on 1000 states within 1e-12.
 * Inertial parameters are regrouped: inertia that a joint cannot observe is moved to the parent
 * body.
 *
 *   q  in   3      joint positions, rad
 *   M  out  3 x 3  mass matrix, motor inertias included; symmetric, kg m^2
 */
template <class Array1, class Array2>
PLANAR3_FUNCTION void planar3_mass_matrix(const Array1 q, Array2 M)
{
    /* Results that require no operation */
    M[8] = 0.3333333333333333;

    /* Joint positions */
    double s2, c2;
    planar3_sincos(q[1], s2, c2);
    double s3, c3;
    planar3_sincos(q[2], s3, c3);

    /* Composite of body 3 (hand) */
    const double cj2_zz = 1.6666666666666667 + c3;
    M[4] = cj2_zz;

    /* Composite of body 2 (forearm) */
    const double t1 = 0.5*(s2*s3 - c2*c3);
    const double t2 = 1.5*c2 - t1;
    const double h2_1_z = cj2_zz + t2;
    M[1] = h2_1_z;
    M[3] = h2_1_z;
    const double cj1_zz = 2.3333333333333335 + h2_1_z + t2;
    M[0] = cj1_zz;

    /* Mass matrix, joint 3 (hand) */
    const double h3_2_z = 0.3333333333333333 + 0.5*c3;
    M[5] = h3_2_z;
    M[7] = h3_2_z;
    const double h3_1_z = h3_2_z - t1;
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
template <class Array1, class Array2, class Array3>
PLANAR3_FUNCTION void planar3_coriolis_matrix(const Array1 q, const Array2 qd, Array3 C)
{
    /* Results that require no operation */
    C[8] = 0.0;

    /* Joint positions */
    double s2, c2;
    planar3_sincos(q[1], s2, c2);
    const double theta3 = q[1] + q[2];
    double s3, c3;
    planar3_sincos(theta3, s3, c3);

    /* Outward, body 2 (forearm) */
    const double w2_z = qd[0] + qd[1];

    /* Outward, body 3 (hand) */
    const double w3_z = w2_z + qd[2];

    /* Coriolis matrix, joint 1 (upper_arm) */
    const double t1 = 1.5*s2;
    const double t2 = 0.5*s3;
    const double t3 = t2*w3_z;
    const double t4 = t1*w2_z + t3;
    const double t5 = t2*qd[0];
    const double t6 = 0.5*(s2*c3 - c2*s3);
    const double hv2_2_z = qd[2]*t6;
    C[4] = hv2_2_z;
    const double hx2_1_z = t5 + t1*qd[0] + hv2_2_z;
    C[3] = hx2_1_z;
    const double hv1_1_z = hx2_1_z - t4;
    C[0] = hv1_1_z;

    /* Coriolis matrix, joint 2 (forearm) */
    const double hv2_1_z = hv2_2_z - t4;
    C[1] = hv2_1_z;

    /* Coriolis matrix, joint 3 (hand) */
    const double hv3_2_z = w3_z*t6;
    C[5] = hv3_2_z;
    const double minus_hx3_2_z = w2_z*t6;
    const double hx3_2_z = -minus_hx3_2_z;
    C[7] = hx3_2_z;
    const double hv3_1_z = hv3_2_z - t3;
    C[2] = hv3_1_z;
    const double hx3_1_z = t5 - minus_hx3_2_z;
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
template <class Array1, class Array2, class Array3>
PLANAR3_FUNCTION void planar3_momentum_bias(const Array1 q, const Array2 qd, Array3 beta)
{
    /* Joint positions */
    double s1, c1;
    planar3_sincos(q[0], s1, c1);
    const double theta2 = q[0] + q[1];
    double s2, c2;
    planar3_sincos(theta2, s2, c2);
    const double theta3 = theta2 + q[2];
    double s3, c3;
    planar3_sincos(theta3, s3, c3);

    /* Outward, body 2 (forearm) */
    const double w2_z = qd[0] + qd[1];

    /* Outward, body 3 (hand) */
    const double w3_z = w2_z + qd[2];

    /* Gravity */
    const double t1 = 4.905*c3;
    const double t2 = 14.715*c2 + t1;
    const double t3 = -(24.525*c1 + t2);
    beta[0] = t3;
    const double t4 = 0.5*w3_z;
    const double t5 = qd[0]*(s1*c3 - c1*s3)*t4;
    const double t6 = 1.5*qd[0]*w2_z*(s1*c2 - c1*s2) + t5 - t2;
    beta[1] = t6;
    const double t7 = t5 - t1 + w2_z*(s2*c3 - c2*s3)*t4;
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
template <class Array1, class Array2, class Array3>
PLANAR3_FUNCTION void planar3_kinetic_energy(const Array1 q, const Array2 qd, Array3 T)
{
    /* Joint positions */
    double s2, c2;
    planar3_sincos(q[1], s2, c2);
    double s3, c3;
    planar3_sincos(q[2], s3, c3);

    /* Outward, body 2 (forearm) */
    const double w2_z = qd[0] + qd[1];

    /* Outward, body 3 (hand) */
    const double w3_z = w2_z + qd[2];

    /* Velocity, body 2 (forearm) */
    const double v2_x = s2*qd[0];
    const double v2_y = c2*qd[0];

    /* Velocity, body 3 (hand) */
    const double v3_y = c3*(v2_y + w2_z) - s3*v2_x;

    /* Kinetic energy */
    const double ke1 = qd[0]*(2.3333333333333335*qd[0]);
    const double ke2 = w2_z*(3.0*v2_y + 1.3333333333333333*w2_z);
    const double ke3 = w3_z*(v3_y + 0.3333333333333333*w3_z);
    const double t1 = 0.5*(ke1 + ke2 + ke3);
    T[0] = t1;
}

/* U = U(q), dU/dq = g(q), U = 0 for a mass at the base's origin.
 * 3 mul, 4 add, 0 div, 3 sincos. Proved on 1000 states within 1e-12.
 * Bodies 1, 2 and 3 are resolved in axes that do not rotate with the joint.
 *
 *   q  in   3  joint positions, rad
 *   U  out  1  potential energy of the moving bodies under gravity, J
 */
template <class Array1, class Array2>
PLANAR3_FUNCTION void planar3_potential_energy(const Array1 q, Array2 U)
{
    /* Joint positions */
    const double s1 = planar3_sin(q[0]);
    const double theta2 = q[0] + q[1];
    const double s2 = planar3_sin(theta2);
    const double theta3 = theta2 + q[2];
    const double s3 = planar3_sin(theta3);

    /* Potential energy */
    const double t1 = 24.525*s1 + 14.715*s2 + 4.905*s3;
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
template <class Array1, class Array2, class Array3, class Array4>
PLANAR3_FUNCTION void planar3_forward_dynamics(const Array1 q, const Array2 qd, const Array3 tau,
                                               Array4 qdd)
{
    /* Joint positions */
    double s1, c1;
    planar3_sincos(q[0], s1, c1);
    double s2, c2;
    planar3_sincos(q[1], s2, c2);
    double s3, c3;
    planar3_sincos(q[2], s3, c3);
    const double ms3_x = 0.5*c3;
    const double ms3_y = 0.5*s3;

    /* Outward, body 1 (upper_arm) */
    const double minus_l1_xx = qd[0]*qd[0];
    const double a1_x = 9.81*s1;
    const double a1_y = 9.81*c1;

    /* Outward, body 2 (forearm) */
    const double w2_z = qd[0] + qd[1];
    const double minus_l2_xx = w2_z*w2_z;
    const double t1 = a1_x - minus_l1_xx;
    const double a2_x = c2*t1 + s2*a1_y;
    const double a2_y = c2*a1_y - s2*t1;

    /* Outward, body 3 (hand) */
    const double w3_z = w2_z + qd[2];
    const double minus_l3_xx = w3_z*w3_z;
    const double a3_x = a2_x - minus_l2_xx;

    /* Inward, body 3 (hand) */
    const double minus_bf3_x = minus_l3_xx*ms3_x;
    const double minus_bf3_y = minus_l3_xx*ms3_y;
    const double bm3_z = ms3_x*a2_y - ms3_y*a3_x;

    /* Inward, body 2 (forearm) */
    const double minus_bf2_x = 1.5*minus_l2_xx;
    const double bm2_z = 1.5*a2_y;
    const double minus_f2_x = minus_bf2_x + minus_bf3_x;

    /* Inward, body 1 (upper_arm) */
    const double bm1_z = 24.525*c1;

    /* Mass matrix, joint 3 (hand) */
    const double t2 = c2*ms3_x - s2*ms3_y;
    const double t3 = tau[2] - bm3_z;

    /* Elimination of joint 3 (hand) */
    const double lf3_2 = 1.5*c3;
    const double t4 = 1.5*c2 - lf3_2*t2;
    const double t5 = tau[1] - bm2_z + minus_bf3_y - tau[2] - lf3_2*t3;
    const double lf3_1 = 3.0*t2;

    /* Elimination of joint 2 (forearm) */
    const double dinv2 = 1.0/(1.3333333333333333 - lf3_2*ms3_x);
    const double lf2_1 = dinv2*t4;

    /* Elimination of joint 1 (upper_arm) */
    const double dinv1 = 1.0/(2.3333333333333335 - lf3_1*t2 - lf2_1*t4);
    const double t6 = dinv1*(tau[0] - bm1_z + c2*minus_bf3_y + s2*minus_f2_x - tau[1] - lf3_1*t3
        - lf2_1*t5);
    qdd[0] = t6;

    /* Joint accelerations */
    const double t7 = dinv2*t5 - lf2_1*t6;
    const double t8 = t7 - t6;
    qdd[1] = t8;
    const double t9 = 3.0*t3 - lf3_2*t7 - lf3_1*t6 - t7;
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
template <class Array1, class Array2>
PLANAR3_FUNCTION void planar3_mass_matrix_inverse(const Array1 q, Array2 Minv)
{
    /* Joint positions */
    double s2, c2;
    planar3_sincos(q[1], s2, c2);
    const double ms2_x = 1.5*c2;
    const double theta3 = q[1] + q[2];
    double s3, c3;
    planar3_sincos(theta3, s3, c3);
    const double ms3_x = 0.5*c3;

    /* Elimination of joint 3 (hand) */
    const double t1 = c2*c3 + s2*s3;

    /* Inward, body 3 (hand) */
    const double cun3_2_z = 0.5*t1 + 0.3333333333333333;

    /* Inward, body 2 (forearm) */
    const double minus_ah2_yz = ms2_x + ms3_x;

    /* Elimination of joint 3 (hand) */
    const double t2 = 3.0*cun3_2_z;
    const double t3 = 1.5*c3;
    const double aj2_zz = 1.6666666666666667 + t1 - cun3_2_z*t2;
    const double ah2_zy = minus_ah2_yz - cun3_2_z*t3;
    const double minus_am2_yy = ms3_x*t3;
    const double dinv2 = 1.0/aj2_zz;
    const double udf2_y = ah2_zy*dinv2;
    const double minus_am1_yy = minus_am2_yy + udf2_y*ah2_zy;

    /* Inward, body 1 (upper_arm) */
    const double aj1_zz = 2.3333333333333335 - minus_am1_yy;

    /* Elimination of joint 1 (upper_arm) */
    const double dinv1 = 1.0/aj1_zz;
    Minv[0] = dinv1;
    const double t4 = dinv1*(1.0 + udf2_y);

    /* Joint accelerations outward, body 2 (forearm) */
    const double t5 = dinv2 + udf2_y*t4 + t4;
    Minv[4] = t5;

    /* Elimination of joint 1 (upper_arm) */
    const double t6 = dinv1*(t3 - udf2_y*t2);

    /* Joint accelerations outward, body 2 (forearm) */
    const double t7 = udf2_y*t6 - dinv2*t2;
    const double t8 = t7 + t6;
    Minv[5] = t8;
    Minv[7] = t8;
    const double t9 = 3.0 - t2*t7 + t3*t6;
    Minv[8] = t9;
    const double t10 = -t4;
    Minv[1] = t10;
    Minv[3] = t10;
    const double t11 = -t6;
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
template <class Array1, class Array2, class Array3, class Array4>
PLANAR3_FUNCTION void planar3_regressor(const Array1 q, const Array2 qd, const Array3 qdd, Array4 Y)
{
    /* Results that require no operation */
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

    /* Joint positions */
    double s1, c1;
    planar3_sincos(q[0], s1, c1);
    double s2, c2;
    planar3_sincos(q[1], s2, c2);
    double s3, c3;
    planar3_sincos(q[2], s3, c3);

    /* Outward, body 1 (upper_arm) */
    const double a1_y = 9.81*c1;
    Y[1] = a1_y;

    /* Outward, body 2 (forearm) */
    const double w2_z = qd[0] + qd[1];
    const double wd2_z = qdd[0] + qdd[1];
    Y[17] = wd2_z;
    Y[50] = wd2_z;
    const double y2_1_m = a1_y + qdd[0];
    Y[11] = y2_1_m;
    const double minus_y1_1_my = 9.81*s1;
    const double t1 = minus_y1_1_my - qd[0]*qd[0];
    const double t2 = c2*y2_1_m;
    const double minus_a2_y = s2*t1 - t2;
    const double a2_y = -minus_a2_y;
    Y[45] = a2_y;

    /* Outward, body 3 (hand) */
    const double w3_z = w2_z + qd[2];
    const double wd3_z = wd2_z + qdd[2];
    Y[28] = wd3_z;
    Y[61] = wd3_z;
    Y[94] = wd3_z;
    const double t3 = s2*y2_1_m;
    const double minus_y2_2_my = t3 + c2*t1;
    const double t4 = w2_z*w2_z;
    const double t5 = minus_y2_2_my - t4;
    const double y3_2_m = wd2_z - minus_a2_y;
    Y[55] = y3_2_m;
    const double minus_a3_y = s3*t5 - c3*y3_2_m;
    const double a3_y = -minus_a3_y;
    Y[89] = a3_y;

    /* Columns of body 1 (upper_arm) */
    const double y1_1_my = -minus_y1_1_my;
    Y[2] = y1_1_my;

    /* Columns of body 2 (forearm) */
    const double t6 = t4 + t1;
    const double t7 = t2 - s2*t6;
    const double y2_1_mx = t7 + c2*wd2_z;
    Y[12] = y2_1_mx;
    const double minus_y2_1_my = s2*wd2_z + t3 + c2*t6;
    const double y2_1_my = -minus_y2_1_my;
    Y[13] = y2_1_my;
    const double y2_2_my = -minus_y2_2_my;
    Y[46] = y2_2_my;

    /* Columns of body 3 (hand) */
    const double t8 = 1.0 + c2;
    const double y3_1_m = t7 + y2_1_m + wd2_z*t8;
    Y[22] = y3_1_m;
    const double t9 = w3_z*w3_z;
    const double t10 = s3*wd3_z + c3*t9;
    const double t11 = s3*t9 - c3*wd3_z;
    const double minus_y3_1_mx = s2*t10 + minus_a3_y + t11*t8;
    const double y3_1_mx = -minus_y3_1_mx;
    Y[23] = y3_1_mx;
    const double minus_y3_3_my = s3*y3_2_m + c3*t5;
    const double y3_1_my = s2*t11 - minus_y3_3_my - t10*t8;
    Y[24] = y3_1_my;
    const double minus_y3_2_mx = t11 + minus_a3_y;
    const double y3_2_mx = -minus_y3_2_mx;
    Y[56] = y3_2_mx;
    const double minus_y3_2_my = t10 + minus_y3_3_my;
    const double y3_2_my = -minus_y3_2_my;
    Y[57] = y3_2_my;
    const double y3_3_my = -minus_y3_3_my;
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
template <class Array1, class Array2, class Array3, class Array4>
PLANAR3_FUNCTION void planar3_base_regressor(const Array1 q, const Array2 qd, const Array3 qdd,
                                             Array4 Y)
{
    /* Results that require no operation */
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

    /* Joint positions */
    double s1, c1;
    planar3_sincos(q[0], s1, c1);
    double s2, c2;
    planar3_sincos(q[1], s2, c2);
    double s3, c3;
    planar3_sincos(q[2], s3, c3);

    /* Outward, body 1 (upper_arm) */
    const double a1_y = 9.81*c1;
    Y[0] = a1_y;

    /* Outward, body 2 (forearm) */
    const double w2_z = qd[0] + qd[1];
    const double wd2_z = qdd[0] + qdd[1];
    Y[5] = wd2_z;
    Y[16] = wd2_z;
    const double minus_y1_1_my = 9.81*s1;
    const double t1 = minus_y1_1_my - qd[0]*qd[0];
    const double t2 = a1_y + qdd[0];
    const double minus_a2_y = s2*t1 - c2*t2;
    const double a2_y = -minus_a2_y;
    Y[14] = a2_y;

    /* Outward, body 3 (hand) */
    const double w3_z = w2_z + qd[2];
    const double wd3_z = wd2_z + qdd[2];
    Y[9] = wd3_z;
    Y[20] = wd3_z;
    Y[31] = wd3_z;
    const double minus_y2_2_my = s2*t2 + c2*t1;
    const double t3 = w2_z*w2_z;
    const double t4 = minus_y2_2_my - t3;
    const double t5 = wd2_z - minus_a2_y;
    const double minus_a3_y = s3*t4 - c3*t5;
    const double a3_y = -minus_a3_y;
    Y[29] = a3_y;

    /* Columns of body 1 (upper_arm) */
    const double y1_1_my = -minus_y1_1_my;
    Y[1] = y1_1_my;

    /* Columns of body 2 (forearm) */
    const double t6 = t3 + t1;
    const double t7 = wd2_z + t2;
    const double y2_1_mx = c2*t7 - s2*t6;
    Y[3] = y2_1_mx;
    const double minus_y2_1_my = c2*t6 + s2*t7;
    const double y2_1_my = -minus_y2_1_my;
    Y[4] = y2_1_my;
    const double y2_2_my = -minus_y2_2_my;
    Y[15] = y2_2_my;

    /* Columns of body 3 (hand) */
    const double t8 = w3_z*w3_z;
    const double t9 = s3*wd3_z + c3*t8;
    const double t10 = s3*t8 - c3*wd3_z;
    const double t11 = 1.0 + c2;
    const double minus_y3_1_mx = s2*t9 + minus_a3_y + t10*t11;
    const double y3_1_mx = -minus_y3_1_mx;
    Y[7] = y3_1_mx;
    const double minus_y3_3_my = s3*t5 + c3*t4;
    const double y3_1_my = s2*t10 - minus_y3_3_my - t9*t11;
    Y[8] = y3_1_my;
    const double minus_y3_2_mx = t10 + minus_a3_y;
    const double y3_2_mx = -minus_y3_2_mx;
    Y[18] = y3_2_mx;
    const double minus_y3_2_my = t9 + minus_y3_3_my;
    const double y3_2_my = -minus_y3_2_my;
    Y[19] = y3_2_my;
    const double y3_3_my = -minus_y3_3_my;
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
template <class Array1, class Array2, class Array3, class Array4, class Array5>
PLANAR3_FUNCTION void planar3_inverse_dynamics_reference_regressor(const Array1 q, const Array2 qd,
                                                                   const Array3 qd_reference,
                                                                   const Array4 qdd_reference,
                                                                   Array5 Y)
{
    /* Results that require no operation */
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

    /* Joint positions */
    double s1, c1;
    planar3_sincos(q[0], s1, c1);
    double s2, c2;
    planar3_sincos(q[1], s2, c2);
    double s3, c3;
    planar3_sincos(q[2], s3, c3);

    /* Outward, body 1 (upper_arm) */
    const double a1_y = 9.81*c1;
    Y[1] = a1_y;

    /* Outward, body 2 (forearm) */
    const double w2_z = qd[0] + qd[1];
    const double wr2_z = qd_reference[0] + qd_reference[1];
    const double wrd2_z = qdd_reference[0] + qdd_reference[1];
    Y[17] = wrd2_z;
    Y[50] = wrd2_z;
    const double y2_1_m = a1_y + qdd_reference[0];
    Y[11] = y2_1_m;
    const double minus_y1_1_my = 9.81*s1;
    const double t1 = minus_y1_1_my - qd[0]*qd_reference[0];
    const double t2 = c2*y2_1_m;
    const double minus_a2_y = s2*t1 - t2;
    const double a2_y = -minus_a2_y;
    Y[45] = a2_y;

    /* Outward, body 3 (hand) */
    const double w3_z = w2_z + qd[2];
    const double wr3_z = wr2_z + qd_reference[2];
    const double wrd3_z = wrd2_z + qdd_reference[2];
    Y[28] = wrd3_z;
    Y[61] = wrd3_z;
    Y[94] = wrd3_z;
    const double t3 = s2*y2_1_m;
    const double minus_y2_2_my = t3 + c2*t1;
    const double t4 = w2_z*wr2_z;
    const double t5 = minus_y2_2_my - t4;
    const double y3_2_m = wrd2_z - minus_a2_y;
    Y[55] = y3_2_m;
    const double minus_a3_y = s3*t5 - c3*y3_2_m;
    const double a3_y = -minus_a3_y;
    Y[89] = a3_y;

    /* Columns of body 1 (upper_arm) */
    const double y1_1_my = -minus_y1_1_my;
    Y[2] = y1_1_my;

    /* Columns of body 2 (forearm) */
    const double t6 = t4 + t1;
    const double t7 = t2 - s2*t6;
    const double y2_1_mx = t7 + c2*wrd2_z;
    Y[12] = y2_1_mx;
    const double minus_y2_1_my = s2*wrd2_z + t3 + c2*t6;
    const double y2_1_my = -minus_y2_1_my;
    Y[13] = y2_1_my;
    const double y2_2_my = -minus_y2_2_my;
    Y[46] = y2_2_my;

    /* Columns of body 3 (hand) */
    const double t8 = 1.0 + c2;
    const double y3_1_m = t7 + y2_1_m + wrd2_z*t8;
    Y[22] = y3_1_m;
    const double t9 = w3_z*wr3_z;
    const double t10 = s3*wrd3_z + c3*t9;
    const double t11 = s3*t9 - c3*wrd3_z;
    const double minus_y3_1_mx = s2*t10 + minus_a3_y + t11*t8;
    const double y3_1_mx = -minus_y3_1_mx;
    Y[23] = y3_1_mx;
    const double minus_y3_3_my = s3*y3_2_m + c3*t5;
    const double y3_1_my = s2*t11 - minus_y3_3_my - t10*t8;
    Y[24] = y3_1_my;
    const double minus_y3_2_mx = t11 + minus_a3_y;
    const double y3_2_mx = -minus_y3_2_mx;
    Y[56] = y3_2_mx;
    const double minus_y3_2_my = t10 + minus_y3_3_my;
    const double y3_2_my = -minus_y3_2_my;
    Y[57] = y3_2_my;
    const double y3_3_my = -minus_y3_3_my;
    Y[90] = y3_3_my;
}

/* pi_base = K pi.  0 mul, 6 add, 0 div, 0 sincos. Proved on 1000 states within 1e-12.
 *
 *   pi       in   33  standard inertial parameters, kg or kg m or kg m^2
 *   pi_base  out  11  base inertial parameters, kg m or kg m^2
 */
template <class Array1, class Array2>
PLANAR3_FUNCTION void planar3_base_parameters(const Array1 pi, Array2 pi_base)
{
    /* Results that require no operation */
    pi_base[1] = pi[2];
    pi_base[4] = pi[13];
    pi_base[6] = pi[21];
    pi_base[7] = pi[23];
    pi_base[8] = pi[24];
    pi_base[9] = pi[28];
    pi_base[10] = pi[32];

    /* Body 3 (hand) */
    const double pi2_m = pi[11] + pi[22];
    const double pi2_mx = pi[12] + pi[22];
    pi_base[3] = pi2_mx;
    const double pi2_jzz = pi[17] + pi[22];
    pi_base[5] = pi2_jzz;

    /* Body 2 (forearm) */
    const double pi1_mx = pi[1] + pi2_m;
    pi_base[0] = pi1_mx;
    const double pi1_jzz = pi[6] + pi2_m;

    /* Body 1 (upper_arm) */
    const double pi_base1_jzz = pi1_jzz + pi[10];
    pi_base[2] = pi_base1_jzz;
}

/* YT = YT(q, qd), T = YT.pi.  20 mul, 7 add, 0 div, 2 sincos. Proved on 1000 states within 1e-12.
 *
 *   q   in   3   joint positions, rad
 *   qd  in   3   joint velocities, rad/s
 *   YT  out  33  kinetic energy per unit of the standard inertial parameters, J/kg or J/(kg m) or
 *                J/(kg m^2)
 */
template <class Array1, class Array2, class Array3>
PLANAR3_FUNCTION void planar3_kinetic_energy_regressor(const Array1 q, const Array2 qd, Array3 YT)
{
    /* Results that require no operation */
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

    /* Joint positions */
    double s2, c2;
    planar3_sincos(q[1], s2, c2);
    double s3, c3;
    planar3_sincos(q[2], s3, c3);

    /* Outward, body 2 (forearm) */
    const double w2_z = qd[0] + qd[1];

    /* Outward, body 3 (hand) */
    const double w3_z = w2_z + qd[2];

    /* Columns of the links, in their own frames */
    const double t1 = 0.5*qd[0]*qd[0];
    YT[6] = t1;
    YT[10] = t1;
    YT[11] = t1;
    const double t2 = c2*qd[0];
    const double t3 = t2*w2_z;
    YT[12] = t3;
    const double t4 = s2*qd[0];
    const double t5 = -(w2_z*t4);
    YT[13] = t5;
    const double t6 = 0.5*w2_z*w2_z;
    YT[17] = t6;
    const double t7 = 0.5*qd[1]*qd[1];
    YT[21] = t7;
    const double t8 = t3 + t6 + t1;
    YT[22] = t8;
    const double t9 = t2 + w2_z;
    const double t10 = -(w3_z*(s3*t4 - c3*t9));
    YT[23] = t10;
    const double t11 = -(w3_z*(c3*t4 + s3*t9));
    YT[24] = t11;
    const double t12 = 0.5*w3_z*w3_z;
    YT[28] = t12;
    const double t13 = 0.5*qd[2]*qd[2];
    YT[32] = t13;
}

/* YU = YU(q), U = YU.pi.  6 mul, 3 add, 0 div, 3 sincos. Proved on 1000 states within 1e-12.
 * Bodies 1, 2 and 3 are resolved in axes that do not rotate with the joint.
 *
 *   q   in   3   joint positions, rad
 *   YU  out  33  potential energy per unit of the standard inertial parameters, J/kg or J/(kg m) or
 *                J/(kg m^2)
 */
template <class Array1, class Array2>
PLANAR3_FUNCTION void planar3_potential_energy_regressor(const Array1 q, Array2 YU)
{
    /* Results that require no operation */
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

    /* Joint positions */
    double s1, c1;
    planar3_sincos(q[0], s1, c1);
    const double theta2 = q[0] + q[1];
    double s2, c2;
    planar3_sincos(theta2, s2, c2);
    const double theta3 = theta2 + q[2];
    double s3, c3;
    planar3_sincos(theta3, s3, c3);

    /* Height, body 2 (forearm) */
    const double hu2 = 9.81*s1;
    YU[1] = hu2;
    YU[11] = hu2;

    /* Height, body 3 (hand) */
    const double t1 = 9.81*s2;
    YU[12] = t1;
    const double hu3 = hu2 + t1;
    YU[22] = hu3;

    /* Columns of the links, in their own frames */
    const double t2 = 9.81*c1;
    YU[2] = t2;
    const double t3 = 9.81*c2;
    YU[13] = t3;
    const double t4 = 9.81*s3;
    YU[23] = t4;
    const double t5 = 9.81*c3;
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
template <class Array1, class Array2, class Array3>
PLANAR3_FUNCTION void planar3_forward_kinematics(const Array1 q, Array2 R, Array3 p)
{
    /* Results that require no operation */
    R[2] = 0.0;
    R[5] = 0.0;
    R[6] = 0.0;
    R[7] = 0.0;
    R[8] = 1.0;
    p[2] = 0.0;

    /* Joint positions */
    double s1, c1;
    planar3_sincos(q[0], s1, c1);
    const double theta2 = q[0] + q[1];
    double s2, c2;
    planar3_sincos(theta2, s2, c2);
    const double theta3 = theta2 + q[2];
    double s3, c3;
    planar3_sincos(theta3, s3, c3);
    R[3] = s3;
    R[0] = c3;
    R[4] = c3;
    const double fy3_x = -s3;
    R[1] = fy3_x;

    /* Inward, body 2 (forearm) */
    const double fp1_x = c2 + c1;
    p[0] = fp1_x;
    const double fp1_y = s2 + s1;
    p[1] = fp1_y;
}

/* J(q) qd = velocity and angular velocity of the frame tool in base axes.
 * 0 mul, 3 add, 0 div, 2 sincos. Proved on 1000 states within 1e-12.
 * Bodies 1, 2 and 3 are resolved in axes that do not rotate with the joint.
 *
 *   q  in   3      joint positions, rad
 *   J  out  6 x 3  geometric Jacobian in base axes, linear rows first, m/rad or 1
 */
template <class Array1, class Array2>
PLANAR3_FUNCTION void planar3_jacobian(const Array1 q, Array2 J)
{
    /* Results that require no operation */
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

    /* Joint positions */
    double s1, c1;
    planar3_sincos(q[0], s1, c1);
    const double theta2 = q[0] + q[1];
    double s2, c2;
    planar3_sincos(theta2, s2, c2);
    J[4] = c2;

    /* Columns, body 2 (forearm) */
    const double jv2_x = -s2;
    J[1] = jv2_x;
    const double er1_x = c2 + c1;
    J[3] = er1_x;
    const double er1_y = s2 + s1;

    /* Columns, body 1 (upper_arm) */
    const double jv1_x = -er1_y;
    J[0] = jv1_x;
}

/* J(q) qd = velocity and angular velocity of the frame tool in its own axes.
 * 4 mul, 3 add, 0 div, 2 sincos. Proved on 1000 states within 1e-12.
 *
 *   q  in   3      joint positions, rad
 *   J  out  6 x 3  geometric Jacobian in the frame's own axes, linear rows first, m/rad or 1
 */
template <class Array1, class Array2>
PLANAR3_FUNCTION void planar3_body_jacobian(const Array1 q, Array2 J)
{
    /* Results that require no operation */
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

    /* Joint positions */
    double s2, c2;
    planar3_sincos(q[1], s2, c2);
    double s3, c3;
    planar3_sincos(q[2], s3, c3);
    J[1] = s3;
    J[4] = c3;

    /* Columns, body 2 (forearm) */
    const double t1 = 1.0 + c2;
    const double er1_x = c3*t1 - s2*s3;
    J[3] = er1_x;
    const double minus_er1_y = s2*c3 + s3*t1;
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
template <class Array1, class Array2, class Array3>
PLANAR3_FUNCTION void planar3_jacobian_dot_qd(const Array1 q, const Array2 qd, Array3 Jdqd)
{
    /* Results that require no operation */
    Jdqd[2] = 0.0;
    Jdqd[3] = 0.0;
    Jdqd[4] = 0.0;
    Jdqd[5] = 0.0;

    /* Joint positions */
    double s1, c1;
    planar3_sincos(q[0], s1, c1);
    const double theta2 = q[0] + q[1];
    double s2, c2;
    planar3_sincos(theta2, s2, c2);

    /* Inward, body 1 (upper_arm) */
    const double t1 = qd[0]*(qd[0] + 2.0*qd[1]) + qd[1]*qd[1];
    const double t2 = qd[0]*qd[0];
    const double minus_fa0_x = c1*t2 + c2*t1;
    const double fa0_x = -minus_fa0_x;
    Jdqd[0] = fa0_x;
    const double minus_fa0_y = s1*t2 + s2*t1;
    const double fa0_y = -minus_fa0_y;
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
template <class Array1, class Array2, class Array3>
PLANAR3_FUNCTION void planar3_frame_velocity(const Array1 q, const Array2 qd, Array3 V)
{
    /* Results that require no operation */
    V[2] = 0.0;
    V[3] = 0.0;
    V[4] = 0.0;

    /* Joint positions */
    double s1, c1;
    planar3_sincos(q[0], s1, c1);
    const double theta2 = q[0] + q[1];
    double s2, c2;
    planar3_sincos(theta2, s2, c2);

    /* Inward, body 1 (upper_arm) */
    const double t1 = qd[0] + qd[1];
    const double minus_fv0_x = s1*qd[0] + s2*t1;
    const double fv0_x = -minus_fv0_x;
    V[0] = fv0_x;
    const double fv0_y = c1*qd[0] + c2*t1;
    V[1] = fv0_y;
    const double fw0_z = qd[2] + t1;
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
template <class Array1, class Array2, class Array3, class Array4>
PLANAR3_FUNCTION void planar3_frame_acceleration(const Array1 q, const Array2 qd, const Array3 qdd,
                                                 Array4 Vd)
{
    /* Results that require no operation */
    Vd[2] = 0.0;
    Vd[3] = 0.0;
    Vd[4] = 0.0;

    /* Joint positions */
    double s1, c1;
    planar3_sincos(q[0], s1, c1);
    const double theta2 = q[0] + q[1];
    double s2, c2;
    planar3_sincos(theta2, s2, c2);

    /* Inward, body 1 (upper_arm) */
    const double t1 = qd[0]*(qd[0] + 2.0*qd[1]) + qd[1]*qd[1];
    const double t2 = qdd[0] + qdd[1];
    const double t3 = qd[0]*qd[0];
    const double minus_fa0_x = c1*t3 + s1*qdd[0] + c2*t1 + s2*t2;
    const double fa0_x = -minus_fa0_x;
    Vd[0] = fa0_x;
    const double fa0_y = c1*qdd[0] - s1*t3 - s2*t1 + c2*t2;
    Vd[1] = fa0_y;
    const double fwd0_z = qdd[2] + t2;
    Vd[5] = fwd0_z;
}

/* A = J M(q)^-1 J^T: acceleration of the frame tool per unit wrench at it.
 * 37 mul, 17 add, 2 div, 3 sincos. Proved on 1000 states within 1e-12.
 *
 *   q  in   3      joint positions, rad
 *   A  out  6 x 6  inverse inertia at the frame, in base axes, 1/kg or 1/(kg m) or 1/(kg m^2)
 */
template <class Array1, class Array2>
PLANAR3_FUNCTION void planar3_inverse_operational_inertia(const Array1 q, Array2 A)
{
    /* Results that require no operation */
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

    /* Joint positions */
    double s1, c1;
    planar3_sincos(q[0], s1, c1);
    double s2, c2;
    planar3_sincos(q[1], s2, c2);
    double s3, c3;
    planar3_sincos(q[2], s3, c3);

    /* Outward, body 2 (forearm) */
    const double ex2_x = c2*c1 - s2*s1;
    const double ey2_x = c2*s1 + s2*c1;

    /* Composite of body 3 (hand) */
    const double p3_2_y = 0.5*c3;
    const double cms2_y = 0.5*s3;

    /* Mass matrix, joint 3 (hand) */
    const double t1 = c2*p3_2_y - s2*cms2_y;

    /* Elimination of joint 3 (hand) */
    const double lf3_2 = 1.5*c3;
    const double t2 = 1.5*c2 - lf3_2*t1;
    const double lf3_1 = 3.0*t1;

    /* Elimination of joint 2 (forearm) */
    const double dinv2 = 1.0/(1.3333333333333333 - lf3_2*p3_2_y);
    const double lf2_1 = dinv2*t2;
    const double t3 = lf2_1*ey2_x - s1;
    const double t4 = c1 - lf2_1*ex2_x;
    const double t5 = lf2_1*lf3_2 - lf3_1;
    const double t6 = dinv2*ey2_x;
    const double t7 = dinv2*ex2_x;

    /* Elimination of joint 1 (upper_arm) */
    const double dinv1 = 1.0/(2.3333333333333335 - lf3_1*t1 - lf2_1*t2);
    const double t8 = dinv1*t3;
    const double t9 = dinv1*t4;

    /* Motion of the frame per unit wrench */
    const double t10 = t3*t8 + ey2_x*t6;
    A[0] = t10;
    const double t11 = t4*t8 - ex2_x*t6;
    A[1] = t11;
    A[6] = t11;
    const double t12 = t4*t9 + ex2_x*t7;
    A[7] = t12;
    const double t13 = t5*t8 + lf3_2*t6;
    A[5] = t13;
    A[30] = t13;
    const double t14 = t5*t9 - lf3_2*t7;
    A[11] = t14;
    A[31] = t14;
    const double t15 = t5*(dinv1*t5) + lf3_2*(dinv2*lf3_2) + 3.0;
    A[35] = t15;
}

/* com = centre of mass of all moving bodies, in the base frame.
 * 6 mul, 6 add, 0 div, 3 sincos. Proved on 1000 states within 1e-12.
 * Bodies 1, 2 and 3 are resolved in axes that do not rotate with the joint.
 *
 *   q    in   3  joint positions, rad
 *   com  out  3  centre of mass of all moving bodies, in the base frame, m
 */
template <class Array1, class Array2>
PLANAR3_FUNCTION void planar3_center_of_mass(const Array1 q, Array2 com)
{
    /* Results that require no operation */
    com[2] = 0.0;

    /* Joint positions */
    double s1, c1;
    planar3_sincos(q[0], s1, c1);
    const double theta2 = q[0] + q[1];
    double s2, c2;
    planar3_sincos(theta2, s2, c2);
    const double theta3 = theta2 + q[2];
    double s3, c3;
    planar3_sincos(theta3, s3, c3);

    /* Composite of body 1 (upper_arm) */
    const double com0_x = 0.8333333333333334*c1 + 0.5*c2 + 0.16666666666666666*c3;
    com[0] = com0_x;
    const double com0_y = 0.8333333333333334*s1 + 0.5*s2 + 0.16666666666666666*s3;
    com[1] = com0_y;
}

/* Jcom(q) qd = velocity of the centre of mass in base axes.
 * 6 mul, 6 add, 0 div, 3 sincos. Proved on 1000 states within 1e-12.
 * Bodies 1, 2 and 3 are resolved in axes that do not rotate with the joint.
 *
 *   q     in   3      joint positions, rad
 *   Jcom  out  3 x 3  Jacobian of the centre of mass, in base axes, m/rad
 */
template <class Array1, class Array2>
PLANAR3_FUNCTION void planar3_com_jacobian(const Array1 q, Array2 Jcom)
{
    /* Results that require no operation */
    Jcom[6] = 0.0;
    Jcom[7] = 0.0;
    Jcom[8] = 0.0;

    /* Joint positions */
    double s1, c1;
    planar3_sincos(q[0], s1, c1);
    const double theta2 = q[0] + q[1];
    double s2, c2;
    planar3_sincos(theta2, s2, c2);
    const double theta3 = theta2 + q[2];
    double s3, c3;
    planar3_sincos(theta3, s3, c3);

    /* Momenta of joint 3 (hand) */
    const double t1 = 0.16666666666666666*s3;
    const double t2 = 0.5*s2 + t1;
    const double t3 = -(0.8333333333333334*s1 + t2);
    Jcom[0] = t3;
    const double t4 = 0.16666666666666666*c3;
    Jcom[5] = t4;
    const double t5 = 0.5*c2 + t4;
    Jcom[4] = t5;
    const double t6 = 0.8333333333333334*c1 + t5;
    Jcom[3] = t6;
    const double t7 = -t2;
    Jcom[1] = t7;
    const double t8 = -t1;
    Jcom[2] = t8;
}

/* Ag(q) qd = linear and angular momentum about the centre of mass, in base axes.
 * 23 mul, 17 add, 0 div, 3 sincos. Proved on 1000 states within 1e-12.
 *
 *   q   in   3      joint positions, rad
 *   Ag  out  6 x 3  centroidal momentum matrix in base axes, linear rows first, kg m or kg m^2
 */
template <class Array1, class Array2>
PLANAR3_FUNCTION void planar3_centroidal_momentum_matrix(const Array1 q, Array2 Ag)
{
    /* Results that require no operation */
    Ag[6] = 0.0;
    Ag[7] = 0.0;
    Ag[8] = 0.0;
    Ag[9] = 0.0;
    Ag[10] = 0.0;
    Ag[11] = 0.0;
    Ag[12] = 0.0;
    Ag[13] = 0.0;
    Ag[14] = 0.0;

    /* Joint positions */
    double s1, c1;
    planar3_sincos(q[0], s1, c1);
    double s2, c2;
    planar3_sincos(q[1], s2, c2);
    double s3, c3;
    planar3_sincos(q[2], s3, c3);

    /* Composite of body 1 (upper_arm) */
    const double t1 = 0.5*(s2*c3 + c2*s3);
    const double t2 = 1.5*s2 + t1;
    const double t3 = s2*s3 - c2*c3;
    const double t4 = 0.5*t3;
    const double t5 = 1.5*c2 - t4;
    const double t6 = 2.5 + t5;
    const double t7 = s1*t2;
    const double t8 = c1*t6 - t7;
    Ag[3] = t8;

    /* Momenta of joint 1 (upper_arm) */
    const double t9 = c1*t2;
    const double t10 = -(t9 + s1*t6);
    Ag[0] = t10;
    const double t11 = 0.5*c3;
    const double t12 = 1.0833333333333333 + t11 + 0.3333333333333333*t5;
    Ag[15] = t12;

    /* Momenta of joint 2 (forearm) */
    const double t13 = -(s1*t5 + t9);
    Ag[1] = t13;
    const double t14 = c1*t5 - t7;
    Ag[4] = t14;
    const double t15 = 0.8333333333333334 + t11 + 0.16666666666666666*t5;
    Ag[16] = t15;

    /* Momenta of joint 3 (hand) */
    const double t16 = s1*t4 - c1*t1;
    Ag[2] = t16;
    const double t17 = -(c1*t4 + s1*t1);
    Ag[5] = t17;
    const double t18 = 0.25 + 0.25*c3 - 0.08333333333333333*t3;
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
template <class Array1, class Array2, class Array3>
PLANAR3_FUNCTION void planar3_centroidal_momentum_matrix_dot_qd(const Array1 q, const Array2 qd,
                                                                Array3 dAg_qd)
{
    /* Results that require no operation */
    dAg_qd[2] = 0.0;
    dAg_qd[3] = 0.0;
    dAg_qd[4] = 0.0;

    /* Joint positions */
    double s1, c1;
    planar3_sincos(q[0], s1, c1);
    double s2, c2;
    planar3_sincos(q[1], s2, c2);
    const double theta3 = q[1] + q[2];
    double s3, c3;
    planar3_sincos(theta3, s3, c3);

    /* Outward, body 2 (forearm) */
    const double w2_z = qd[0] + qd[1];

    /* Outward, body 3 (hand) */
    const double w3_z = w2_z + qd[2];

    /* Inward, body 1 (upper_arm) */
    const double t1 = w2_z*w2_z;
    const double t2 = 1.5*t1;
    const double t3 = w3_z*w3_z;
    const double t4 = 0.5*t3;
    const double t5 = s2*t2 + s3*t4;
    const double t6 = qd[0]*qd[0];
    const double t7 = 2.5*t6 + c2*t2 + c3*t4;
    const double t8 = s1*t5 - c1*t7;
    dAg_qd[0] = t8;
    const double t9 = -(c1*t5 + s1*t7);
    dAg_qd[1] = t9;

    /* Composite of body 1 (upper_arm) */
    const double t10 = (0.25*s2 + 0.08333333333333333*s3)*t6 - 0.16666666666666666*t5
        - 0.25*(t1 - t3)*(s2*c3 - c2*s3);
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
template <class Array1, class Array2, class Array3, class Array4, class Array5>
PLANAR3_FUNCTION void planar3_inverse_dynamics_derivatives(const Array1 q, const Array2 qd,
                                                           const Array3 qdd, Array4 dtau_dq,
                                                           Array5 dtau_dqd)
{
    /* Results that require no operation */
    dtau_dqd[8] = 0.0;

    /* Joint positions */
    double s1, c1;
    planar3_sincos(q[0], s1, c1);
    double s2, c2;
    planar3_sincos(q[1], s2, c2);
    const double theta3 = q[1] + q[2];
    double s3, c3;
    planar3_sincos(theta3, s3, c3);

    /* Outward, body 2 (forearm) */
    const double w2_z = qd[0] + qd[1];

    /* Outward, body 3 (hand) */
    const double w3_z = w2_z + qd[2];

    /* Coriolis matrix, joint 1 (upper_arm) */
    const double t1 = 3.0*s2;
    const double t2 = s3*w3_z;
    const double t3 = t1*w2_z + t2;
    const double t4 = t1 + s3;
    const double t5 = s2*c3 - c2*s3;
    const double nqd2_2_z = t5*qd[2];
    dtau_dqd[4] = nqd2_2_z;
    const double hhx2_1_z = qd[0]*t4 + nqd2_2_z;
    dtau_dqd[3] = hhx2_1_z;
    const double nqd1_1_z = hhx2_1_z - t3;
    dtau_dqd[0] = nqd1_1_z;

    /* Coriolis matrix, joint 2 (forearm) */
    const double nqd2_1_z = nqd2_2_z - t3;
    dtau_dqd[1] = nqd2_1_z;

    /* Coriolis matrix, joint 3 (hand) */
    const double nqd3_2_z = w3_z*t5;
    dtau_dqd[5] = nqd3_2_z;
    const double minus_hhx3_2_z = w2_z*t5;
    const double hhx3_2_z = -minus_hhx3_2_z;
    dtau_dqd[7] = hhx3_2_z;
    const double nqd3_1_z = nqd3_2_z - t2;
    dtau_dqd[2] = nqd3_1_z;
    const double hhx3_1_z = s3*qd[0] - minus_hhx3_2_z;
    dtau_dqd[6] = hhx3_1_z;

    /* Outward, body 2 (forearm) */
    const double wd2_z = qdd[0] + qdd[1];

    /* Outward, body 3 (hand) */
    const double wd3_z = wd2_z + qdd[2];

    /* Derivatives by position, joint 1 (upper_arm) */
    const double minus_tauq3_1 = 4.905*(s1*c3 + c1*s3);
    const double t6 = 14.715*(s1*c2 + c1*s2);
    const double minus_tauq2_1 = minus_tauq3_1 + t6;
    const double minus_nq1_1_z = 24.525*s1 + minus_tauq2_1;
    const double nq1_1_z = -minus_nq1_1_z;
    dtau_dq[0] = nq1_1_z;

    /* Derivatives by position, joint 2 (forearm) */
    const double t7 = qd[0]*qd[0];
    const double t8 = 0.5*c3*t7 - minus_tauq3_1;
    const double t9 = 0.5*qdd[0];
    const double minus_nq2_2_z = t4*t9 - 1.5*c2*t7 + t6 - t8;
    const double nq2_2_z = -minus_nq2_2_z;
    dtau_dq[4] = nq2_2_z;
    const double t10 = w2_z*w2_z;
    const double t11 = w3_z*w3_z;
    const double t12 = 0.5*(s3*wd3_z + c3*t11);
    const double minus_nq2_1_z = minus_nq2_2_z + 1.5*(s2*wd2_z + c2*t10) + t12;
    const double nq2_1_z = -minus_nq2_1_z;
    dtau_dq[1] = nq2_1_z;
    const double tauq2_1 = -minus_tauq2_1;
    dtau_dq[3] = tauq2_1;

    /* Derivatives by position, joint 3 (hand) */
    const double t13 = s2*s3 + c2*c3;
    const double minus_tauq3_2 = s3*t9 - t8;
    const double minus_nq3_3_z = minus_tauq3_2 - 0.5*(t5*wd2_z + t13*t10);
    const double nq3_3_z = -minus_nq3_3_z;
    dtau_dq[8] = nq3_3_z;
    const double nq3_2_z = 0.5*(t5*wd3_z - t13*t11) - minus_nq3_3_z;
    dtau_dq[5] = nq3_2_z;
    const double tauq3_2 = -minus_tauq3_2;
    dtau_dq[7] = tauq3_2;
    const double nq3_1_z = nq3_2_z - t12;
    dtau_dq[2] = nq3_1_z;
    const double tauq3_1 = -minus_tauq3_1;
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
template <class Array1, class Array2, class Array3, class Array4, class Array5, class Array6>
PLANAR3_FUNCTION void planar3_forward_dynamics_derivatives(const Array1 q, const Array2 qd,
                                                           const Array3 tau, Array4 dqdd_dq,
                                                           Array5 dqdd_dqd, Array6 dqdd_dtau)
{
    /* Joint positions */
    double s1, c1;
    planar3_sincos(q[0], s1, c1);
    double s2, c2;
    planar3_sincos(q[1], s2, c2);
    const double ms2_x = 1.5*c2;
    const double ms2_y = 1.5*s2;
    const double theta3 = q[1] + q[2];
    double s3, c3;
    planar3_sincos(theta3, s3, c3);
    const double ms3_x = 0.5*c3;
    const double ms3_y = 0.5*s3;

    /* Outward, body 2 (forearm) */
    const double w2_z = qd[0] + qd[1];

    /* Outward, body 3 (hand) */
    const double w3_z = w2_z + qd[2];
    const double ww1_z = 2.0*qd[0];
    const double ww2_z = 2.0*w2_z;
    const double ww3_z = 2.0*w3_z;

    /* Composite of body 3 (hand) */
    const double cms2_x = ms2_x + ms3_x;
    const double cms2_y = ms2_y + ms3_y;

    /* Coriolis matrix, joint 3 (hand) */
    const double h3_2_z = 0.3333333333333333 + c2*ms3_x + s2*ms3_y;

    /* Composite of body 3 (hand) */
    const double cj2_zz = 2.0*h3_2_z + 1.0;

    /* Composite of body 2 (forearm) */
    const double cms1_x = 2.5 + cms2_x;

    /* Composite of body 1 (upper_arm) */
    const double minus_ccp3_x = ww3_z*ms3_y;

    /* Motion of composite 3 (hand) */
    const double t1 = minus_ccp3_x*c2;
    const double t2 = s2*ms3_x;
    const double t3 = ww3_z*t2;
    const double minus_ccp2_x = ww2_z*ms2_y + minus_ccp3_x;

    /* Motion of composite 2 (forearm) */
    const double t4 = cms2_y*ww1_z;

    /* Coriolis matrix, joint 2 (forearm) */
    const double hhx3_2_z = ww2_z*(c2*ms3_y - t2);
    const double nqd2_2_z = t3 + hhx3_2_z - t1;
    const double nqd2_1_z = nqd2_2_z - minus_ccp2_x;

    /* Coriolis matrix, joint 1 (upper_arm) */
    const double nqd1_1_z = t4 + nqd2_1_z;

    /* Coriolis matrix, joint 2 (forearm) */
    const double hhx2_1_z = nqd2_2_z + t4;

    /* Coriolis matrix, joint 3 (hand) */
    const double h3_1_z = h3_2_z + ms3_x;
    const double nqd3_2_z = t3 - t1;
    const double nqd3_1_z = nqd3_2_z - minus_ccp3_x;
    const double hhx3_1_z = hhx3_2_z + ww1_z*ms3_y;

    /* Gravity */
    const double up1_x = 9.81*s1;
    const double up1_y = 9.81*c1;
    const double t5 = cms2_y*up1_x;
    const double g1 = cms1_x*up1_y - t5;
    const double g2 = cms2_x*up1_y - t5;
    const double g3 = ms3_x*up1_y - ms3_y*up1_x;

    /* Forces that accelerate the joints */
    const double t6 = 0.5*qd[0];
    const double t7 = 0.5*qd[1];
    const double t8 = 0.5*qd[2];
    const double t9 = tau[2] - g3 - hhx3_1_z*t6 - hhx3_2_z*t7;

    /* Elimination of joint 3 (hand) */
    const double lf3_2 = 3.0*h3_2_z;
    const double t10 = cms2_x + cj2_zz;
    const double t11 = t10 - lf3_2*h3_1_z;
    const double t12 = tau[1] - g2 - hhx2_1_z*t6 - nqd2_2_z*t7 - nqd3_2_z*t8 - lf3_2*t9;
    const double lf3_1 = 3.0*h3_1_z;

    /* Elimination of joint 2 (forearm) */
    const double dinv2 = 1.0/(cj2_zz - lf3_2*h3_2_z);
    const double lf2_1 = dinv2*t11;

    /* Elimination of joint 1 (upper_arm) */
    const double dinv1 = 1.0/(2.3333333333333335 + t10 + cms2_x - lf3_1*h3_1_z - lf2_1*t11);
    dqdd_dtau[0] = dinv1;
    const double qdd1 = dinv1*(tau[0] - g1 - nqd1_1_z*t6 - nqd2_1_z*t7 - nqd3_1_z*t8 - lf3_1*t9
        - lf2_1*t12);
    const double t13 = dinv1*lf2_1;
    const double t14 = dinv1*(lf2_1*lf3_2 - lf3_1);
    dqdd_dtau[2] = t14;
    dqdd_dtau[6] = t14;

    /* Joint accelerations */
    const double qdd2 = dinv2*t12 - lf2_1*qdd1;
    const double t15 = dinv2 + lf2_1*t13;
    dqdd_dtau[4] = t15;
    const double t16 = dinv2*lf3_2 + lf2_1*t14;
    const double qdd3 = 3.0*t9 - lf3_2*qdd2 - lf3_1*qdd1;
    const double t17 = 3.0 + lf3_2*t16 - lf3_1*t14;
    dqdd_dtau[8] = t17;

    /* Change of accelerations by the velocity of joint 1 (upper_arm) */
    const double t18 = lf3_2*hhx3_1_z - hhx2_1_z;
    const double t19 = dinv1*(lf3_1*hhx3_1_z - nqd1_1_z - lf2_1*t18);
    dqdd_dqd[0] = t19;
    const double t20 = dinv2*t18 - lf2_1*t19;
    dqdd_dqd[3] = t20;

    /* Change of accelerations by the velocity of joint 2 (forearm) */
    const double t21 = lf3_2*hhx3_2_z - nqd2_2_z;
    const double t22 = dinv1*(lf3_1*hhx3_2_z - nqd2_1_z - lf2_1*t21);
    dqdd_dqd[1] = t22;
    const double t23 = dinv2*t21 - lf2_1*t22;
    dqdd_dqd[4] = t23;

    /* Change of accelerations by the velocity of joint 3 (hand) */
    const double t24 = dinv1*(lf2_1*nqd3_2_z - nqd3_1_z);
    dqdd_dqd[2] = t24;
    const double t25 = dinv2*nqd3_2_z + lf2_1*t24;
    const double t26 = lf3_2*t25 - lf3_1*t24;
    dqdd_dqd[8] = t26;

    /* Outward, body 1 (upper_arm) */
    const double minus_l1_xx = qd[0]*qd[0];

    /* Outward, body 2 (forearm) */
    const double wd2_z = qdd1 + qdd2;
    const double minus_l2_xx = w2_z*w2_z;
    const double a2_x = up1_x - minus_l1_xx;
    const double a2_y = up1_y + qdd1;

    /* Outward, body 3 (hand) */
    const double wd3_z = wd2_z + qdd3;
    const double minus_l3_xx = w3_z*w3_z;
    const double a3_x = a2_x - minus_l2_xx*c2 - wd2_z*s2;
    const double a3_y = a2_y + wd2_z*c2 - minus_l2_xx*s2;

    /* Inward, body 3 (hand) */
    const double minus_bf3_x = minus_l3_xx*ms3_x + wd3_z*ms3_y;
    const double bf3_y = wd3_z*ms3_x - minus_l3_xx*ms3_y;

    /* Inward, body 2 (forearm) */
    const double minus_bf2_x = minus_l2_xx*ms2_x + wd2_z*ms2_y;
    const double minus_f2_x = minus_bf2_x + minus_bf3_x;

    /* Derivatives by position, joint 1 (upper_arm) */
    const double t27 = cms2_y*up1_y;
    const double minus_nq1_1_z = cms1_x*up1_x + t27;

    /* Derivatives by position, joint 2 (forearm) */
    const double minus_nq2_2_z = cms2_x*a2_x + cms2_y*a2_y;
    const double minus_nq2_1_z = minus_nq2_2_z + minus_f2_x;
    const double minus_tauq2_1 = t27 + cms2_x*up1_x;

    /* Derivatives by position, joint 3 (hand) */
    const double minus_nq3_3_z = ms3_x*a3_x + ms3_y*a3_y;
    const double nq3_2_z = s2*bf3_y - (minus_nq3_3_z + c2*minus_bf3_x);
    const double minus_tauq3_2 = ms3_y*a2_y + ms3_x*a2_x;
    const double nq3_1_z = nq3_2_z - minus_bf3_x;
    const double minus_tauq3_1 = ms3_y*up1_y + ms3_x*up1_x;

    /* Change of accelerations by the position of joint 1 (upper_arm) */
    const double t28 = minus_tauq2_1 - lf3_2*minus_tauq3_1;
    const double t29 = dinv1*(minus_nq1_1_z - lf3_1*minus_tauq3_1 - lf2_1*t28);
    dqdd_dq[0] = t29;
    const double t30 = dinv2*t28 - lf2_1*t29;
    dqdd_dq[3] = t30;
    const double t31 = 3.0*minus_tauq3_1 - lf3_2*t30 - lf3_1*t29;
    dqdd_dq[6] = t31;

    /* Change of accelerations by the position of joint 2 (forearm) */
    const double t32 = minus_nq2_2_z - lf3_2*minus_tauq3_2;
    const double t33 = dinv1*(minus_nq2_1_z - lf3_1*minus_tauq3_2 - lf2_1*t32);
    dqdd_dq[1] = t33;
    const double t34 = dinv2*t32 - lf2_1*t33;
    dqdd_dq[4] = t34;
    const double t35 = 3.0*minus_tauq3_2 - lf3_2*t34 - lf3_1*t33;
    dqdd_dq[7] = t35;

    /* Change of accelerations by the position of joint 3 (hand) */
    const double t36 = nq3_2_z + lf3_2*minus_nq3_3_z;
    const double t37 = dinv1*(lf2_1*t36 - (nq3_1_z + lf3_1*minus_nq3_3_z));
    dqdd_dq[2] = t37;
    const double t38 = dinv2*t36 + lf2_1*t37;
    const double t39 = 3.0*minus_nq3_3_z + lf3_2*t38 - lf3_1*t37;
    dqdd_dq[8] = t39;
    const double t40 = -t38;
    dqdd_dq[5] = t40;
    const double t41 = -t25;
    dqdd_dqd[5] = t41;
    const double t42 = -(3.0*hhx3_1_z + lf3_2*t20 + lf3_1*t19);
    dqdd_dqd[6] = t42;
    const double t43 = -(3.0*hhx3_2_z + lf3_2*t23 + lf3_1*t22);
    dqdd_dqd[7] = t43;
    const double t44 = -t13;
    dqdd_dtau[1] = t44;
    dqdd_dtau[3] = t44;
    const double t45 = -t16;
    dqdd_dtau[5] = t45;
    dqdd_dtau[7] = t45;
}

/* tau_f = friction of joints and transmissions.
 * 0 mul, 0 add, 0 div, 0 sincos. Proved on 1000 states within 1e-12.
 *
 *   qd     in   3  joint velocities, rad/s
 *   tau_f  out  3  joint forces of friction; motors have to supply tau + tau_f, N m
 */
template <class Array1, class Array2>
PLANAR3_FUNCTION void planar3_friction_forces(const Array1 qd, Array2 tau_f)
{
    (void)qd;
    /* Results that require no operation */
    tau_f[0] = 0.0;
    tau_f[1] = 0.0;
    tau_f[2] = 0.0;
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
template <class Array1, class Array2, class Array3>
PLANAR3_FUNCTION void planar3_background(const Array1 q, const Array2 qd, Array3 state_)
{
    /* Results that require no operation */
    state_[5] = 0.3333333333333333;

    /* Joint positions */
    double s1, c1;
    planar3_sincos(q[0], s1, c1);
    double s2, c2;
    planar3_sincos(q[1], s2, c2);
    double s3, c3;
    planar3_sincos(q[2], s3, c3);
    const double ms3_x = 0.5*c3;
    const double ms3_y = 0.5*s3;

    /* Outward, body 1 (upper_arm) */
    const double minus_l1_xx = qd[0]*qd[0];
    const double a1_x = 9.81*s1;
    const double a1_y = 9.81*c1;

    /* Outward, body 2 (forearm) */
    const double w2_z = qd[0] + qd[1];
    const double minus_l2_xx = w2_z*w2_z;
    const double t1 = a1_x - minus_l1_xx;
    const double a2_x = c2*t1 + s2*a1_y;
    const double a2_y = c2*a1_y - s2*t1;

    /* Outward, body 3 (hand) */
    const double w3_z = w2_z + qd[2];
    const double minus_l3_xx = w3_z*w3_z;
    const double a3_x = a2_x - minus_l2_xx;

    /* Inward, body 3 (hand) */
    const double minus_bf3_x = minus_l3_xx*ms3_x;
    const double minus_bf3_y = minus_l3_xx*ms3_y;
    const double bm3_z = ms3_x*a2_y - ms3_y*a3_x;
    state_[8] = bm3_z;

    /* Inward, body 2 (forearm) */
    const double minus_bf2_x = 1.5*minus_l2_xx;
    const double bm2_z = 1.5*a2_y;
    const double minus_f2_x = minus_bf2_x + minus_bf3_x;
    const double n2_z = bm2_z + (bm3_z - minus_bf3_y);
    state_[7] = n2_z;
    const double minus_f1_y = c2*minus_bf3_y + s2*minus_f2_x;

    /* Inward, body 1 (upper_arm) */
    const double bm1_z = 24.525*c1;
    const double n1_z = bm1_z + (n2_z - minus_f1_y);
    state_[6] = n1_z;

    /* Composite of body 3 (hand) */
    const double cms2_x = 1.5 + ms3_x;
    const double cj2_zz = c3 + 1.6666666666666667;
    state_[2] = cj2_zz;

    /* Composite of body 2 (forearm) */
    const double t2 = s2*ms3_y;
    const double p2_1_y = c2*cms2_x - t2;
    const double h2_1_z = cj2_zz + p2_1_y;
    state_[1] = h2_1_z;
    const double cj1_zz = 2.3333333333333335 + h2_1_z + p2_1_y;
    state_[0] = cj1_zz;

    /* Mass matrix, joint 3 (hand) */
    const double h3_2_z = 0.3333333333333333 + ms3_x;
    state_[4] = h3_2_z;
    const double p3_1_y = c2*ms3_x - t2;
    const double h3_1_z = h3_2_z + p3_1_y;
    state_[3] = h3_1_z;
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
template <class Array1, class Array2>
PLANAR3_FUNCTION void planar3_background_inertia(const Array1 q, Array2 state_)
{
    /* Results that require no operation */
    state_[5] = 0.3333333333333333;

    /* Joint positions */
    double s1, c1;
    planar3_sincos(q[0], s1, c1);
    double s2, c2;
    planar3_sincos(q[1], s2, c2);
    const double theta3 = q[1] + q[2];
    double s3, c3;
    planar3_sincos(theta3, s3, c3);

    /* Composite of body 3 (hand) */
    const double t1 = s2*s3 + c2*c3;
    const double cj2_zz = 1.6666666666666667 + t1;
    state_[2] = cj2_zz;

    /* Composite of body 2 (forearm) */
    const double t2 = 4.905*c3;
    const double t3 = 14.715*c2 + t2;
    const double t4 = 0.1019367991845056*t3;
    const double h2_1_z = t4 + cj2_zz;
    state_[1] = h2_1_z;
    const double cj1_zz = 2.3333333333333335 + h2_1_z + t4;
    state_[0] = cj1_zz;

    /* Gravity */
    const double t5 = 4.905*s1*s3;
    const double minus_g2 = t5 + 14.715*s1*s2 - c1*t3;
    const double g1 = 24.525*c1 - minus_g2;
    state_[6] = g1;
    const double g2 = -minus_g2;
    state_[7] = g2;
    const double g3 = c1*t2 - t5;
    state_[8] = g3;

    /* Mass matrix, joint 3 (hand) */
    const double h3_2_z = 0.3333333333333333 + 0.5*t1;
    state_[4] = h3_2_z;
    const double h3_1_z = 0.5*c3 + h3_2_z;
    state_[3] = h3_1_z;
}

/* tau = M qdd + (C qd + g), from the state.
 * 9 mul, 9 add, 0 div, 0 sincos. Proved on 1000 states within 1e-12.
 *
 *   state  in   9  lower triangle of the mass matrix, row by row, then forces, kg m^2 or N m
 *   qdd    in   3  joint accelerations, rad/s^2
 *   tau    out  3  joint forces, N m
 */
template <class Array1, class Array2, class Array3>
PLANAR3_FUNCTION void planar3_synchronous(const Array1 state_, const Array2 qdd, Array3 tau)
{
    const double t1 = state_[6] + state_[0]*qdd[0] + state_[1]*qdd[1] + state_[3]*qdd[2];
    tau[0] = t1;
    const double t2 = state_[7] + state_[1]*qdd[0] + state_[2]*qdd[1] + state_[4]*qdd[2];
    tau[1] = t2;
    const double t3 = state_[8] + state_[3]*qdd[0] + state_[4]*qdd[1] + state_[5]*qdd[2];
    tau[2] = t3;
}

/* inverse_dynamics of many states. */
PLANAR3_KERNEL planar3_inverse_dynamics_batch(size_t count, size_t stride,
                                              const double *__restrict__ q,
                                              const double *__restrict__ qd,
                                              const double *__restrict__ qdd,
                                              double *__restrict__ tau)
{
    const size_t state = (size_t)PLANAR3_BLOCK.x*PLANAR3_BLOCK_SIZE + PLANAR3_THREAD.x;
    if (state >= count) {
        return;
    }
    planar3_inverse_dynamics(planar3_inputs{q + state, stride},
        planar3_inputs{qd + state, stride}, planar3_inputs{qdd + state, stride},
        planar3_results{tau + state, stride});
}
PLANAR3_DEFINE_LAUNCH(
    planar3_inverse_dynamics_launch, planar3_inverse_dynamics_batch, 1, 0,
    (size_t count, size_t stride, const double *q, const double *qd, const double *qdd, double *tau, planar3_stream stream),
    (count, stride, q, qd, qdd, tau))

/* inverse_dynamics_reference of many states. */
PLANAR3_KERNEL planar3_inverse_dynamics_reference_batch(size_t count, size_t stride,
                                                        const double *__restrict__ q,
                                                        const double *__restrict__ qd,
                                                        const double *__restrict__ qd_reference,
                                                        const double *__restrict__ qdd_reference,
                                                        double *__restrict__ tau)
{
    const size_t state = (size_t)PLANAR3_BLOCK.x*PLANAR3_BLOCK_SIZE + PLANAR3_THREAD.x;
    if (state >= count) {
        return;
    }
    planar3_inverse_dynamics_reference(planar3_inputs{q + state, stride},
        planar3_inputs{qd + state, stride}, planar3_inputs{qd_reference + state, stride},
        planar3_inputs{qdd_reference + state, stride}, planar3_results{tau + state, stride});
}
PLANAR3_DEFINE_LAUNCH(
    planar3_inverse_dynamics_reference_launch, planar3_inverse_dynamics_reference_batch, 1, 0,
    (size_t count, size_t stride, const double *q, const double *qd, const double *qd_reference, const double *qdd_reference, double *tau, planar3_stream stream),
    (count, stride, q, qd, qd_reference, qdd_reference, tau))

/* gravity_forces of many states. */
PLANAR3_KERNEL planar3_gravity_forces_batch(size_t count, size_t stride,
                                            const double *__restrict__ q, double *__restrict__ g)
{
    const size_t state = (size_t)PLANAR3_BLOCK.x*PLANAR3_BLOCK_SIZE + PLANAR3_THREAD.x;
    if (state >= count) {
        return;
    }
    planar3_gravity_forces(planar3_inputs{q + state, stride},
        planar3_results{g + state, stride});
}
PLANAR3_DEFINE_LAUNCH(
    planar3_gravity_forces_launch, planar3_gravity_forces_batch, 1, 0,
    (size_t count, size_t stride, const double *q, double *g, planar3_stream stream),
    (count, stride, q, g))

/* coriolis_forces of many states. */
PLANAR3_KERNEL planar3_coriolis_forces_batch(size_t count, size_t stride,
                                             const double *__restrict__ q,
                                             const double *__restrict__ qd, double *__restrict__ c)
{
    const size_t state = (size_t)PLANAR3_BLOCK.x*PLANAR3_BLOCK_SIZE + PLANAR3_THREAD.x;
    if (state >= count) {
        return;
    }
    planar3_coriolis_forces(planar3_inputs{q + state, stride},
        planar3_inputs{qd + state, stride}, planar3_results{c + state, stride});
}
PLANAR3_DEFINE_LAUNCH(
    planar3_coriolis_forces_launch, planar3_coriolis_forces_batch, 1, 0,
    (size_t count, size_t stride, const double *q, const double *qd, double *c, planar3_stream stream),
    (count, stride, q, qd, c))

/* bias_forces of many states. */
PLANAR3_KERNEL planar3_bias_forces_batch(size_t count, size_t stride, const double *__restrict__ q,
                                         const double *__restrict__ qd, double *__restrict__ h)
{
    const size_t state = (size_t)PLANAR3_BLOCK.x*PLANAR3_BLOCK_SIZE + PLANAR3_THREAD.x;
    if (state >= count) {
        return;
    }
    planar3_bias_forces(planar3_inputs{q + state, stride},
        planar3_inputs{qd + state, stride}, planar3_results{h + state, stride});
}
PLANAR3_DEFINE_LAUNCH(
    planar3_bias_forces_launch, planar3_bias_forces_batch, 1, 0,
    (size_t count, size_t stride, const double *q, const double *qd, double *h, planar3_stream stream),
    (count, stride, q, qd, h))

/* joint_wrenches of many states. */
PLANAR3_KERNEL planar3_joint_wrenches_batch(size_t count, size_t stride,
                                            const double *__restrict__ q,
                                            const double *__restrict__ qd,
                                            const double *__restrict__ qdd, double *__restrict__ f)
{
    const size_t state = (size_t)PLANAR3_BLOCK.x*PLANAR3_BLOCK_SIZE + PLANAR3_THREAD.x;
    if (state >= count) {
        return;
    }
    planar3_joint_wrenches(planar3_inputs{q + state, stride},
        planar3_inputs{qd + state, stride}, planar3_inputs{qdd + state, stride},
        planar3_results{f + state, stride});
}
PLANAR3_DEFINE_LAUNCH(
    planar3_joint_wrenches_launch, planar3_joint_wrenches_batch, 1, 0,
    (size_t count, size_t stride, const double *q, const double *qd, const double *qdd, double *f, planar3_stream stream),
    (count, stride, q, qd, qdd, f))

/* mass_matrix of many states. */
PLANAR3_KERNEL planar3_mass_matrix_batch(size_t count, size_t stride, const double *__restrict__ q,
                                         double *__restrict__ M)
{
    const size_t state = (size_t)PLANAR3_BLOCK.x*PLANAR3_BLOCK_SIZE + PLANAR3_THREAD.x;
    if (state >= count) {
        return;
    }
    planar3_mass_matrix(planar3_inputs{q + state, stride},
        planar3_results{M + state, stride});
}
PLANAR3_DEFINE_LAUNCH(
    planar3_mass_matrix_launch, planar3_mass_matrix_batch, 1, 0,
    (size_t count, size_t stride, const double *q, double *M, planar3_stream stream),
    (count, stride, q, M))

/* coriolis_matrix of many states. */
PLANAR3_KERNEL planar3_coriolis_matrix_batch(size_t count, size_t stride,
                                             const double *__restrict__ q,
                                             const double *__restrict__ qd, double *__restrict__ C)
{
    const size_t state = (size_t)PLANAR3_BLOCK.x*PLANAR3_BLOCK_SIZE + PLANAR3_THREAD.x;
    if (state >= count) {
        return;
    }
    planar3_coriolis_matrix(planar3_inputs{q + state, stride},
        planar3_inputs{qd + state, stride}, planar3_results{C + state, stride});
}
PLANAR3_DEFINE_LAUNCH(
    planar3_coriolis_matrix_launch, planar3_coriolis_matrix_batch, 1, 0,
    (size_t count, size_t stride, const double *q, const double *qd, double *C, planar3_stream stream),
    (count, stride, q, qd, C))

/* momentum_bias of many states. */
PLANAR3_KERNEL planar3_momentum_bias_batch(size_t count, size_t stride,
                                           const double *__restrict__ q,
                                           const double *__restrict__ qd, double *__restrict__ beta)
{
    const size_t state = (size_t)PLANAR3_BLOCK.x*PLANAR3_BLOCK_SIZE + PLANAR3_THREAD.x;
    if (state >= count) {
        return;
    }
    planar3_momentum_bias(planar3_inputs{q + state, stride},
        planar3_inputs{qd + state, stride}, planar3_results{beta + state, stride});
}
PLANAR3_DEFINE_LAUNCH(
    planar3_momentum_bias_launch, planar3_momentum_bias_batch, 1, 0,
    (size_t count, size_t stride, const double *q, const double *qd, double *beta, planar3_stream stream),
    (count, stride, q, qd, beta))

/* kinetic_energy of many states. */
PLANAR3_KERNEL planar3_kinetic_energy_batch(size_t count, size_t stride,
                                            const double *__restrict__ q,
                                            const double *__restrict__ qd, double *__restrict__ T)
{
    const size_t state = (size_t)PLANAR3_BLOCK.x*PLANAR3_BLOCK_SIZE + PLANAR3_THREAD.x;
    if (state >= count) {
        return;
    }
    planar3_kinetic_energy(planar3_inputs{q + state, stride},
        planar3_inputs{qd + state, stride}, planar3_results{T + state, stride});
}
PLANAR3_DEFINE_LAUNCH(
    planar3_kinetic_energy_launch, planar3_kinetic_energy_batch, 1, 0,
    (size_t count, size_t stride, const double *q, const double *qd, double *T, planar3_stream stream),
    (count, stride, q, qd, T))

/* potential_energy of many states. */
PLANAR3_KERNEL planar3_potential_energy_batch(size_t count, size_t stride,
                                              const double *__restrict__ q, double *__restrict__ U)
{
    const size_t state = (size_t)PLANAR3_BLOCK.x*PLANAR3_BLOCK_SIZE + PLANAR3_THREAD.x;
    if (state >= count) {
        return;
    }
    planar3_potential_energy(planar3_inputs{q + state, stride},
        planar3_results{U + state, stride});
}
PLANAR3_DEFINE_LAUNCH(
    planar3_potential_energy_launch, planar3_potential_energy_batch, 1, 0,
    (size_t count, size_t stride, const double *q, double *U, planar3_stream stream),
    (count, stride, q, U))

/* forward_dynamics of many states. */
PLANAR3_KERNEL planar3_forward_dynamics_batch(size_t count, size_t stride,
                                              const double *__restrict__ q,
                                              const double *__restrict__ qd,
                                              const double *__restrict__ tau,
                                              double *__restrict__ qdd)
{
    const size_t state = (size_t)PLANAR3_BLOCK.x*PLANAR3_BLOCK_SIZE + PLANAR3_THREAD.x;
    if (state >= count) {
        return;
    }
    planar3_forward_dynamics(planar3_inputs{q + state, stride},
        planar3_inputs{qd + state, stride}, planar3_inputs{tau + state, stride},
        planar3_results{qdd + state, stride});
}
PLANAR3_DEFINE_LAUNCH(
    planar3_forward_dynamics_launch, planar3_forward_dynamics_batch, 1, 0,
    (size_t count, size_t stride, const double *q, const double *qd, const double *tau, double *qdd, planar3_stream stream),
    (count, stride, q, qd, tau, qdd))

/* mass_matrix_inverse of many states. */
PLANAR3_KERNEL planar3_mass_matrix_inverse_batch(size_t count, size_t stride,
                                                 const double *__restrict__ q,
                                                 double *__restrict__ Minv)
{
    const size_t state = (size_t)PLANAR3_BLOCK.x*PLANAR3_BLOCK_SIZE + PLANAR3_THREAD.x;
    if (state >= count) {
        return;
    }
    planar3_mass_matrix_inverse(planar3_inputs{q + state, stride},
        planar3_results{Minv + state, stride});
}
PLANAR3_DEFINE_LAUNCH(
    planar3_mass_matrix_inverse_launch, planar3_mass_matrix_inverse_batch, 1, 0,
    (size_t count, size_t stride, const double *q, double *Minv, planar3_stream stream),
    (count, stride, q, Minv))

/* regressor of many states. */
PLANAR3_KERNEL planar3_regressor_batch(size_t count, size_t stride, const double *__restrict__ q,
                                       const double *__restrict__ qd,
                                       const double *__restrict__ qdd, double *__restrict__ Y)
{
    const size_t state = (size_t)PLANAR3_BLOCK.x*PLANAR3_BLOCK_SIZE + PLANAR3_THREAD.x;
    if (state >= count) {
        return;
    }
    planar3_regressor(planar3_inputs{q + state, stride}, planar3_inputs{qd + state, stride},
        planar3_inputs{qdd + state, stride}, planar3_results{Y + state, stride});
}
PLANAR3_DEFINE_LAUNCH(
    planar3_regressor_launch, planar3_regressor_batch, 1, 0,
    (size_t count, size_t stride, const double *q, const double *qd, const double *qdd, double *Y, planar3_stream stream),
    (count, stride, q, qd, qdd, Y))

/* base_regressor of many states. */
PLANAR3_KERNEL planar3_base_regressor_batch(size_t count, size_t stride,
                                            const double *__restrict__ q,
                                            const double *__restrict__ qd,
                                            const double *__restrict__ qdd, double *__restrict__ Y)
{
    const size_t state = (size_t)PLANAR3_BLOCK.x*PLANAR3_BLOCK_SIZE + PLANAR3_THREAD.x;
    if (state >= count) {
        return;
    }
    planar3_base_regressor(planar3_inputs{q + state, stride},
        planar3_inputs{qd + state, stride}, planar3_inputs{qdd + state, stride},
        planar3_results{Y + state, stride});
}
PLANAR3_DEFINE_LAUNCH(
    planar3_base_regressor_launch, planar3_base_regressor_batch, 1, 0,
    (size_t count, size_t stride, const double *q, const double *qd, const double *qdd, double *Y, planar3_stream stream),
    (count, stride, q, qd, qdd, Y))

/* inverse_dynamics_reference_regressor of many states. */
PLANAR3_KERNEL planar3_inverse_dynamics_reference_regressor_batch(size_t count, size_t stride,
                                                                  const double *__restrict__ q,
                                                                  const double *__restrict__ qd,
                                                                  const double *__restrict__ qd_reference,
                                                                  const double *__restrict__ qdd_reference,
                                                                  double *__restrict__ Y)
{
    const size_t state = (size_t)PLANAR3_BLOCK.x*PLANAR3_BLOCK_SIZE + PLANAR3_THREAD.x;
    if (state >= count) {
        return;
    }
    planar3_inverse_dynamics_reference_regressor(planar3_inputs{q + state, stride},
        planar3_inputs{qd + state, stride}, planar3_inputs{qd_reference + state, stride},
        planar3_inputs{qdd_reference + state, stride}, planar3_results{Y + state, stride});
}
PLANAR3_DEFINE_LAUNCH(
    planar3_inverse_dynamics_reference_regressor_launch, planar3_inverse_dynamics_reference_regressor_batch, 1, 0,
    (size_t count, size_t stride, const double *q, const double *qd, const double *qd_reference, const double *qdd_reference, double *Y, planar3_stream stream),
    (count, stride, q, qd, qd_reference, qdd_reference, Y))

/* base_parameters of many states. */
PLANAR3_KERNEL planar3_base_parameters_batch(size_t count, size_t stride,
                                             const double *__restrict__ pi,
                                             double *__restrict__ pi_base)
{
    const size_t state = (size_t)PLANAR3_BLOCK.x*PLANAR3_BLOCK_SIZE + PLANAR3_THREAD.x;
    if (state >= count) {
        return;
    }
    planar3_base_parameters(planar3_inputs{pi + state, stride},
        planar3_results{pi_base + state, stride});
}
PLANAR3_DEFINE_LAUNCH(
    planar3_base_parameters_launch, planar3_base_parameters_batch, 1, 0,
    (size_t count, size_t stride, const double *pi, double *pi_base, planar3_stream stream),
    (count, stride, pi, pi_base))

/* kinetic_energy_regressor of many states. */
PLANAR3_KERNEL planar3_kinetic_energy_regressor_batch(size_t count, size_t stride,
                                                      const double *__restrict__ q,
                                                      const double *__restrict__ qd,
                                                      double *__restrict__ YT)
{
    const size_t state = (size_t)PLANAR3_BLOCK.x*PLANAR3_BLOCK_SIZE + PLANAR3_THREAD.x;
    if (state >= count) {
        return;
    }
    planar3_kinetic_energy_regressor(planar3_inputs{q + state, stride},
        planar3_inputs{qd + state, stride}, planar3_results{YT + state, stride});
}
PLANAR3_DEFINE_LAUNCH(
    planar3_kinetic_energy_regressor_launch, planar3_kinetic_energy_regressor_batch, 1, 0,
    (size_t count, size_t stride, const double *q, const double *qd, double *YT, planar3_stream stream),
    (count, stride, q, qd, YT))

/* potential_energy_regressor of many states. */
PLANAR3_KERNEL planar3_potential_energy_regressor_batch(size_t count, size_t stride,
                                                        const double *__restrict__ q,
                                                        double *__restrict__ YU)
{
    const size_t state = (size_t)PLANAR3_BLOCK.x*PLANAR3_BLOCK_SIZE + PLANAR3_THREAD.x;
    if (state >= count) {
        return;
    }
    planar3_potential_energy_regressor(planar3_inputs{q + state, stride},
        planar3_results{YU + state, stride});
}
PLANAR3_DEFINE_LAUNCH(
    planar3_potential_energy_regressor_launch, planar3_potential_energy_regressor_batch, 1, 0,
    (size_t count, size_t stride, const double *q, double *YU, planar3_stream stream),
    (count, stride, q, YU))

/* forward_kinematics of many states. */
PLANAR3_KERNEL planar3_forward_kinematics_batch(size_t count, size_t stride,
                                                const double *__restrict__ q,
                                                double *__restrict__ R, double *__restrict__ p)
{
    const size_t state = (size_t)PLANAR3_BLOCK.x*PLANAR3_BLOCK_SIZE + PLANAR3_THREAD.x;
    if (state >= count) {
        return;
    }
    planar3_forward_kinematics(planar3_inputs{q + state, stride},
        planar3_results{R + state, stride}, planar3_results{p + state, stride});
}
PLANAR3_DEFINE_LAUNCH(
    planar3_forward_kinematics_launch, planar3_forward_kinematics_batch, 1, 0,
    (size_t count, size_t stride, const double *q, double *R, double *p, planar3_stream stream),
    (count, stride, q, R, p))

/* jacobian of many states. */
PLANAR3_KERNEL planar3_jacobian_batch(size_t count, size_t stride, const double *__restrict__ q,
                                      double *__restrict__ J)
{
    const size_t state = (size_t)PLANAR3_BLOCK.x*PLANAR3_BLOCK_SIZE + PLANAR3_THREAD.x;
    if (state >= count) {
        return;
    }
    planar3_jacobian(planar3_inputs{q + state, stride}, planar3_results{J + state, stride});
}
PLANAR3_DEFINE_LAUNCH(
    planar3_jacobian_launch, planar3_jacobian_batch, 1, 0,
    (size_t count, size_t stride, const double *q, double *J, planar3_stream stream),
    (count, stride, q, J))

/* body_jacobian of many states. */
PLANAR3_KERNEL planar3_body_jacobian_batch(size_t count, size_t stride,
                                           const double *__restrict__ q, double *__restrict__ J)
{
    const size_t state = (size_t)PLANAR3_BLOCK.x*PLANAR3_BLOCK_SIZE + PLANAR3_THREAD.x;
    if (state >= count) {
        return;
    }
    planar3_body_jacobian(planar3_inputs{q + state, stride},
        planar3_results{J + state, stride});
}
PLANAR3_DEFINE_LAUNCH(
    planar3_body_jacobian_launch, planar3_body_jacobian_batch, 1, 0,
    (size_t count, size_t stride, const double *q, double *J, planar3_stream stream),
    (count, stride, q, J))

/* jacobian_dot_qd of many states. */
PLANAR3_KERNEL planar3_jacobian_dot_qd_batch(size_t count, size_t stride,
                                             const double *__restrict__ q,
                                             const double *__restrict__ qd,
                                             double *__restrict__ Jdqd)
{
    const size_t state = (size_t)PLANAR3_BLOCK.x*PLANAR3_BLOCK_SIZE + PLANAR3_THREAD.x;
    if (state >= count) {
        return;
    }
    planar3_jacobian_dot_qd(planar3_inputs{q + state, stride},
        planar3_inputs{qd + state, stride}, planar3_results{Jdqd + state, stride});
}
PLANAR3_DEFINE_LAUNCH(
    planar3_jacobian_dot_qd_launch, planar3_jacobian_dot_qd_batch, 1, 0,
    (size_t count, size_t stride, const double *q, const double *qd, double *Jdqd, planar3_stream stream),
    (count, stride, q, qd, Jdqd))

/* frame_velocity of many states. */
PLANAR3_KERNEL planar3_frame_velocity_batch(size_t count, size_t stride,
                                            const double *__restrict__ q,
                                            const double *__restrict__ qd, double *__restrict__ V)
{
    const size_t state = (size_t)PLANAR3_BLOCK.x*PLANAR3_BLOCK_SIZE + PLANAR3_THREAD.x;
    if (state >= count) {
        return;
    }
    planar3_frame_velocity(planar3_inputs{q + state, stride},
        planar3_inputs{qd + state, stride}, planar3_results{V + state, stride});
}
PLANAR3_DEFINE_LAUNCH(
    planar3_frame_velocity_launch, planar3_frame_velocity_batch, 1, 0,
    (size_t count, size_t stride, const double *q, const double *qd, double *V, planar3_stream stream),
    (count, stride, q, qd, V))

/* frame_acceleration of many states. */
PLANAR3_KERNEL planar3_frame_acceleration_batch(size_t count, size_t stride,
                                                const double *__restrict__ q,
                                                const double *__restrict__ qd,
                                                const double *__restrict__ qdd,
                                                double *__restrict__ Vd)
{
    const size_t state = (size_t)PLANAR3_BLOCK.x*PLANAR3_BLOCK_SIZE + PLANAR3_THREAD.x;
    if (state >= count) {
        return;
    }
    planar3_frame_acceleration(planar3_inputs{q + state, stride},
        planar3_inputs{qd + state, stride}, planar3_inputs{qdd + state, stride},
        planar3_results{Vd + state, stride});
}
PLANAR3_DEFINE_LAUNCH(
    planar3_frame_acceleration_launch, planar3_frame_acceleration_batch, 1, 0,
    (size_t count, size_t stride, const double *q, const double *qd, const double *qdd, double *Vd, planar3_stream stream),
    (count, stride, q, qd, qdd, Vd))

/* inverse_operational_inertia of many states. */
PLANAR3_KERNEL planar3_inverse_operational_inertia_batch(size_t count, size_t stride,
                                                         const double *__restrict__ q,
                                                         double *__restrict__ A)
{
    const size_t state = (size_t)PLANAR3_BLOCK.x*PLANAR3_BLOCK_SIZE + PLANAR3_THREAD.x;
    if (state >= count) {
        return;
    }
    planar3_inverse_operational_inertia(planar3_inputs{q + state, stride},
        planar3_results{A + state, stride});
}
PLANAR3_DEFINE_LAUNCH(
    planar3_inverse_operational_inertia_launch, planar3_inverse_operational_inertia_batch, 1, 0,
    (size_t count, size_t stride, const double *q, double *A, planar3_stream stream),
    (count, stride, q, A))

/* center_of_mass of many states. */
PLANAR3_KERNEL planar3_center_of_mass_batch(size_t count, size_t stride,
                                            const double *__restrict__ q, double *__restrict__ com)
{
    const size_t state = (size_t)PLANAR3_BLOCK.x*PLANAR3_BLOCK_SIZE + PLANAR3_THREAD.x;
    if (state >= count) {
        return;
    }
    planar3_center_of_mass(planar3_inputs{q + state, stride},
        planar3_results{com + state, stride});
}
PLANAR3_DEFINE_LAUNCH(
    planar3_center_of_mass_launch, planar3_center_of_mass_batch, 1, 0,
    (size_t count, size_t stride, const double *q, double *com, planar3_stream stream),
    (count, stride, q, com))

/* com_jacobian of many states. */
PLANAR3_KERNEL planar3_com_jacobian_batch(size_t count, size_t stride,
                                          const double *__restrict__ q, double *__restrict__ Jcom)
{
    const size_t state = (size_t)PLANAR3_BLOCK.x*PLANAR3_BLOCK_SIZE + PLANAR3_THREAD.x;
    if (state >= count) {
        return;
    }
    planar3_com_jacobian(planar3_inputs{q + state, stride},
        planar3_results{Jcom + state, stride});
}
PLANAR3_DEFINE_LAUNCH(
    planar3_com_jacobian_launch, planar3_com_jacobian_batch, 1, 0,
    (size_t count, size_t stride, const double *q, double *Jcom, planar3_stream stream),
    (count, stride, q, Jcom))

/* centroidal_momentum_matrix of many states. */
PLANAR3_KERNEL planar3_centroidal_momentum_matrix_batch(size_t count, size_t stride,
                                                        const double *__restrict__ q,
                                                        double *__restrict__ Ag)
{
    const size_t state = (size_t)PLANAR3_BLOCK.x*PLANAR3_BLOCK_SIZE + PLANAR3_THREAD.x;
    if (state >= count) {
        return;
    }
    planar3_centroidal_momentum_matrix(planar3_inputs{q + state, stride},
        planar3_results{Ag + state, stride});
}
PLANAR3_DEFINE_LAUNCH(
    planar3_centroidal_momentum_matrix_launch, planar3_centroidal_momentum_matrix_batch, 1, 0,
    (size_t count, size_t stride, const double *q, double *Ag, planar3_stream stream),
    (count, stride, q, Ag))

/* centroidal_momentum_matrix_dot_qd of many states. */
PLANAR3_KERNEL planar3_centroidal_momentum_matrix_dot_qd_batch(size_t count, size_t stride,
                                                               const double *__restrict__ q,
                                                               const double *__restrict__ qd,
                                                               double *__restrict__ dAg_qd)
{
    const size_t state = (size_t)PLANAR3_BLOCK.x*PLANAR3_BLOCK_SIZE + PLANAR3_THREAD.x;
    if (state >= count) {
        return;
    }
    planar3_centroidal_momentum_matrix_dot_qd(planar3_inputs{q + state, stride},
        planar3_inputs{qd + state, stride}, planar3_results{dAg_qd + state, stride});
}
PLANAR3_DEFINE_LAUNCH(
    planar3_centroidal_momentum_matrix_dot_qd_launch, planar3_centroidal_momentum_matrix_dot_qd_batch, 1, 0,
    (size_t count, size_t stride, const double *q, const double *qd, double *dAg_qd, planar3_stream stream),
    (count, stride, q, qd, dAg_qd))

/* inverse_dynamics_derivatives of many states. */
PLANAR3_KERNEL planar3_inverse_dynamics_derivatives_batch(size_t count, size_t stride,
                                                          const double *__restrict__ q,
                                                          const double *__restrict__ qd,
                                                          const double *__restrict__ qdd,
                                                          double *__restrict__ dtau_dq,
                                                          double *__restrict__ dtau_dqd)
{
    const size_t state = (size_t)PLANAR3_BLOCK.x*PLANAR3_BLOCK_SIZE + PLANAR3_THREAD.x;
    if (state >= count) {
        return;
    }
    planar3_inverse_dynamics_derivatives(planar3_inputs{q + state, stride},
        planar3_inputs{qd + state, stride}, planar3_inputs{qdd + state, stride},
        planar3_results{dtau_dq + state, stride}, planar3_results{dtau_dqd + state, stride});
}
PLANAR3_DEFINE_LAUNCH(
    planar3_inverse_dynamics_derivatives_launch, planar3_inverse_dynamics_derivatives_batch, 1, 0,
    (size_t count, size_t stride, const double *q, const double *qd, const double *qdd, double *dtau_dq, double *dtau_dqd, planar3_stream stream),
    (count, stride, q, qd, qdd, dtau_dq, dtau_dqd))

/* forward_dynamics_derivatives of many states. */
PLANAR3_KERNEL planar3_forward_dynamics_derivatives_batch(size_t count, size_t stride,
                                                          const double *__restrict__ q,
                                                          const double *__restrict__ qd,
                                                          const double *__restrict__ tau,
                                                          double *__restrict__ dqdd_dq,
                                                          double *__restrict__ dqdd_dqd,
                                                          double *__restrict__ dqdd_dtau)
{
    const size_t state = (size_t)PLANAR3_BLOCK.x*PLANAR3_BLOCK_SIZE + PLANAR3_THREAD.x;
    if (state >= count) {
        return;
    }
    planar3_forward_dynamics_derivatives(planar3_inputs{q + state, stride},
        planar3_inputs{qd + state, stride}, planar3_inputs{tau + state, stride},
        planar3_results{dqdd_dq + state, stride}, planar3_results{dqdd_dqd + state, stride},
        planar3_results{dqdd_dtau + state, stride});
}
PLANAR3_DEFINE_LAUNCH(
    planar3_forward_dynamics_derivatives_launch, planar3_forward_dynamics_derivatives_batch, 1, 0,
    (size_t count, size_t stride, const double *q, const double *qd, const double *tau, double *dqdd_dq, double *dqdd_dqd, double *dqdd_dtau, planar3_stream stream),
    (count, stride, q, qd, tau, dqdd_dq, dqdd_dqd, dqdd_dtau))

/* friction_forces of many states. */
PLANAR3_KERNEL planar3_friction_forces_batch(size_t count, size_t stride,
                                             const double *__restrict__ qd,
                                             double *__restrict__ tau_f)
{
    const size_t state = (size_t)PLANAR3_BLOCK.x*PLANAR3_BLOCK_SIZE + PLANAR3_THREAD.x;
    if (state >= count) {
        return;
    }
    planar3_friction_forces(planar3_inputs{qd + state, stride},
        planar3_results{tau_f + state, stride});
}
PLANAR3_DEFINE_LAUNCH(
    planar3_friction_forces_launch, planar3_friction_forces_batch, 1, 0,
    (size_t count, size_t stride, const double *qd, double *tau_f, planar3_stream stream),
    (count, stride, qd, tau_f))

/* background of many states. */
PLANAR3_KERNEL planar3_background_batch(size_t count, size_t stride, const double *__restrict__ q,
                                        const double *__restrict__ qd, double *__restrict__ state_)
{
    const size_t state = (size_t)PLANAR3_BLOCK.x*PLANAR3_BLOCK_SIZE + PLANAR3_THREAD.x;
    if (state >= count) {
        return;
    }
    planar3_background(planar3_inputs{q + state, stride},
        planar3_inputs{qd + state, stride}, planar3_results{state_ + state, stride});
}
PLANAR3_DEFINE_LAUNCH(
    planar3_background_launch, planar3_background_batch, 1, 0,
    (size_t count, size_t stride, const double *q, const double *qd, double *state_, planar3_stream stream),
    (count, stride, q, qd, state_))

/* background_inertia of many states. */
PLANAR3_KERNEL planar3_background_inertia_batch(size_t count, size_t stride,
                                                const double *__restrict__ q,
                                                double *__restrict__ state_)
{
    const size_t state = (size_t)PLANAR3_BLOCK.x*PLANAR3_BLOCK_SIZE + PLANAR3_THREAD.x;
    if (state >= count) {
        return;
    }
    planar3_background_inertia(planar3_inputs{q + state, stride},
        planar3_results{state_ + state, stride});
}
PLANAR3_DEFINE_LAUNCH(
    planar3_background_inertia_launch, planar3_background_inertia_batch, 1, 0,
    (size_t count, size_t stride, const double *q, double *state_, planar3_stream stream),
    (count, stride, q, state_))

/* synchronous of many states. */
PLANAR3_KERNEL planar3_synchronous_batch(size_t count, size_t stride,
                                         const double *__restrict__ state_,
                                         const double *__restrict__ qdd, double *__restrict__ tau)
{
    const size_t state = (size_t)PLANAR3_BLOCK.x*PLANAR3_BLOCK_SIZE + PLANAR3_THREAD.x;
    if (state >= count) {
        return;
    }
    planar3_synchronous(planar3_inputs{state_ + state, stride},
        planar3_inputs{qdd + state, stride}, planar3_results{tau + state, stride});
}
PLANAR3_DEFINE_LAUNCH(
    planar3_synchronous_launch, planar3_synchronous_batch, 1, 0,
    (size_t count, size_t stride, const double *state_, const double *qdd, double *tau, planar3_stream stream),
    (count, stride, state_, qdd, tau))

#endif
