/* operands.h: the operands of a ufunc's loop, from numpy's dimensions and strides. */
#ifndef OPERANDS_H
#define OPERANDS_H

#include "run.h"

/* Compute the offsets of all operands, and assign them room for copies of states. `strides` has the strides of all axes, in bytes. */
static void place_operands(const Kernel *kernel, Operand *operands, const npy_intp *strides, npy_intp *offsets, Real *copies,
                           npy_intp states)
{
    for (int k = 0; k < kernel->inputs + kernel->outputs; k++) {
        const Array *array = &kernel->arrays[k];
        npy_intp index[RANK] = {0}, offset = 0;
        operands[k].size = array->size;
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
