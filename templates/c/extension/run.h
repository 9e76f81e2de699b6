/* run.h: one call of a kernel for one state. */
#ifndef RUN_H
#define RUN_H

#include "kernel.h"

#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#include <numpy/arrayobject.h>
#include <numpy/ufuncobject.h>

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
