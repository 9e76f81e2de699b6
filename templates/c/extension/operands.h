/* operands.h: how the arrays of a ufunc's loop lie in memory. */
#ifndef OPERANDS_H
#define OPERANDS_H

#include "kernel.h"

/* One operand of a loop over states.
 *
 *   data, step  its first state, and bytes from state to state
 *   contiguous  whether the elements of a state follow each other, so that a kernel can work on them as they lie
 *   offsets     bytes from the first element of a state to every one, row-major
 *   copy        room for the elements of some states
 */
typedef struct {
    const Array *array;
    char *data;
    npy_intp step;
    int contiguous;
    npy_intp *offsets;
    Real *copy;
} Operand;

/* Where the status of states goes, if there is one. */
typedef struct {
    char *data;
    npy_intp step;
} Statuses;

/* Find the offsets of all operands, and give them room for copies of some states; strides are those of their axes, in bytes. */
static void place_operands(const Kernel *kernel, Operand *operands, const npy_intp *strides, npy_intp *offsets, Real *copies,
                           npy_intp states)
{
    for (int k = 0; k < kernel->inputs + kernel->outputs; k++) {
        const Array *array = &kernel->arrays[k];
        npy_intp index[RANK] = {0}, offset = 0;
        operands[k].contiguous = 1;
        operands[k].offsets = offsets;
        operands[k].copy = copies;
        for (npy_intp element = 0; element < array->size; element++) {
            offsets[element] = offset;
            operands[k].contiguous &= offset == element * (npy_intp)sizeof(Real);
            for (int axis = array->rank - 1; axis >= 0; axis--) {
                offset += strides[axis];
                if (++index[axis] < array->shape[axis])
                    break;
                offset -= index[axis] * strides[axis];
                index[axis] = 0;
            }
        }
        strides += array->rank;
        offsets += array->size;
        copies += array->size * states;
    }
}

#endif
