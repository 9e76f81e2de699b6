/* operand.h: how an array of a ufunc's loop lies in memory. */
#ifndef OPERAND_H
#define OPERAND_H

#include <stddef.h>

#define WIDEST 64 /* bytes of a vector, at most, and of a line of the cache */

#define APART __attribute__((noinline, unused)) static /* once, not wherever it is called */

/* One operand of a loop over states.
 *
 *   data, step  its first state, and bytes from state to state
 *   size        elements of a state
 *   contiguous  whether the elements of a state follow each other, so that a kernel can work on them as they lie
 *   offsets     bytes from the first element of a state to every one, row-major
 *   copy        room for the elements of a state, or of as many states as a vector has lanes
 */
typedef struct {
    char *data;
    ptrdiff_t step, size;
    int contiguous;
    ptrdiff_t *offsets;
    Real *copy;
} Operand;

/* Where the status of states goes, if there is one. */
typedef struct {
    char *data;
    ptrdiff_t step;
} Statuses;

/* Computes many states by a kernel over lanes, for which parameters, if it has any, have been prepared. */
typedef void RunLanes(ptrdiff_t count, const Operand *operands, const Real *params, const Statuses *statuses);

/* Copy some states of an operand: element j of state i to [j*lanes + i], and the first state to the lanes that are left. */
APART void gather(const Operand *operand, ptrdiff_t first, ptrdiff_t states, ptrdiff_t lanes)
{
    const char *data = operand->data + first * operand->step;
    for (ptrdiff_t element = 0; element < operand->size; element++)
        for (ptrdiff_t lane = 0; lane < lanes; lane++)
            operand->copy[element * lanes + lane] =
                *(const Real *)(data + operand->offsets[element] + (lane < states ? lane : 0) * operand->step);
}

/* Copy them back. */
APART void scatter(const Operand *operand, ptrdiff_t first, ptrdiff_t states, ptrdiff_t lanes)
{
    char *data = operand->data + first * operand->step;
    for (ptrdiff_t element = 0; element < operand->size; element++)
        for (ptrdiff_t lane = 0; lane < states; lane++)
            *(Real *)(data + operand->offsets[element] + lane * operand->step) = operand->copy[element * lanes + lane];
}

#endif
