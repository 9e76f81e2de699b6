/* handlers.h: calls of kernels from XLA's foreign function interface, on many states in rows or in columns.
 *
 * In rows an array has the shape (..., elements): one state after the other. In columns it has the shape (..., elements, states).
 * All arrays of a call have the same number of axes over states. An input of length 1 along such an axis serves all states.
 */
#ifndef HANDLERS_H
#define HANDLERS_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "xla/ffi/api/c_api.h"

#include "operand.h"

#define MOST_AXES 32 /* axes over states of an array */
#define LEAST 8 /* fewer states are computed one by one */

/* An array that a kernel reads or fills: axes and elements of one state. */
typedef struct {
    ptrdiff_t rank, size;
} Array;

/* Calls a kernel on one state; returns its status, 0 if it cannot fail. */
typedef int Run(const Real *const *in, Real *const *out);

/* A kernel.
 *
 *   arrays     inputs, then outputs
 *   can_fail   whether it has a status
 *   total      number of elements of all arrays
 *   run_lanes  batch kernel for many states with the same parameters
 *   prepare    computes the kernel's last input from run-time parameters; NULL without run-time parameters
 */
typedef struct {
    const Array *arrays;
    ptrdiff_t inputs, outputs;
    int can_fail;
    ptrdiff_t total;
    Run *run;
    RunLanes *run_lanes;
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

static XLA_FFI_Error *refuse(const XLA_FFI_CallFrame *frame, const char *message, XLA_FFI_Error_Code code)
{
    XLA_FFI_Error_Create_Args args = {XLA_FFI_Error_Create_Args_STRUCT_SIZE, NULL, message, code};
    return frame->api->XLA_FFI_Error_Create(&args);
}

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

/* Fill the results of a state with NaN: the kernel could not compute them. */
static void invalidate(const Kernel *kernel, const Operand *operands, ptrdiff_t state)
{
    for (ptrdiff_t k = kernel->inputs; k < kernel->inputs + kernel->outputs; k++)
        for (ptrdiff_t element = 0; element < operands[k].size; element++)
            *(Real *)(operands[k].data + state * operands[k].step + operands[k].offsets[element]) = (Real)NAN;
}

/* Compute states one after the other, in place if their elements are contiguous, else in copies. */
static void compute_states(const Kernel *kernel, const Operand *operands, ptrdiff_t count)
{
    const ptrdiff_t inputs = kernel->inputs, arrays = inputs + kernel->outputs;
    const Real *in[ARRAYS];
    Real *out[ARRAYS], params[PARAMS], *prepared = params;
    for (ptrdiff_t state = 0; state < count; state++) {
        int unusable = 0;
        for (ptrdiff_t k = 0; k < arrays; k++) {
            const Operand *operand = &operands[k];
            Real *data = operand->contiguous ? (Real *)(operand->data + state * operand->step) : operand->copy;
            if (k < inputs)
                in[k] = data;
            else
                out[k - inputs] = data;
            if (k < inputs && !operand->contiguous)
                gather(operand, state, 1, 1);
        }
        if (kernel->prepare) {
            const Real *const values = in[inputs - 1];
            unusable = kernel->prepare(&values, &prepared);
            in[inputs - 1] = params;
        }
        const int status = kernel->run(in, out);
        for (ptrdiff_t k = inputs; k < arrays; k++)
            if (!operands[k].contiguous)
                scatter(&operands[k], state, 1, 1);
        if (status || unusable)
            invalidate(kernel, operands, state);
    }
}

/* Compute states side by side. */
static void compute_lanes(const Kernel *kernel, const Operand *operands, ptrdiff_t count, int *failed)
{
    Real params[PARAMS], *prepared = params;
    int unusable = 0;
    if (kernel->prepare) {
        const Operand *const parameters = &operands[kernel->inputs - 1];
        const Real *const values = parameters->copy;
        gather(parameters, 0, 1, 1);
        unusable = kernel->prepare(&values, &prepared);
    }
    const Statuses statuses = {(char *)failed, sizeof *failed};
    kernel->run_lanes(count, operands, params, &statuses);
    for (ptrdiff_t state = 0; state < count && (unusable || kernel->can_fail); state++)
        if (unusable || failed[state])
            invalidate(kernel, operands, state);
}

/* Compute all states of a call. */
static XLA_FFI_Error *compute(const Kernel *kernel, const XLA_FFI_CallFrame *frame, int columns)
{
    const ptrdiff_t arrays = kernel->inputs + kernel->outputs, number = sizeof(Real);
    Axes axes;
    if (!describe_axes(kernel, frame, columns, &axes))
        return refuse(frame, "expected arrays with the types and shapes of the kernel", XLA_FFI_Error_Code_INVALID_ARGUMENT);
    ptrdiff_t strides[ARRAYS]; /* bytes from an element to the next */
    for (ptrdiff_t k = 0; k < arrays; k++) {
        const XLA_FFI_Buffer *buffer = buffer_of(kernel, frame, k);
        strides[k] = columns ? (ptrdiff_t)buffer->dims[buffer->rank - 1] * number : number;
    }
    merge_axes(&axes, arrays);
    int64_t calls = 1;
    for (ptrdiff_t axis = 0; axis < axes.count; axis++)
        if (axes.lengths[axis] == 0)
            return NULL;
    for (ptrdiff_t axis = 0; axis < axes.count - 1; axis++)
        calls *= axes.lengths[axis];
    const int64_t count = axes.lengths[axes.count - 1];
    const ptrdiff_t *steps = axes.steps[axes.count - 1];
    const int lanes = count >= LEAST && (!kernel->prepare || steps[kernel->inputs - 1] == 0);
    const size_t copy = lanes ? WIDEST : sizeof(Real), statuses = lanes && kernel->can_fail ? (size_t)count : 0;
    ptrdiff_t *offsets = malloc((size_t)kernel->total * (sizeof *offsets + copy) + WIDEST + statuses * sizeof(int));
    if (offsets == NULL)
        return refuse(frame, "no memory for copies of a few states", XLA_FFI_Error_Code_RESOURCE_EXHAUSTED);
    char *copies = (char *)(((uintptr_t)(offsets + kernel->total) + WIDEST - 1) / WIDEST * WIDEST);
    Operand operands[ARRAYS];
    ptrdiff_t *next = offsets;
    for (ptrdiff_t k = 0; k < arrays; k++) {
        const ptrdiff_t size = kernel->arrays[k].size;
        operands[k] = (Operand){buffer_of(kernel, frame, k)->data, steps[k], size, size == 1 || strides[k] == number, next, (Real *)copies};
        for (ptrdiff_t element = 0; element < size; element++)
            *next++ = element * strides[k];
        copies += (size_t)size * copy;
    }
    for (int64_t call = 0; call < calls; call++) {
        if (lanes)
            compute_lanes(kernel, operands, count, (int *)copies);
        else
            compute_states(kernel, operands, count);
        /* The next states: the innermost of the other axes advances first. */
        int64_t left = call + 1;
        for (ptrdiff_t axis = axes.count - 2; axis >= 0; left /= axes.lengths[axis], axis--) {
            const int back = left % axes.lengths[axis] == 0;
            for (ptrdiff_t k = 0; k < arrays; k++)
                operands[k].data += axes.steps[axis][k] * (back ? 1 - (ptrdiff_t)axes.lengths[axis] : 1);
            if (!back)
                break;
        }
    }
    free(offsets);
    return NULL;
}

/* Answer a call of XLA, which first requests the version of the interface. */
static XLA_FFI_Error *answer(const Kernel *kernel, XLA_FFI_CallFrame *frame, int columns)
{
    for (XLA_FFI_Extension_Base *each = frame->extension_start; each; each = each->next)
        if (each->type == XLA_FFI_Extension_Metadata) {
            XLA_FFI_Metadata *metadata = ((XLA_FFI_Metadata_Extension *)each)->metadata;
            /* The oldest version that has all that is used here, so that older versions of JAX accept the library too. */
            metadata->api_version.major_version = 0;
            metadata->api_version.minor_version = 1;
            return NULL;
        }
    return frame->stage == XLA_FFI_ExecutionStage_EXECUTE ? compute(kernel, frame, columns) : NULL;
}

#endif
