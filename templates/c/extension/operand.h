/* operand.h: memory layout of an array in a ufunc's loop. */
#ifndef OPERAND_H
#define OPERAND_H

#include <stddef.h>

#define WIDEST 64 /* most bytes of a vector, and bytes of a cache line */

#define APART __attribute__((noinline, unused)) static /* not inlined */

/* One operand of a loop over states.
 *
 *   data, step  first state, and bytes from state to state
 *   size        number of elements of a state
 *   contiguous  whether the elements of a state are contiguous, so that a kernel can use them in place
 *   offsets     bytes from the first element of a state to each element, row-major
 *   copy        room for the elements of one state, or of as many states as a vector has lanes
 */
typedef struct {
    char *data;
    ptrdiff_t step, size;
    int contiguous;
    ptrdiff_t *offsets;
    Real *copy;
} Operand;

/* Place of the statuses, if the kernel can fail. */
typedef struct {
    char *data;
    ptrdiff_t step;
} Statuses;

/* Computes many states by a batch kernel with prepared parameters. */
typedef void RunLanes(ptrdiff_t count, const Operand *operands, const Real *params, const Statuses *statuses);

/* Copy states of an operand, element j of state i to [j*lanes + i]; unused lanes repeat the first state. */
APART void gather(const Operand *operand, ptrdiff_t first, ptrdiff_t states, ptrdiff_t lanes)
{
    const char *data = operand->data + first * operand->step;
    for (ptrdiff_t element = 0; element < operand->size; element++)
        for (ptrdiff_t lane = 0; lane < lanes; lane++)
            operand->copy[element * lanes + lane] =
                *(const Real *)(data + operand->offsets[element] + (lane < states ? lane : 0) * operand->step);
}

/* Copy states back from [j*lanes + i]. */
APART void scatter(const Operand *operand, ptrdiff_t first, ptrdiff_t states, ptrdiff_t lanes)
{
    char *data = operand->data + first * operand->step;
    for (ptrdiff_t element = 0; element < operand->size; element++)
        for (ptrdiff_t lane = 0; lane < states; lane++)
            *(Real *)(data + operand->offsets[element] + lane * operand->step) = operand->copy[element * lanes + lane];
}

#endif
