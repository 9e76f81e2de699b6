/* axes.h: the arrays of a call from XLA's foreign function interface, and their axes over states.
 *
 * In rows an array has the shape (..., elements): one state after the other. In columns it has the shape (..., elements, states).
 * All arrays of a call have the same number of axes over states. An input of length 1 along such an axis serves all states.
 */
#ifndef AXES_H
#define AXES_H

#include <stdint.h>
#include <string.h>

#include "xla/ffi/api/c_api.h"

#include "operand.h"

#define MOST_AXES 32 /* axes over states of an array */

/* An array that a kernel reads or fills: axes and elements of one state. */
typedef struct {
    ptrdiff_t rank, size;
} Array;

/* Calls a kernel on one state; returns its status, 0 if it cannot fail. */
typedef int Run(const Real *const *in, Real *const *out);

/* Calls a batch kernel on arrays of columns, with prepared parameters. */
typedef void RunColumns(size_t count, size_t stride, const Real *const *in, Real *const *out, const Real *params, int *status);

/* A kernel.
 *
 *   arrays       inputs, then outputs
 *   can_fail     whether it has a status
 *   total        number of elements of all arrays
 *   run_lanes    batch kernel for many states in any layout, with the same parameters
 *   run_columns  batch kernel for many states in columns, with the same parameters
 *   prepare      computes the kernel's last input from run-time parameters; NULL without run-time parameters
 */
typedef struct {
    const Array *arrays;
    ptrdiff_t inputs, outputs;
    int can_fail;
    ptrdiff_t total;
    Run *run;
    RunLanes *run_lanes;
    RunColumns *run_columns;
    Run *prepare;
} Kernel;

/* The axes over states of a call. Axes along which all arrays continue regularly are one axis; the last one is the innermost.
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

/* Return an array of a call: the inputs come first. */
static const XLA_FFI_Buffer *buffer_of(const Kernel *kernel, const XLA_FFI_CallFrame *frame, ptrdiff_t k)
{
    return k < kernel->inputs ? frame->args.args[k] : frame->rets.rets[k - kernel->inputs];
}

/* Return the length of an axis over states. In columns the innermost is the last axis of the array. */
static int64_t length_of(const XLA_FFI_Buffer *buffer, ptrdiff_t axis, ptrdiff_t count, int columns)
{
    return buffer->dims[columns && axis == count - 1 ? buffer->rank - 1 : axis];
}

/* Describe the axes over states; return whether types and shapes are those of the kernel. */
static int describe_axes(const Kernel *kernel, const XLA_FFI_CallFrame *frame, int columns, Axes *axes)
{
    const ptrdiff_t arrays = kernel->inputs + kernel->outputs;
    const XLA_FFI_Buffer *first = buffer_of(kernel, frame, kernel->inputs);
    const ptrdiff_t count = first->rank - kernel->arrays[kernel->inputs].rank;
    if (frame->args.size != kernel->inputs || frame->rets.size != kernel->outputs || count < columns || count > MOST_AXES)
        return 0;
    axes->count = count;
    for (ptrdiff_t k = 0; k < arrays; k++) {
        const XLA_FFI_Buffer *buffer = buffer_of(kernel, frame, k);
        if (buffer->dtype != XLA_REAL || buffer->rank != count + kernel->arrays[k].rank)
            return 0;
        ptrdiff_t step = sizeof(Real);
        if (!columns)
            step *= kernel->arrays[k].size;
        for (ptrdiff_t axis = count - 1; axis >= 0; axis--) {
            const int64_t length = length_of(buffer, axis, count, columns);
            axes->lengths[axis] = length_of(first, axis, count, columns);
            if (length != axes->lengths[axis] && (length != 1 || k >= kernel->inputs))
                return 0;
            axes->steps[axis][k] = length == axes->lengths[axis] ? step : 0;
            step *= length;
            if (columns && axis == count - 1)
                step *= kernel->arrays[k].size;
        }
    }
    return 1;
}

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
