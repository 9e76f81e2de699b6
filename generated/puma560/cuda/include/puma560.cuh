/* puma560: robot dynamics in straight-line CUDA, for device and host.
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
 */
#ifndef PUMA560_CUH
#define PUMA560_CUH

/* Threads of a block; a launch uses fewer threads if the GPU has too little shared memory. */
#define PUMA560_THREADS 64

#if defined(__CUDACC__) || defined(__HIPCC__)
/* CUDA and HIP. */
#if defined(__HIPCC__)
#include <hip/hip_runtime.h>
#endif
#define PUMA560_FUNCTION_OF_CLASS __host__ __device__ __forceinline__
#define PUMA560_KERNEL extern "C" __global__ __launch_bounds__(PUMA560_THREADS) void
#define PUMA560_SHARED __shared__
#define PUMA560_REQUESTED(type, name, count) extern __shared__ type name[]
#define PUMA560_BLOCK blockIdx
#define PUMA560_BLOCK_SIZE blockDim.x
#define PUMA560_THREAD threadIdx
#else
/* Plain C++: CUDA keywords are empty; numbers of block and thread, and size of blocks, are variables. */
#include <math.h>
#include <stddef.h>
#include <string.h>
#define PUMA560_FUNCTION_OF_CLASS inline
#define PUMA560_KERNEL static inline void
#define PUMA560_SHARED static thread_local
#define PUMA560_REQUESTED(type, name, count) static thread_local type name[count]
struct puma560_index {
    unsigned x, y;
};
static thread_local puma560_index puma560_block, puma560_thread;
static thread_local unsigned puma560_block_size = PUMA560_THREADS;
#define PUMA560_BLOCK puma560_block
#define PUMA560_BLOCK_SIZE puma560_block_size
#define PUMA560_THREAD puma560_thread
#endif

#define PUMA560_FUNCTION static PUMA560_FUNCTION_OF_CLASS

/* Loads through the cache for data that no thread changes. */
#if defined(__CUDA_ARCH__)
#define PUMA560_LOAD(place) __ldg(place)
#else
#define PUMA560_LOAD(place) (*(place))
#endif

/* Define a function that starts a kernel: it returns 0 or the error of the platform.
 * parameters and arguments are lists in parentheses; each of the parts has its own row of blocks.
 * bytes is the shared memory of a block that the kernel does not declare, because it exceeds 48 KiB. */
#if defined(__CUDACC_RTC__) || defined(__HIPCC_RTC__)
#define PUMA560_DEFINE_LAUNCH(name, kernel, parts, bytes, parameters, arguments)
#elif defined(__CUDACC__) || defined(__HIPCC__)
#if defined(__HIPCC__)
typedef hipStream_t puma560_stream;
#define PUMA560_LAST_ERROR hipGetLastError
#define PUMA560_GET_DEVICE hipGetDevice
#define PUMA560_GET_ATTRIBUTE hipDeviceGetAttribute
#define PUMA560_MOST_MEMORY hipDeviceAttributeMaxSharedMemoryPerBlock
#define PUMA560_SET_ATTRIBUTE hipFuncSetAttribute
#define PUMA560_DYNAMIC_MEMORY hipFuncAttributeMaxDynamicSharedMemorySize
#else
typedef cudaStream_t puma560_stream;
#define PUMA560_LAST_ERROR cudaGetLastError
#define PUMA560_GET_DEVICE cudaGetDevice
#define PUMA560_GET_ATTRIBUTE cudaDeviceGetAttribute
#define PUMA560_MOST_MEMORY cudaDevAttrMaxSharedMemoryPerBlockOptin
#define PUMA560_SET_ATTRIBUTE cudaFuncSetAttribute
#define PUMA560_DYNAMIC_MEMORY cudaFuncAttributeMaxDynamicSharedMemorySize
#endif

/* Request shared memory for a kernel, for as many threads as the GPU permits; return 0 or an error. */
static inline int puma560_request(const void *kernel, int bytes_of_thread, unsigned &threads)
{
    int device = 0, most = 0;
    int error = (int)PUMA560_GET_DEVICE(&device);
    if (error == 0) {
        error = (int)PUMA560_GET_ATTRIBUTE(&most, PUMA560_MOST_MEMORY, device);
    }
    while (threads > 1 && bytes_of_thread*(int)threads > most) {
        threads /= 2;
    }
    if (error == 0) {
        error = (int)PUMA560_SET_ATTRIBUTE(
            kernel, PUMA560_DYNAMIC_MEMORY, bytes_of_thread*(int)threads);
    }
    return error;
}

#define PUMA560_DEFINE_LAUNCH(name, kernel, parts, bytes, parameters, arguments) \
    static inline int name parameters \
    { \
        const int memory = (bytes)/PUMA560_THREADS; \
        unsigned threads = PUMA560_THREADS; \
        if (count == 0) { \
            return 0; \
        } \
        if (memory > 0) { \
            const int error = puma560_request((const void *)kernel, memory, threads); \
            if (error != 0) { \
                return error; \
            } \
        } \
        const dim3 blocks((unsigned)((count - 1)/threads + 1), parts); \
        kernel<<<blocks, threads, memory*threads, stream>>> arguments; \
        return (int)PUMA560_LAST_ERROR(); \
    }
#else
typedef void *puma560_stream;
#define PUMA560_DEFINE_LAUNCH(name, kernel, parts, bytes, parameters, arguments) \
    static inline int name parameters \
    { \
        const size_t blocks = count/PUMA560_THREADS + (count % PUMA560_THREADS != 0); \
        (void)stream; \
        for (puma560_block.y = 0; puma560_block.y < (parts); puma560_block.y++) { \
            for (puma560_block.x = 0; puma560_block.x < blocks; puma560_block.x++) { \
                for (puma560_thread.x = 0; puma560_thread.x < PUMA560_THREADS; puma560_thread.x++) { \
                    kernel arguments; \
                } \
            } \
        } \
        return 0; \
    }
#endif

/* Number of moving joints. */
constexpr int PUMA560_N = 6;

/* Compute sine and cosine of an angle of at most 1e9 rad; for larger angles, they are not a number.
 * An angle is a number of quarter turns and a remainder, whose sine and cosine are polynomials. The
 * quarters are subtracted in parts of pi/2 (W. J. Cody, W. Waite, 1980); a fused multiply-add does
 * not round the products. */
PUMA560_FUNCTION void puma560_sincos(double angle, double &sine, double &cosine)
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
PUMA560_FUNCTION double puma560_sin(double x)
{
    double sine, cosine;
    puma560_sincos(x, sine, cosine);
    return sine;
}

/* Compute the cosine of an angle. */
PUMA560_FUNCTION double puma560_cos(double x)
{
    double sine, cosine;
    puma560_sincos(x, sine, cosine);
    return cosine;
}

/* An array of inputs and an array of results; a thread reads or writes a column. */
struct puma560_inputs {
    const double *column;
    size_t stride;

    PUMA560_FUNCTION_OF_CLASS double operator[](int row) const
    {
        return PUMA560_LOAD(column + (size_t)row*stride);
    }
};

struct puma560_results {
    double *column;
    size_t stride;

    PUMA560_FUNCTION_OF_CLASS double &operator[](int row) const
    {
        return column[(size_t)row*stride];
    }
};

/* tau = M(q) qdd + C(q, qd) qd + g(q).
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
 */
template <class Array1, class Array2, class Array3, class Array4>
PUMA560_FUNCTION void puma560_inverse_dynamics(const Array1 q, const Array2 qd, const Array3 qdd,
                                               Array4 tau)
{
    /* Joint positions */
    double s2, c2;
    puma560_sincos(q[1], s2, c2);
    const double ms2_x = 3.79559*c2 - 0.1044*s2;
    const double t1 = 0.0141984*c2 + 1.601861202*s2;
    const double j2_xy = 0.0070992 - c2*t1;
    const double j2_xz = 0.023751*s2 - 0.690314699*c2;
    const double minus_j2_yz = 0.023751*c2 + 0.690314699*s2;
    const double t2 = 0.4318*c2;
    const double t3 = 0.4318*s2;
    const double theta3 = q[1] + q[2];
    double s3, c3;
    puma560_sincos(theta3, s3, c3);
    const double ms3_x = 0.861795*s3 - 0.025375*c3;
    const double minus_ms3_y = 0.861795*c3 + 0.025375*s3;
    const double t4 = 0.299575024*s3 - 0.021347277*c3;
    const double j3_xy = c3*t4 + 0.0106736385;
    const double j3_yz = 0.004704*c3;
    const double t5 = 0.4331*s3 - 0.0203*c3;
    const double t6 = 0.4331*c3 + 0.0203*s3;
    double s4, c4;
    puma560_sincos(q[3], s4, c4);
    double s5, c5;
    puma560_sincos(q[4], s5, c5);

    /* Outward, body 2 (upper_arm) */
    const double minus_wd2_x = qd[0]*qd[1];
    const double minus_l3_zz = qd[0]*qd[0];
    const double minus_l2_yy = qd[1]*qd[1];
    const double minus_l2_xx = minus_l3_zz + minus_l2_yy;
    const double minus_l2_zy = 2.0*minus_wd2_x;

    /* Outward, body 3 (forearm) */
    const double w3_z = qd[1] + qd[2];
    const double wd3_z = qdd[1] + qdd[2];
    const double minus_wd3_x = qd[0]*w3_z;
    const double minus_l3_yy = w3_z*w3_z;
    const double minus_l3_xx = minus_l3_zz + minus_l3_yy;
    const double minus_l3_zy = 2.0*minus_wd3_x;
    const double a3_y = qdd[1]*t2 - 9.8 - minus_l2_yy*t3;
    const double minus_a3_x = minus_l2_xx*t2 + qdd[1]*t3 + 0.1501*qdd[0];
    const double a3_z = qdd[0]*t2 - minus_l2_zy*t3 - 0.1501*minus_l3_zz;

    /* Outward, body 4 (wrist_1) */
    const double t7 = s3*qd[0];
    const double w4_x = s4*w3_z - c4*t7;
    const double w4_y = c4*w3_z + s4*t7;
    const double t8 = c3*minus_wd3_x + s3*qdd[0];
    const double w4_z = c3*qd[0] + qd[3];
    const double wd4_x = s4*wd3_z - c4*t8 + w4_y*qd[3];
    const double wd4_z = c3*qdd[0] - s3*minus_wd3_x + qdd[3];
    const double k4_x = w4_y*w4_z;
    const double k4_y = w4_x*w4_z;
    const double k4_z = w4_x*w4_y;
    const double t9 = wd3_z*t6 - (minus_a3_x + minus_l3_xx*t5);
    const double t10 = a3_y + wd3_z*t5 + minus_l3_yy*t6;
    const double t11 = a3_z + qdd[0]*t5 + minus_l3_zy*t6;
    const double t12 = c3*t9 + s3*t10;
    const double a4_z = s3*t9 - c3*t10;
    const double a4_x = c4*t12 + s4*t11;

    /* Outward, body 5 (wrist_2) */
    const double w5_x = c5*w4_x - s5*w4_z;
    const double minus_w5_y = c5*w4_z + s5*w4_x;
    const double w5_z = w4_y + qd[4];
    const double wd5_x = c5*wd4_x - s5*wd4_z - minus_w5_y*qd[4];
    const double minus_wd5_y = c5*wd4_z + s5*wd4_x + w5_x*qd[4];
    const double wd5_z = qdd[4] - (w4_x*qd[3] - (c4*wd3_z + s4*t8));
    const double minus_k5_x = minus_w5_y*w5_z;
    const double k5_y = w5_x*w5_z;
    const double minus_k5_z = w5_x*minus_w5_y;
    const double minus_l5_xy = minus_k5_z + wd5_z;
    const double minus_l5_yy = w5_x*w5_x + w5_z*w5_z;
    const double l5_zy = wd5_x - minus_k5_x;
    const double minus_a5_z = s4*t12 - c4*t11;
    const double a5_x = c5*a4_x - s5*a4_z;

    /* Outward, body 6 (wrist_3) */
    const double w6_z = minus_w5_y + qd[5];
    const double wd6_z = minus_wd5_y + qdd[5];

    /* Inward, body 6 (wrist_3) */
    const double t13 = 4e-05*w6_z;
    const double bm6_x = w5_z*t13;
    const double minus_bm6_y = w5_x*t13;
    const double bm6_z = 4e-05*wd6_z;
    const double tau6 = bm6_z + 0.193*qdd[5];
    tau[5] = tau6;

    /* Inward, body 5 (wrist_2) */
    const double bf5_x = 0.00288*minus_l5_xy;
    const double bf5_y = 0.00288*minus_l5_yy;
    const double minus_bf5_z = 0.00288*l5_zy;
    const double bm5_x = 0.00024216*wd5_x - 0.00064216*minus_k5_x + 0.00288*minus_a5_z;
    const double minus_bm5_y = 0.0004*k5_y;
    const double bm5_z = 0.00064216*wd5_z + 0.00024216*minus_k5_z + 0.00288*a5_x;
    const double n5_x = bm5_x + bm6_x;
    const double minus_n5_y = minus_bm5_y + bm6_z;
    const double n5_z = bm5_z - minus_bm6_y;
    const double tau5 = n5_z + 0.179*qdd[4];
    tau[4] = tau5;
    const double f4_x = c5*bf5_x - s5*bf5_y;
    const double minus_f4_z = c5*bf5_y + s5*bf5_x;

    /* Inward, body 4 (wrist_1) */
    const double bm4_x = 0.0003*wd4_x + 0.0016*k4_x;
    const double minus_bm4_y = 0.0013*k4_y;
    const double bm4_z = 0.0016*wd4_z - 0.0003*k4_z;
    const double n4_x = bm4_x + (c5*n5_x + s5*minus_n5_y);
    const double n4_y = n5_z - minus_bm4_y;
    const double n4_z = bm4_z - (s5*n5_x - c5*minus_n5_y);
    const double tau4 = n4_z + 0.2*qdd[3];
    tau[3] = tau4;
    const double t14 = c4*f4_x + s4*minus_bf5_z;
    const double t15 = s4*f4_x - c4*minus_bf5_z;
    const double t16 = c3*t14 - s3*minus_f4_z;
    const double t17 = c3*minus_f4_z + s3*t14;

    /* Inward, body 3 (forearm) */
    const double bf3_x = wd3_z*minus_ms3_y - minus_l3_xx*ms3_x;
    const double bf3_y = wd3_z*ms3_x + minus_l3_yy*minus_ms3_y;
    const double bf3_z = qdd[0]*ms3_x + minus_l3_zy*minus_ms3_y;
    const double bm3_z = 0.333105249*wd3_z - j3_xy*minus_l3_zz - j3_yz*qdd[0] + ms3_x*a3_y
        - minus_ms3_y*minus_a3_x;
    const double f3_x = bf3_x + t16;
    const double f3_y = bf3_y + t17;
    const double f3_z = bf3_z + t15;
    const double n3_z = bm3_z + (c4*n4_y + s4*n4_x + t5*t17 + t6*t16);
    const double tau3 = n3_z + 0.83*qdd[2];
    tau[2] = tau3;

    /* Inward, body 2 (upper_arm) */
    const double bm2_z = 6.458114002*qdd[1] - j2_xy*minus_l3_zz + minus_j2_yz*qdd[0] - 9.8*ms2_x;
    const double n2_z = bm2_z + (n3_z + t2*f3_y - t3*f3_x);
    tau[1] = n2_z;

    /* Inward, body 1 (waist) */
    const double n1_z = qdd[0]*(4.293482265 - s2*t1 + s3*t4) + j2_xy*minus_l2_zy - j2_xz*minus_l2_yy
        + minus_j2_yz*qdd[1] - j3_yz*wd3_z + j3_xy*minus_l3_zy
        + s3*(0.004704*minus_l3_yy - (c4*n4_x - s4*n4_y)) + ms3_x*a3_z + c3*n4_z + t5*t15
        - 0.1501*f3_x + t2*f3_z;
    tau[0] = n1_z;
}

/* g = g(q).  13 mul, 7 add, 0 div, 4 sincos. Proved on 1000 states within 1e-12.
 * Inertial parameters are regrouped: inertia that a joint cannot observe is moved to the parent
 * body. Origins are moved along joint axes. Bodies 1, 2 and 3 are resolved in axes that do not
 * rotate with the joint.
 *
 *   q  in   6  joint positions, rad
 *   g  out  6  joint forces that balance gravity, N m
 */
template <class Array1, class Array2>
PUMA560_FUNCTION void puma560_gravity_forces(const Array1 q, Array2 g)
{
    /* Results that require no operation */
    g[0] = 0.0;
    g[5] = 0.0;

    /* Joint positions */
    double s2, c2;
    puma560_sincos(q[1], s2, c2);
    const double theta3 = q[1] + q[2];
    double s3, c3;
    puma560_sincos(theta3, s3, c3);
    double s4, c4;
    puma560_sincos(q[3], s4, c4);
    double s5, c5;
    puma560_sincos(q[4], s5, c5);

    /* Gravity */
    const double t1 = 0.028224*s5;
    const double minus_g3 = s3*(8.445591 + 0.028224*c5) - c3*(0.248675 - c4*t1);
    const double g2 = 1.02312*s2 - 37.196782*c2 - minus_g3;
    g[1] = g2;
    const double g3 = -minus_g3;
    g[2] = g3;
    const double g4 = s3*s4*t1;
    g[3] = g4;
    const double g5 = -0.028224*(s3*c4*c5 + c3*s5);
    g[4] = g5;
}

/* h = C(q, qd) qd + g(q).  135 mul, 83 add, 0 div, 4 sincos. Proved on 1000 states within 1e-12.
 * Inertial parameters are regrouped: inertia that a joint cannot observe is moved to the parent
 * body. Origins are moved along joint axes. Bodies 1, 2, 3 and 6 are resolved in axes that do not
 * rotate with the joint. The displacement to body 4 is computed in one step, in the parent's
 * axes.
 *
 *   q   in   6  joint positions, rad
 *   qd  in   6  joint velocities, rad/s
 *   h   out  6  Coriolis, centrifugal and gravity joint forces, N m
 */
template <class Array1, class Array2, class Array3>
PUMA560_FUNCTION void puma560_bias_forces(const Array1 q, const Array2 qd, Array3 h)
{
    /* Joint positions */
    double s2, c2;
    puma560_sincos(q[1], s2, c2);
    const double ms2_x = 3.79559*c2 - 0.1044*s2;
    const double j2_xy = 0.0070992 - c2*(0.0141984*c2 + 1.601861202*s2);
    const double j2_xz = 0.023751*s2 - 0.690314699*c2;
    const double t1 = 0.4318*c2;
    const double t2 = 0.4318*s2;
    const double theta3 = q[1] + q[2];
    double s3, c3;
    puma560_sincos(theta3, s3, c3);
    const double ms3_x = 0.861795*s3 - 0.025375*c3;
    const double minus_ms3_y = 0.861795*c3 + 0.025375*s3;
    const double j3_xy = c3*(0.299575024*s3 - 0.021347277*c3) + 0.0106736385;
    const double t3 = 0.4331*s3 - 0.0203*c3;
    const double t4 = 0.4331*c3 + 0.0203*s3;
    double s4, c4;
    puma560_sincos(q[3], s4, c4);
    double s5, c5;
    puma560_sincos(q[4], s5, c5);

    /* Outward, body 2 (upper_arm) */
    const double minus_wd2_x = qd[0]*qd[1];
    const double minus_l3_zz = qd[0]*qd[0];
    const double minus_l2_yy = qd[1]*qd[1];
    const double minus_l2_xx = minus_l3_zz + minus_l2_yy;
    const double minus_l2_zy = 2.0*minus_wd2_x;

    /* Outward, body 3 (forearm) */
    const double w3_z = qd[1] + qd[2];
    const double minus_wd3_x = qd[0]*w3_z;
    const double minus_l3_yy = w3_z*w3_z;
    const double minus_l3_xx = minus_l3_zz + minus_l3_yy;
    const double minus_l3_zy = 2.0*minus_wd3_x;
    const double minus_a3_x = minus_l2_xx*t1;
    const double a3_y = -9.8 - minus_l2_yy*t2;
    const double minus_a3_z = minus_l2_zy*t2 + 0.1501*minus_l3_zz;

    /* Outward, body 4 (wrist_1) */
    const double t5 = s3*qd[0];
    const double w4_x = s4*w3_z - c4*t5;
    const double w4_y = c4*w3_z + s4*t5;
    const double t6 = c3*minus_wd3_x;
    const double minus_wd4_z = s3*minus_wd3_x;
    const double w4_z = c3*qd[0] + qd[3];
    const double wd4_x = w4_y*qd[3] - c4*t6;
    const double k4_x = w4_y*w4_z;
    const double k4_y = w4_x*w4_z;
    const double k4_z = w4_x*w4_y;
    const double t7 = minus_a3_x + minus_l3_xx*t3;
    const double t8 = a3_y + minus_l3_yy*t4;
    const double t9 = minus_l3_zy*t4 - minus_a3_z;
    const double t10 = s3*t8 - c3*t7;
    const double minus_a4_z = c3*t8 + s3*t7;
    const double a4_x = c4*t10 + s4*t9;

    /* Outward, body 5 (wrist_2) */
    const double w5_x = c5*w4_x - s5*w4_z;
    const double minus_w5_y = c5*w4_z + s5*w4_x;
    const double minus_wd5_z = w4_x*qd[3] - s4*t6;
    const double w5_z = w4_y + qd[4];
    const double wd5_x = c5*wd4_x + s5*minus_wd4_z - minus_w5_y*qd[4];
    const double minus_k5_x = minus_w5_y*w5_z;
    const double k5_y = w5_x*w5_z;
    const double minus_k5_z = w5_x*minus_w5_y;
    const double l5_xy = minus_wd5_z - minus_k5_z;
    const double minus_l5_yy = w5_x*w5_x + w5_z*w5_z;
    const double l5_zy = wd5_x - minus_k5_x;
    const double minus_a5_z = s4*t10 - c4*t9;
    const double a5_x = c5*a4_x + s5*minus_a4_z;

    /* Outward, body 6 (wrist_3) */
    const double wd6_z = w5_x*qd[4] - (c5*minus_wd4_z - s5*wd4_x);
    const double w6_z = minus_w5_y + qd[5];

    /* Inward, body 6 (wrist_3) */
    const double t11 = 4e-05*w6_z;
    const double bm6_x = w5_z*t11;
    const double minus_bm6_y = w5_x*t11;
    const double bm6_z = 4e-05*wd6_z;
    h[5] = bm6_z;

    /* Inward, body 5 (wrist_2) */
    const double minus_bf5_x = 0.00288*l5_xy;
    const double bf5_y = 0.00288*minus_l5_yy;
    const double minus_bf5_z = 0.00288*l5_zy;
    const double bm5_x = 0.00024216*wd5_x - 0.00064216*minus_k5_x + 0.00288*minus_a5_z;
    const double minus_bm5_y = 0.0004*k5_y;
    const double bm5_z = 0.00024216*minus_k5_z - 0.00064216*minus_wd5_z + 0.00288*a5_x;
    const double n5_x = bm5_x + bm6_x;
    const double minus_n5_y = minus_bm5_y + bm6_z;
    const double n5_z = bm5_z - minus_bm6_y;
    h[4] = n5_z;
    const double minus_f4_x = c5*minus_bf5_x + s5*bf5_y;
    const double minus_f4_z = c5*bf5_y - s5*minus_bf5_x;

    /* Inward, body 4 (wrist_1) */
    const double bm4_x = 0.0003*wd4_x + 0.0016*k4_x;
    const double minus_bm4_y = 0.0013*k4_y;
    const double minus_bm4_z = 0.0016*minus_wd4_z + 0.0003*k4_z;
    const double n4_x = bm4_x + (c5*n5_x + s5*minus_n5_y);
    const double n4_y = n5_z - minus_bm4_y;
    const double minus_n4_z = minus_bm4_z + (s5*n5_x - c5*minus_n5_y);
    const double n4_z = -minus_n4_z;
    h[3] = n4_z;
    const double t12 = s4*minus_bf5_z - c4*minus_f4_x;
    const double t13 = c4*minus_bf5_z + s4*minus_f4_x;
    const double t14 = c3*t12 - s3*minus_f4_z;
    const double t15 = c3*minus_f4_z + s3*t12;

    /* Inward, body 3 (forearm) */
    const double minus_bf3_x = minus_l3_xx*ms3_x;
    const double bf3_y = minus_l3_yy*minus_ms3_y;
    const double bf3_z = minus_l3_zy*minus_ms3_y;
    const double bm3_z = ms3_x*a3_y - j3_xy*minus_l3_zz - minus_ms3_y*minus_a3_x;
    const double f3_x = t14 - minus_bf3_x;
    const double f3_y = bf3_y + t15;
    const double f3_z = bf3_z - t13;
    const double n3_z = bm3_z + (c4*n4_y + s4*n4_x + t3*t15 + t4*t14);
    h[2] = n3_z;

    /* Inward, body 2 (upper_arm) */
    const double minus_bm2_z = j2_xy*minus_l3_zz + 9.8*ms2_x;
    const double n2_z = n3_z + t1*f3_y - t2*f3_x - minus_bm2_z;
    h[1] = n2_z;
    const double n1_z = t1*f3_z
        - (j2_xz*minus_l2_yy - j2_xy*minus_l2_zy + ms3_x*minus_a3_z - j3_xy*minus_l3_zy
        - s3*(0.004704*minus_l3_yy - (c4*n4_x - s4*n4_y)) + c3*minus_n4_z + t3*t13 + 0.1501*f3_x);
    h[0] = n1_z;
}

/* M = M(q).  65 mul, 53 add, 0 div, 4 sincos. Proved on 1000 states within 1e-12.
 * Inertial parameters are regrouped: inertia that a joint cannot observe is moved to the parent
 * body. Origins are moved along joint axes. Body 2 is resolved in axes that do not rotate with
 * the joint.
 *
 *   q  in   6      joint positions, rad
 *   M  out  6 x 6  mass matrix, motor inertias included; symmetric, kg m^2
 */
template <class Array1, class Array2>
PUMA560_FUNCTION void puma560_mass_matrix(const Array1 q, Array2 M)
{
    /* Results that require no operation */
    M[22] = 0.0;
    M[27] = 0.0;
    M[28] = 0.17964216;
    M[29] = 0.0;
    M[34] = 0.0;
    M[35] = 0.19304;

    /* Joint positions */
    double s2, c2;
    puma560_sincos(q[1], s2, c2);
    const double theta3 = q[1] + q[2];
    double s3, c3;
    puma560_sincos(theta3, s3, c3);
    double s4, c4;
    puma560_sincos(q[3], s4, c4);
    double s5, c5;
    puma560_sincos(q[4], s5, c5);

    /* Composite of body 3 (forearm) */
    const double t1 = c4*s5;
    const double t2 = 0.010956925 - 0.001243584*t1;
    const double t3 = 0.00020216*c5;
    const double t4 = c5*t3;
    const double t5 = c4*(0.00030216 - t4);
    const double t6 = 5.8464e-05*s5;
    const double t7 = 0.000116928*t1;
    const double t8 = t7 + t4;
    const double t9 = 0.002494656*c5;
    const double t10 = c4*t5;
    const double t11 = c3*c5;
    const double t12 = 0.001247328 + t3;
    const double t13 = s4*s5;
    const double minus_h4_3_z = t12*t13;
    const double h3_2_y = 0.000432288*t11 + s3*(0.3476146364057434*t2 - s4*(t5 - t6))
        + c3*(0.1340594295 + minus_h4_3_z);
    const double t14 = s2*s3 + c2*c3;
    const double t15 = 0.744246162 + 0.002487168*c5;
    const double t16 = s2*c3 - c2*s3;
    const double t17 = t2*t14 + 0.5*t15*t16;
    const double t18 = t7 - 0.333445249 - t4 - t9 - t10;
    const double cj2_zz = 6.458114002 - 2.0*t17 - t18;
    M[7] = cj2_zz;

    /* Composite of body 2 (upper_arm) */
    const double cj1_zz = 2.693463223
        + s3*(s3*(0.298375024 + t9 - t10 + t8) - 0.000116928*t11 - c3*(0.021347277 - 2.0*t12*t1))
        + 0.000864576*t13 - t8 - c2*(0.0141984*s2 - 1.601861202*c2 - s3*t15 + 2.0*c3*t2);
    M[0] = cj1_zz;

    /* Mass matrix, joint 2 (upper_arm) */
    const double t19 = 0.001243584*t13;
    const double h2_1_z = 0.023751*c2 - h3_2_y + s2*(0.690314699 + t19);
    M[1] = h2_1_z;
    M[6] = h2_1_z;

    /* Mass matrix, joint 3 (forearm) */
    const double m3_3 = 0.83 - t18;
    M[14] = m3_3;
    const double minus_h3_2_z = t17 + t18;
    const double h3_2_z = -minus_h3_2_z;
    M[8] = h3_2_z;
    M[13] = h3_2_z;
    const double h3_1_z = -h3_2_y;
    M[2] = h3_1_z;
    M[12] = h3_1_z;

    /* Mass matrix, joint 4 (wrist_1) */
    const double m4_4 = 0.20184216 - t4;
    M[21] = m4_4;
    const double h4_3_z = -minus_h4_3_z;
    M[15] = h4_3_z;
    M[20] = h4_3_z;
    const double h4_2_z = t16*t19 - minus_h4_3_z;
    M[9] = h4_2_z;
    M[19] = h4_2_z;
    const double t20 = 0.001243584*c2 - 5.8464e-05*c3;
    const double h4_1_z = (s3*t12 + t20)*t1 + c3*(0.00184216 + 0.000432288*t13 - t4);
    M[3] = h4_1_z;
    M[18] = h4_1_z;

    /* Mass matrix, joint 5 (wrist_2) */
    const double t21 = 0.00064216 + 0.001247328*c5;
    const double h5_3_z = c4*t21 - t6;
    M[16] = h5_3_z;
    M[26] = h5_3_z;
    const double h5_2_z = 0.001243584*(s5*t14 - c4*c5*t16) + h5_3_z;
    M[10] = h5_2_z;
    M[25] = h5_2_z;
    const double h5_1_z = 0.000432288*(s3*s5 - c4*t11) + s4*(s3*t21 + c5*t20);
    M[4] = h5_1_z;
    M[24] = h5_1_z;

    /* Mass matrix, joint 6 (wrist_3) */
    const double h6_4_z = 4e-05*c5;
    M[23] = h6_4_z;
    M[33] = h6_4_z;
    const double h6_3_z = 4e-05*t13;
    M[11] = h6_3_z;
    M[17] = h6_3_z;
    M[31] = h6_3_z;
    M[32] = h6_3_z;
    const double h6_1_z = -4e-05*(s3*t1 - t11);
    M[5] = h6_1_z;
    M[30] = h6_1_z;
}

/* qdd = M(q)^-1 (tau - C(q, qd) qd - g(q)).
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
 */
template <class Array1, class Array2, class Array3, class Array4>
PUMA560_FUNCTION void puma560_forward_dynamics(const Array1 q, const Array2 qd, const Array3 tau,
                                               Array4 qdd)
{
    /* Joint positions */
    double s2, c2;
    puma560_sincos(q[1], s2, c2);
    const double ms2_x = 3.79559*c2 - 0.1044*s2;
    const double t1 = 0.0141984*c2 + 1.601861202*s2;
    const double minus_j2_yy = s2*t1;
    const double j2_xy = 0.0070992 - c2*t1;
    const double j2_xz = 0.023751*s2 - 0.690314699*c2;
    const double t2 = 0.4318*c2;
    const double t3 = 0.4318*s2;
    const double theta3 = q[1] + q[2];
    double s3, c3;
    puma560_sincos(theta3, s3, c3);
    const double ms3_x = 0.861795*s3 - 0.025375*c3;
    const double minus_ms3_y = 0.861795*c3 + 0.025375*s3;
    const double t4 = 0.299575024*s3 - 0.021347277*c3;
    const double j3_xy = c3*t4 + 0.0106736385;
    const double t5 = 0.4331*s3 - 0.0203*c3;
    const double t6 = 0.4331*c3 + 0.0203*s3;
    double s4, c4;
    puma560_sincos(q[3], s4, c4);
    double s5, c5;
    puma560_sincos(q[4], s5, c5);

    /* Outward, body 2 (upper_arm) */
    const double minus_wd2_x = qd[0]*qd[1];
    const double minus_l3_zz = qd[0]*qd[0];
    const double minus_l2_yy = qd[1]*qd[1];
    const double minus_l2_xx = minus_l3_zz + minus_l2_yy;
    const double minus_l2_zy = 2.0*minus_wd2_x;

    /* Outward, body 3 (forearm) */
    const double w3_z = qd[1] + qd[2];
    const double minus_wd3_x = qd[0]*w3_z;
    const double minus_l3_yy = w3_z*w3_z;
    const double minus_l3_xx = minus_l3_zz + minus_l3_yy;
    const double minus_l3_zy = 2.0*minus_wd3_x;
    const double minus_a3_x = minus_l2_xx*t2;
    const double a3_y = -9.8 - minus_l2_yy*t3;
    const double minus_a3_z = minus_l2_zy*t3 + 0.1501*minus_l3_zz;

    /* Outward, body 4 (wrist_1) */
    const double t7 = s3*qd[0];
    const double w4_x = s4*w3_z - c4*t7;
    const double w4_y = c4*w3_z + s4*t7;
    const double t8 = c3*minus_wd3_x;
    const double minus_wd4_z = s3*minus_wd3_x;
    const double w4_z = c3*qd[0] + qd[3];
    const double wd4_x = w4_y*qd[3] - c4*t8;
    const double k4_x = w4_y*w4_z;
    const double k4_y = w4_x*w4_z;
    const double k4_z = w4_x*w4_y;
    const double t9 = minus_a3_x + minus_l3_xx*t5;
    const double t10 = a3_y + minus_l3_yy*t6;
    const double t11 = minus_l3_zy*t6 - minus_a3_z;
    const double t12 = s3*t10 - c3*t9;
    const double minus_a4_z = c3*t10 + s3*t9;
    const double a4_x = c4*t12 + s4*t11;

    /* Outward, body 5 (wrist_2) */
    const double w5_x = c5*w4_x - s5*w4_z;
    const double minus_w5_y = c5*w4_z + s5*w4_x;
    const double minus_wd5_z = w4_x*qd[3] - s4*t8;
    const double w5_z = w4_y + qd[4];
    const double wd5_x = c5*wd4_x + s5*minus_wd4_z - minus_w5_y*qd[4];
    const double minus_k5_x = minus_w5_y*w5_z;
    const double k5_y = w5_x*w5_z;
    const double minus_k5_z = w5_x*minus_w5_y;
    const double l5_xy = minus_wd5_z - minus_k5_z;
    const double minus_l5_yy = w5_x*w5_x + w5_z*w5_z;
    const double l5_zy = wd5_x - minus_k5_x;
    const double minus_a5_z = s4*t12 - c4*t11;
    const double a5_x = c5*a4_x + s5*minus_a4_z;

    /* Outward, body 6 (wrist_3) */
    const double wd6_z = w5_x*qd[4] - (c5*minus_wd4_z - s5*wd4_x);
    const double w6_z = minus_w5_y + qd[5];

    /* Inward, body 6 (wrist_3) */
    const double t13 = 4e-05*w6_z;
    const double bm6_x = w5_z*t13;
    const double minus_bm6_y = w5_x*t13;
    const double bm6_z = 4e-05*wd6_z;
    const double u6 = tau[5] - bm6_z;

    /* Inward, body 5 (wrist_2) */
    const double minus_bf5_x = 0.00288*l5_xy;
    const double bf5_y = 0.00288*minus_l5_yy;
    const double minus_bf5_z = 0.00288*l5_zy;
    const double bm5_x = 0.00024216*wd5_x - 0.00064216*minus_k5_x + 0.00288*minus_a5_z;
    const double minus_bm5_y = 0.0004*k5_y;
    const double bm5_z = 0.00024216*minus_k5_z - 0.00064216*minus_wd5_z + 0.00288*a5_x;
    const double n5_x = bm5_x + bm6_x;
    const double minus_n5_y = 0.00020721094073767094*u6 + bm6_z + minus_bm5_y;
    const double n5_z = bm5_z - minus_bm6_y;
    const double u5 = tau[4] - n5_z;
    const double cuf5_4_x = 0.00288*c5;
    const double minus_cuf5_4_z = 0.00288*s5;
    const double minus_f4_x = c5*minus_bf5_x + s5*bf5_y;
    const double minus_f4_z = c5*bf5_y - s5*minus_bf5_x;
    const double t14 = 0.00020216828843762951*s5;
    const double t15 = s5*t14;
    const double minus_aj4_xz = c5*t14;

    /* Inward, body 4 (wrist_1) */
    const double bm4_x = 0.0003*wd4_x + 0.0016*k4_x;
    const double minus_bm4_y = 0.0013*k4_y;
    const double minus_bm4_z = 0.0016*minus_wd4_z + 0.0003*k4_z;
    const double aj4_xx = 0.00054216 - t15;
    const double aj4_zz = t15 + 0.0016399917115623706;
    const double n4_x = bm4_x + (c5*n5_x + s5*minus_n5_y);
    const double n4_y = n5_z - minus_bm4_y;
    const double minus_n4_z = minus_bm4_z + (s5*n5_x - c5*minus_n5_y);
    const double u4 = tau[3] + minus_n4_z;
    const double m4_4 = aj4_zz + 0.2;
    const double t16 = c4*cuf5_4_x;
    const double cuf5_3_x = c3*t16 - s3*minus_cuf5_4_z;
    const double cuf5_3_y = c3*minus_cuf5_4_z + s3*t16;
    const double cun5_3_z = 0.00064216*c4 + t5*cuf5_3_y + t6*cuf5_3_x;
    const double ah3_yx = s4*minus_cuf5_4_z;
    const double cuf4_3_z = c4*minus_cuf5_4_z;
    const double minus_cuf4_3_x = c3*ah3_yx;
    const double minus_cuf4_3_y = s3*ah3_yx;
    const double t17 = c4*minus_aj4_xz;
    const double t18 = s4*minus_aj4_xz;
    const double minus_cun4_3_z = t18 + t5*minus_cuf4_3_y + t6*minus_cuf4_3_x;
    const double t19 = s4*minus_bf5_z - c4*minus_f4_x;
    const double t20 = c4*minus_bf5_z + s4*minus_f4_x;
    const double t21 = c3*t19 - s3*minus_f4_z;
    const double t22 = c3*minus_f4_z + s3*t19;
    const double t23 = s3*cuf5_4_x + c3*cuf4_3_z;
    const double t24 = c3*cuf5_4_x - s3*cuf4_3_z;
    const double t25 = s4*(aj4_xx - 0.00064216);
    const double t26 = s4*t25;
    const double t27 = s3*c4;

    /* Inward, body 3 (forearm) */
    const double minus_bf3_x = minus_l3_xx*ms3_x;
    const double bf3_y = minus_l3_yy*minus_ms3_y;
    const double bf3_z = minus_l3_zy*minus_ms3_y;
    const double bm3_z = ms3_x*a3_y - j3_xy*minus_l3_zz - minus_ms3_y*minus_a3_x;
    const double t28 = t5*t23;
    const double ah3_zx = minus_ms3_y + t24;
    const double ah3_zy = ms3_x + t23;
    const double f3_x = t21 - minus_bf3_x;
    const double f3_y = bf3_y + t22;
    const double f3_z = bf3_z - t20;
    const double n3_z = bm3_z + (c4*n4_y + s4*n4_x + t5*t22 + t6*t21);
    const double u3 = tau[2] - n3_z;
    const double t29 = t2 + t5;
    const double minus_cun4_2_y = c3*aj4_zz + s3*t17 + cuf4_3_z*t29 + 0.1501*minus_cuf4_3_x;
    const double t30 = t2*ah3_zy;

    /* Inward, body 2 (upper_arm) */
    const double cun5_1_z = s4*(0.00064216*s3 + cuf5_4_x*t29) - 0.1501*cuf5_3_x;

    /* Inward, body 1 (waist) */
    const double t31 = t3*minus_cuf4_3_x - t2*minus_cuf4_3_y;
    const double t32 = t2*cuf5_3_y - t3*cuf5_3_x;

    /* Elimination of joint 5 (wrist_2) */
    const double lf5_3 = 5.566622000091738*cun5_3_z;
    const double lf5_2 = 5.566622000091738*t32;
    const double lf5_1 = 5.566622000091738*cun5_1_z;

    /* Elimination of joint 4 (wrist_1) */
    const double dinv4 = 1.0/m4_4;
    const double minus_lf4_3 = dinv4*minus_cun4_3_z;
    const double t33 = t30 - t3*ah3_zx - 0.83 - lf5_3*t32 + minus_lf4_3*t31;
    const double t34 = minus_lf4_3*minus_cun4_2_y
        - (c3*(0.004704 + t18) + t25*t27 + ah3_yx*t6 + 0.1501*ah3_zx + lf5_3*cun5_1_z);
    const double t35 = u3 - lf5_3*u5 + minus_lf4_3*u4;
    const double lf4_2 = dinv4*t31;
    const double lf4_1 = dinv4*minus_cun4_2_y;

    /* Elimination of joint 3 (forearm) */
    const double dinv3 = 1.0/(1.163747409 + t26 + 2.0*(t28 + t6*t24) - lf5_3*cun5_3_z
        - minus_lf4_3*minus_cun4_3_z);
    const double lf3_2 = dinv3*t33;
    const double t36 = lf5_2*cun5_1_z - (ah3_yx*t3 + 0.023751*c2 + 0.690314699*s2)
        + lf4_2*minus_cun4_2_y + lf3_2*t34;
    const double t37 = tau[1] - t2*f3_y + t3*f3_x + j2_xy*minus_l3_zz + 9.8*ms2_x - tau[2]
        - lf5_2*u5 - lf4_2*u4 - lf3_2*t35;
    const double lf3_1 = dinv3*t34;

    /* Elimination of joint 2 (upper_arm) */
    const double dinv2 = 1.0/(7.288114002 - lf5_2*t32 - lf4_2*t31 - lf3_2*t33);
    const double minus_lf2_1 = dinv2*t36;

    /* Elimination of joint 1 (waist) */
    const double dinv1 = 1.0/(4.295122256711562
        + s3*(t4 + (2.0*c3*t17 + s3*(aj4_xx - t26 - aj4_zz))) + t15
        + 2.0*(t28 + 0.1501*ah3_yx + t30) - minus_j2_yy - lf5_1*cun5_1_z - lf4_1*minus_cun4_2_y
        - lf3_1*t34 - minus_lf2_1*t36);
    const double dwd1_z = dinv1*(tau[0] + j2_xz*minus_l2_yy - j2_xy*minus_l2_zy + ms3_x*minus_a3_z
        - j3_xy*minus_l3_zy - s3*(0.004704*minus_l3_yy - (c4*n4_x - s4*n4_y)) + c3*minus_n4_z
        + t5*t20 + 0.1501*f3_x - t2*f3_z - lf5_1*u5 - lf4_1*u4 - lf3_1*t35 + minus_lf2_1*t37);
    qdd[0] = dwd1_z;

    /* Joint accelerations outward, body 1 (waist) */
    const double dwd2_z = dinv2*t37 + minus_lf2_1*dwd1_z;
    qdd[1] = dwd2_z;
    const double dwd3_z = dinv3*t35 - lf3_2*dwd2_z - lf3_1*dwd1_z;
    const double t38 = dinv4*u4 + minus_lf4_3*dwd3_z - lf4_2*dwd2_z - lf4_1*dwd1_z;
    qdd[3] = t38;
    const double t39 = 5.566622000091738*u5 - lf5_3*dwd3_z - lf5_2*dwd2_z - lf5_1*dwd1_z;
    qdd[4] = t39;
    const double t40 = dwd3_z - dwd2_z;
    qdd[2] = t40;

    /* Joint accelerations outward, body 4 (wrist_1) */
    const double dwd4_x = s4*dwd3_z - dwd1_z*t27;
    const double dwd4_z = c3*dwd1_z + t38;

    /* Joint accelerations outward, body 5 (wrist_2) */
    const double minus_dwd5_y = c5*dwd4_z + s5*dwd4_x;

    /* Joint accelerations outward, body 6 (wrist_3) */
    const double t41 = 5.180273518441774*u6 - 0.00020721094073767094*minus_dwd5_y;
    qdd[5] = t41;
}

/* R, p = pose of the frame tool in the base frame.
 * 40 mul, 20 add, 0 div, 6 sincos. Proved on 1000 states within 1e-12.
 * Origins are moved along joint axes. Bodies 1, 2 and 3 are resolved in axes that do not rotate
 * with the joint.
 *
 *   q  in   6      joint positions, rad
 *   R  out  3 x 3  rotation matrix: columns are the frame's unit vectors, in base axes
 *   p  out  3      position of the frame's origin in the base frame, m
 */
template <class Array1, class Array2, class Array3>
PUMA560_FUNCTION void puma560_forward_kinematics(const Array1 q, Array2 R, Array3 p)
{
    /* Joint positions */
    double s1, c1;
    puma560_sincos(q[0], s1, c1);
    double s2, c2;
    puma560_sincos(q[1], s2, c2);
    const double theta3 = q[1] + q[2];
    double s3, c3;
    puma560_sincos(theta3, s3, c3);
    double s4, c4;
    puma560_sincos(q[3], s4, c4);
    double s5, c5;
    puma560_sincos(q[4], s5, c5);
    double s6, c6;
    puma560_sincos(q[5], s6, c6);

    /* Inward, body 5 (wrist_2) */
    const double fx4_x = c5*c6;
    const double minus_fx4_z = s5*c6;

    /* Inward, body 4 (wrist_1) */
    const double t1 = c4*fx4_x - s4*s6;
    const double fx3_z = c4*s6 + s4*fx4_x;
    const double fx3_x = c3*t1 - s3*minus_fx4_z;
    const double fx3_y = c3*minus_fx4_z + s3*t1;
    const double t2 = c4*s5;
    const double fz3_z = s4*s5;
    const double fz3_x = c3*t2 + s3*c5;
    const double fz3_y = s3*t2 - c3*c5;
    const double fp3_x = 0.4331*s3 - 0.0203*c3;
    const double minus_fp3_y = 0.4331*c3 + 0.0203*s3;

    /* Inward, body 3 (forearm) */
    const double fp2_x = fp3_x + 0.4318*c2;

    /* Inward, body 2 (upper_arm) */
    const double fx1_z = -fx3_y;
    R[6] = fx1_z;
    const double fx1_x = c1*fx3_x - s1*fx3_z;
    R[0] = fx1_x;
    const double fx1_y = c1*fx3_z + s1*fx3_x;
    R[3] = fx1_y;
    const double fz1_z = -fz3_y;
    R[8] = fz1_z;
    const double fz1_x = c1*fz3_x - s1*fz3_z;
    R[2] = fz1_x;
    const double fz1_y = c1*fz3_z + s1*fz3_x;
    R[5] = fz1_y;
    const double fp1_z = minus_fp3_y - 0.4318*s2;
    p[2] = fp1_z;
    const double fp1_x = c1*fp2_x - 0.1501*s1;
    p[0] = fp1_x;
    const double fp1_y = 0.1501*c1 + s1*fp2_x;
    p[1] = fp1_y;

    /* Inward, body 1 (waist) */
    const double fy0_x = fz3_y*fx1_y - fz1_y*fx3_y;
    R[1] = fy0_x;
    const double fy0_y = fz1_x*fx3_y - fz3_y*fx1_x;
    R[4] = fy0_y;
    const double fy0_z = fz1_x*fx1_y - fz1_y*fx1_x;
    R[7] = fy0_z;
}

/* J(q) qd = velocity and angular velocity of the frame tool in base axes.
 * 32 mul, 14 add, 0 div, 5 sincos. Proved on 1000 states within 1e-12.
 * Origins are moved along joint axes. Bodies 1, 2 and 3 are resolved in axes that do not rotate
 * with the joint. The displacement to body 4 is computed in one step, in the parent's axes.
 *
 *   q  in   6      joint positions, rad
 *   J  out  6 x 6  geometric Jacobian in base axes, linear rows first, m/rad or 1
 */
template <class Array1, class Array2>
PUMA560_FUNCTION void puma560_jacobian(const Array1 q, Array2 J)
{
    /* Results that require no operation */
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

    /* Joint positions */
    double s1, c1;
    puma560_sincos(q[0], s1, c1);
    J[25] = c1;
    J[26] = c1;
    double s2, c2;
    puma560_sincos(q[1], s2, c2);
    const double theta3 = q[1] + q[2];
    double s3, c3;
    puma560_sincos(theta3, s3, c3);
    J[33] = c3;
    double s4, c4;
    puma560_sincos(q[3], s4, c4);
    double s5, c5;
    puma560_sincos(q[4], s5, c5);

    /* Outward, body 2 (upper_arm) */
    const double ex2_z = -s1;
    J[19] = ex2_z;
    J[20] = ex2_z;

    /* Outward, body 4 (wrist_1) */
    const double ex4_z = c1*s3;
    J[21] = ex4_z;
    const double ey4_z = s1*s3;
    J[27] = ey4_z;
    const double ez4_y = s3*s4;
    J[34] = ez4_y;

    /* Outward, body 5 (wrist_2) */
    const double t1 = c3*s4;
    const double minus_ex5_z = s1*c4 + c1*t1;
    const double ex5_z = -minus_ex5_z;
    J[22] = ex5_z;
    const double t2 = c4*s5;
    const double t3 = s3*c5 + c3*t2;
    const double t4 = s4*s5;
    const double minus_ex5_y = c1*t3 - s1*t4;
    J[23] = minus_ex5_y;
    const double ey5_z = c1*c4 - s1*t1;
    J[28] = ey5_z;
    const double minus_ey5_y = c1*t4 + s1*t3;
    J[29] = minus_ey5_y;

    /* Outward, body 6 (wrist_3) */
    const double ez6_z = c3*c5 - s3*t2;
    J[35] = ez6_z;

    /* Columns, body 3 (forearm) */
    const double t5 = 0.0203*s3 + 0.4331*c3;
    const double jv3_x = c1*t5;
    J[2] = jv3_x;
    const double jv3_y = s1*t5;
    J[8] = jv3_y;
    const double t6 = 0.4331*s3;
    const double t7 = 0.0203*c3;
    const double jv3_z = t7 - t6;
    J[14] = jv3_z;
    const double jv2_z = t7 - 0.4318*c2 - t6;
    J[13] = jv2_z;
    const double minus_er2_x = 0.1501*s1 + c1*jv2_z;
    const double er2_x = -minus_er2_x;
    J[6] = er2_x;

    /* Columns, body 2 (upper_arm) */
    const double t8 = 0.4318*s2 - t5;
    const double minus_jv2_x = c1*t8;
    const double jv2_x = -minus_jv2_x;
    J[1] = jv2_x;
    const double minus_jv2_y = s1*t8;
    const double jv2_y = -minus_jv2_y;
    J[7] = jv2_y;

    /* Columns, body 1 (waist) */
    const double jv1_x = s1*jv2_z - 0.1501*c1;
    J[0] = jv1_x;
}

/* inverse_dynamics of many states. */
PUMA560_KERNEL puma560_inverse_dynamics_batch(size_t count, size_t stride,
                                              const double *__restrict__ q,
                                              const double *__restrict__ qd,
                                              const double *__restrict__ qdd,
                                              double *__restrict__ tau)
{
    const size_t state = (size_t)PUMA560_BLOCK.x*PUMA560_BLOCK_SIZE + PUMA560_THREAD.x;
    if (state >= count) {
        return;
    }
    puma560_inverse_dynamics(puma560_inputs{q + state, stride},
        puma560_inputs{qd + state, stride}, puma560_inputs{qdd + state, stride},
        puma560_results{tau + state, stride});
}
PUMA560_DEFINE_LAUNCH(
    puma560_inverse_dynamics_launch, puma560_inverse_dynamics_batch, 1, 0,
    (size_t count, size_t stride, const double *q, const double *qd, const double *qdd, double *tau, puma560_stream stream),
    (count, stride, q, qd, qdd, tau))

/* gravity_forces of many states. */
PUMA560_KERNEL puma560_gravity_forces_batch(size_t count, size_t stride,
                                            const double *__restrict__ q, double *__restrict__ g)
{
    const size_t state = (size_t)PUMA560_BLOCK.x*PUMA560_BLOCK_SIZE + PUMA560_THREAD.x;
    if (state >= count) {
        return;
    }
    puma560_gravity_forces(puma560_inputs{q + state, stride},
        puma560_results{g + state, stride});
}
PUMA560_DEFINE_LAUNCH(
    puma560_gravity_forces_launch, puma560_gravity_forces_batch, 1, 0,
    (size_t count, size_t stride, const double *q, double *g, puma560_stream stream),
    (count, stride, q, g))

/* bias_forces of many states. */
PUMA560_KERNEL puma560_bias_forces_batch(size_t count, size_t stride, const double *__restrict__ q,
                                         const double *__restrict__ qd, double *__restrict__ h)
{
    const size_t state = (size_t)PUMA560_BLOCK.x*PUMA560_BLOCK_SIZE + PUMA560_THREAD.x;
    if (state >= count) {
        return;
    }
    puma560_bias_forces(puma560_inputs{q + state, stride},
        puma560_inputs{qd + state, stride}, puma560_results{h + state, stride});
}
PUMA560_DEFINE_LAUNCH(
    puma560_bias_forces_launch, puma560_bias_forces_batch, 1, 0,
    (size_t count, size_t stride, const double *q, const double *qd, double *h, puma560_stream stream),
    (count, stride, q, qd, h))

/* mass_matrix of many states. */
PUMA560_KERNEL puma560_mass_matrix_batch(size_t count, size_t stride, const double *__restrict__ q,
                                         double *__restrict__ M)
{
    const size_t state = (size_t)PUMA560_BLOCK.x*PUMA560_BLOCK_SIZE + PUMA560_THREAD.x;
    if (state >= count) {
        return;
    }
    puma560_mass_matrix(puma560_inputs{q + state, stride},
        puma560_results{M + state, stride});
}
PUMA560_DEFINE_LAUNCH(
    puma560_mass_matrix_launch, puma560_mass_matrix_batch, 1, 0,
    (size_t count, size_t stride, const double *q, double *M, puma560_stream stream),
    (count, stride, q, M))

/* forward_dynamics of many states. */
PUMA560_KERNEL puma560_forward_dynamics_batch(size_t count, size_t stride,
                                              const double *__restrict__ q,
                                              const double *__restrict__ qd,
                                              const double *__restrict__ tau,
                                              double *__restrict__ qdd)
{
    const size_t state = (size_t)PUMA560_BLOCK.x*PUMA560_BLOCK_SIZE + PUMA560_THREAD.x;
    if (state >= count) {
        return;
    }
    puma560_forward_dynamics(puma560_inputs{q + state, stride},
        puma560_inputs{qd + state, stride}, puma560_inputs{tau + state, stride},
        puma560_results{qdd + state, stride});
}
PUMA560_DEFINE_LAUNCH(
    puma560_forward_dynamics_launch, puma560_forward_dynamics_batch, 1, 0,
    (size_t count, size_t stride, const double *q, const double *qd, const double *tau, double *qdd, puma560_stream stream),
    (count, stride, q, qd, tau, qdd))

/* forward_kinematics of many states. */
PUMA560_KERNEL puma560_forward_kinematics_batch(size_t count, size_t stride,
                                                const double *__restrict__ q,
                                                double *__restrict__ R, double *__restrict__ p)
{
    const size_t state = (size_t)PUMA560_BLOCK.x*PUMA560_BLOCK_SIZE + PUMA560_THREAD.x;
    if (state >= count) {
        return;
    }
    puma560_forward_kinematics(puma560_inputs{q + state, stride},
        puma560_results{R + state, stride}, puma560_results{p + state, stride});
}
PUMA560_DEFINE_LAUNCH(
    puma560_forward_kinematics_launch, puma560_forward_kinematics_batch, 1, 0,
    (size_t count, size_t stride, const double *q, double *R, double *p, puma560_stream stream),
    (count, stride, q, R, p))

/* jacobian of many states. */
PUMA560_KERNEL puma560_jacobian_batch(size_t count, size_t stride, const double *__restrict__ q,
                                      double *__restrict__ J)
{
    const size_t state = (size_t)PUMA560_BLOCK.x*PUMA560_BLOCK_SIZE + PUMA560_THREAD.x;
    if (state >= count) {
        return;
    }
    puma560_jacobian(puma560_inputs{q + state, stride}, puma560_results{J + state, stride});
}
PUMA560_DEFINE_LAUNCH(
    puma560_jacobian_launch, puma560_jacobian_batch, 1, 0,
    (size_t count, size_t stride, const double *q, double *J, puma560_stream stream),
    (count, stride, q, J))

#endif
