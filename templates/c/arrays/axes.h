/* axes.h: kernels, their arrays, and the axes over states of a call. */
#ifndef AXES_H
#define AXES_H

#include <stdint.h>
#include <string.h>

#include "operand.h"

#define MOST_AXES 32 /* axes over states of an array */

/* An array that a kernel reads or fills: number of axes and of elements of one state, and lengths of the axes. */
typedef struct {
    ptrdiff_t rank, size, lengths[RANK];
} Array;

/* Calls a kernel on one state; returns its status, 0 if it cannot fail. */
typedef int Run(const Real *const *in, Real *const *out);

/* Calls a batch kernel on arrays of columns, with prepared parameters. */
typedef void RunColumns(size_t count, size_t stride, const Real *const *in, Real *const *out, const Real *params, int *status);

/* A kernel.
 *
 *   name         for error messages
 *   arrays       inputs, then outputs
 *   can_fail     whether it has a status
 *   total        number of elements of all arrays
 *   run_lanes    batch kernel for many states in any layout, with the same parameters
 *   run_columns  batch kernel for many states in columns, with the same parameters
 *   prepare      computes the kernel's last input from run-time parameters; NULL without run-time parameters
 */
typedef struct {
    const char *name;
    const Array *arrays;
    ptrdiff_t inputs, outputs;
    int can_fail;
    ptrdiff_t total;
    Run *run;
    RunLanes *run_lanes;
    RunColumns *run_columns;
    Run *prepare;
} Kernel;

/* The axes over states of a call. Axes along which all arrays continue regularly are merged; the last axis is the innermost.
 *
 *   count    number of axes
 *   lengths  states along each axis
 *   steps    bytes from one state to the next, for each axis and array; 0 for an input that serves all states
 */
typedef struct {
    ptrdiff_t count;
    int64_t lengths[MOST_AXES];
    ptrdiff_t steps[MOST_AXES][ARRAYS];
} Axes;

/* Merge neighbouring axes along which all arrays continue regularly; at least one axis remains. */
static void merge_axes(Axes *axes, ptrdiff_t arrays)
{
    if (axes->count == 0) {
        axes->count = 1;
        axes->lengths[0] = 1;
        memset(axes->steps[0], 0, sizeof axes->steps[0]);
    }
    for (ptrdiff_t axis = axes->count - 2; axis >= 0; axis--) {
        int regular = 1;
        for (ptrdiff_t k = 0; k < arrays; k++)
            regular &= axes->steps[axis][k] == axes->steps[axis + 1][k] * axes->lengths[axis + 1];
        if (!regular)
            continue;
        axes->lengths[axis] *= axes->lengths[axis + 1];
        memcpy(axes->steps[axis], axes->steps[axis + 1], sizeof axes->steps[axis]);
        axes->count--;
        for (ptrdiff_t later = axis + 1; later < axes->count; later++) {
            axes->lengths[later] = axes->lengths[later + 1];
            memcpy(axes->steps[later], axes->steps[later + 1], sizeof axes->steps[later]);
        }
    }
}

#endif
