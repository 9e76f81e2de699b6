/* kernel.h: what the ufuncs know of a generated kernel. */
#ifndef KERNEL_H
#define KERNEL_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#include <numpy/arrayobject.h>
#include <numpy/ufuncobject.h>

#include "operand.h"

#define RANK 3 /* of an array, at most */

/* An array that a kernel takes or fills, row-major; a scalar has rank 0 and size 1. */
typedef struct {
    const char *name;
    int rank;
    npy_intp shape[RANK];
    npy_intp size;
} Array;

/* Calls a kernel on one state; returns its status, 0 where nothing can fail. */
typedef int Run(const Real *const *in, Real *const *out);

/* A kernel and its ufunc.
 *
 *   signature  of numpy, as "(6),(6)->(6,6)"
 *   arrays     that are read, and behind them those that are filled
 *   can_fail   whether there is a status: one more operand, without an array
 *   total      elements of all arrays
 *   run_lanes  the same kernel over many states, all with the same parameters, if there is one
 *   prepare    makes of the last input what the kernel takes instead of it, where there are run-time parameters
 */
typedef struct {
    const char *name, *doc, *signature;
    const Array *arrays;
    int inputs, outputs, can_fail;
    npy_intp total;
    Run *run;
    RunLanes *run_lanes;
    Run *prepare;
    /* What is made of it when the module is loaded: the types of all operands, and the object that numpy calls. */
    char codes[ARRAYS];
    PyObject *types, *ufunc;
    void *data;
} Kernel;

/* Run a kernel on one state whose arrays are contiguous. There is room for prepared parameters; `prepare` says that these are
 * others than at the last call. */
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
