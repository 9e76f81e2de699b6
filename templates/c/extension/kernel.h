/* kernel.h: description of a generated kernel for its ufunc. */
#ifndef KERNEL_H
#define KERNEL_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#include <numpy/arrayobject.h>
#include <numpy/ufuncobject.h>

#include "operand.h"

#define RANK 3 /* of an array, at most */

/* An array that a kernel reads or fills, row-major; a scalar has rank 0 and size 1. */
typedef struct {
    const char *name;
    int rank;
    npy_intp shape[RANK];
    npy_intp size;
} Array;

/* Calls a kernel on one state; returns its status, 0 if it cannot fail. */
typedef int Run(const Real *const *in, Real *const *out);

/* A kernel and its ufunc.
 *
 *   signature  numpy's signature, as "(6),(6)->(6,6)"
 *   arrays     inputs, then outputs
 *   can_fail   whether there is a status: one more operand, without an array
 *   total      number of elements of all arrays
 *   run_lanes  batch kernel for many states with the same parameters; NULL without one
 *   prepare    computes the kernel's last input from run-time parameters; NULL without run-time parameters
 */
typedef struct {
    const char *name, *doc, *signature;
    const Array *arrays;
    int inputs, outputs, can_fail;
    npy_intp total;
    Run *run;
    RunLanes *run_lanes;
    Run *prepare;
    /* Set when the module is loaded: types of all operands, and numpy's ufunc object. */
    char codes[ARRAYS];
    PyObject *types, *ufunc;
    void *data;
} Kernel;

/* Run a kernel on one state with contiguous arrays. `params` has room for prepared parameters; `prepare` is 1 if the run-time
 * parameters may have changed since the last call. */
static inline int run_state(const Kernel *kernel, const Real **in, Real *const *out, Real *params, int prepare)
{
    if (kernel->prepare) {
        const Real *const values = in[kernel->inputs - 1];
        if (prepare)
            (void)kernel->prepare(&values, &params);
        in[kernel->inputs - 1] = params;
    }
    return kernel->run(in, out);
}

#endif
