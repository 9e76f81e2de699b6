/* operands.h: how the arrays of a ufunc's loop lie in memory. */
#ifndef OPERANDS_H
#define OPERANDS_H

#include "kernel.h"

/* One operand of a loop over states.
 *
 *   data     of the first state
 *   step     bytes from state to state
 *   offsets  bytes from the first element to every one, row-major; NULL where they follow each other, so that a kernel can
 *            work on the array as it lies
 *   copy     room for the elements of what the kernel cannot work on
 */
typedef struct {
    const Array *array;
    char *data;
    npy_intp step;
    npy_intp *offsets;
    Real *copy;
} Operand;

/* Whether the elements of one state follow each other; strides are the array's own, in bytes. */
static int contiguous(const Array *array, const npy_intp *strides)
{
    npy_intp expected = (npy_intp)sizeof(Real);
    for (int axis = array->rank - 1; axis >= 0; axis--) {
        if (array->shape[axis] != 1 && strides[axis] != expected)
            return 0;
        expected *= array->shape[axis];
    }
    return 1;
}

/* Bytes from the first element of an array to every one of them. */
static void find_offsets(const Array *array, const npy_intp *strides, npy_intp *offsets)
{
    npy_intp index[RANK] = {0}, offset = 0;
    for (npy_intp element = 0; element < array->size; element++) {
        offsets[element] = offset;
        for (int axis = array->rank - 1; axis >= 0; axis--) {
            offset += strides[axis];
            if (++index[axis] < array->shape[axis])
                break;
            offset -= index[axis] * strides[axis];
            index[axis] = 0;
        }
    }
}

/* Copy states first..first + count of an operand to `copy`, element j of the state i to [j*stride + i]. */
static void gather(const Operand *operand, npy_intp first, npy_intp count, npy_intp stride)
{
    const char *data = operand->data + first * operand->step;
    for (npy_intp element = 0; element < operand->array->size; element++) {
        const char *from = data + operand->offsets[element];
        Real *to = operand->copy + element * stride;
        for (npy_intp state = 0; state < count; state++)
            to[state] = *(const Real *)(from + state * operand->step);
    }
}

/* The same, back. */
static void scatter(const Operand *operand, npy_intp first, npy_intp count, npy_intp stride)
{
    char *data = operand->data + first * operand->step;
    for (npy_intp element = 0; element < operand->array->size; element++) {
        char *to = data + operand->offsets[element];
        const Real *from = operand->copy + element * stride;
        for (npy_intp state = 0; state < count; state++)
            *(Real *)(to + state * operand->step) = from[state];
    }
}

#endif
