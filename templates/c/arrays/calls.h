/* calls.h: calls of kernels on arrays of states, in rows, in columns or in any other layout. */
#ifndef CALLS_H
#define CALLS_H

#include <math.h>
#include <stdlib.h>

#include "axes.h"

#define LEAST 8 /* fewer states are computed one by one */

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

/* Return the stride of the columns in which all arrays except run-time parameters are, in numbers; 0 for another layout. */
static size_t common_columns(const Kernel *kernel, const Operand *operands)
{
    const ptrdiff_t number = sizeof(Real);
    ptrdiff_t stride = 0;
    for (ptrdiff_t k = 0; k < kernel->inputs + kernel->outputs; k++) {
        if (kernel->prepare && k == kernel->inputs - 1)
            continue;
        if (operands[k].step != number)
            return 0;
        if (operands[k].size > 1 && !stride)
            stride = operands[k].offsets[1];
        for (ptrdiff_t element = 1; element < operands[k].size; element++)
            if (operands[k].offsets[element] != element * stride)
                return 0;
    }
    return stride > 0 ? (size_t)(stride / number) : 0;
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
    const size_t stride = common_columns(kernel, operands);
    if (stride) {
        const ptrdiff_t arrays = kernel->inputs + kernel->outputs;
        const Real *in[ARRAYS];
        Real *out[ARRAYS];
        for (ptrdiff_t k = 0; k < kernel->inputs; k++)
            in[k] = (const Real *)operands[k].data;
        for (ptrdiff_t k = kernel->inputs; k < arrays; k++)
            out[k - kernel->inputs] = (Real *)operands[k].data;
        kernel->run_columns((size_t)count, stride, in, out, params, failed);
    } else {
        kernel->run_lanes(count, operands, params, &statuses);
    }
    for (ptrdiff_t state = 0; state < count && (unusable || kernel->can_fail); state++)
        if (unusable || failed[state])
            invalidate(kernel, operands, state);
}

/* Fill the offsets of the elements of a state; return whether they are contiguous. */
static int fill_offsets(const Array *array, const ptrdiff_t *strides, ptrdiff_t *offsets)
{
    int contiguous = 1;
    for (ptrdiff_t element = 0; element < array->size; element++) {
        ptrdiff_t left = element, offset = 0;
        for (ptrdiff_t axis = array->rank - 1; axis >= 0; left /= array->lengths[axis], axis--)
            offset += left % array->lengths[axis] * strides[axis];
        offsets[element] = offset;
        contiguous &= offset == element * (ptrdiff_t)sizeof(Real);
    }
    return contiguous;
}

/* Move all arrays to the next states of the outer axes: the innermost of these advances first. */
static void advance(const Axes *axes, Operand *operands, ptrdiff_t arrays, int64_t call)
{
    int64_t left = call + 1;
    for (ptrdiff_t axis = axes->count - 2; axis >= 0; left /= axes->lengths[axis], axis--) {
        const int back = left % axes->lengths[axis] == 0;
        for (ptrdiff_t k = 0; k < arrays; k++)
            operands[k].data += axes->steps[axis][k] * (back ? 1 - (ptrdiff_t)axes->lengths[axis] : 1);
        if (!back)
            break;
    }
}

/* Compute all states of a call; return whether there was memory for copies of a few states.
 *
 *   axes     axes over states; this function merges them
 *   data     first state of each array
 *   strides  bytes from an element to the next, for each array and each axis of a state
 */
static int compute(const Kernel *kernel, Axes *axes, char *const *data, const ptrdiff_t (*strides)[RANK])
{
    const ptrdiff_t arrays = kernel->inputs + kernel->outputs;
    merge_axes(axes, arrays);
    int64_t calls = 1;
    for (ptrdiff_t axis = 0; axis < axes->count; axis++)
        if (axes->lengths[axis] == 0)
            return 1;
    for (ptrdiff_t axis = 0; axis < axes->count - 1; axis++)
        calls *= axes->lengths[axis];
    const int64_t count = axes->lengths[axes->count - 1];
    const ptrdiff_t *steps = axes->steps[axes->count - 1];
    const int lanes = count >= LEAST && (!kernel->prepare || steps[kernel->inputs - 1] == 0);
    const size_t copy = lanes ? WIDEST : sizeof(Real), statuses = lanes && kernel->can_fail ? (size_t)count : 0;
    ptrdiff_t *offsets = malloc((size_t)kernel->total * (sizeof *offsets + copy) + WIDEST + statuses * sizeof(int));
    if (offsets == NULL)
        return 0;
    char *copies = (char *)(((uintptr_t)(offsets + kernel->total) + WIDEST - 1) / WIDEST * WIDEST);
    Operand operands[ARRAYS];
    ptrdiff_t *next = offsets;
    for (ptrdiff_t k = 0; k < arrays; k++) {
        const ptrdiff_t size = kernel->arrays[k].size;
        const int contiguous = fill_offsets(&kernel->arrays[k], strides[k], next);
        operands[k] = (Operand){data[k], steps[k], size, contiguous, next, (Real *)copies};
        next += size;
        copies += (size_t)size * copy;
    }
    for (int64_t call = 0; call < calls; call++) {
        if (lanes)
            compute_lanes(kernel, operands, count, (int *)copies);
        else
            compute_states(kernel, operands, count);
        advance(axes, operands, arrays, call);
    }
    free(offsets);
    return 1;
}

#endif
